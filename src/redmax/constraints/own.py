"""A constraint of one's own, from one function: what it returns is to be zero, or from zero up, or between two numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from redmax.arguments import as_objects, brief
from redmax.components.checks import flag, whole
from redmax.components.data_and_structure import one_line
from redmax.components.given import ForceLimits, Frame, FromZero, Gain, JointOf, Limits, Parameter
from redmax.components.holding import Site
from redmax.components.limits import checked_limits, sides
from redmax.constraints.base import Constraint
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import Phrase, SceneError, wrong
from redmax.forces.given import Given, are_numbers
from redmax.joints.base import name_of
from redmax.types import Value

SMALL = 1e-9  # of what a function of velocities may be off a linear one


class GivenRows(Given):
    """A user's function within a constraint."""

    family: ClassVar[str] = "constraint"


class FunctionConstraint(OfCoordinates):
    """law: the user's function; rows: how many numbers it gives; lower, upper: what they are to be between, where that is asked for."""

    held = ("bodies",)
    oriented = True
    sees_world = True
    called_in_sentences = "Constraint"

    def __init__(
        self, places: Sequence[Any], joints: Sequence[Any], law: GivenRows, rows: int, velocities: bool, lower: Any, upper: Any,
        name: str | None, gain: float | None, compliance: float, force_limits: Any = None,
    ) -> None:  # fmt: skip
        self.law, self.count, self.of_velocities = law, rows, velocities
        self.one_sided = lower is not None or upper is not None
        self.read(joints, ["joints"] * len(joints), name, gain, compliance, force_limits)
        if places:
            self.hold_on(places)
        self.ends: tuple[tuple[int, int], ...] = tuple((k, 1) for k in range(rows))
        self.bounds = np.zeros(rows)
        if self.one_sided:
            self.ends, self.bounds = between(self.label, rows, lower, upper)
        self.size = len(self.ends)

    def values(self, sites: Sequence[Site], t: Value) -> list[Any]:
        """What the function gives, bounds taken off."""
        read = [x for q, qdot in self.coordinates for x in ((q, qdot) if self.of_velocities else (q,))]
        given = self.law.at(*sites, *read, t=t)
        found = np.atleast_1d(as_objects(given))
        if found.shape != (self.count,) or not are_numbers(found):
            got = f"shape {found.shape}" if found.shape != (self.count,) else brief(given)
            numbers = "one number" if self.count == 1 else f"{self.count} numbers"
            raise SceneError(f"{self.law.label} must return {numbers}, as rows= says. Got {got}.", owner=self.label, argument="function")
        return [sign * (found[k] - bound) for (k, sign), bound in zip(self.ends, self.bounds, strict=True)]

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return self.values(sites, t)

    def speed(self, sites: Sequence[Site], t: Value) -> Any:
        return self.values(sites, t)

    def settled(self, sites: Sequence[Site]) -> Self:
        if self.of_velocities:
            self.check_linear(sites)
        else:
            self.values(sites, 0.0)
        return self

    def check_linear(self, sites: Sequence[Site]) -> None:
        """Raise where the function is not linear in velocities: s(2 v) - 2 s(v) + s(0) vanishes for one that is."""
        found = [np.asarray(self.moving(sites, k).rows(self.sites_moving(sites, k), 0.0), float) for k in (0.0, 1.0, 2.0)]
        off = np.abs(found[2] - 2 * found[1] + found[0])
        if (off > SMALL * (1.0 + np.abs(np.array(found)).max(axis=0))).any():
            row = int(np.argmax(off))
            what = f"{self.law.label} is not linear in velocities, in row {row} (from 0)"
            raise SceneError(f"{what}. Only linear ones can be asked for.", owner=self.label, argument="function")

    def moving(self, sites: Sequence[Site], k: float) -> Self:
        """The constraint with some rates of its joints, times k."""
        return self.replaced(coordinates=[(q, k * np.cos(1.0 + i + np.arange(len(v)))) for i, (q, v) in enumerate(self.coordinates)])

    def sites_moving(self, sites: Sequence[Site], k: float) -> list[Site]:
        """The sites with some velocities, times k."""
        some = [k * np.cos(7.0 * i + np.arange(6.0)) for i in range(len(sites))]
        return [Site(s.x, v[:3], s.R, v[3:]) for s, v in zip(sites, some, strict=True)]

    def __repr__(self) -> str:
        places = ", ".join(self.bodies[a.member].name if a.member >= 0 else one_line(a.position) for a in self.anchors)
        joints = ", ".join(str(getattr(joint, "joint", joint)) for joint in self.joints)
        said = [f"bodies=[{places}]"] * bool(places) + [f"joints=[{joints}]"] * bool(joints)
        said += [f"{name}={one_line(value)}" for name, value in self.law.parameters.items()]
        return f"constraint({', '.join([name_of(self.law.function), *said])})"


def between(owner: str, rows: int, lower: Any, upper: Any) -> tuple[tuple[tuple[int, int], ...], np.ndarray]:
    """(number, sign) and bound of each one-sided row."""
    low, high = checked_limits(owner, lower, upper)
    for name, given, array in (("lower", lower, low), ("upper", upper, high)):
        if array.ndim and len(array) != rows:
            raise wrong(owner, name, given, f"a number, or {rows}, one for each row")
    return sides(low, high, rows)


def constraint(
    function: Callable[..., Any],
    *,
    bodies: Sequence[Frame] = (),
    joints: Sequence[JointOf] = (),
    rows: int = 1,
    velocities: bool = False,
    one_sided: bool = False,
    lower: Limits | None = None,
    upper: Limits | None = None,
    name: str | None = None,
    gain: Gain | None = None,
    compliance: FromZero = 0.0,
    force_limits: ForceLimits | None = None,
    **parameters: Parameter,
) -> Constraint:
    """A constraint from one function, of which each number that it returns is to be zero; one that depends on time takes it last, as t.

    function(*sites, *coordinates, **parameters): returns `rows` numbers. bodies=[...]: whose sites it sees, as `redmax.force` does: the
        position x, velocity v, axes R and angular velocity omega, in world axes, of a body's centre, a point, or (body, pose).
        joints=[...]: whose coordinates q, (dof,), it is given, in their order, after the sites
    velocities: whether it asks for velocities, linear in v, omega and rates: of each joint it is then given q and qdot
    one_sided: whether its numbers are to be from zero up, instead of zero; lower, upper: the same, from and up to these, for a limit of
        anything that can be computed; a number, or one for each row, None: no limit
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given

    The parameters are numbers, arrays of them or tables (redmax.math.Table): data that constraints of this kind may differ in.
    """
    label = Phrase("redmax.constraint", "constraint")
    rows, velocities = whole(label, "rows", rows, 1), flag(label, "velocities", velocities)
    for what, given in (("bodies", bodies), ("joints", joints)):
        if not isinstance(given, list | tuple):
            valid = {"bodies": "bodies, points of them, or points of the world", "joints": "joints, by a body or a name"}[what]
            raise wrong(label, what, given, f"a list of {valid}")
    if not bodies and not joints:
        raise SceneError(f"{label} takes bodies=[...], joints=[...] or both. Got none of them.", owner=label, argument="bodies")
    if flag(label, "one_sided", one_sided) and lower is None and upper is None:
        lower = 0.0
    sites = tuple(f"site{i + 1}" for i in range(len(bodies)))
    read = tuple(n for k in range(len(joints)) for n in ((f"q{k + 1}", f"qdot{k + 1}") if velocities else (f"q{k + 1}",)))
    law = GivenRows(label, function, (*sites, *read), parameters)
    return FunctionConstraint(bodies, joints, law, rows, velocities, lower, upper, name, gain, compliance, force_limits)
