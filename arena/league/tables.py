"""The tables of ``league.toml`` and ``bot.toml`` as pydantic models: strict types, no unknown keys.

The description of a field is what an error message says is accepted.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from arena.errors import nearest
from arena.league.locate import KeyPath, TomlFile
from arena.players.base import Limits
from arena.schedules import seatings

_DEFAULT = Limits()
_HOUR_MS = 3_600_000
MOVE_MS_LEAST, MOVE_MS_MOST = 100, _HOUR_MS
"""Shorter limits would measure this machine's scheduler and not the bots (performance.md, "Start-up and timing")."""
_COST = "default | retire"


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def _whole(default: int, low: int, high: int) -> Any:
    return Field(default, ge=low, le=high, description=f"a whole number, {low}..{high}")


def _one_of(default: str, accepted: str) -> Any:
    return Field(default, description=accepted)


class LeagueTable(_Table):
    """``[league]``."""

    name: str = Field(default="", description="1-40 characters")
    schedule: Literal["round-robin", "gauntlet"] = _one_of("round-robin", "round-robin | gauntlet")
    candidates: list[str] = Field(default=[], description="a list of names of bots; for schedule = gauntlet")
    secret: str | None = Field(default=None, min_length=1, description="a string: 64 hex digits, or any words")
    same_author: Literal["allow", "never"] = _one_of("allow", "allow | never")
    line_ups: int = _whole(0, 0, 10_000_000)
    require_check: bool = Field(default=False, description="true | false")
    ask_forced: bool = Field(default=False, description="true | false")
    in_flight: Literal["auto"] | int = Field(default="auto", description="auto, or a whole number, 1..64")


class GameTable(_Table):
    """One ``[[game]]``."""

    id: str = Field(description="the id of a game (`arena games` lists them)")
    name: str = Field(default="", description="1-40 characters; default: the id")
    seats: int = Field(description="a whole number of seats")
    deals: int = Field(default=100, ge=1, le=10_000_000, description="a whole number, 1..10000000")
    seatings: str | int = Field(default="balanced", description=seatings.ACCEPTED)
    options: dict[str, Any] = Field(default={}, description="a table of the game's options")


class LimitsTable(_Table):
    """``[limits]``: the fields of ``arena.players.base.Limits``."""

    start_s: float = Field(default=_DEFAULT.start_s, gt=0, le=3600, description="seconds, above 0 and up to 3600")
    move_ms: int = _whole(_DEFAULT.move_ms, MOVE_MS_LEAST, MOVE_MS_MOST)
    bank_ms: int = _whole(_DEFAULT.bank_ms, 0, _HOUR_MS)
    increment_ms: int = _whole(_DEFAULT.increment_ms, 0, _HOUR_MS)
    margin_ms: int = _whole(_DEFAULT.margin_ms, 0, 60_000)
    game_s: float = Field(default=_DEFAULT.game_s, gt=0, le=1_000_000, description="seconds, above 0 and up to 1000000")
    memory_mb: int = _whole(_DEFAULT.memory_mb, 16, 1 << 20)
    processes: int = _whole(_DEFAULT.processes, 1, 100_000)
    disk_mb: int = _whole(_DEFAULT.disk_mb, 0, 1 << 20)
    network: Literal["deny", "allow"] = _one_of(_DEFAULT.network, "deny | allow")
    reconnect: bool = Field(default=_DEFAULT.reconnect, description="true | false")
    pause: bool = Field(default=_DEFAULT.pause, description="true | false")
    sandbox: Literal["auto", "bwrap", "landlock", "none"] = _one_of(_DEFAULT.sandbox, "auto | bwrap | landlock | none")


class FaultsTable(_Table):
    """``[faults]``: what the faults cost that can be a strike; the others always retire."""

    illegal: Literal["default", "retire"] = _one_of("retire", _COST)
    timeout: Literal["default", "retire"] = _one_of("default", _COST)
    protocol: Literal["default", "retire"] = _one_of("default", _COST)
    strikes: int = _whole(3, 1, 1000)


class LobbyTable(_Table):
    """``[lobby]``: where bots with ``connect = "tcp"`` dial in."""

    listen: str = Field(default="127.0.0.1:0", description="HOST:PORT; port 0 is any that is free")
    certificate: str = Field(default="", description="the file of a certificate chain (PEM), relative to this file")
    key: str = Field(default="", description="the file of its private key (PEM), relative to this file")


class BotFile(_Table):
    """``bot.toml``."""

    name: str = Field(default="", description="1-40 characters")
    version: str = Field(default="", max_length=40, description="a string of at most 40 characters")
    author: str = Field(default="", max_length=40, description="a string of at most 40 characters")
    command: list[str] = Field(default=[], description="a list of strings: the program and its arguments")
    fetch: list[list[str]] = Field(default=[], description="a list of commands, each a list of strings")
    build: list[list[str]] = Field(default=[], description="a list of commands, each a list of strings")
    env: dict[str, str] = Field(default={}, description="a table of strings")
    games: list[str] = Field(default=[], description="a list of ids of games; empty: all")
    files: list[str] = Field(default=[], description="a list of globs; default: the whole folder")


class BotTable(BotFile):
    """One ``[[bot]]``: a folder or a built-in name, with keys of its ``bot.toml`` changed; or those keys alone."""

    path: str | None = Field(default=None, description="a folder with bot.toml, relative to this file")
    builtin: str | None = Field(default=None, description="the name of a bot that comes with the arena")
    connect: Literal["tcp"] | None = Field(default=None, description="tcp, for a bot that is started by hand")


class LeagueFile(_Table):
    """``league.toml``."""

    league: LeagueTable = Field(default=LeagueTable(), description="a table")
    game: list[GameTable] = Field(min_length=1, description="one [[game]] or more")
    limits: LimitsTable = Field(default=LimitsTable(), description="a table")
    faults: FaultsTable = Field(default=FaultsTable(), description="a table")
    lobby: LobbyTable = Field(default=LobbyTable(), description="a table")
    bot: list[BotTable] = Field(min_length=1, description="one [[bot]] or more")


Model = TypeVar("Model", bound=_Table)


def validated(file: TomlFile, model: type[Model]) -> Model | None:
    """Return a file's document as a model, or None after noting every problem in the file."""
    if file.problems:
        return None
    try:
        return model.model_validate(file.document)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            keys, parent, field = _at(model, item["loc"])
            file.add(keys, _words(item["type"], str(keys[-1]), parent, field))
        return None


def _words(kind: str, key: str, parent: type[BaseModel], field: FieldInfo | None) -> str:
    accepted = field.description if field else ""
    if kind == "extra_forbidden":
        return f"unknown key{nearest(key, parent.model_fields)} (keys here: {', '.join(parent.model_fields)})"
    return f"is missing: {accepted}" if kind == "missing" else f"accepted is {accepted}"


def _at(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[KeyPath, type[BaseModel], FieldInfo | None]:
    """Follow an error's location to the key that a person would change: (way to it, its table's model, its field)."""
    keys: list[str | int] = []
    parent, inner, field = model, [model], None
    for part in location:
        if not inner:
            break
        keys.append(part)
        if isinstance(part, str):
            parent = inner[0]
            field = parent.model_fields.get(part)
            inner = _models(field.annotation) if field else []
    return tuple(keys), parent, field


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _models(inner)]
