"""The words of the pipe between parent and worker: (word, content) pairs."""

PLAY, STOP = "play", "stop"
"""To the worker: a ``Job``; open no more games."""

READY, OPENED, ITEM, LOBBY = "ready", "opened", "item", "lobby"
STRANGERS, REFUSED, FAILED = "strangers", "refused", "failed"
"""From the worker: give me a job; the id of a game that begins; a ``Finished``, ``Void`` or ``SittingEnd``; the address
for bots that are started by hand; how many more dials had a wrong token; the operator's error, in words; our own error,
as a traceback."""
