"""The command ``arena``: click commands, rich tables, progress. Nothing is computed here."""

from arena.cli.main import main

__all__ = ["main"]
