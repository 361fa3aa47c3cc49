"""What a file may name: the public classes, by the names that Python has for them, and what their arguments are.

Most arguments are numbers, objects, or lists of these, which says itself. Text, bodies and functions do not: a text in a file is an
expression unless its argument is one of TEXT, and a function needs to know what it is called with.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

import redmax.bodies as bodies
import redmax.curves as curves
import redmax.deformables as deformables
import redmax.forces as forces
import redmax.joints as joints
import redmax.muscles as muscles
import redmax.surfaces as surfaces
from redmax.bodies.point_mass import PointMass
from redmax.components.kept_arguments import Made, constructor
from redmax.io.traces import Shape
from redmax.joints.spline_grid import SplineGrid

TEXT = {
    "axis", "first", "second", "order", "frame", "orientation", "material", "form", "per", "stiffness_kind", "name", "curves",
    "rotation_order", "outside",
    "joint_name", "motion_level", "units", "title", "integrator", "dynamics", "solver", "stabilisation", "backend",
    "dtype",
}  # fmt: skip
BODIES = {"parent", "body"}  # arguments that are bodies, by name
JOINTS = {"joint"}  # that are bodies whose joint is meant, by the name of either
PLACES = {"a", "b", "on", "point", "points", "path", "bodies"}  # bodies, points of them, or points of the world
KINDS_WITHIN = {"Inverted", "CurveOnCurve", "SurfaceContact"}  # of which an argument of such a name is an object
UNBOUNDED = {"domain", "between", "lower", "upper"}  # that may be infinite

# What functions are called with: t, and numbers or arrays of the given shape; "dof" is as many as the joint has.
TIME: dict[str, Any] = {"t": ()}
STATE: dict[str, Any] = {"t": (), "q": ("dof",), "qdot": ("dof",)}
FUNCTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("AppliedWrench", "torque"): TIME,
    ("AppliedWrench", "force"): TIME,
    ("PointForce", "direction"): TIME,
    ("PointForce", "strength"): TIME,
    ("Servo", "target"): TIME,
    ("Muscle", "activation"): TIME,
    ("Muscle", "excitation"): TIME,
    ("DeformingSplineSurface", "modes"): TIME,
    ("Actuator", "function"): STATE,
    ("Actuator", "potential"): {"q": ("dof",)},
    ("CurveJoint", "frame"): {"s": ()},
    ("MovingPoint", "position"): {"q": ()},
    ("curves.Curve", "function"): {"s": ()},
    ("surfaces.Surface", "function"): {"u": (), "v": ()},
    ("Curves", "active_length"): {"x": ()},
    ("Curves", "velocity"): {"x": ()},
    ("Curves", "passive_length"): {"x": ()},
    ("Curves", "passive_energy"): {"x": ()},
    ("body", "torque"): STATE,
    ("body", "motion"): TIME,
    ("wrench", "torque"): TIME,
    ("wrench", "force"): TIME,
    ("twist", "velocity"): {"t": (), "R": (3, 3)},
    ("twist", "acceleration"): {"t": (), "R": (3, 3)},
    ("map", "function"): {"q": ("coordinates",)},
}
ALWAYS = {"function", "potential", "motion", "position", "acceleration", "active_length", "passive_length", "passive_energy", "modes"}


@dataclass(frozen=True)
class Kind:
    """name: in a file; type: the class; make: what makes one of it, the class or a method of it; parameters: what that takes.

    own: whether it takes parameters of the user's function
    """

    name: str
    type: type
    make: Callable[..., Any]
    parameters: dict[str, inspect.Parameter]
    own: bool = False

    @property
    def required(self) -> list[str]:
        return [n for n, p in self.parameters.items() if p.default is p.empty]


@cache
def kinds() -> dict[str, Kind]:
    """Everything that a file may name."""
    found: dict[str, Kind] = {}
    modules = {bodies: "", joints: "", forces: "", deformables: "", muscles: "", curves: "curves.", surfaces: "surfaces."}
    for module, prefix in modules.items():
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and (issubclass(cls, Made) or is_dataclass(cls)) and not is_abstract(cls):
                found[prefix + name] = kind(prefix + name, cls)
    found["PointMass"] = kind("PointMass", PointMass)
    for name in ("box", "beam"):
        found[f"Tetrahedra.{name}"] = shaped(f"Tetrahedra.{name}", deformables.Tetrahedra, getattr(deformables.Tetrahedra, name))
    return found


def shaped(name: str, cls: type, method: Callable[..., Any]) -> Kind:
    """What a method takes that makes the places itself, and hands the rest on to the constructor."""
    own = {n: p for n, p in inspect.signature(method).parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
    return Kind(name, cls, method, own | {n: p for n, p in constructor(cls).parameters.items() if n not in ("nodes", "tets")})


ABSTRACT = {
    "Body",
    "Joint",
    "Force",
    "JointForce",
    "PathForce",
    "Material",
    "Law",
    "ParametricCurve",
    "ParametricSurface",
    "Hill",
    "Attachment",
    "Site",
}


def is_abstract(cls: type) -> bool:
    return inspect.isabstract(cls) or cls.__name__ in ABSTRACT


def kind(name: str, cls: type) -> Kind:
    """What a constructor takes; the options that it hands on are those of the base that takes them."""
    given = constructor(cls).parameters
    own = {n: p for n, p in given.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
    taken = len(own) < len(given)
    if taken and issubclass(cls, SplineGrid):
        handed = constructor(SplineGrid).parameters
        own |= {n: p for n, p in handed.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
        taken = False
    return Kind(name, cls, cls, own, taken)


FAMILIES: dict[str, tuple[type, ...]] = {
    "shape": (bodies.Body,),
    "joint": (joints.Joint,),
    "force": (forces.Force, forces.JointForce),
    "deformable": (deformables.Deformable,),
    "curve": (curves.ParametricCurve,),
    "surface": (surfaces.ParametricSurface,),
}


@cache
def family(name: str) -> tuple[str, ...]:
    """The kinds that may stand where a member of the family is expected."""
    own = (name,) if name in ("joint", "force") else ()
    return (*(n for n, k in kinds().items() if issubclass(k.type, FAMILIES[name])), *own)


@cache
def names() -> dict[type, str]:
    return {k.type: name for name, k in kinds().items() if k.make is k.type}


def arguments_of(made: Any) -> dict[str, Any]:
    """The arguments to make an object again, by name, without those that say nothing; further ones of a function under "parameters"."""
    k = kinds()[names()[type(made)]]
    given = made.arguments() if isinstance(made, Made) else {f.name: getattr(made, f.name) for f in fields(made) if f.init}
    flat: dict[str, Any] = {}
    for name, value in given.items():
        if name in k.parameters:
            if value is not k.parameters[name].default:
                flat[name] = value
        elif k.own:
            flat |= {"parameters": value} if value else {}
        else:  # options
            flat |= value
    return flat


def shapes(kind: str, argument: str, sizes: dict[str, int]) -> dict[str, Shape]:
    """What a function is called with, with numbers for "dof" and "coordinates"."""
    return {name: tuple(sizes[n] if isinstance(n, str) else n for n in shape) for name, shape in FUNCTIONS[kind, argument].items()}
