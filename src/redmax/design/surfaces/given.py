"""What a fit of a surface is given, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import as_pose, finite, flag, whole
from redmax.design.curves.given import checked_weights, metric_of, without_positions, without_rotations
from redmax.design.curves.knots import clamped
from redmax.design.curves.spans import Spans, make_spans
from redmax.design.metric import metric_matrix
from redmax.design.poses import checked_parameters, checked_poses
from redmax.design.surfaces.kinds import middle, numbers_of
from redmax.errors import SceneError, wrong
from redmax.joints.bspline import checked_order
from redmax.joints.spline_grid import per_axis, per_axis_knots
from redmax.lie import se3
from redmax.types import Array

NEAR_HALF = 0.05  # rad: of a rotation vector, from half a turn, where its neighbours may be on the other side
NEAR_SINGULAR = 0.1  # rad: of the second angle


@dataclass(frozen=True)
class Data:
    """The poses. E: (N, 4, 4), where `known`; parameters: (N, dof) or None; weights: (N,), 0 where not known

    metric: (6, 6); W: (N, 6, 6), that with the weights of components; points: (N,) whether only their positions are known
    """

    E: Array
    known: Array
    parameters: Array | None
    metric: Array
    W: Array
    weights: Array
    points: Array


def data(owner: str, poses: Any, parameters: Any, dof: int, weights: Any, metric: Any) -> Data:
    given, lost = without_positions(poses)
    given, points = without_rotations(given)
    E = checked_poses(given, owner=owner, missing=True, sequence=False)
    known, count, u = np.isfinite(E[:, 0, 0]), len(E), None
    if parameters is not None:
        u = checked_parameters(parameters, count, owner=owner, repeated=True, missing=~known)
        u = u[:, None] if u.ndim == 1 else u
        if u.shape != (count, dof):
            raise wrong(owner, "parameters", parameters, f"({count}, {dof}): for each pose one for each of the {dof} sides of the grid")
    each, components = checked_weights(owner, weights, len(E))
    if lost.any() or points.any():
        components = np.ones((len(E), 6)) if components is None else components.copy()
        components[lost, 3:], components[points, :3] = 0.0, 0.0
        E = turned_alike(owner, E, known, points, u)
    M = metric_matrix(metric, owner)
    W = np.broadcast_to(metric_of(M, components), (len(E), 6, 6))
    return Data(E, known, u, M, W, np.where(known, each, 0.0), points & known)


def turned_alike(owner: str, E: Array, known: Array, points: Array, u: Array | None) -> Array:
    """Poses with the rotation of the nearest other one where only their position is known: for starts."""
    others, these = np.flatnonzero(known & ~points), np.flatnonzero(known & points)
    if not len(others):
        raise SceneError(f"{owner}: no pose has a rotation, only positions. Give both for some of them.", owner=owner, argument="poses")
    place = E[:, :3, 3] if u is None else u / np.ptp(u[known], axis=0).clip(np.finfo(float).tiny)
    E = E.copy()
    for k in these:
        E[k, :3, :3] = E[others[np.argmin(np.sum((place[others] - place[k]) ** 2, axis=1))], :3, :3]
    return E


def counts_of(owner: str, grid: Any) -> tuple[int, ...]:
    """How many control values there are along each parameter."""
    counts = tuple(grid) if isinstance(grid, Sequence | np.ndarray) and not isinstance(grid, str) else (grid,)
    if not 1 <= len(counts) <= 3:
        raise wrong(owner, "grid", grid, "how many control values along each of 1 to 3 parameters, as (8, 6)")
    return tuple(whole(owner, "grid", n, 4, ": so many control values along each parameter, 4 or more") for n in counts)


@dataclass(frozen=True)
class View:
    """The poses as a base sees them. base: (4, 4); T: (N, 4, 4); numbers: (N, 6) of each; those that are missing are at the base"""

    base: Array
    T: Array
    numbers: Array


def views(owner: str, found: Data, base: Any, turns: str) -> list[View]:
    """From the base that is given; or from the mean of the poses and from the parent's frame, if poses have one set of numbers there."""
    if base is not None:
        bases = [as_pose(owner, "base", base)]
    else:
        bases = [middle(found.E[found.known]), np.eye(4)]
    seen: list[View] = []
    for H in bases:
        T = np.where(found.known[:, None, None], se3.inverse(H) @ found.E, np.eye(4))
        seen.append(View(H, T, numbers_of(T, turns)))
    wrong_with = [ambiguous(view.numbers, found.known, turns) for view in seen]
    fine = [view for view, why in zip(seen, wrong_with, strict=True) if why is None]
    if not fine and wrong_with[0] is not None:
        said, argument = wrong_with[0]
        raise SceneError(f"{owner}: {said}.", owner=owner, argument=argument)
    return fine


def ambiguous(numbers: Array, known: Array, turns: str) -> tuple[str, str] | None:
    """What is wrong, and with which argument, where the numbers of a pose may be others: neighbours would be far from each other."""
    if not turns:
        angle = np.where(known, np.linalg.norm(numbers[:, :3], axis=1), 0.0)
        k = int(np.argmax(angle))
        if angle[k] <= np.pi - NEAR_HALF:
            return None
        said = f"poses[{k}] is turned from the base by {np.degrees(angle[k]):.4g} degrees, too near half a turn to say which way round"
        return f"{said}. Give a base amid the poses, or leave it out", "base"
    second = numbers[:, 4]
    away = np.where(known, np.abs(second) if turns[0] == turns[2] else np.pi / 2 - np.abs(second), np.inf)
    k = int(np.argmin(away))
    if away[k] >= NEAR_SINGULAR:
        return None
    said = f"poses[{k}] has a second angle of {np.degrees(second[k]):.4g} degrees, near the one where the other two are about one axis"
    return f"{said}. Take another rotation_order or base, or kind='twists'", "rotation_order"


def sides(owner: str, counts: tuple[int, ...], order: Any, knots: Any, cyclic: Any, spans: Any, q: Array) -> tuple[Spans, ...]:
    """The parameters of the surface. spans: (dof, 2) or None; q: (N, dof) of the poses that are known"""
    dof = len(counts)
    if spans is not None:
        valid = f"({dof}, 2): the first and the last value of each parameter, ascending"
        spans = finite(owner, "range", spans, ((dof, 2), (2,)) if dof == 1 else ((dof, 2),), valid).reshape(dof, 2)
        if not (spans[:, 1] > spans[:, 0]).all():
            raise wrong(owner, "range", spans, valid)
    found: list[Spans] = []
    orders, closed = per_axis(owner, "order", order, dof), per_axis(owner, "cyclic", cyclic, dof)
    for i, own in enumerate(per_axis_knots(owner, knots, dof)):
        k, around = checked_order(owner, orders[i]), flag(owner, "cyclic", closed[i])
        if counts[i] < k:
            why = f"a spline of order {k} has at least as many control values"
            raise SceneError(f"{owner}: there are {counts[i]} control values along parameter {i}, but {why}.", owner=owner, argument="grid")
        if own is None:
            own = clamped(counts[i], k, around, *span_of(owner, i, around, None if spans is None else spans[i], q[:, i]))
        side = make_spans(owner, counts[i], k, own, around)
        check_inside(owner, i, side, q[:, i])
        found.append(side)
    return tuple(found)


def span_of(owner: str, i: int, around: bool, span: Array | None, q: Array) -> tuple[float, float]:
    if span is not None:
        return float(span[0]), float(span[1])
    if around:
        said = f"parameter {i} is cyclic, and its range, one period, is not given"
        raise SceneError(f"{owner}: {said}. Say it as range=[.., (0, 2 * np.pi), ..].", owner=owner, argument="range")
    low, high = float(q.min()), float(q.max())
    if not high > low:
        said = f"parameter {i} is {low:g} for all poses, so that nothing is known of what it does"
        raise SceneError(f"{owner}: {said}. Leave it out, or add poses.", owner=owner, argument="parameters")
    return low, high


def check_inside(owner: str, i: int, side: Spans, q: Array) -> None:
    low, high = side.range
    out = np.flatnonzero((q < low) | (q > high))
    if len(out) and not side.cyclic:
        said = f"parameter {i} is {brief(q[out[0]])} for one of the poses, outside of its range from {low:g} to {high:g}"
        raise SceneError(f"{owner}: {said}. Widen range or knots, or leave the pose out.", owner=owner, argument="parameters")
