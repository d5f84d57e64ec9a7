"""What a bot prints: always read, kept as its first and last 64 KiB, so that it can neither block nor fill a disk."""

from __future__ import annotations

from collections import deque
from pathlib import Path

HEAD_BYTES = 64 << 10
TAIL_BYTES = 64 << 10
NOTHING = "it printed nothing, or had not flushed it when it ended"
"""Said of a bot whose log is empty: what a program holds in a buffer is lost when it is ended."""


class CappedLog:
    """The first and the last bytes of a stream, with the number of those between.

    The head goes to the file as it comes, the tail when the log is closed; a bot that prints nothing leaves no file.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take what the bot printed."""
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            self._write(data[:room])
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
            self._trim()

    def _trim(self) -> None:
        while self._tail_bytes > TAIL_BYTES:
            first = self._tail.popleft()
            surplus = min(len(first), self._tail_bytes - TAIL_BYTES)
            if surplus < len(first):
                self._tail.appendleft(first[surplus:])
            self._tail_bytes -= surplus
            self._dropped += surplus

    def close(self) -> None:
        """Write the tail, and between head and tail how much was left out."""
        if self._dropped:
            self._write(f"\n[... {self._dropped} bytes left out ...]\n".encode())
        for part in self._tail:
            self._write(part)

    def last_lines(self, count: int = 50) -> str:
        """Return the last lines, with control characters escaped, for a person who must not be fooled by them."""
        tail = b"".join(self._tail)
        data = tail if self._dropped else bytes(self._head) + tail
        lines = data.decode("utf-8", "replace").splitlines()[-count:]
        return "\n".join(escaped(line) for line in lines)

    def _write(self, data: bytes) -> None:
        if self._path is None or not data:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(data)
        except OSError:
            # A full disk must not cost the bot its game: what was printed is kept in memory for the evidence.
            self._path = None


def escaped(text: str) -> str:
    """Return text with every control character but tab written as an escape."""
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)
