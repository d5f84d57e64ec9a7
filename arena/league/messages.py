"""The words of the pipe between parent and worker: (word, content) pairs."""

PLAY, STOP = "play", "stop"
"""To the worker: a ``Job``; open no more games."""

READY, ITEM, REFUSED, FAILED = "ready", "item", "refused", "failed"
"""From the worker: give me a job; a ``Finished``, ``Void`` or ``SittingEnd``; the operator's error, in words; our own
error, as a traceback."""
