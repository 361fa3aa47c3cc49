"""What a force is: one function of the places on bodies that it holds on to, or of a potential, traced and differentiated.

A force holds anchors, points or frames fixed to bodies or to the world. Its `wrenches` sees them as sites, with their positions and
velocities in the world, and returns what acts at each. With a `potential` alone, the wrenches are its negative gradient (RedMax notes
Eqs. 1.31-1.36). Stiffness K = d(wrench)/d(pose) and damping D = -d(wrench)/d(twist) follow from the trace (forces/linear.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias, get_args

import numpy as np

from redmax.components.checks import choice
from redmax.components.given import StiffnessKind
from redmax.components.holding import Anchor, Holding, Site
from redmax.errors import Phrase, SceneError
from redmax.forces.local import localised
from redmax.joints.base import Joint
from redmax.trace import Scalar, gradient, substitute
from redmax.trace.vector import vector_of
from redmax.types import Array, Value

__all__ = ["STIFFNESS", "Anchor", "Force", "Site", "Wrench"]

Wrench: TypeAlias = "tuple[Any, Any]"  # torque and force, (3,) each, in world axes, at the site; None is zero
STIFFNESS: tuple[str, ...] = get_args(StiffnessKind)


class Force(Holding):
    """What a force between places is: subclass it, call `hold` with the places, and write `potential` or `wrenches`.

    bodies: those it touches; anchors: where it holds on to them.

    oriented: whether it depends on the axes of its anchors, or acts on them with torques; otherwise its anchors are points
    stiffness_kind: which K implicit steps take, "definite", "symmetrised" or "exact" (docs: Forces, Implicit steps)
    """

    stiffness_kind: str = "definite"
    oriented = False
    on_coordinates = False  # whether it acts on coordinates of joints, and on no body
    implicit = True  # whether implicit steps take its stiffness and damping into their system
    states: Sequence[Any] = ()  # the values of its hidden states, where it is evaluated
    movers: tuple[Any, ...] = ()  # for each anchor what moves it over its body, or None
    own = ("name", "bodies", "joints", "states", "coordinates")  # what is no part of its kernels, neither structure nor data

    def hold(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "definite") -> None:
        """Find the anchors and the bodies they are on."""
        self.name = name
        self.stiffness_kind = choice(self.label, Phrase("the kind of stiffness", "stiffness_kind"), stiffness_kind, STIFFNESS)
        self.hold_on(places)

    def hold_apart(self, places: Sequence[Any], name: str | None, stiffness_kind: str = "definite") -> None:
        """`hold`, for a force between places: within a single body it would do nothing."""
        self.hold(places, name, stiffness_kind)
        self.check_apart()

    def hidden(self) -> list[tuple[str, float, Callable[[Any, Any], Any]]]:
        """States that it keeps, each with first-order dynamics: name, initial value, and rate (t, value)."""
        return []

    def check_added(self, joints: Sequence[Joint]) -> None:
        """Raise where it would do nothing in its scene, or cannot read the coordinates of these joints, those of `self.joints`."""

    def settled(self, sites: Sequence[Site]) -> Self:
        """The force with what it takes from where the scene begins, such as a rest length."""
        return self

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        """Energy stored (J), or None where there is none."""
        return None

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]] | None:
        """(z, k) of each part of an energy 1/2 z' k z, with k >= 0, that the force comes from: its definite stiffness is (dz)' k dz.

        An empty list where nothing but velocities decides what it does; None where it is not known to have this form.
        """
        return None

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        """(torque, force) on each site, in world axes; from the potential unless given."""
        local, leaf = localised(sites, "own")
        V = self.potential(local, t)
        if V is None:
            raise SceneError(
                f"{self.label} gives neither wrenches nor energy. Define wrenches(sites, t) or potential(sites, t).", owner=self.label
            )
        found = substitute([x for wrench in self.downhill(V, local) for part in wrench for x in part], leaf)
        rows = vector_of(found).reshape(-1, 2, 3)
        return [(torque if self.oriented else None, force) for torque, force in rows]

    def exerted(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        """`wrenches`, checked to be a pair for each site."""
        found = self.wrenches(sites, t)
        if not isinstance(found, list | tuple) or len(found) != len(sites) or not all(is_pair(w) for w in found):
            got = f"{len(found)} of {len(sites)}" if isinstance(found, list | tuple) and len(found) != len(sites) else "others"
            raise SceneError(
                f"{self.label}: wrenches must return a pair (torque or None, force) of (3,) for each site. Got {got}.", owner=self.label
            )
        return list(found)

    def downhill(self, V: Value, sites: Sequence[Site]) -> list[Wrench]:
        """Minus the slope of V as each site turns, and as it moves."""
        zero = np.zeros(3).astype(object)
        if not isinstance(V, Scalar):
            return [(zero, zero) for _ in sites]
        places = [[*site.x, *(np.ravel(site.R) if self.oriented else ())] for site in sites]
        slopes = iter(gradient(V, [x for place in places for x in place]))
        result: list[Wrench] = []
        for site, place in zip(sites, places, strict=True):
            slope = vector_of([next(slopes) for _ in place])
            result.append((self.turning(slope[3:], site) if self.oriented else zero, -slope[:3]))
        return result

    def turning(self, slope: Array, site: Site) -> Any:
        """The torque on a site. slope: of V by the entries of R, (9,)."""
        G = slope.reshape(3, 3) @ np.asarray(site.R, object).T
        return -np.array([G[2, 1] - G[1, 2], G[0, 2] - G[2, 0], G[1, 0] - G[0, 1]], object)


def is_pair(wrench: Any) -> bool:
    """Whether it is (torque, force), of which the torque may be None."""
    if not isinstance(wrench, list | tuple) or len(wrench) != 2:
        return False
    return all(np.shape(part) == (3,) or (part is None and i == 0) for i, part in enumerate(wrench))
