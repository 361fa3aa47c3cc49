"""The four ways to write the twist of a frame E = (R, p), and the matrices between them; with what is dual to them, momenta and wrenches.

    V_body = (R^T omega; R^T pdot)   spatial = Ad(E) body   hybrid = diag(R, R) body   mixed = diag(I, R) body

(Mueller, Screw and Lie group theory in multibody kinematics, 2018, Sec. 3; mixed as in Mueller and Terze, Eq. 28.) Power F.V does not
depend on how it is written, so that a momentum or a wrench goes by the transposed inverse: (torque; force) of kind "body" is at the frame's
origin in its axes, "hybrid" the same in world axes, "spatial" about the world's origin, "mixed" has the torque in the frame's axes and the
force in the world's.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from redmax.errors import SceneError, brief
from redmax.lie import se3
from redmax.lie.three import cross, plus, rows, split, times, transpose
from redmax.math import array
from redmax.types import Array

TwistKind: TypeAlias = Literal["body", "spatial", "hybrid", "mixed"]
KINDS: tuple[TwistKind, ...] = get_args(TwistKind)


def convert_twist(V: Array, E: Array, given: TwistKind, kind: TwistKind) -> np.ndarray:
    """A twist (..., 6) of a frame at E (..., 4, 4) that is of the kind `given`, as one of another kind.

    given, kind: "body", "spatial", "hybrid" or "mixed"
    """
    return moved("convert_twist", V, E, given, kind, 1.0)


def convert_wrench(F: Array, E: Array, given: TwistKind, kind: TwistKind) -> np.ndarray:
    """A momentum or a wrench (..., 6), angular or torque first, on a frame at E, that is of the kind `given`, as one of another kind."""
    return moved("convert_wrench", F, E, given, kind, -1.0)


def moved(owner: str, V: Array, E: Array, given: str, kind: str, sign: float) -> np.ndarray:
    """Through the hybrid one, turned and shifted. sign: +1 of twists, whose linear part depends on the place; -1 of wrenches."""
    for argument, value in (("given", given), ("kind", kind)):
        if not isinstance(value, str) or value not in KINDS:
            words = ", ".join(map(repr, KINDS))
            said = f"{owner}: {argument} is {brief(value)}. Valid: {words}."
            raise SceneError(said, owner=owner, argument=argument, got=brief(value), expected=words)
    entries = split(np.asarray(V))
    if len(entries) != 6 or np.shape(E)[-2:] != (4, 4):
        said = f"{owner} takes six numbers (..., 6) and a pose (..., 4, 4). Got {brief(V)} and {brief(E)}."
        raise SceneError(said, owner=owner, argument="V" if sign > 0 else "F")
    R, p = rows(se3.rotation(E)), split(se3.translation(E))
    w, v = entries[:3], entries[3:]
    if given == kind:
        return array([*w, *v])
    w = times(R, w) if given in ("body", "mixed") else w
    v = times(R, v) if given == "body" else v
    if given == "spatial":
        w, v = shifted(w, v, [0.0 - x for x in p], sign)
    if kind == "spatial":
        w, v = shifted(w, v, p, sign)
    Rt = transpose(R)
    w = times(Rt, w) if kind in ("body", "mixed") else w
    return array([*w, *(times(Rt, v) if kind == "body" else v)])


def shifted(w: list[Any], v: list[Any], p: list[Any], sign: float) -> tuple[list[Any], list[Any]]:
    """From p to the origin, in the same axes: a twist's v + p x w, a wrench's w + p x v."""
    return (w, plus(v, cross(p, w))) if sign > 0 else (plus(w, cross(p, v)), v)
