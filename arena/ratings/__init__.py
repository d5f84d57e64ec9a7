"""Numbers out of results: ladder, errors, groups, checks, matches and tie-breaks; pure, no process, file or database.

The way through the package: ``results`` (columns of games) → ``fit`` (strengths, clustered covariance) → ``ladder``
(rows for people). ``groups``, ``pairs``, ``orders``, ``newton`` and ``sandwich`` are the parts of the fit; ``matches``
and ``sprt`` test two bots; ``checks``, ``nash``, ``bootstrap``, ``planner``, ``tiebreaks`` and ``overall`` read the
same results; ``files`` parses results files. Elo always means expected score (win 1, tie 1/2) between two players
alone at a table, seat-neutral, unless a name says otherwise.
"""
