"""Integrity notes: what an organiser should look at before believing that all bots are independent.

Notes, not verdicts: each says what was seen and how often. Two names for one program; two bots that answered alike
wherever they met the same situation; two bots of one author of which one helps the other (``arena.reports.favour``);
bots that compute outside their turns, leave processes behind or try to reach a network.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice

import numpy as np

from arena.games import Chance
from arena.records.codec import canonical_json
from arena.records.record import Conduct, Record
from arena.reports.favour import Favour, favours
from arena.reports.league import LeagueStandings
from arena.storage.reader import STRANGERS, Reader
from arena.storage.rows import StoredEntrant

ALIKE_LEAST = 100
"""Situations that two bots must share before their agreement says anything."""
COMMON_MOST = 0.9
"""Share of the most frequent action above which agreement says nothing: everybody would have answered so."""
LOOKED_AT = 5000
"""Games whose situations are compared, in the order of deals; more would only need more memory."""
IDLE_SHARE = 0.25
IDLE_CPU_NS = 1_000_000_000
"""Processor time outside its turns is notable from this much of it and this share of the time: what a library does
after an answer, or a runtime now and then, is less."""


@dataclass(slots=True)
class Alike:
    """How two bots answered in the situations that both met.

    Attributes:
        shared: number of situations.
        equal: in how many they gave the same answer.
        actions: how often each action was given in those.
    """

    shared: int = 0
    equal: int = 0
    actions: Counter[str] = field(default_factory=Counter)

    @property
    def is_notable(self) -> bool:
        """Whether they agreed always, often enough, and not only on what everybody would answer."""
        common = max(self.actions.values(), default=0)
        return self.shared == self.equal >= ALIKE_LEAST and common <= COMMON_MOST * self.shared


def integrity_notes(store: Reader, found: LeagueStandings) -> tuple[str, ...]:
    """Return the notes that need no records: the same program twice, and bots of one author that help each other.

    The permutations are seeded by the league's commitment, so that everybody gets the same answer.
    """
    entrants = store.entrants()
    return (
        *same_programs(entrants),
        *(_favour_words(name, item) for name, item in _notable(store, found, entrants)),
        *(words for name, seen in sorted(store.conduct().items()) for words in conduct_words(name, seen)),
        *strangers(store),
    )


def full_report(store: Reader, found: LeagueStandings) -> tuple[str, ...]:
    """Return all notes, and what was looked at: records are read for it, which takes a while."""
    records = (store.record(row.game_id) for row in islice(store.games(), LOOKED_AT))
    games = min(LOOKED_AT, found.progress.stored)
    twins = [(pair, item) for pair, item in alike(records).items() if item.is_notable]
    return (
        *integrity_notes(store, found),
        *(
            f"{one!r} and {two!r} answered alike in all {item.shared} situations that both met."
            for (one, two), item in twins
        ),
        f"Looked at: the programs of all bots; the situations of {games} games (the same deal, seat and steps so far, "
        f"at least {ALIKE_LEAST} of them); bots of one author at tables of three or more, at 1 % false alarms a pair.",
        *_conduct_lines(store),
    )


def strangers(store: Reader) -> Iterator[str]:
    """Yield a note if there were dials with a wrong token."""
    if dials := int(store.meta().get(STRANGERS, "0")):
        yield (
            f"{dials} dial{'s' * (dials > 1)} with a wrong token, from a bot's sandbox or to the lobby. Nobody was let "
            "in; a bot that guesses tokens, or an old invitation, may be behind it."
        )


def same_programs(entrants: Iterable[StoredEntrant]) -> Iterator[str]:
    """Yield a note for every program that plays under several names."""
    names: dict[str, list[str]] = defaultdict(list)
    for entrant in entrants:
        names[entrant.digest].append(entrant.name)
    for digest, found in names.items():
        if len(found) > 1:
            listed = ", ".join(repr(name) for name in sorted(found))
            yield f"One program under several names: {listed} (sha256 {digest[:12]})."


def conduct_words(name: str, seen: Conduct) -> Iterator[str]:
    """Yield a note for everything that a bot should not have done beside its answers."""
    if seen.idle_cpu_ns >= IDLE_CPU_NS and seen.idle_cpu_ns >= IDLE_SHARE * seen.idle_ns:
        yield (
            f"{name!r} used {_seconds(seen.idle_cpu_ns)} of processor time in {_seconds(seen.idle_ns)} in which it "
            "owed no answer: time that the others may lack. A runtime that compiles or collects garbage in the "
            "background does so, too; [limits] pause = true stops every bot between its turns."
        )
    if seen.left_over:
        yield f"{name!r} left {seen.left_over} processes behind when it ended; they were ended."
    if seen.network_attempts:
        yield f"{name!r} tried to reach the network {seen.network_attempts} times; it has none in this league."


def _conduct_lines(store: Reader) -> Iterator[str]:
    """Yield what every bot did between its turns, the notable and the rest."""
    found = sorted(store.conduct().items())
    if found:
        yield "Processor time between turns (share of that time), processes left behind, attempts to reach a network:"
    for name, seen in found:
        share = 100 * seen.idle_cpu_ns / seen.idle_ns if seen.idle_ns else 0.0
        used = _seconds(seen.idle_cpu_ns)
        yield f"  {name}: {used} ({share:.0f} %), {seen.left_over}, {seen.network_attempts}"


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e9:.1f} s"


def alike(records: Iterable[Record]) -> dict[tuple[str, str], Alike]:
    """Compare all bots wherever two of them were asked the same: one ruleset, deal and seat, and the same steps so far.

    A bot that draws at random answers by a seed of its own in every game, so its copies are not found this way.
    """
    answers: dict[tuple[bytes, int], dict[str, str]] = defaultdict(dict)
    for record in records:
        for key, name, action in _answers(record):
            answers[key].setdefault(name, action)
    found: dict[tuple[str, str], Alike] = defaultdict(Alike)
    for given in answers.values():
        for one, two in combinations(sorted(given), 2):
            item = found[one, two]
            item.shared += 1
            item.equal += given[one] == given[two]
            item.actions[given[one]] += 1
    return found


def _answers(record: Record) -> Iterator[tuple[tuple[bytes, int], str, str]]:
    """Yield ((situation, seat), name, action) for every answer of a bot of its own."""
    so_far = hashlib.sha256(canonical_json([record.game, record.seats, dict(record.options), record.deal]))
    for entry in record.entries:
        if isinstance(entry.step, Chance):
            so_far.update(entry.step.outcome.encode())
            continue
        situation = so_far.digest()[:8]
        for seat, action in entry.step.by_seat:
            if not entry.forced and seat < record.seats and seat not in entry.defaulted:
                yield (situation, seat), record.players[seat].name, action
        so_far.update(canonical_json(entry.step.by_seat))


def _notable(store: Reader, found: LeagueStandings, entrants: Iterable[StoredEntrant]) -> Iterator[tuple[str, Favour]]:
    authors = {entrant.name: entrant.author for entrant in entrants}
    generator = np.random.default_rng(int(store.meta()["commitment"][:16], 16))
    for standing in found.games:
        for item in favours(standing.played, authors, generator):
            if item.is_notable:
                yield standing.name, item


def _favour_words(game: str, found: Favour) -> str:
    return (
        f"{game}: {found.helped!r} gets {100 * found.gain:+.1f} % of the points against third parties when "
        f"{found.helper!r}, of the same author, is at the table (p = {found.p:.4f}, {found.deals} deals); nobody "
        "else's presence helps it more. Styles that suit each other can do this, too."
    )
