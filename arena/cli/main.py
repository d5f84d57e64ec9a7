"""The group of commands, each imported when it is used, and what errors become: words and an exit status."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, MappingProxyType
from typing import Any, TextIO

import click

from arena import __version__
from arena.errors import ArenaError, BadOptions, UsageError, nearest

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "For authors of bots": {
        "new-bot": ("arena.cli.new_bot:new_bot", "make a bot to begin with, in a language"),
        "check": ("arena.cli.check:check", "put a bot into every situation that a league may"),
        "play": ("arena.cli.play:play", "play one game, at once"),
        "match": ("arena.cli.match:match", "is my bot better than that one?"),
        "explain": ("arena.cli.explain:explain", "why a bot lost a game of a league"),
        "replay": ("arena.cli.replay:replay", "a stored game step by step"),
        "rematch": ("arena.cli.rematch:rematch_command", "a bot gets the requests of a stored game again"),
        "games": ("arena.cli.games:games", "the games, their rules and options; what faults cost"),
    },
    "For organisers of leagues": {
        "new-league": ("arena.cli.new_league:new_league", "write a league file with the bots that are near it"),
        "run-league": ("arena.cli.run_league:run_league", "play a league, or go on with it"),
        "rehearse": ("arena.cli.rehearse:rehearse_command", "a league's set-up with one misbehaving bot of each kind"),
        "publish": ("arena.cli.publish:publish", "reveal a finished league's secret, so that anybody can verify it"),
        "doctor": ("arena.cli.doctor:doctor", "what this machine can keep bots from doing"),
        "bench": ("arena.cli.bench:bench", "how fast the arena is here"),
    },
    "For readers of standings": {
        "standings": ("arena.cli.standings:standings", "the ladders of a league, in any format"),
        "verify": ("arena.cli.verify:verify", "deal, replay and rate everything again"),
        "export": ("arena.cli.export:export", "the games of a league for other tools"),
        "rate": ("arena.cli.rate:rate", "rate any file of results"),
    },
}
"""Every command by who uses it: where it is, and what it does in a few words."""
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130
STATUS = "arena.status"
"""The key of a context's ``meta`` for the exit status that a command has come to before it prints what it found."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, so that ``arena games`` does not wait for SciPy."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for; an unknown one is refused with the nearest name."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command {args[0]!r}{nearest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by who uses them, without importing any."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, words) for name, (_, words) in commands.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the command line; ``--help`` is printed here."""
        with _readers_may_go():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _readers_may_go(ctx.meta):
            return super().invoke(ctx)


@contextmanager
def _readers_may_go(meta: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
    """End quietly when the reader of our output (a pager, ``head``) has gone: that is no error of anybody's.

    Args:
        meta: of the command's context, which may hold the exit status that it has come to.
    """
    try:
        yield
    except BrokenPipeError as error:
        forget(sys.stdout)
        raise click.exceptions.Exit(meta.get(STATUS, 0)) from error


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="arena")
def arena() -> None:
    """Bots in any language play card games through one referee; leagues become Elo ladders.

    Begin with the bundled demo league:  arena run-league

    \b
    Exit status of every command: 0 done; 1 what was checked failed; 2 wrong usage
    or input; 130 stopped with Ctrl-C, 143 by SIGTERM. Every command has --help
    with an example.
    """


def main() -> None:
    """Run the command line; exit 0 on success, 1 when a check failed, 2 for usage errors, 128 + N on signal N."""
    _prepare_output()
    _hear_signals()
    status = _status()
    try:
        sys.stdout.flush()
    except OSError:
        forget(sys.stdout)
    sys.exit(status)


def _status() -> str | int | None:
    """Run the command and return its exit status, after saying in words what went wrong."""
    try:
        return arena.main(standalone_mode=False) or 0  # click returns the status of its own exits, such as of --help
    except SystemExit as exit_:
        return exit_.code
    except (click.Abort, KeyboardInterrupt) as stop:
        # click makes an Abort of the KeyboardInterrupt, whose argument is the signal if it was not SIGINT.
        raised = next((error for error in (stop, stop.__cause__) if isinstance(error, KeyboardInterrupt)), None)
        number = raised.args[0] if raised is not None and raised.args else signal.SIGINT
        by = "with Ctrl-C" if number == signal.SIGINT else f"by {signal.Signals(number).name}"
        tell(f"stopped {by}")
        return 128 + int(number)
    except click.ClickException as error:
        with _unread():
            error.show()
        return EXIT_USAGE
    except (UsageError, BadOptions) as error:
        return _say(error, EXIT_USAGE)
    except ArenaError as error:
        return _say(error, EXIT_FAILED)
    except OSError as error:
        # The system refused something that no command can do without: disk, memory, processes, our own output.
        return _say(error, EXIT_USAGE)


def _hear_signals() -> None:
    """Let whoever ends a command leave as little behind as Ctrl-C does: its bots end, its temporary files go."""

    def stop(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as with nohup
            signal.signal(number, stop)


def _prepare_output() -> None:
    """Let no name of a bot, and no closed stream, break the output: what cannot be encoded is escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (open as long as we are)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget(stream: TextIO) -> None:
    """Drop what cannot be written, or the interpreter would try once more at its end and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tell(words: str) -> None:
    """Print words for a person on stderr; the command goes on when nobody reads them.

    What it does is not what it says of it: a league is played to its end, and every exit status is true.
    """
    with _unread():
        click.echo(words, err=True)


@contextmanager
def _unread() -> Iterator[None]:
    """Pass over what is said on stderr when its reader has gone, now and later."""
    try:
        yield
    except BrokenPipeError:
        forget(sys.stderr)


def _say(error: Exception, status: int) -> int:
    tell(f"error: {error}")
    return status
