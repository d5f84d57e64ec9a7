"""The fit: strengths by penalised Plackett-Luce (or a two-seat tie model), with clustered errors.

V = A^-1 (B + L) A^-1, where A is the information with the prior, B the sum of squared cluster scores and L the prior's
own information: a perfect score gets a wide, finite interval. Ratings and covariance are relative to the mean of their
connected group, unless anchored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtrit

from arena.ratings.blocks import Block
from arena.ratings.convert import to_elo
from arena.ratings.estimable import seat_sizes
from arena.ratings.fitted import Fit, ModelName, SeatEffect
from arena.ratings.groups import comparable_places, find_groups, is_compared
from arena.ratings.layout import Layout
from arena.ratings.models import TieModelName, two_seat_model
from arena.ratings.newton import Optimum, Problem, maximise
from arena.ratings.orders import count_orders
from arena.ratings.pairs import count_pairs
from arena.ratings.prior import DEFAULT_SD_ELO, Penalty, Prior, virtual_ties
from arena.ratings.results import Clusters, Results, cluster_games
from arena.ratings.sandwich import squared_cluster_scores
from arena.ratings.units import LN10, Bools, Floats

__all__ = ["Fit", "ModelName", "SeatEffect", "fit"]

CLUSTERS_FEW = 40
"""Under this number of clusters the factor c/(c-1) and the t quantile are used."""
CLUSTERS_MIN = 10
"""Under this number the clusters say too little and the model's own covariance is used."""
SEAT_EFFECT_MAX_NATS = 10.0
"""A larger seat effect (1737 Elo) means that a seat always won: only a prior keeps it finite."""


def fit(
    results: Results,
    *,
    model: ModelName = "plackett-luce",
    prior: Prior | None = None,
    seats: bool = True,
    anchor: Mapping[str, float] | None = None,
    average: float = 0.0,
    scale: float = 400.0,
    cluster_by: str = "deal",
    errors: Literal["clustered", "model"] = "clustered",
) -> Fit:
    """Return the strengths that the results speak for.

    Args:
        results: the games.
        model: ``plackett-luce`` for any table size; the others for two seats only.
        prior: default N(0, 350 Elo) about the mean of each connected group.
        seats: whether to fit seat effects.
        anchor: ratings held fixed, by name. One in a group shifts that group; several are held while the rest is
            fitted.
        average: mean rating of a group without an anchor.
        scale: Elo per factor 10 of odds.
        cluster_by: the widest unit of the errors: deal, block or game.
        errors: ``clustered`` (sandwich), or ``model`` (inverse information, right only if the model is).

    Raises:
        ValueError: for no games, a two-seat model on larger tables, an unknown anchor, or a scale that is not positive.
    """
    _check(results, model, anchor or {}, scale)
    return _Fitting(results, model, prior or Prior(), seats, dict(anchor or {}), average, scale / LN10).run(
        cluster_by, errors
    )


def _check(results: Results, model: str, anchor: Mapping[str, float], scale: float) -> None:
    if not len(results):
        raise ValueError("there are no games to rate")
    if model not in ("plackett-luce", "half-win", "rao-kupper", "davidson"):
        raise ValueError(f"model {model!r}: accepted are plackett-luce, half-win, rao-kupper, davidson")
    if model != "plackett-luce" and int(np.diff(results.starts).max()) > 2:
        raise ValueError(f"model {model!r} is for two seats; use plackett-luce for larger tables")
    unknown = sorted(set(anchor) - set(results.names))
    if unknown:
        raise ValueError(f"anchor {unknown[0]!r} has played no game")
    if not scale > 0:
        raise ValueError(f"scale {scale}: must be positive")


class _Fitting:
    """One run of ``fit``: collects notes on the way."""

    def __init__(
        self,
        results: Results,
        model: ModelName,
        prior: Prior,
        seats: bool,
        anchor: dict[str, float],
        average: float,
        unit: float,
    ) -> None:
        self.results = results
        self.model = model
        self.prior = prior
        self.seats = seats
        self.anchor = {results.names.index(name): value for name, value in anchor.items()}
        self.average = average
        self.unit = unit
        self.groups = find_groups(results)
        self.notes: list[str] = []

    def run(self, cluster_by: str, errors: str) -> Fit:
        """Return the fit."""
        blocks, layout = self._blocks()
        problem = self._problem(blocks, layout)
        optimum = maximise(problem, self._start(layout))
        seat_effects = optimum.params[layout.players : layout.seat_end]
        if np.abs(seat_effects).max(initial=0.0) > (0.0 if optimum.diverged else SEAT_EFFECT_MAX_NATS):
            problem = self._with_seat_prior(problem)
            optimum = maximise(problem, self._start(layout))
        if optimum.diverged:
            problem = self._with_default_prior(problem)
            optimum = maximise(problem, self._start(layout))
        if not optimum.converged:
            self.notes.append("The fit did not reach its tolerance; the last digits are not certain.")
        clusters = cluster_games(self.results, cluster_by)
        covariance, is_clustered, count = self._covariance(problem, optimum, clusters, errors == "clustered")
        return self._finish(problem, optimum, covariance, Clusters(clusters.kind, clusters.code, count), is_clustered)

    def _blocks(self) -> tuple[list[Block], Layout]:
        """Return the games as blocks, and the columns with the seat effects that can be told from the strengths."""
        players = len(self.results.names)
        tables = self.results.tables()
        tie_model = self._tie_model()
        game_model = two_seat_model(tie_model)
        tie_start = game_model.tie_start if game_model.has_tie else None
        blocks: list[Block] = []
        for table in tables:
            if table.seats == 2:
                blocks.append(count_pairs(table, players, game_model))
            else:
                blocks.extend(count_orders(table))
        sizes = tuple(table.seats for table in tables) if self.seats else ()
        sizes, confounded = seat_sizes(blocks, players, sizes, self.groups, tie_start)
        for seats in confounded:
            self.notes.append(
                f"Seat effects at tables of {seats} cannot be told from the players' strengths and are left out."
            )
        return blocks, Layout.of(players, sizes, has_tie=game_model.has_tie)

    def _tie_model(self) -> TieModelName:
        """Return the two-seat likelihood; a tie parameter needs games with and without a tie."""
        if self.model in ("plackett-luce", "half-win"):
            return "half-win"
        table = self.results.tables()[0]
        place = comparable_places(table)
        tied = (place[:, 0] == place[:, 1])[is_compared(table)]
        if tied.any() and not tied.all():
            return "rao-kupper" if self.model == "rao-kupper" else "davidson"
        which = "Every game" if tied.any() else "No game"
        self.notes.append(f"{which} was tied, so no tie parameter can be fitted: half wins are used.")
        return "half-win"

    def _problem(self, blocks: Sequence[Block], layout: Layout) -> Problem:
        precision = np.zeros(layout.size)
        precision[: layout.players] = self.prior.precision
        ties = virtual_ties(self.results, self.prior.value) if self.prior.kind == "draws" else None
        if self.prior.kind == "none":
            self._rescue_one_way_groups(precision)
        free = np.ones(layout.size, dtype=np.bool_)
        held = self._held()
        free[held] = False
        centre = np.zeros(layout.size)
        start = self._start(layout)
        gauges = [layout.seat_columns(seats) for seats in layout.seat_start]
        for group in range(self.groups.weak_count):
            members = self.groups.members(group)
            fixed = [index for index in held if self.groups.weak[index] == group]
            if fixed:
                centre[members] = start[fixed].mean()
            elif precision[members[0]] == 0:
                gauges.append(members)
        return Problem(
            blocks=blocks,
            layout=layout,
            penalty=Penalty(precision, centre, ties),
            gauges=gauges,
            free=free,
            games=len(self.results),
            tie_min=1e-6 if self.model == "rao-kupper" else -50.0,
        )

    def _rescue_one_way_groups(self, precision: Floats) -> None:
        """Give groups that have no finite answer the default prior, and say so."""
        for group in range(self.groups.weak_count):
            if self.groups.is_one_way(group):
                precision[self.groups.members(group)] = Prior().precision
                self.notes.append(
                    "Some results go one way only, so that without a prior no finite ratings exist: "
                    f"the prior N(0, {DEFAULT_SD_ELO:g}) was used for that group."
                )

    def _held(self) -> list[int]:
        """Return the anchored players of groups with more than one anchor: they are held during the fit."""
        groups = [int(self.groups.weak[index]) for index in self.anchor]
        return [index for index, group in zip(self.anchor, groups, strict=True) if groups.count(group) > 1]

    def _start(self, layout: Layout) -> Floats:
        start = np.zeros(layout.size)
        for index in self._held():
            start[index] = (self.anchor[index] - self.average) / self.unit
        if layout.has_tie:
            start[-1] = two_seat_model(self._tie_name()).tie_start
        return start

    def _tie_name(self) -> TieModelName:
        return "rao-kupper" if self.model == "rao-kupper" else "davidson"

    def _with_seat_prior(self, problem: Problem) -> Problem:
        self.notes.append(
            f"One seat won every time in some comparison: the prior N(0, {DEFAULT_SD_ELO:g}) was used for seat effects."
        )
        precision = problem.penalty.precision.copy()
        precision[problem.layout.players : problem.layout.seat_end] = Prior().precision
        return replace(problem, penalty=replace(problem.penalty, precision=precision))

    def _with_default_prior(self, problem: Problem) -> Problem:
        self.notes.append(f"No finite ratings exist without a prior: N(0, {DEFAULT_SD_ELO:g}) was used.")
        precision = problem.penalty.precision.copy()
        precision[: problem.layout.players] = Prior().precision
        return replace(problem, penalty=replace(problem.penalty, precision=precision))

    def _covariance(
        self, problem: Problem, optimum: Optimum, clusters: Clusters, clustered: bool
    ) -> tuple[Floats, bool, int]:
        """Return the covariance in nats², whether it is clustered, and the number of clusters with a comparison."""
        count = _used_clusters(self.results, clusters)
        if not clustered:
            return self._project(optimum.inverse, problem.layout), False, count
        if count < CLUSTERS_MIN:
            self.notes.append(
                f"Only {count} {clusters.kind}{'s' * (count != 1)}: too few for clustered errors, the model's are used."
            )
            return self._project(optimum.inverse, problem.layout), False, count
        squares = squared_cluster_scores(problem.blocks, optimum.params, problem.layout, clusters)
        if np.trace(squares) < 1e-12 * len(self.results):
            self.notes.append("The results do not vary (such as ties only), so the errors are the model's.")
            return self._project(optimum.inverse, problem.layout), False, count
        if count < CLUSTERS_FEW:
            squares *= count / (count - 1)
            self.notes.append(
                f"Only {count} {clusters.kind}s: errors use the factor {count}/{count - 1} and a t quantile."
            )
        problem.penalty.evaluate(optimum.params, problem.layout, squares)
        return self._project(optimum.inverse @ squares @ optimum.inverse, problem.layout), True, count

    def _project(self, covariance: Floats, layout: Layout) -> Floats:
        """Return the covariance of deviations from the mean of each group and of each size's seat effects."""
        held = {int(self.groups.weak[index]) for index in self._held()}
        sets = [self.groups.members(group) for group in range(self.groups.weak_count) if group not in held]
        sets += [layout.seat_columns(seats) for seats in layout.seat_start]
        covariance = covariance.copy()
        for columns in sets:
            covariance[columns] -= covariance[columns].mean(axis=0)
        for columns in sets:
            covariance[:, columns] -= covariance[:, columns].mean(axis=1, keepdims=True)
        return covariance

    def _finish(
        self, problem: Problem, optimum: Optimum, covariance: Floats, clusters: Clusters, is_clustered: bool
    ) -> Fit:
        layout, params = problem.layout, optimum.params.copy()
        few = is_clustered and clusters.count < CLUSTERS_FEW
        quantile = float(stdtrit(clusters.count - 1, 0.975)) if few else float(ndtri(0.975))
        held = {int(self.groups.weak[index]) for index in self._held()}
        for group in range(self.groups.weak_count):
            if group not in held:
                members = self.groups.members(group)
                params[members] -= params[members].mean()
        tie_model = two_seat_model(self._tie_name()) if layout.has_tie else None
        elo, covariance = to_elo(params, covariance, layout, self.groups, tie_model, self.unit)
        self._shift(elo, held)
        seat_effects, advantage = _seat_rows(params, covariance, layout, self.unit, quantile)
        return Fit(
            names=self.results.names,
            model=self.model,
            elo=elo,
            strength=params[: layout.players] * self.unit,
            covariance=covariance,
            seat_effects=seat_effects,
            advantage=advantage,
            tie=float(params[-1]) if layout.has_tie else None,
            groups=self.groups,
            clusters=clusters,
            quantile=quantile,
            is_clustered=is_clustered,
            anchors=tuple(sorted(self.anchor)),
            prior=self.prior,
            scale=self.unit * LN10,
            games=len(self.results),
            loglik=optimum.loglik,
            notes=tuple(self.notes),
        )

    def _shift(self, elo: Floats, held: set[int]) -> None:
        """Move each group to its anchor or to the average, in place."""
        for group in range(self.groups.weak_count):
            members = self.groups.members(group)
            anchor = [index for index in self.anchor if self.groups.weak[index] == group]
            if group in held or not anchor:
                elo[members] += self.average
            else:
                elo[members] += self.anchor[anchor[0]] - elo[anchor[0]]


def _used_clusters(results: Results, clusters: Clusters) -> int:
    """Return the number of clusters with at least one comparison."""
    used: Bools = np.zeros(clusters.count, dtype=np.bool_)
    for table in results.tables():
        compared = is_compared(table)
        used[clusters.code[table.games if compared.all() else table.games[compared]]] = True
    return int(used.sum())


def _seat_rows(
    params: Floats, covariance: Floats, layout: Layout, unit: float, quantile: float
) -> tuple[tuple[SeatEffect, ...], tuple[float, float] | None]:
    rows = []
    for seats in layout.seat_start:
        for seat, column in enumerate(layout.seat_columns(seats), start=1):
            error = quantile * float(np.sqrt(max(covariance[column, column], 0.0)))
            rows.append(SeatEffect(seats, seat, float(params[column]) * unit, error))
    two = [row for row in rows if row.table == 2]
    return tuple(rows), (two[0].elo - two[1].elo, 2 * two[0].error) if two else None
