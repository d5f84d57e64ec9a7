"""The group of commands, each imported when it is used, and what errors become: words and an exit status."""

from __future__ import annotations

import importlib
import sys

import click

from arena import __version__
from arena.errors import ArenaError, BadOptions, UsageError

COMMANDS = {
    "run-league": "arena.cli.run_league:run_league",
    "standings": "arena.cli.standings:standings",
    "rate": "arena.cli.rate:rate",
    "match": "arena.cli.match:match",
    "games": "arena.cli.games:games",
    "play": "arena.cli.play:play",
    "replay": "arena.cli.replay:replay",
    "bench": "arena.cli.bench:bench",
}
EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, so that ``arena games`` does not wait for SciPy."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
def arena() -> None:
    """Bots in any language play card games through one referee; leagues become Elo ladders.

    Begin with the bundled demo league:  arena run-league
    """


def main() -> None:
    """Run the command line; exit 0 on success, 1 when what was checked failed, 2 for usage errors, 130 on Ctrl-C."""
    try:
        arena.main(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_USAGE)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output (a pager, head) has gone: that is no error of anybody's.
        sys.stderr.close()
        sys.exit(0)
    except (UsageError, BadOptions) as error:
        _say(error)
        sys.exit(EXIT_USAGE)
    except ArenaError as error:
        _say(error)
        sys.exit(EXIT_FAILED)


def _say(error: ArenaError) -> None:
    click.echo(f"error: {error}", err=True)
