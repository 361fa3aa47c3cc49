"""What a motion sweeps: a curve if one coordinate moves the child's origin, a surface if two do, over the range of those coordinates.

Which ones do is read off the trace of the motion: a spin about the normal of a surface adds nothing to it. The trace is also what is
evaluated, over all points at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.joints.drawing import Array, Drawing, Side
from redmax.trace import Graph, evaluate_numeric, reachable
from redmax.trace.vector import vector_of

Range = tuple[float, float]
CURVE, SURFACE = 256, 49  # points along a curve, and along each side of a surface
FINE = 16  # times as many points of a curve are found, from which those are chosen: more where it bends
ALONG = {1: 13, 2: 7, 3: 4}  # frames along each of so many coordinates
INSET = 1e-6  # of a range: how far to stay away from an end where the motion is not defined
STILL = 1e-9  # what moves less than this (m) stays in place


def drawings(joint: Joint) -> Sequence[Drawing]:
    """What the joint says it looks like, or what its motion sweeps over its domain."""
    own = joint.drawing() if joint.has_own("drawing") else None
    return swept(joint) if own is None else own


def swept(joint: Joint, ranges: Sequence[Range] | None = None) -> tuple[Drawing, ...]:
    """What the child's origin sweeps as the coordinates run over `ranges`, (dof,) pairs (low, high), those of the domain unless given.

    Nothing, unless one or two coordinates move it and their ranges are finite.
    """
    ranges = joint.domain if ranges is None else ranges
    if ranges is None or joint.nq != joint.dof:
        return ()

    def origin(*inputs: Any) -> Any:
        q = vector_of([*inputs[:-1], *map(float, joint.start)])
        return np.asarray(joint.at("transform", q, inputs[-1]), object)[:3, 3]

    return traced(origin, ranges)


def frames_along(joint: Joint) -> Array | None:
    """The frames (n_1, .., n_dof, 4, 4) that the joint carries as its coordinates run over their range.

    None, unless there are one to three of them, with finite ranges, and the motion does not depend on time.
    """
    ranges = joint.extent
    if joint.timed or joint.nq != joint.dof or joint.dof not in ALONG or ranges is None or not np.isfinite(ranges).all():
        return None
    inside = [(low + INSET * (high - low), high - INSET * (high - low)) for low, high in ranges]
    found = joint.pose(np.stack(grid(inside, ALONG[joint.dof]), axis=-1))
    return found if np.isfinite(found).all() else None


def drawn_range(domain: Range, period: float | None = None) -> Range:
    """What a picture shows of a coordinate: where it is defined, or one period if that has no ends."""
    return domain if period is None or np.isfinite(domain).all() else (0.0, period)


def traced(point: Callable[..., Any], ranges: Sequence[Range], on: Side = "parent") -> tuple[Drawing, ...]:
    """The curve or surface of the points (3,) that point(*coordinates, t) gives as the coordinates run over their ranges, or nothing."""
    graph = Graph()
    t, q = graph.input("t", 0), graph.inputs("q", len(ranges))
    outputs = list(np.asarray(point(*q, t), object))
    inputs = {e.args for e in reachable(outputs) if e.op == "input"}
    moving = [i for i in range(len(ranges)) if ("q", i) in inputs]
    sides = [ranges[i] for i in moving]
    if len(moving) not in (1, 2) or not np.isfinite(sides).all():
        return ()

    def position(times: Any, *values: Any) -> Array:
        """(..., 3), where the times and the values of the moving coordinates broadcast to (...)."""
        value_of = dict(zip(moving, values))
        with np.errstate(all="ignore"):
            parts = evaluate_numeric(outputs, lambda base, i: times if base == "t" else value_of[i])
        return np.stack(np.broadcast_arrays(*parts, *values, times)[:3], axis=-1).astype(float)

    middle = [(low + high) / 2 for low, high in sides]
    sides = [defined(lambda x, k=k: position(0.0, *middle[:k], x, *middle[k + 1 :]), side) for k, side in enumerate(sides)]
    return moving_shape(position, sides, on) if ("t", 0) in inputs else still_shape(position, sides, on)


def defined(position: Callable[[float], Array], side: Range) -> Range:
    """The range without its ends, where the motion is not defined there."""
    low, high = side
    first, last = (bool(np.isfinite(position(end)).all()) for end in side)
    return low if first else low + INSET * (high - low), high if last else high - INSET * (high - low)


def grid(sides: Sequence[Range], count: int) -> Sequence[Array]:
    return np.meshgrid(*[np.linspace(*side, count) for side in sides], indexing="ij")


def moving_shape(position: Callable[..., Array], sides: Sequence[Range], on: Side) -> tuple[Drawing, ...]:
    values = grid(sides, CURVE if len(sides) == 1 else SURFACE)
    later = (slice(None), *[None] * len(sides))
    return (Drawing(lambda t: position(np.asarray(t, float)[later], *values), on),)


def still_shape(position: Callable[..., Array], sides: Sequence[Range], on: Side) -> tuple[Drawing, ...]:
    points = position(0.0, *grid(sides, CURVE * FINE if len(sides) == 1 else SURFACE))
    spread = [float(np.ptp(points, axis=axis).max()) for axis in range(len(sides))]
    if not (np.isfinite(spread).all() and max(spread) > STILL):
        return ()
    if len(sides) == 2:
        flat = int(np.argmin(spread))  # two coordinates may also run along one curve
        return (Drawing(points if min(spread) > STILL else np.take(points, 0, axis=flat), on),)
    return (Drawing(points[spread_out(points)], on),)


def spread_out(points: Array) -> Array:
    """Indices of at most CURVE points, evenly over the length and the bending of the curve together."""
    steps = np.diff(points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    along = steps / np.maximum(lengths, np.finfo(float).tiny)[:, None]
    bends = np.linalg.norm(np.diff(along, axis=0, prepend=along[:1]), axis=1)
    measure = np.concatenate([[0.0], np.cumsum(lengths / lengths.sum() + bends / max(bends.sum(), 1.0))])
    return np.unique(np.searchsorted(measure, np.linspace(0, measure[-1], CURVE)).clip(0, len(points) - 1))
