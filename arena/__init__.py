"""Arena: bots in any language play card games through one gRPC referee, and leagues become Elo ladders.

Fair, fast, explainable, in that order. The architecture on one page:

**Floors.** Imports point down only, and folders on one floor never import each other (import-linter holds it)::

    8  cli/        click commands, rich tables, progress; computes nothing
    7  reports/    standings, crosstable, game sheet as plain rows         lab/  bench, doctor, check: they measure it
    6  league/     league file, plan into sittings, workers, runner, resume
    5  referee/    one game: the table, the clocks, the lag canaries, what a fault costs
    4  players/    bot programs as processes, their sandboxes, their gRPC streams
    3  ratings/ schedules/ protocol/ storage/     numbers; who plays whom; wire and domain; SQLite
    2  records/    what happened, as data          search/  information-set search, for bots
    1  games/      pure rules: functions on a frozen state
    0  errors.py seeds.py
    -  v1/ generated messages   sdk/ what a Python bot imports   testing/ kit for games, fixture bots

**Games** (``games.base``) are functions on a frozen state; every random event is a step with its outcome written out.
So a record replays with no generator, and a deal is the same for every line-up: its chance streams are keyed by
(secret, ruleset, deal, event) and by nothing else (``seeds``).

**A league** (``league.runner``) is a plan of sittings: one line-up in one seating over a run of deals. The parent
plans, stores and reports; it alone writes, and it never imports grpc. Worker processes, one a core, play whole sittings
(``league.sitting``). Resuming is planned ids minus stored ids.

**One decision.** The table (``referee.table``) says which seats must be asked. The request waits until its bot may be
asked: while bots share the worker's core, one at a time owes answers (``league.baton``), and everything that is pending
for it goes out as one list, because a gRPC message costs as much as sixty decisions. Its clock (``referee.clock``)
starts when all earlier requests of the process are closed. The answer is matched by (game, decision), charged, checked
against the rules and applied; a late one is seen by the *watch* (``league.watch``), which looks at all clocks every
10 ms; a late, illegal or missing one is ruled (``referee.faults``), unless the lag canaries (``referee.canary``) say
that this machine stalled: then the game is void and played again, as is one that was open when its worker died.

**Faults** cost their own bot and nobody else: a process's death retires one seat in one game, and the restarted process
plays the others. A retired seat plays default actions and ranks below every seat that was not retired
(``records.record.places``); it is rated as a loss, never as a draw, and counted in a column of its own. What a bot
does beside its answers (computing between turns, processes left behind, attempts to reach a network) is measured and
noted for the organiser, and costs nothing.

**Ratings** (``ratings``): one joint Plackett-Luce fit with seat effects and a weak prior over complete blocks, errors
clustered by deal. The order of games means nothing.

**What is true** is in ``results/<name>/league.db``: one row a game, with the record (canonical bytes, no times) and the
trace (times, evidence) compressed beside it, and a digest over all records. Everything else is derived.
"""

__version__ = "0.1.0"
