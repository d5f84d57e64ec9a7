"""Many games: the league file, its bots and their snapshots, the results folder."""
