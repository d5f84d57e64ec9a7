"""The words of the pipe between parent and worker: (word, content) pairs."""

PLAY, STOP = "play", "stop"
"""To the worker: a ``Job``; open no more games."""

READY, ITEM, LOBBY, STRANGERS, REFUSED, FAILED = "ready", "item", "lobby", "strangers", "refused", "failed"
"""From the worker: give me a job; a ``Finished``, ``Void`` or ``SittingEnd``; the address for bots that are started by
hand; how many more dials had a wrong token; the operator's error, in words; our own error, as a traceback."""
