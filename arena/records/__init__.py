"""What happened, as data: the record of a game, its canonical bytes, its replay."""
