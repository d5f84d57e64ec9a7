"""The kits that games and bots must pass; open to everyone who writes one."""

from arena.testing.kit import check_game

__all__ = ["check_game"]
