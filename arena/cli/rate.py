"""``arena rate``: ratings of any results file, with the numbers that users of other rating programs look for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from arena import __version__
from arena.cli.report import Block, emit, section_blocks, section_options, sections_asked, write
from arena.errors import UsageError, nearest
from arena.ratings.bootstrap import bootstrap
from arena.ratings.files import read_games
from arena.ratings.fit import ModelName
from arena.ratings.prior import Prior
from arena.ratings.results import Results
from arena.reports.ladder_rows import ladder_rows
from arena.reports.notes import ladder_notes
from arena.reports.rated import Rated
from arena.reports.rows import Column, Rows, number
from arena.reports.sections import SECTIONS
from arena.reports.writers import json_text, plain_rows

SCHEMA = 1
"""Version of the JSON document; keys may be added under the same number, none renamed."""
BOOTSTRAP_SEED = 1
COVARIANCE_OF = 200
"""Most players whose covariance is in the JSON document; beyond it would be longer than the results."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--model",
    type=click.Choice(get_args(ModelName)),
    default="plackett-luce",
    show_default=True,
    help="plackett-luce for any table; the others for two seats.",
)
@click.option("--prior", "prior_text", default="350", show_default=True, help="0, an SD in Elo, or draws:N.")
@click.option("--anchor", "anchors", multiple=True, metavar="NAME=R", help="Fix the rating of a player; repeat.")
@click.option("--average", type=float, default=0.0, show_default=True, help="Mean rating where nobody is fixed.")
@click.option("--scale", type=float, default=400.0, show_default=True, help="Rating points for odds of 10 to 1.")
@click.option("--no-seat-effects", is_flag=True, help="Take all seats as equal.")
@click.option(
    "--cluster-by",
    type=click.Choice(["deal", "block", "game"]),
    default="deal",
    show_default=True,
    help="Widest unit of the errors.",
)
@click.option("--bootstrap", "rounds", type=click.IntRange(2), help="Check the errors with N drawn sets of deals.")
@section_options
def rate(
    files: tuple[Path, ...],
    model: ModelName,
    prior_text: str,
    anchors: tuple[str, ...],
    average: float,
    scale: float,
    no_seat_effects: bool,
    cluster_by: str,
    rounds: int | None,
    form: str,
    as_json: bool,
    out: Path | None,
    wide: bool,
    **flags: bool,
) -> None:
    """Rate the games of FILEs: CSV with one line a game or one line a seat, or PGN (headers suffice).

    \b
    Two seats:  game,first,second,result[,deal,block]    result: 1-0, 1/2-1/2 or 0-1
    Any table:  game,seat,player,rank[,deal,block,retired,score]    rank -: not ranked
    Several files are one set of games.

    \b
    Example:
        arena rate games.csv --anchor alpha=2500 --los
        arena rate a.pgn b.pgn --model half-win --prior 0 --json
    """
    form = "json" if as_json else form
    results, digest = _read(files)
    options: dict[str, Any] = {
        "model": model,
        "prior": _usage(Prior.parse, prior_text),
        "anchor": _anchors(anchors, results.names),
        "scale": scale,
        "cluster_by": cluster_by,
        "seats": not no_seat_effects,
    }
    rated = _usage(Rated.of, results, average=average, **options)
    errors = bootstrap(results, rounds=rounds, seed=BOOTSTRAP_SEED, **options).error if rounds else None
    drawn = {} if errors is None else dict(zip(results.names, errors.tolist(), strict=True))
    rows, notes = _with_bootstrap(ladder_rows(rated.ladder, rated.checks), drawn), ladder_notes(rated)
    if rounds:
        notes = (*notes, f"+/-b: 95 % of {rounds} drawn sets (seed {BOOTSTRAP_SEED}), to check +/- with.")
    sections = sections_asked(flags, form)
    if form == "json":
        write(json_text(_document(rated, rows, notes, sections, digest)), out)
        return
    title = " ".join(file.name for file in files)
    blocks = [Block(title, rows, rows, notes)] if flags["full"] or not any(flags.values()) else []
    foot = f"data {digest[:16]}; arena {__version__}"
    emit(f"Ratings of {title}", [*blocks, *section_blocks(title, rated, sections)], [foot], form, out, wide=wide)


def _read(files: Sequence[Path]) -> tuple[Results, str]:
    """Return the games and a SHA-256 over the files' bytes in their order, hex."""
    digest = hashlib.sha256()
    texts = []
    for file in files:
        try:
            data = file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
        digest.update(data)
        texts.append((_lines(file, data), str(file)))
    return _usage(Results.of, read_games(texts)), digest.hexdigest()


def _lines(file: Path, data: bytes) -> list[str]:
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise UsageError(f"{file}:{line}, byte {column}: not UTF-8; save the file as UTF-8") from error


def _usage(function: Any, *args: Any, **options: Any) -> Any:
    """Call a function of the ratings; what it refuses is the operator's to mend.

    Raises:
        UsageError: for its ValueError.
    """
    try:
        return function(*args, **options)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _anchors(texts: Iterable[str], names: Sequence[str]) -> dict[str, float]:
    """Return the fixed ratings by name.

    Raises:
        UsageError: for one that is not NAME=R, and for an unknown player.
    """
    found: dict[str, float] = {}
    for text in texts:
        name, _, rating = text.rpartition("=")
        try:
            value = float(rating)
        except ValueError:
            value = float("nan")
        if not name or not abs(value) < float("inf"):
            raise UsageError(f"--anchor {text}: accepted is NAME=R, such as alpha=2500")
        if name not in names:
            raise UsageError(f"--anchor {text}: {name!r} has played no game{nearest(name, names)}")
        found[name] = value
    return found


def _with_bootstrap(rows: Rows, drawn: Mapping[str, float]) -> Rows:
    if not drawn:
        return rows
    place = [column.key for column in rows.columns].index("error") + 1
    columns = (*rows.columns[:place], Column("bootstrap_error", "+/-b", 1), *rows.columns[place:])
    return Rows(columns, tuple({**row, "bootstrap_error": number(drawn[str(row["name"])])} for row in rows.rows))


def _document(rated: Rated, rows: Rows, notes: Sequence[str], sections: Sequence[str], digest: str) -> dict[str, Any]:
    ladder = rated.ladder
    advantage = ladder.advantage
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "model": ladder.fit.model,
        "rows": plain_rows(rows),
        "prior": str(ladder.fit.prior),
        "scale": ladder.fit.scale,
        "games": ladder.games,
        "groups": ladder.groups,
        "clusters": {"kind": ladder.cluster_kind, "count": ladder.clusters},
        "anchors": [row.name for row in ladder.rows if row.is_anchor],
        "seat_effects": [
            {"table": effect.table, "seat": effect.seat, "elo": number(effect.elo), "error": number(effect.error)}
            for effect in ladder.seat_effects
        ],
        "advantage": None if advantage is None else {"elo": number(advantage[0]), "error": number(advantage[1])},
        "tie": number(ladder.fit.tie),
        "loglik": number(ladder.fit.loglik),
        "notes": list(notes),
        "data": digest,
    }
    if len(ladder.fit.names) <= COVARIANCE_OF:
        players = len(ladder.fit.names)
        document["covariance"] = {
            "names": list(ladder.fit.names),
            "elo2": (ladder.fit.covariance[:players, :players] + 0.0).tolist(),
        }
    return document | {name: plain_rows(SECTIONS[name].programs(rated)) for name in sections}
