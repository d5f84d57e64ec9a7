"""Many games: the league file, the plan, sittings played by workers, the runner that stores them."""
