"""What a joint is: its motion `transform(q)`, and nothing else that it has to say.

The joint Jacobian S, with twist = S(q) qdot in the child's frame (RedMax supplement Eqs. 15-17), and Sdot follow by differentiating the
trace of `transform`. Attributes that are floats, float arrays or tables are data: two joints that differ only in them share their
compiled kernels. Every other attribute (names, integers, functions) is structure, and so is the shape of an array or a table.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.trace import Scalar, Table, jvp

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Joint:
    """A motion of a child frame relative to its parent, with `dof` coordinates (0 to 6).

    Subclass it, set `dof`, and write `transform(q) -> 4x4 pose` with Python operators, NumPy or redmax.math; or use `redmax.joint`.
    """

    dof: int = 0
    chart: str = ""  # the name of the coordinates, where there is a choice

    def transform(self, q: Any) -> Any:
        """The pose of the child frame in the parent frame, (4, 4), at coordinates q, (dof,)."""
        raise NotImplementedError(f"{type(self).__name__} does not define transform(q)")

    def jacobian(self, q: Any) -> Any | None:
        """S, (6, dof), where a closed form is cheaper than what differentiation finds; None otherwise."""
        return None

    @property
    def nq(self) -> int:
        """How many numbers describe a configuration; as many as degrees of freedom, unless velocities are not rates of coordinates."""
        return self.dof

    def retract(self, q: Any, delta: Any) -> Any:
        """The configuration reached from q by a step delta, (dof,)."""
        return q + delta

    def rate(self, delta: Any, velocity: Any) -> Any:
        """The rate of change of delta that goes with this velocity at retract(q, delta)."""
        return velocity

    def velocity(self, delta: Any, rate: Any) -> Any:
        """The inverse of `rate`."""
        return rate

    def rechart(self, q: Any, qdot: Any) -> tuple[Any, Any] | None:
        """The same motion in better coordinates, where these near a singularity; None if that never happens."""
        return None

    def canonical(self) -> tuple[Joint, np.ndarray]:
        """(core, C) with transform(q) = C core.transform(q) C^-1, C a rotation that makes the core sparse."""
        return self, np.eye(4)

    def has_own(self, name: str) -> bool:
        """Whether a closed form belongs to this transform: a subclass that writes a new transform leaves its parent's behind."""
        owners = {n: next(c for c in type(self).__mro__ if n in vars(c)) for n in (name, "transform")}
        return issubclass(owners[name], owners["transform"])

    def data(self) -> dict[str, np.ndarray | Table]:
        """The attributes that are data, in order of name."""
        return {n: v if isinstance(v, Table) else np.asarray(v, float) for n, v in sorted(vars(self).items()) if is_data(v)}

    def structure(self) -> tuple[Any, ...]:
        """The rest: equal for two joints only if their motions differ in nothing but data."""
        rest = tuple((n, v) for n, v in sorted(vars(self).items()) if not is_data(v))
        try:
            hash(rest)
        except TypeError:  # an attribute that cannot be compared: equal to nothing else
            rest = (object(),)
        return type(self), rest

    def with_data(self, data: dict[str, Any]) -> Joint:
        """The same joint over other (traced) data."""
        other = copy.copy(self)
        for name, value in data.items():
            object.__setattr__(other, name, value.item() if isinstance(value, np.ndarray) and not value.ndim else value)
        return other

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in vars(self).items())})"


def is_data(value: Any) -> bool:
    return isinstance(value, float | Table) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


class FunctionJoint(Joint):
    """A joint given as a function of its coordinates, and of named parameters."""

    def __init__(self, function: Callable[..., Any], dof: int, parameters: dict[str, Any]) -> None:
        self.function, self.dof = function, dof
        self.names = tuple(parameters)
        for name, value in parameters.items():
            if not isinstance(value, Table):
                value = np.asarray(value, float) if np.ndim(value) else float(value)
            setattr(self, "parameter_" + name, value)

    def transform(self, q: Any) -> Any:
        return self.function(q, **{n: getattr(self, "parameter_" + n) for n in self.names})


def joint(function: Callable[..., Any], dof: int, **parameters: float | np.ndarray | Table) -> Joint:
    """A joint from one function `f(q, **parameters) -> 4x4 pose`; the parameters are data that joints of this kind may differ in."""
    if not callable(function):
        raise SceneError(f"redmax.joint takes a function q -> 4x4 pose. Got {function!r}.")
    if not isinstance(dof, int) or not 0 <= dof <= 6:
        raise SceneError(f"A joint has 0 to 6 degrees of freedom. Got dof={dof!r}.")
    return FunctionJoint(function, dof, parameters)


def unit_axis(axis: Any, what: str) -> np.ndarray:
    """A unit vector from "x", "y", "z" (with a sign if wanted) or any nonzero 3-vector."""
    if isinstance(axis, str):
        sign, name = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        if name not in AXES:
            raise SceneError(f"{what} needs an axis 'x', 'y', 'z', '-x', '-y', '-z' or a 3-vector. Got {axis!r}.")
        return sign * np.array(AXES[name])
    vector = np.asarray(axis, float)
    length = np.linalg.norm(vector) if vector.shape == (3,) else 0.0
    if not np.isfinite(length) or length == 0.0:
        raise SceneError(f"{what} needs an axis that is a nonzero finite 3-vector. Got {axis!r}.")
    return vector / length


def frame_of_axis(axis: np.ndarray) -> np.ndarray:
    """A rotation (4, 4) whose z axis is `axis`; an exact permutation for the coordinate axes, so that zeros stay zeros."""
    C = np.eye(4)
    k = int(np.argmax(np.abs(axis)))
    if np.delete(np.abs(axis), k).max() < 4e-16:  # less than that is rounding; more is a tilt that counts
        C[:3, :3] = np.roll(np.eye(3), k + 1, axis=0)  # a cyclic permutation takes z to axis k
        if axis[k] < 0:
            C[:3, :3] = C[:3, :3] @ np.diag([1.0, -1.0, -1.0])
        return C
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    C[:3, 0] = side / np.linalg.norm(side)
    C[:3, 1] = np.cross(axis, C[:3, 0])
    C[:3, 2] = axis
    return C


def traced_motion(joint: Joint, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """transform(q), S and Sdot qdot, all traced."""
    E, S, Sdot = traced_rates(joint, q, qdot)
    return E, S, Sdot @ qdot if len(q) else np.zeros(6).astype(object)


def traced_rates(joint: Joint, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """transform(q), S and Sdot, all traced: S_i = unbracket(E^-1 dE/dq_i) (RedMax supplement, list of symbols of Alg. 6)."""
    E = checked_pose(joint, joint.transform(q))
    seeds = [x for x in q if isinstance(x, Scalar)]
    S = joint.jacobian(q) if joint.has_own("jacobian") else None
    if S is None:
        S = differentiated_jacobian(E, seeds)
    if joint.nq != joint.dof:  # velocities of its own, in which S is constant
        return E, S, np.zeros(S.shape).astype(object)
    rates = np.array([*jvp(list(S.ravel()), dict(zip(seeds, qdot, strict=True))), None], object)[:-1].reshape(S.shape)
    return E, S, rates


def differentiated_jacobian(E: np.ndarray, q: list[Scalar]) -> np.ndarray:
    S = np.zeros((6, len(q)), object)
    R, flat = E[:3, :3], list(E[:3].ravel())
    for i, x in enumerate(q):
        dE = np.array([*jvp(flat, {x: 1.0}), None], object)[:-1].reshape(3, 4)
        for row, (a, b) in enumerate(((2, 1), (0, 2), (1, 0))):
            S[row, i] = sum_products(R[:, a], dE[:, b])
        for row in range(3):
            S[3 + row, i] = sum_products(R[:, row], dE[:, 3])
    return S


def sum_products(a: np.ndarray, b: np.ndarray) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def checked_pose(joint: Joint, E: Any) -> np.ndarray:
    E = np.asarray(E, object)
    if E.shape != (4, 4):
        raise SceneError(f"{type(joint).__name__}.transform(q) must return a 4x4 pose. Got shape {E.shape}.")
    return E
