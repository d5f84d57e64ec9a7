"""Records as rows: the journal of a league, and the only truth about what was played."""
