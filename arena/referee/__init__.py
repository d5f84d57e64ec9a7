"""One game: the table where it is played, its clocks, and what a fault costs."""
