"""``arena match``: one line-up, a number of deals or until a sequential test has decided."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.cli.options import game_options, move_ms_option
from arena.cli.out import print_rows, tell
from arena.cli.progress import exit_status, terminal_show
from arena.errors import UsageError, nearest
from arena.league.bots import read_bots, require_players
from arena.league.folder import set_aside
from arena.league.match import MatchWatch, match_folder, match_league
from arena.league.runner import run_league
from arena.players.base import Limits
from arena.ratings.differences import difference_lines, difference_score
from arena.ratings.matches import deal_differences, llr_line, match_counts, match_lines, match_score
from arena.ratings.results import Results
from arena.ratings.sequential import SequentialTest
from arena.ratings.sprt import Sprt
from arena.reports.league import Standing, league_standings
from arena.reports.writers import json_text, plain_rows
from arena.storage.store import Store

SCHEMA = 1
"""Version of the JSON document; keys may be added under the same number, none renamed."""
DEALS, SPRT_DEALS = 100, 10_000
MODELS = {"normalized": "normalised", "normalised": "normalised", "logistic": "logistic"}


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="A B [C...]")
@click.option("--game", required=True, metavar="ID", help="Which game; see 'arena games'.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeat.")
@click.option("--deals", type=click.IntRange(1), help=f"Deals to play; {DEALS}, or with --sprt at most {SPRT_DEALS}.")
@click.option(
    "--sprt",
    "sprt_text",
    metavar="elo0=0,elo1=10",
    help="Stop when decided; more keys: alpha=0.05, beta=0.05, model=normalized (or logistic, for two).",
)
@move_ms_option
@click.option("--results", type=click.Path(path_type=Path), help="Results folder; default: results/match-BOTS-GAME.")
@click.option("--workers", type=click.IntRange(1, 256), help="Worker processes; default: one a core.")
@click.option("--fresh", is_flag=True, help="Begin anew; old results are renamed, never deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
def match(
    bots: tuple[str, ...],
    game: str,
    options: tuple[str, ...],
    deals: int | None,
    sprt_text: str | None,
    move_ms: int,
    results: Path | None,
    workers: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Play A against B (and C...: as many as sit at the table), each deal in seatings that are fair to all.

    A BOT is a folder with a bot.toml, the name of a bundled bot, or NAME=COMMAND. With three and more at the table A
    is tested against B by the difference of their points, deal by deal. The same command again goes on. Exit status 1
    when it paused, with why; 130 when it was stopped.

    \b
    Example:
        arena match ./mine careful margin --game no_thanks --deals 200
        arena match ./new ./old random --game no_thanks --sprt elo0=0,elo1=10
    """
    sprt = None if sprt_text is None else read_sprt(sprt_text)
    if len(bots) < 2:
        raise UsageError("a match needs two bots or more")
    read = read_bots(bots, Path.cwd())
    require_players(read, game)
    deals = deals or (DEALS if sprt is None else SPRT_DEALS)
    league = match_league(read, game, deals, game_options(game, options), Limits(move_ms=move_ms))
    results = results or Path("results") / match_folder(league)
    if fresh and (old := set_aside(results)) is not None:
        tell(f"the old results are now in {old}")
    names = tuple(bot.name for bot in read)
    with terminal_show(league) as show:
        watch = None
        if sprt is not None:

            def told(test: SequentialTest) -> None:
                show.extra = llr_line(test.sprt, test.llr)

            watch = MatchWatch(_test(sprt, names), told)
        outcome = run_league(league, results, show, workers=workers or len(os.sched_getaffinity(0)), enough=watch)
    status = exit_status(outcome)
    with Store.open(results / "league.db") as store:
        found = league_standings(store, checks=False)
    played = Match.of(names, found.games[0], watch.test if watch else None)
    if as_json:
        document = {"schema": SCHEMA, "game": game, "digest": found.progress.digest, **played.document()}
        click.echo(json_text(document), nl=False)
    else:
        played.show()
    tell(show.summary(outcome))
    tell(f"results: {results}/   next: arena standings {results}, or arena explain {results} --bot {names[0]}")
    if outcome.paused:
        tell(f"paused: {outcome.paused}\nonce that is mended, the same command goes on")
    elif outcome.interrupted:
        tell("stopped; the same command goes on")
    sys.exit(status)


def read_sprt(text: str) -> Sprt:
    """Return the test that ``elo0=0,elo1=10[,alpha=0.05,beta=0.05,model=normalized]`` asks for.

    Raises:
        UsageError: for anything else, saying what is accepted.
    """
    keys = ("elo0", "elo1", "alpha", "beta", "model")
    values: dict[str, Any] = {"model": "normalised"}
    for part in text.split(","):
        key, _, value = (word.strip() for word in part.partition("="))
        if key not in keys:
            raise UsageError(f"--sprt {part}: unknown key{nearest(key, keys)} (keys: {', '.join(keys)})")
        try:
            values[key] = MODELS[value] if key == "model" else float(value)
        except (KeyError, ValueError):
            accepted = "normalized or logistic" if key == "model" else "a number"
            raise UsageError(f"--sprt {part}: accepted is {accepted}") from None
    missing = [key for key in ("elo0", "elo1") if key not in values]
    if missing:
        raise UsageError(f"--sprt {text}: {missing[0]} is missing; accepted is such as elo0=0,elo1=10")
    try:
        return Sprt(**values)
    except ValueError as error:
        raise UsageError(f"--sprt {text}: {error}") from error


def _test(sprt: Sprt, names: tuple[str, ...]) -> SequentialTest:
    try:
        return SequentialTest(sprt, names[0], names[1], len(names))
    except ValueError as error:
        raise UsageError(f"--sprt: {error}") from error


@dataclass(frozen=True)
class Match:
    """What a match came to.

    Attributes:
        names: the bots; the first is tested against the second.
        standing: their standings over all complete deals.
        results: the games that are judged: without a test all complete deals, else those that it looked at.
        test: the sequential test, None without one.
    """

    names: tuple[str, ...]
    standing: Standing
    results: Results | None
    test: SequentialTest | None

    @classmethod
    def of(cls, names: tuple[str, ...], standing: Standing, test: SequentialTest | None) -> Match:
        """Return the match of a results folder."""
        results = standing.rated.results if standing.rated else None
        if results is not None and test is not None:
            first = {str(deal) for deal in range(test.deals)}
            seen = np.array([label in first for label in results.deal_labels])[results.deal]
            results = results.select(np.flatnonzero(seen)) if seen.any() else None
        return cls(names, standing, results, test)

    def show(self) -> None:
        """Print the lines that users of engine testers know, and the standings."""
        if self.standing.rated is not None:
            print_rows(self.standing.rows, f"{' - '.join(self.names)}: {self.standing.name}")
        for line in self.lines():
            click.echo(line)

    def lines(self) -> tuple[str, ...]:
        """Return the result in words."""
        if self.results is None:
            return ("No deal is complete yet.",)
        name, base, *_ = self.names
        if len(self.names) == 2:
            lines = match_lines(name, base, match_counts(self.results, name, base))
        else:
            lines = difference_lines(name, base, difference_score(*deal_differences(self.results, name, base)))
        return (*lines, *self._verdict())

    def _verdict(self) -> list[str]:
        if self.test is None:
            return []
        test, sprt = self.test, self.test.sprt
        of, than = self.names[0], f"Elo better than {self.names[1]}"
        words = {
            "H1": f"H1 accepted after {test.deals} deals: {of} is {sprt.elo1:g} rather than {sprt.elo0:g} {than}",
            "H0": f"H0 accepted after {test.deals} deals: {of} is {sprt.elo0:g} rather than {sprt.elo1:g} {than}",
            "continue": f"undecided after {test.deals} deals; more --deals go on",
        }
        left_out = f"; {test.left_out} deals left out, as both bots failed in a game" if test.left_out else ""
        return [llr_line(sprt, test.llr), f"SPRT ({sprt.model} Elo): {words[test.state]}{left_out}"]

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        test = self.test
        return {
            "bots": list(self.names),
            "deals": 0 if self.results is None else len(set(self.results.deal.tolist())),
            "games": 0 if self.results is None else len(self.results),
            "score": self._score(),
            "sprt": None
            if test is None
            else {
                **asdict(test.sprt),
                "lower": test.sprt.lower,
                "upper": test.sprt.upper,
                "llr": test.llr + 0.0,
                "state": test.state,
                "deals": test.deals,
                "left_out": test.left_out,
            },
            "rows": plain_rows(self.standing.rows) if self.standing.rated else [],
        }

    def _score(self) -> Mapping[str, Any] | None:
        """Return the first bot's result against the second: by game and pair for two, by deal for more."""
        if self.results is None:
            return None
        name, base, *_ = self.names
        if len(self.names) > 2:
            return asdict(difference_score(*deal_differences(self.results, name, base)))
        counts = match_counts(self.results, name, base)
        return {
            "wins": counts.wins,
            "ties": counts.ties,
            "losses": counts.losses,
            "ptnml": list(counts.five),
            "unpaired": counts.unpaired,
            **asdict(match_score(counts.units)),
        }
