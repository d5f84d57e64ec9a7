"""The results folder of one league: its lock, its secret, its files, and whose results it holds."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

import arena
from arena.errors import UsageError
from arena.league.fingerprint import differences, fingerprint
from arena.league.values import League
from arena.league.whole import write_whole
from arena.players.base import Program
from arena.players.scratch import make_folder, remove_tree
from arena.seeds import SECRET_BYTES, commitment, new_secret
from arena.storage.engine import stored_version
from arena.storage.rows import StoredEntrant, StoredRuleset
from arena.storage.store import Store

DATABASE, SECRET, LEAGUE_FILE, LOCK, BOTS, LOGS = "league.db", "secret", "league.toml", "lock", "bots", "logs"
SCRATCH, SOCKET_ROOM = "arena-run-", 40
"""The temporary files of a run: a folder for each worker, in it one for each sitting, in it the sockets."""
OPEN_SECRET = "secret.txt"
"""The secret of a league that is published: anybody may read it."""
PUBLISHED = "published"
"""The key of ``meta`` that says so."""
_OURS = re.compile(r"league\.(db|db-wal|db-shm|toml)|secret(\.txt)?|lock|bots|logs|standings\..*|\..*")


class ResultsFolder:
    """A results folder that this process alone may write: a context manager that holds its lock.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path, lock: IO[str], *, made: bool) -> None:
        self.path = path
        self._lock = lock
        self._made = made

    @classmethod
    def open(cls, path: Path) -> ResultsFolder:
        """Make the folder if there is none, and take its lock.

        Raises:
            UsageError: when another run holds the lock (with its process id), the folder cannot be written, or it has
                files but none of a league.
        """
        made = not path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
            _check_ours(path)
            lock = (path / LOCK).open("a+", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path}: this folder cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            holder = lock.read().partition("\n")[0] or "unknown"
            lock.close()
            if isinstance(error, BlockingIOError):
                raise UsageError(
                    f"{path}: another run works in this folder (process {holder}); wait, or stop it"
                ) from error
            raise UsageError(f"{path}: this folder cannot be locked: {error.strerror}") from error
        lock.seek(0)
        _, _, left = lock.read().partition("\n")
        folder = cls(path, lock, made=made)
        folder._note(left.strip())
        return folder

    def _note(self, scratch: str) -> None:
        """Write who holds the lock, and where that run has its temporary files ("" for nowhere)."""
        self._scratch = scratch
        self._lock.truncate(0)
        self._lock.write("\n".join(filter(None, (str(os.getpid()), scratch))) + "\n")
        self._lock.flush()

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Make a folder for the temporary files of this run, and remove it at the end.

        Its name stands beside the lock meanwhile; what a run that was killed has left is removed first.
        """
        self.remove_left()
        made = make_folder(SCRATCH, SOCKET_ROOM)
        self._note(made)
        try:
            yield Path(made)
        finally:
            self._remove(made)

    def remove_left(self) -> None:
        """Remove the temporary files of a run that was killed."""
        self._remove(self._scratch if _is_scratch(Path(self._scratch)) else "")

    def _remove(self, scratch: str) -> None:
        """Remove temporary files and forget their place whatever comes of that: the next run must not fail for it."""
        try:
            if scratch:
                remove_tree(scratch)
        finally:
            self._note("")

    def close(self) -> None:
        """Give the lock back; the kernel does so too when the process ends in any way."""
        self._lock.close()

    def __enter__(self) -> ResultsFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def until_begun(self) -> Iterator[None]:
        """Leave nothing half-made: a league without a stored game is no league yet.

        What a killed run left before its first game is removed at once, and what this one has made when it fails before
        its first game, so that a bot that did not start can be mended and entered again. Snapshots and logs stay.
        """
        had_secret = (self.path / SECRET).exists()
        self._take_back()
        try:
            yield
        except BaseException:
            if self._take_back() and not had_secret:
                (self.path / SECRET).unlink(missing_ok=True)
            self._remove_empty()
            raise

    def _take_back(self) -> bool:
        """Remove the journal and the league file while no game is stored; return whether none is."""
        if self._has_begun():
            return False
        for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", LEAGUE_FILE):
            (self.path / name).unlink(missing_ok=True)
        return True

    def _has_begun(self) -> bool:
        try:
            if stored_version(self.path / DATABASE) is None:
                return False
            with Store.open(self.path / DATABASE) as store:
                counts = store.counts()
        except UsageError:
            return True  # nobody's but the operator's to remove: opening it for writing says what is wrong
        return counts.stored + counts.void > 0

    def _remove_empty(self) -> None:
        """Remove a folder that this run has made and that holds nothing but its lock."""
        with contextlib.suppress(OSError):  # there is none, or it is not empty
            self.bots.rmdir()
        if self._made and [item.name for item in self.path.iterdir()] == [LOCK]:
            (self.path / LOCK).unlink()
            self.path.rmdir()

    @property
    def bots(self) -> Path:
        """Where the snapshots of the bots are."""
        return self.path / BOTS

    @property
    def logs(self) -> Path:
        """Where the logs of the bots are, one folder a bot (``arena.league.bots.file_name`` of its name)."""
        return self.path / LOGS

    def open_store(self) -> Store:
        """Open the journal for writing, made if there is none.

        Raises:
            UsageError: as ``Store.create``.
        """
        return Store.create(self.path / DATABASE)

    def secret(self, store: Store, given: bytes | None = None) -> bytes:
        """Return the secret of the league: the one that is kept here, or a given or drawn one, which is then kept.

        Args:
            store: the journal, which knows the commitment of a league that has begun.
            given: the secret of the league file, None if it has none.

        Raises:
            UsageError: when the file is damaged, is another league's, or is missing although the league has begun.
        """
        known = store.meta().get("commitment")
        kept = _read_secret(self.path / SECRET) or _read_secret(self.path / OPEN_SECRET)
        if kept is not None and given is not None and kept != given:
            raise UsageError(f"{self.path / SECRET}: the league file gives another secret than this league has")
        secret = kept or given
        if known is not None and (secret is None or commitment(secret) != known):
            state = "is missing" if secret is None else "is not the one of this league"
            raise UsageError(f"{self.path / SECRET}: the secret {state} (its SHA-256 is {known}): put it back")
        if kept is None:
            secret = secret or new_secret()
            self.write(SECRET, f"{secret.hex()}\n".encode(), mode=0o600)
        assert secret is not None
        return secret

    def publish(self, store: Store) -> str:
        """Put the secret of the league in the open, in ``secret.txt``; from then on it takes no new games.

        Returns:
            The secret, hex.

        Raises:
            UsageError: when the secret is missing, or is not the one of this league.
        """
        secret = self.secret(store).hex()
        self.write(OPEN_SECRET, f"{secret}\n".encode())
        store.set_meta({PUBLISHED: "yes"})
        return secret

    def refuse_if_published(self, store: Store, planned: int) -> None:
        """Refuse games that are still to be played when everybody can know their cards.

        Raises:
            UsageError: when the secret is published and fewer games are stored than are planned.
        """
        left = planned - store.counts().stored
        if PUBLISHED in store.meta() and left > 0:
            raise UsageError(
                f"{self.path}: this league is closed: its secret is published, so anybody can work out the cards of "
                f"the {left} games that are left. Begin anew in this folder (--fresh), or take another (--results DIR)."
            )

    def claim(self, store: Store, league: League, programs: Sequence[Program], secret: bytes) -> None:
        """Make the folder that of a league, or check that it is: facts, rulesets and entrants are stored.

        The same bots in another order are the same league; so is one with more deals.

        Raises:
            UsageError: when it holds the results of another league, saying in what they differ.
        """
        wanted = fingerprint(league, programs, commitment(secret))
        stored = store.meta().get("fingerprint")
        if stored is not None and (found := differences(json.loads(stored), wanted)):
            listed = "\n".join(f"    {words}" for words in found)
            raise UsageError(
                f"{self.path}: this folder holds the results of another league:\n{listed}\n"
                "Take another folder (--results DIR), or begin anew in this one (--fresh)."
            )
        store.register(_rulesets(league), _entrants(league, programs))
        store.set_meta(
            {
                "league": league.name,
                "commitment": commitment(secret),
                "fingerprint": json.dumps(wanted, sort_keys=True, ensure_ascii=False),
                "arena": arena.__version__,
            }
        )
        self.write(LEAGUE_FILE, league.text.encode())

    def write(self, name: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file of the folder as a whole: a reader sees the old content or the new, never a part.

        Raises:
            UsageError: when it cannot be written; the old content stays.
        """
        try:
            write_whole(self.path / name, data, mode)
        except OSError as error:
            raise UsageError(f"{self.path / name}: cannot be written: {error.strerror}") from error


def _is_scratch(path: Path) -> bool:
    """Whether a path is a folder of temporary files that a run of this user has made."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return path.name.startswith(SCRATCH) and stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def read_secret(path: Path) -> bytes:
    """Return the secret that a results folder holds: the open one, else the organiser's.

    Raises:
        UsageError: when it has none, or none that may be read here.
    """
    secret = _read_secret(path / OPEN_SECRET) or _read_secret(path / SECRET)
    if secret is None:
        raise UsageError(
            f"{path}: no secret here ({OPEN_SECRET} or {SECRET}): its organiser gives it away with 'arena publish'"
        )
    return secret


def set_aside(path: Path) -> Path | None:
    """Rename a results folder, so that a league can begin anew; old results are never deleted.

    Returns:
        The new place, or None when there was nothing.

    Raises:
        UsageError: when a run works in the folder, it is no league's, or it cannot be renamed.
    """
    if not path.exists():
        return None
    with ResultsFolder.open(path) as folder:
        folder.remove_left()
        number = 1
        while (old := path.with_name(f"{path.name}.old-{number}")).exists():
            number += 1
        try:
            return path.rename(old)
        except OSError as error:
            raise UsageError(f"{path}: cannot be renamed to {old.name}: {error.strerror}") from error


def _check_ours(path: Path) -> None:
    strange = [item.name for item in path.iterdir() if not _OURS.fullmatch(item.name)]
    if strange and not (path / DATABASE).exists():
        raise UsageError(f"{path}: this folder has other files ({min(strange)}, ...) and no results of a league")


def _read_secret(path: Path) -> bytes | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: the secret cannot be read: {error}") from error
    if not re.fullmatch(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}", text):
        raise UsageError(f"{path}: no secret: {2 * SECRET_BYTES} hex digits are expected")
    return bytes.fromhex(text)


def _rulesets(league: League) -> list[StoredRuleset]:
    return [StoredRuleset(game.ruleset, game.id, game.seats) for game in league.games]


def _entrants(league: League, programs: Sequence[Program]) -> list[StoredEntrant]:
    by_name = {program.name: program for program in programs}
    return [
        StoredEntrant(
            name=bot.name,
            ordinal=1,
            version=bot.version,
            author=bot.author,
            digest=by_name[bot.name].digest if bot.name in by_name else bot.connect,
            command=by_name[bot.name].command if bot.name in by_name else (),
        )
        for bot in sorted(league.bots, key=lambda bot: bot.name)
    ]
