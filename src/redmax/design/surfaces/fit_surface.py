"""Fit a joint of one to three parameters to scattered poses (after Lee & Terzopoulos Secs. 6 to 8, with exact derivatives)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import number, whole
from redmax.components.given import FromZeroEach, Knots, Outside, Pose
from redmax.design.curves.descent import Descent, descend
from redmax.design.curves.loss import Loss, Squares, check_counted
from redmax.design.curves.misfit import squared
from redmax.design.metric import Metric
from redmax.design.surfaces import given
from redmax.design.surfaces.grid import Grid
from redmax.design.surfaces.kinds import Kind, misfit
from redmax.design.surfaces.point import AtControl
from redmax.design.surfaces.problem import Problem
from redmax.design.surfaces.smoothness import bending
from redmax.design.surfaces.start import coordinatewise, principal
from redmax.design.surfaces.surface_fit import SurfaceFit
from redmax.design.surfaces.suspicious import warn_of_degrees, warn_of_transposed
from redmax.errors import SceneError, wrong
from redmax.joints.spline_surface import SplineSurface, checked_turns
from redmax.joints.twist_surface import WHOLE, TwistSurface
from redmax.types import Array, Given

OWNER = "fit_surface"
SLIGHT = (1e-6, 1e-6, 1e-5)  # for one, two and three parameters: the more there are, the more ways there are to count a surface
UNTOLD = "poses alone do not tell how a surface is counted, only smoothing does"
POSITION_FIRST = [3, 4, 5, 0, 1, 2]  # the six numbers of a SplineSurface, of those of a twist


def fit_surface(
    poses: ArrayLike,
    parameters: Given = None,
    *,
    grid: int | Sequence[int],
    order: int | Sequence[int] = 4,
    kind: Kind = "twists",
    range: Given = None,
    knots: Knots | None = None,
    cyclic: bool | Sequence[bool] = False,
    rotation_order: str = "xyz",
    base: Pose | None = None,
    weights: Given = None,
    metric: Metric | None = None,
    loss: Loss | None = None,
    smoothing: float | None = None,
    tolerance: float = 1e-10,
    iterations: int = 300,
    outside: Outside = "error",
    limit_stiffness: FromZeroEach | None = None,
    limit_damping: FromZeroEach | None = None,
) -> SurfaceFit:
    """The spline surface joint that comes nearest to poses, by least squares of log(G(q)^-1 G_k), or with a robust loss.

    poses: (N, 4, 4) (m), scattered as they come. One that is NaN is missing; of one whose position is NaN the rotation counts,
        and the other way round.
    parameters: (N, dof), or (N,) for one: the coordinates of the joint at each. None to find them, beginning along the directions in which
        the poses vary most: they count rad and m there, as the metric weighs them.
    grid: how many control values along each parameter; as many numbers as parameters, 1 to 3
    order: of the splines, 4 is cubic; one for all parameters, or one for each
    kind: "twists" for a TwistSurface, "angles" for a SplineSurface with three angles in rotation_order
    range: (dof, 2), the first and the last value of each parameter; those of the poses unless given. Of a cyclic one, a period
    knots: for each parameter None or its knots, as SplineSurface takes them; evenly spaced unless given, and at both ends so often that
        the surface ends in control values
    cyclic: whether a parameter goes around; one for all, or one for each
    base: of the joint, a pose amid the others; unless given their mean or the parent's frame, whichever the fit begins nearer with
    weights: (N,) of poses, or (N, 6) of the components of their residuals, three turning and three moving
    metric: a length (m) that counts as a radian, 6 weights, (6, 6) or a body for its inertia, instead of the plain norm of a residual
    loss: Huber, Cauchy or Tukey instead of squares, so that outliers count less
    smoothing: weight of the integral over the range of all second derivatives squared, by which is found, too, what no pose determines;
        unless given none, or a slight one where parameters are to be found, which poses alone do not determine
    tolerance: of the longest entry of the gradient; iterations: how many at most
    outside, limit_stiffness, limit_damping: of the joint, as for SplineCurve
    """
    if kind not in ("twists", "angles"):
        raise wrong(OWNER, "kind", kind, "'twists' or 'angles'")
    if loss is not None and not isinstance(loss, Loss):
        raise wrong(OWNER, "loss", loss, "rm.Huber(scale), rm.Cauchy(scale) or rm.Tukey(scale)")
    number(OWNER, "tolerance", tolerance, "a number from 0 up", least=0)
    given_amount = None if smoothing is None else number(OWNER, "smoothing", smoothing, "a number from 0 up", least=0)
    counts = given.counts_of(OWNER, grid)
    turns = checked_turns(OWNER, rotation_order) if kind == "angles" else ""
    data = given.data(OWNER, poses, parameters, len(counts), weights, metric)
    views, M = given.views(OWNER, data, base, turns), data.metric
    q = principal(views[0].T, data.known, M, len(counts)) if data.parameters is None else data.parameters
    if data.parameters is None and np.any(cyclic):
        raise SceneError(f"{OWNER}: a cyclic parameter is not found from poses. Give parameters.", owner=OWNER, argument="parameters")
    if data.parameters is None and given_amount == 0:
        fix = "Leave smoothing out for a slight one, or give more, such as 1e-3"
        raise SceneError(f"{OWNER}: {UNTOLD}, but smoothing is 0. {fix}.", owner=OWNER, argument="smoothing")
    if data.parameters is not None:
        turning = data.known & ~data.points
        warn_of_degrees(OWNER, data.E[turning, :3, :3], q[turning])
    space = Grid(given.sides(OWNER, counts, order, knots, cyclic, range, q[data.known]))
    q = space.inside(q)
    amount = (slight(space, data) if data.parameters is None else 0.0) if given_amount is None else given_amount
    stiff = M[np.ix_(POSITION_FIRST, POSITION_FIRST)] if turns else M
    each = data.weights * np.trace(data.W, axis1=1, axis2=2) / 6.0
    bend = amount * np.trace(M) / 6.0 * bending(space) if amount else None
    points: list[tuple[AtControl, Array]] = []
    for view in views if data.parameters is not None else views[:1]:
        first = coordinatewise(OWNER, space, q, view.numbers, each, bend, robust=loss is not None)
        law, known = loss or Squares(), data.parameters is not None
        problem = Problem(space, misfit(turns), view.T, data.points, data.W, data.weights, law, known, amount, stiff)
        points.append((AtControl(problem, first, q), view.base))
    start, at = min(points, key=lambda point: point[0].value)
    found = descend(start, tolerance, whole(OWNER, "iterations", iterations, 0))
    limits: dict[str, Any] = {"outside": outside, "limit_stiffness": limit_stiffness, "limit_damping": limit_damping}
    if data.parameters is None and not found.converged:
        found = replace(found, reason=f"{found.reason} More smoothing than {amount:.2g} gets there in fewer iterations.")
    return result(found, at, turns, data, limits)


def slight(space: Grid, data: given.Data) -> float:
    """A weight of second derivatives, so small that a bend by a radian over the range counts as a part `SLIGHT` of a residual of one."""
    sizes = np.array([high - low for low, high in (side.range for side in space.sides)])
    return SLIGHT[len(sizes) - 1] * float(data.weights.sum()) * float(np.prod(sizes ** (4.0 / len(sizes) - 1.0)))


def result(found: Descent[AtControl], base: Array, turns: str, data: given.Data, limits: dict[str, Any]) -> SurfaceFit:
    problem, state = found.point.problem, found.point.state
    sides = problem.grid.sides
    d = problem.residuals(state)
    check_counted(OWNER, problem.loss, squared(problem.W, d), problem.weights)
    values = state.control.reshape(*problem.grid.shape, 6)
    if not turns:
        check_wild(values)
    shape: dict[str, Any] = {"order": [s.order for s in sides], "knots": [s.knots for s in sides], "cyclic": [s.cyclic for s in sides]}
    if turns:
        joint = SplineSurface(values, rotation_order=turns, base=base, **shape, **limits)
    else:
        joint = TwistSurface(values, base=base, **shape, **limits)
    d = np.where(data.known[:, None] & (np.diagonal(data.W, axis1=1, axis2=2) > 0), d, np.nan)
    warn_of_transposed(OWNER, data.E, d)
    q = np.where(data.known[:, None], state.q, np.nan) if data.parameters is None else data.parameters
    gradient = problem.bands.control(found.gradient).reshape(values.shape)
    return SurfaceFit(
        joint, values, base, tuple(s.knots for s in sides), q, d, found.point.value, gradient, found.log, found.reason, found.converged
    )


def check_wild(values: Array) -> None:
    """Raise where a fitted twist goes around: poses that are far between or far off pull it there."""
    angle = np.linalg.norm(values[..., :3], axis=-1)
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(angle)), angle.shape))
    if angle[at] >= WHOLE:
        said = f"the control value that comes out at {at} turns by {angle[at]:.4g} rad, more than a whole turn: poses hardly determine it"
        fix = "Give smoothing=..., a smaller grid, or a robust loss where some poses are far off"
        raise SceneError(f"{OWNER}: {said}. {fix}.", owner=OWNER, argument="grid")
