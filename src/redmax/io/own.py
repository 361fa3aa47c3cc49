"""Classes that a user has written: saved as what their methods are traced to, as the function form of their family.

Their data become constants. What has no function form (charts, retractions, limits of its own) cannot be saved, and the error says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redmax.constraints.base import Constraint
from redmax.curves.base import ParametricCurve
from redmax.deformables.elements import Law
from redmax.deformables.materials import Material
from redmax.errors import SceneError
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.forces.path import PathForce
from redmax.io.own_constraints import own_constraint
from redmax.io.traces import SITE, Shape
from redmax.joints.base import Joint
from redmax.lie.three import rows
from redmax.surfaces.base import ParametricSurface

if TYPE_CHECKING:
    from redmax.io.encode import Writer

DOES = ("retract", "rate", "velocity", "rechart", "force", "potential", "discrete", "nq")  # that a joint from a function does not do


def own(writer: Writer, x: Any) -> dict[str, Any] | None:
    """What is written for an object of a user's class; None where it belongs to no family."""
    if isinstance(x, Joint):
        return {"joint": joint(writer, x)}
    if isinstance(x, ParametricCurve):
        return {"curves.Curve": {"function": writer.function(x.point, {"s": ()}, {}), "domain": list(x.domain)}}
    if isinstance(x, ParametricSurface) and not x.charts:
        function = writer.function(x.point, {"u": (), "v": ()}, {})
        return {"surfaces.Surface": {"function": function, "domain": [list(side) for side in x.domain]}}
    if isinstance(x, JointForce):
        return {"Actuator": joint_force(writer, x)}
    if isinstance(x, Force):
        return {"force": force(writer, x)}
    if isinstance(x, Constraint):
        return {"constraint": own_constraint(writer, x)}
    if isinstance(x, Material):
        check_law(x, Material, ("energy", "forces", "damping", "viscous", "stiffness", "viscosity", "convex"))
        return {"material": {name: writer.function(f, shapes, {}) for name, f, shapes in material_functions(x)}}
    if isinstance(x, Law):
        check_law(x, Law, ("viscous", "stiffness", "viscosity"))
        functions = {name: writer.function(f, shapes, {}) for name, f, shapes in law_functions(x)}
        return {"law": {"nodes": x.nodes, "numbers": x.numbers, **functions}}
    return None


def refuse(x: Any, what: str) -> SceneError:
    """The error about a class of one's own that has no function form."""
    return SceneError(f"{type(x).__name__}, a class of your own, cannot be saved: it has its own {what}, which no function form has.")


def changed(x: Any, base: type, names: tuple[str, ...]) -> str | None:
    """The first of the names that a class defines anew."""
    return next((n for n in names if getattr(type(x), n) is not getattr(base, n)), None)


def joint(writer: Writer, x: Joint) -> dict[str, Any]:
    """As `redmax.joint` is called."""
    what = changed(x, Joint, DOES)
    if what is not None:
        raise refuse(x, what)
    arguments: dict[str, Shape] = {"q": (x.dof,), "t": ()} if x.timed else {"q": (x.dof,)}
    written = {"function": writer.function(x.transform, arguments, {}), "dof": x.dof}
    return written | ({} if x.domain is None else {"domain": [list(side) for side in x.domain]})


def joint_force(writer: Writer, x: JointForce) -> dict[str, Any]:
    """As `redmax.force` is called with the torque of a joint."""
    name = x.body if isinstance(x.body, str) else x.body.name
    n, nq = writer.sizes[name]["dof"], writer.sizes[name]["nq"]
    fitted = x.replaced(**{a: spread(getattr(x, a), n) for a in x.spread})
    torque = writer.function(lambda t, q, qdot: fitted.torque(q, qdot, t), {"t": (), "q": (nq,), "qdot": (n,)}, {})
    written = {"name": x.name, "joint": name, "function": torque}
    if changed(x, JointForce, ("potential",)) is None:
        return written
    return written | {"potential": writer.function(fitted.potential, {"q": (nq,)}, {})}


def spread(value: Any, n: int) -> Any:
    """(n,) of a number or of one for each coordinate."""
    import numpy as np

    return np.broadcast_to(np.asarray(value, float), (n,)).copy()


def force(writer: Writer, x: Force) -> dict[str, Any]:
    """As `redmax.force` is called with bodies, or with a path."""
    what = changed(x, PathForce if isinstance(x, PathForce) else Force, ("settled", "hidden", "strains"))
    if what is not None or x.joints or any(m is not None for m in x.movers):
        raise refuse(x, what or "points that follow joints")
    places = [place(x, a) for a in x.anchors]
    head: dict[str, Any] = {"name": x.name} | ({} if x.stiffness_kind == "definite" else {"stiffness_kind": x.stiffness_kind})
    if isinstance(x, PathForce):
        written = {"path": places, "tension": writer.function(x.tension, {"length": (), "rate": (), "t": ()}, {})}
        if changed(x, PathForce, ("stored",)) is not None:
            written["potential"] = writer.function(x.stored, {"length": (), "t": ()}, {})
        return head | written
    sites: dict[str, Shape] = {f"site{i + 1}": SITE for i in range(len(places))}
    written = {"bodies": places, "function": writer.function(at_sites(x.wrenches), {**sites, "t": ()}, {})}
    if changed(x, Force, ("potential",)) is not None:
        written["potential"] = writer.function(lambda *a: x.potential(a[:-1], a[-1]), {**sites, "t": ()}, {})
    return head | written


def at_sites(wrenches: Callable[..., Any]) -> Callable[..., Any]:
    """The wrenches of a force as a function of its sites and the time."""
    return lambda *a: [list(pair) for pair in wrenches(a[:-1], a[-1])]


def place(x: Force, anchor: Any) -> Any:
    """A place with its axes, on a body or in the world."""
    E = [[*row, p] for row, p in zip(anchor.rotation.tolist(), anchor.position.tolist())] + [[0.0, 0.0, 0.0, 1.0]]
    return E if anchor.member < 0 else {"body": x.bodies[anchor.member].name, "pose": E}


def check_law(x: Law, base: type, names: tuple[str, ...]) -> None:
    """Raise for a law that does something beyond these methods."""
    what = changed(x, base, names)
    if what is not None:
        raise refuse(x, what)


def law_functions(x: Any) -> list[tuple[str, Callable[..., Any], dict[str, Shape]]]:
    """(name, function, shapes of its arguments) of all that a law of elements does."""
    at: dict[str, Shape] = {"x": (x.nodes, 3), "data": (x.numbers,)}
    found: list[Any] = [("energy", x.energy, at), ("forces", x.forces, at)]
    return found + ([("damping", x.damping, {"x": (x.nodes, 3), "v": (x.nodes, 3), "data": (x.numbers,)})] if x.damped else [])


def material_functions(x: Any) -> list[tuple[str, Callable[..., Any], dict[str, Shape]]]:
    """(name, function, shapes of its arguments) of all that a material does."""
    lame: dict[str, Shape] = {"mu": (), "lam": ()}
    at: dict[str, Shape] = {"F": (3, 3), **lame}
    return [("own", x.own, lame), ("nominal", x.nominal, lame), ("density", x.density, at), ("stress", x.stress, at)]


@dataclass(frozen=True)
class RecordedLaw(Law):
    """The law of an element from functions: its energy (x, data), its forces (x, data) and, where it is damped, damping (x, v, data)."""

    nodes: int
    numbers: int
    functions: tuple[Callable[..., Any], ...]

    @property
    def damped(self) -> bool:  # type: ignore[override]
        """Whether it has a third function."""
        return len(self.functions) > 2

    def energy(self, x: Any, data: Any) -> Any:
        """Of nodes x (nodes, 3) and the element's data."""
        return self.functions[0](x, data)

    def forces(self, x: Any, data: Any) -> Any:
        """(nodes, 3), of nodes x (nodes, 3) and the element's data."""
        return self.functions[1](x, data)

    def damping(self, x: Any, v: Any, data: Any) -> Any:
        """(nodes, 3), of nodes x, their velocities v (nodes, 3), and the element's data."""
        return self.functions[2](x, v, data)


@dataclass(frozen=True)
class RecordedMaterial(Material):
    """A material from functions: own(mu, lam), nominal(mu, lam), density(F, mu, lam) and stress(F, mu, lam), as in Material."""

    functions: tuple[Callable[..., Any], ...]

    def own(self, mu: Any, lam: Any) -> tuple[Any, Any]:  # type: ignore[override]
        """The material's own parameters from Lame's."""
        found = self.functions[0](mu, lam)
        return found[..., 0], found[..., 1]

    def nominal(self, mu: Any, lam: Any) -> tuple[Any, Any]:  # type: ignore[override]
        """Lame's parameters from the material's own."""
        found = self.functions[1](mu, lam)
        return found[..., 0], found[..., 1]

    def density(self, F: Any, mu: Any, lam: Any) -> Any:
        """Energy by volume, of the deformation gradient F (3, 3)."""
        return self.functions[2](F, mu, lam)

    def stress(self, F: Any, mu: Any, lam: Any) -> Any:
        """The first Piola-Kirchhoff stress (3, 3)."""
        return rows(self.functions[3](F, mu, lam))


def made_law(nodes: int, numbers: int, energy: Any, forces: Any, damping: Any = None) -> RecordedLaw:
    """A law of a file."""
    return RecordedLaw(nodes, numbers, (energy, forces) if damping is None else (energy, forces, damping))


def made_material(own: Any, nominal: Any, density: Any, stress: Any) -> RecordedMaterial:
    """A material of a file."""
    return RecordedMaterial((own, nominal, density, stress))
