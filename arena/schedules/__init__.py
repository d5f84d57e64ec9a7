"""Who plays whom, on which seats, with which cards: pure, and generated as it is needed."""
