"""What if: the same league without some bots, deals or forfeits, rated again at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.errors import Termination, UsageError, nearest
from arena.storage.rows import GameRow


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Which games are left out.

    Attributes:
        exclude: bots as if they had not entered: games at whose tables they sat are left out.
        since: first deal that counts, None from the beginning.
        until: last deal that counts, None to the end.
        no_forfeits: leave out games in which a bot lost by fault.
    """

    exclude: frozenset[str] = frozenset()
    since: int | None = None
    until: int | None = None
    no_forfeits: bool = False

    def __bool__(self) -> bool:
        return self != WhatIf()

    @classmethod
    def parse(
        cls, texts: Sequence[str], since: int | None = None, until: int | None = None, no_forfeits: bool = False
    ) -> WhatIf:
        """Return what is asked for on a command line.

        Raises:
            UsageError: for anything but ``exclude=BOT,...``, or an empty range of deals.
        """
        names: set[str] = set()
        for text in texts:
            key, _, value = text.partition("=")
            listed = {name.strip() for name in value.split(",") if name.strip()}
            if key != "exclude" or not listed:
                raise UsageError(f"--what-if {text}: accepted is exclude=BOT,...")
            names |= listed
        if since is not None and until is not None and since > until:
            raise UsageError(f"--since {since} --until {until}: no deal lies between them")
        return cls(frozenset(names), since, until, no_forfeits)

    def check_names(self, known: Iterable[str]) -> None:
        """Check the names of the bots.

        Raises:
            UsageError: for a bot that is not in the league, with the nearest name.
        """
        names = sorted(known)
        for name in sorted(self.exclude - set(names)):
            raise UsageError(f"--what-if exclude={name}: no such bot{nearest(name, names)} (bots: {', '.join(names)})")

    def keeps(self, game: GameRow, names: Iterable[str]) -> bool:
        """Return whether a game counts.

        Args:
            game: the game.
            names: who sat at the table.
        """
        if self.since is not None and game.deal < self.since:
            return False
        if self.until is not None and game.deal > self.until:
            return False
        if self.no_forfeits and any(word is not Termination.NORMAL for word in game.terminations):
            return False
        return self.exclude.isdisjoint(names)

    def words(self, kept: int, games: int) -> str:
        """Return the line that says what was left out."""
        parts = []
        if self.exclude:
            parts.append(f"games with {', '.join(sorted(self.exclude))} are left out")
        if self.since is not None or self.until is not None:
            first = "the first" if self.since is None else str(self.since)
            parts.append(f"only deals from {first} to {'the last' if self.until is None else self.until}")
        if self.no_forfeits:
            parts.append("games with a forfeit are left out")
        return f"WHAT IF: {'; '.join(parts)}: {kept} of {games} games are rated here, all others are not."
