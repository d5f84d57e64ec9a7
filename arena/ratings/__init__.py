"""Numbers out of results: ladder, errors, groups, checks, matches and tie-breaks; pure, no process, file or database.

``results`` (columns of games) → ``fit`` (strengths and clustered covariance) → ``ladder`` (rows for people).

* Parts of the fit: ``groups``, ``estimable``, ``pairs`` and ``orders`` (likelihoods), ``models``, ``prior``,
  ``newton``, ``sandwich``, ``convert``; ``fitted`` is what comes out.
* Beside the ladder: ``tally``, ``limits``, ``notes``, ``crosstable``, ``tiebreaks``, ``overall``, ``planner``.
* Checks: ``transitivity`` and ``nash``, ``checks`` (drift, all pairs), ``bootstrap``; ``baseline`` for the bench.
* Two bots: ``matches`` and ``sprt``. Reading: ``files``, ``pgn``, ``problems``.

Elo always means expected score (win 1, tie 1/2) between two players alone at a table, seat-neutral, unless a name says
otherwise. Nothing here uses a clock or global randomness; the bootstrap takes a seed.
"""
