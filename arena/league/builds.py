"""Builds that are kept: what the steps of a bot have made is made once for a user, not once for each command.

A build is found by what it was made from: the digest of the bot (its sources, manifest and steps), the sandbox of the
steps, the kind of machine, and the programs that the steps name. It is one file, an archive behind its own SHA-256;
one that does not fit its hash is dropped and built again. Files that are replaced as a whole and a lock for each build
make it safe that several commands build at once. Libraries that programs find by themselves are not looked at: after an
upgrade of those ``--rebuild`` is for.

While a bot is written, each change makes another build. So that its author waits for the compiler alone, the commands
of the author also keep the caches that the steps of a bot have filled, what was fetched and compiled for it, for the
next build in the same folder and nobody else's. A league uses none: it builds from nothing, or takes a whole build.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arena.league.bots import Bot
from arena.records.codec import canonical_json

BYTES_MOST = 1 << 30
"""What all builds together may take, and all caches; more, and those that were not used for longest go."""
GROWN = 1.1
"""Caches are kept again when they have grown by this: packing hundreds of MB takes as long as a small library."""
_BUILD, _CACHES, _UNFINISHED = ".build", ".caches", ".unfinished"
_LOCK_DIGITS = 2
_DIGEST_BYTES = hashlib.sha256().digest_size


def users_cache() -> Path:
    """Return the folder for the builds of this user: below ``XDG_CACHE_HOME``, else below ``~/.cache``."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path("~/.cache").expanduser()) / "arena" / "builds"


@dataclass(frozen=True, slots=True)
class Builds:
    """The kept builds of one user.

    Attributes:
        folder: where they are; made if missing, for nobody else to read or write.
        level: the sandbox of the steps: what was built in a weaker one is not taken for a stronger one.
        tell: is told in words what is built, taken and removed.
        rebuild: take nothing that was kept.
        caches: keep and take the caches of the steps, too.
        bytes_most: what all builds may take, and all caches.
    """

    folder: Path
    level: str
    tell: Callable[[str], None]
    rebuild: bool = False
    caches: bool = False
    bytes_most: int = BYTES_MOST

    def fill(self, bot: Bot, digest: str, folder: Path, make: Callable[[], None]) -> None:
        """Put the build of a bot into an empty folder: the kept one, or what ``make`` makes there, which is then kept.

        A second command that wants the same build waits for the first. Without a folder to keep builds in, nothing is
        kept, and that is said.
        """
        path = self.folder / f"{build_key(bot, digest, self.level)}{_BUILD}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            lock = self.folder / f"lock-{path.name[:_LOCK_DIGITS]}"
            opened = lock.open("wb")
        except OSError as error:
            self.tell(f"builds are not kept: {self.folder}: {error.strerror}")
            self._make(bot, make)
            return
        with opened:
            self._lock(opened)
            if self.rebuild or not self._take(bot, path, folder):
                self._make(bot, make)
                self._keep(path, folder)

    def take_caches(self, bot: Bot, folder: Path) -> int:
        """Make a folder of the caches that the last build in this bot's folder has left; return their size."""
        if not self.caches or self.rebuild:
            return 0
        folder.mkdir()
        return _size(folder) if self._unpacked(bot, self._caches_of(bot), folder) else 0

    def keep_caches(self, bot: Bot, folder: Path, taken: int) -> None:
        """Keep the caches that the steps of a bot have filled, unless they are about as large as what was taken."""
        if self.caches and folder.is_dir() and _size(folder) > GROWN * taken:
            self._keep(self._caches_of(bot), folder)

    def _caches_of(self, bot: Bot) -> Path:
        place = hashlib.sha256(canonical_json([os.path.realpath(bot.folder), self.level])).hexdigest()
        return self.folder / f"{place}{_CACHES}"

    def _lock(self, file: BinaryIO) -> None:
        """Take a lock that ends with the file, at the latest with this process; say so when it must be awaited."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.tell("another command is building, perhaps the same bot: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)

    def _make(self, bot: Bot, make: Callable[[], None]) -> None:
        self.tell(f"building {bot.name}: this may take minutes, once for each change of its files")
        began = time.monotonic()
        make()
        self.tell(f"built {bot.name} in {time.monotonic() - began:.0f} s")

    def _take(self, bot: Bot, path: Path, folder: Path) -> bool:
        taken = self._unpacked(bot, path, folder)
        if taken:
            self.tell(f"{bot.name} is taken as it was built before")
        return taken

    def _unpacked(self, bot: Bot, path: Path, folder: Path) -> bool:
        """Unpack what was kept; return False when there is nothing, or it is damaged, and then it is removed."""
        try:
            with path.open("rb") as file:
                if file.read(_DIGEST_BYTES) == hashlib.file_digest(file, "sha256").digest():
                    file.seek(_DIGEST_BYTES)
                    _unpack(file, folder)
                    os.utime(path)
                    return True
        except FileNotFoundError:
            return False
        self.tell(f"what was kept of {bot.name} is damaged, {path}: it is dropped")
        path.unlink(missing_ok=True)
        return False

    def _keep(self, path: Path, folder: Path) -> None:
        unfinished = path.with_name(f"{_UNFINISHED}-{path.name}")
        try:
            with unfinished.open("wb+") as file:
                file.write(bytes(_DIGEST_BYTES))
                _pack(folder, file)
                file.seek(_DIGEST_BYTES)
                digest = hashlib.file_digest(file, "sha256").digest()
                file.seek(0)
                file.write(digest)
            unfinished.replace(path)
            self._bound(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            self.tell(f"{path} is not kept: {error.strerror}")

    def _bound(self, newest: Path) -> None:
        """Remove what was not used for longest until the rest of its kind is small enough; say so."""
        kept = sorted(_found(self.folder, newest.suffix), key=lambda item: item[1].st_mtime)
        size = sum(status.st_size for _, status in kept)
        removed: list[os.stat_result] = []
        for path, status in kept:
            if size > self.bytes_most and path != newest:
                path.unlink(missing_ok=True)
                size -= status.st_size
                removed.append(status)
        if removed:
            last = time.strftime("%Y-%m-%d", time.localtime(removed[-1].st_mtime))
            freed = sum(status.st_size for status in removed) >> 20
            self.tell(
                f"removed {len(removed)} kept {newest.suffix[1:]} of {freed} MB, "
                f"not used since {last}: {self.folder} may hold {self.bytes_most >> 20} MB"
            )


def build_key(bot: Bot, digest: str, level: str) -> str:
    """Return the name of a build, hex: SHA-256 over all that it is found by."""
    words = {word for command in (*bot.fetch, *bot.build, bot.command[:1]) for word in command}
    programs = sorted(os.path.realpath(found) for word in words if "/" not in word and (found := shutil.which(word)))
    stats = [(program, os.stat(program)) for program in programs]
    found_by = {
        "digest": digest,
        "sandbox": level,
        "machine": [platform.machine(), *platform.libc_ver()],
        "programs": [[program, status.st_size, status.st_mtime_ns] for program, status in stats],
    }
    return hashlib.sha256(b"arena build 1\n" + canonical_json(found_by)).hexdigest()


def _found(folder: Path, suffix: str) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield what is kept of one kind, with what killed commands left of it."""
    for path in folder.glob(f"*{suffix}"):
        try:
            yield path, path.stat()
        except FileNotFoundError:
            continue  # another command has removed it


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _pack(folder: Path, file: BinaryIO) -> None:
    """Append the files of a folder, whoever owns them; they will lend nobody's rights."""

    def owned_by_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mode &= 0o777  # a step may have set the bits that let a program run as its owner
        return member

    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.add(folder, ".", filter=owned_by_nobody)


def _unpack(file: BinaryIO, folder: Path) -> None:
    with tarfile.open(fileobj=file, mode="r:") as archive:
        # What was packed here is unpacked as it was; the hash says that nobody has changed it.
        archive.extraction_filter = lambda member, _: member
        archive.extractall(folder)
