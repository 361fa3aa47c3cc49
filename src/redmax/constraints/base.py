"""What a constraint is: rows that ask something of the bodies and joints it holds on to, never how they are solved.

    g(sites, q, t) = 0   or   g >= 0        a constraint on positions: `gap`
    s(sites, q, qdot, t) = 0                a constraint on velocities, linear in them: `speed`

A constraint sees the places that it holds on to as sites, as forces do, and the coordinates of joints that it reads as (q, qdot). Its rows
are traced: G = dg/dq and the rate of G are exact, whatever moves (RedMax notes Eq. 2.93 keeps axes frozen; here they turn). Its forces
are +G' lambda (Eqs. 2.102 and 2.119 with their signs corrected), lambda is one number for each row: of any sign where g = 0 is asked
for, from zero up where g >= 0 is, and between two numbers where its force is limited (force_limits.py). compliance: of a row that gives
way, g + c lambda = 0 or s + c lambda = 0, a spring or a damper of 1 / c; zero unless given. It is never taken back by gains, and never
projected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from redmax.components.checks import number
from redmax.components.data_and_structure import one_line, same
from redmax.components.handles import BodyHandle
from redmax.components.holding import Holding, Site
from redmax.components.kept_arguments import constructor
from redmax.constraints.force_limits import RETURNING, checked_force_limits
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.types import Value

FROM_ZERO = "a number from 0 up"
SAID_ELSEWHERE = ("bodies", "joints", "coordinates", "gain")  # than by the name of the argument


class Constraint(Holding):
    """Subclass it, call `hold` with the places or `read` with the joints, and write `gap` or `speed`.

    size: how many rows; oriented: whether it depends on the axes of its places
    one_sided: whether g >= 0 is asked for, instead of g = 0
    gain: how quickly drift is taken back (1/s) by Baumgarte's method, and then by no other; None: as the run says
    force_limits: what lambda of each row is between, (2,) or (size, 2); None: of any size
    """

    size: int
    oriented = False
    one_sided = False
    sees_world = False  # whether it depends on where its places are in the world, however they are to each other
    of_velocities = False  # whether `speed` says what it asks for, and no position is held
    automatic: bool = True  # whether no gain is given
    compliant: bool = False
    gain: float = 0.0
    compliance: float = 0.0
    limited: bool = False
    force_limits: Any = None
    carries: int = 0  # coordinates of its own, which follow from where its sites are (constraints/carried.py), and how many rates they have
    slides: int = 0
    shown: int = 0  # how many of them are not the number of a chart
    carried: Any = ()  # these coordinates, and a change of them, where it is evaluated
    bodies: tuple[BodyHandle, ...] = ()
    anchors: tuple[Any, ...] = ()

    def hold(
        self,
        places: Sequence[Any],
        name: str | None,
        joints: Sequence[Any] = (),
        gain: float | None = None,
        compliance: float = 0.0,
        force_limits: Any = None,
    ) -> None:
        """Find the anchors and the bodies they are on; the joints whose coordinates are read, by their bodies."""
        self.name = name
        self.automatic = gain is None
        self.gain = 0.0 if gain is None else number(self.label, "gain", gain, FROM_ZERO, least=0)
        self.compliance = number(self.label, "compliance", compliance, FROM_ZERO, least=0)
        self.compliant = self.compliance > 0
        if force_limits is not None:
            self.limited, self.force_limits = True, checked_force_limits(self, force_limits)
            self.automatic, self.gain = False, RETURNING if gain is None else self.gain
        self.joints = tuple(joints)
        if places:
            self.hold_on(places)
            if not self.joints:
                self.check_apart()

    @property
    def bounded(self) -> bool:
        """Whether its multipliers live between bounds: it only pushes, or its force is limited."""
        return self.one_sided or self.limited

    def check_added(self, joints: Sequence[Joint]) -> None:
        """Raise where it asks for nothing in its scene, or cannot read the coordinates of these joints, those of `self.joints`."""

    def fitted(self, joints: Sequence[Joint]) -> Self:
        """The constraint with as many rows as these joints ask for, those of `self.joints`."""
        return self

    def settled(self, sites: Sequence[Site]) -> Self:
        """The constraint with what it takes from where the scene begins, such as the length of a rope."""
        return self

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        """g: `size` numbers, zero where the constraint is kept; lengths (m) or angles (rad)."""
        raise SceneError(f"{self.label} says neither where nor how fast: define gap(sites, t) or speed(sites, t).", owner=self.label)

    def speed(self, sites: Sequence[Site], t: Value) -> Any:
        """s: `size` numbers, linear in velocities, zero where the constraint is kept. Only of a constraint `of_velocities`."""
        raise SceneError(f"{self.label} says neither where nor how fast: define gap(sites, t) or speed(sites, t).", owner=self.label)

    def sliding(self, sites: Sequence[Site], t: Value) -> Any:
        """The rates of the coordinates that it carries, `slides` numbers."""
        return ()

    @property
    def waits(self) -> bool:
        """Whether steps need not fill its rows until it would be passed: a limit of coordinates, which are known without placing bodies."""
        return self.one_sided and not self.bodies and not self.of_velocities and not self.limited

    @property
    def ranges(self) -> Sequence[tuple[Any, Any]]:
        """(lower, upper) of each coordinate of its joint, where it waits and says nothing else."""
        return ()

    def rows(self, sites: Sequence[Site], t: Value) -> list[Any]:
        """`gap` or `speed`, checked to be `size` numbers."""
        found = self.speed(sites, t) if self.of_velocities else self.gap(sites, t)
        entries = [*np.ravel(np.asarray(found, object))]
        if len(entries) != self.size:
            raise SceneError(f"{self.label} has {self.size} rows. Its function gives {len(entries)} numbers.", owner=self.label)
        return entries

    def __repr__(self) -> str:
        """As it was made: its places and joints, then what else was given."""
        held = [self.bodies[a.member].name if a.member >= 0 else one_line(a.position) for a in self.anchors]
        joints = [str(getattr(joint, "joint", joint)) for joint in self.joints]
        taken = [p for p in constructor(type(self)).parameters.values() if p.name in vars(self) and p.name not in SAID_ELSEWHERE]
        said = [f"{p.name}={one_line(value)}" for p in taken if not same(value := getattr(self, p.name), p.default)]
        said += [] if self.automatic else [f"gain={one_line(self.gain)}"]
        return f"{type(self).__name__}({', '.join([*held, *joints, *said])})"


def unused(wanted: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Names for constraints that nobody named, with a number behind those that others have."""
    names, found = set(taken), list[str]()
    for name in wanted:
        fresh = name
        while fresh in names:
            fresh = f"{name} {len(names)}"
        names.add(fresh)
        found.append(fresh)
    return found
