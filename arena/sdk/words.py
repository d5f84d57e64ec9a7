"""What the author of a bot is told when it fails: its own lines and nothing of the SDK's."""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

FULL_TRACE = "BOT_FULL_TRACE"
"""Variable that asks for all frames; ``env`` of bot.toml sets it."""
_SHOWN = 80


class WrongAction(TypeError):
    """What ``decide`` returned is no action; the message says so whole, and no trace leads to the line."""


def place(function: object) -> str:
    """Return the name, file and line of a function for a person: ``decide (bot.py, line 4)``."""
    plain = inspect.unwrap(getattr(function, "__func__", function))  # type: ignore[arg-type]
    name = getattr(plain, "__qualname__", type(function).__name__)
    code = getattr(plain, "__code__", None)
    return f"{name} ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else name


def no_bot(bot: object, decide: object) -> str:
    """Return why ``run`` cannot play what it was given, or the empty string."""
    if isinstance(bot, type):
        return f"run() was given the class {bot.__name__}, not a bot: make one with run({bot.__name__}())"
    if not callable(decide):
        return f"run() was given {_cut(bot)}: it takes a function from request to action, or an object with decide"
    try:
        inspect.signature(decide).bind(None)
    except TypeError:
        return f"{place(decide)} is called with one argument, the request: def decide(request)"
    except ValueError:
        pass  # a callable that does not tell its parameters is tried as it is
    return ""


def no_action(decide: Callable[..., object], action: object, legal: Sequence[str]) -> WrongAction:
    """Return the error for an action that is no string."""
    hint = " (does every way through it end with a return?)" if action is None else ""
    kind = "" if action is None else f", of type {type(action).__name__}"
    listed = f"one of request.legal_actions, such as {legal[0]!r}" if legal else "a string"
    return WrongAction(f"{place(decide)} returned {_cut(action)}{kind}{hint}; an action is a string, {listed}")


def failure(error: Exception, sdk_file: str) -> str:
    """Return what is printed of an exception of the bot's own code: its trace from the author's first line on.

    Args:
        error: what the bot raised.
        sdk_file: the module of the SDK that called it; frames up to its last one are left out.
    """
    whole = os.environ.get(FULL_TRACE, "") not in ("", "0")
    if isinstance(error, WrongAction) and not whole:
        return f"{error}"
    own = None if whole else _after(error.__traceback__, sdk_file)
    lines = traceback.format_exception(type(error), error, own or error.__traceback__)
    if own is not None:
        lines.append(f'(frames of the SDK are left out; env = {{ {FULL_TRACE} = "1" }} in bot.toml shows them)\n')
    return "".join(lines) + "the bot raised; see the trace above"


def _after(trace: TracebackType | None, file: str) -> TracebackType | None:
    """Return the part of a trace after the last frame of a file; None when there is none."""
    own = trace
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            own = trace.tb_next
        trace = trace.tb_next
    return own


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
