"""What a file may name: the public classes, by the names that Python has for them, and what their arguments are."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any

import redmax.bodies as bodies
import redmax.constraints as constraints
import redmax.contact as contact
import redmax.curves as curves
import redmax.deformables as deformables
import redmax.forces as forces
import redmax.joints as joints
import redmax.muscles as muscles
import redmax.surfaces as surfaces
from redmax.bodies.point_mass import PointMass
from redmax.components.appearance import Appearance
from redmax.components.given import CalledWith, PerCoordinate, Place, VectorOfTime
from redmax.components.handles import BodyHandle
from redmax.components.kept_arguments import Made, constructor
from redmax.constraints.own import constraint
from redmax.contact.material import ContactMaterial
from redmax.forces.own import force
from redmax.io.meaning import NOTHING, Meaning, hints, meaning
from redmax.io.traces import Shape
from redmax.joints.base import joint
from redmax.joints.spline_grid import SplineGrid
from redmax.model.cameras import Camera
from redmax.model.look import Look, Trail
from redmax.model.scene import Scene

STATE = CalledWith(each=True, t=(), q=("nq",), qdot=("dof",))
OF_BODY = CalledWith(t=(), R=(3, 3))
SECTIONS: dict[str, Callable[..., Any]] = {  # what takes the entries of a section, and what is made of functions
    "scene": Scene,
    "body": Scene.add_body,
    "obstacle": Scene.add_obstacle,
    "contact": ContactMaterial,
    "law": Scene.set_contact,
    "frame": Scene.add_frame,
    "wrench": Scene.add_wrench,
    "twist": Scene.prescribe_twist,
    "staggering": Scene.set_staggering,
    "look": Look,
    "camera": Camera,
    "trail": Trail,
    "appearance": Appearance,
    "joint": joint,
    "force": force,
    "constraint": constraint,
}
ENTRIES: dict[str, dict[str, Any]] = {  # what is not said there: what functions are called with, and what only files have
    "body": {
        "torque": Annotated[PerCoordinate | Callable[..., Any], STATE],
        "motion": Annotated[Callable[..., Any], CalledWith(each=True, t=())],
    },
    "wrench": {"on": Place, "torque": VectorOfTime, "force": VectorOfTime},
    "twist": {
        "velocity": Annotated[PerCoordinate | Callable[..., Any], OF_BODY],
        "acceleration": Annotated[Callable[..., Any], OF_BODY],
    },
    "map": {"function": Annotated[Callable[..., Any], CalledWith(each=True, q=("coordinates",))]},
    "keeper": {"body": BodyHandle},
    "run": dict.fromkeys(("integrator", "dynamics", "solver", "stabilisation", "friction", "backend", "dtype", "group", "frame"), str),
}


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
        """The arguments that have no default."""
        return [n for n, p in self.parameters.items() if p.default is p.empty]


@cache
def kinds() -> dict[str, Kind]:
    """Everything that a file may name."""
    found: dict[str, Kind] = {}
    modules = {bodies: "", joints: "", forces: "", deformables: "", muscles: "", constraints: "", contact: ""}
    modules |= {curves: "curves.", surfaces: "surfaces."}
    for module, prefix in modules.items():
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and (issubclass(cls, Made) or is_dataclass(cls)) and not is_abstract(cls):
                found[prefix + name] = kind(prefix + name, cls)
    found["PointMass"] = kind("PointMass", PointMass)
    for name in ("box", "beam"):
        found[f"Tetrahedra.{name}"] = shaped(f"Tetrahedra.{name}", deformables.Tetrahedra, getattr(deformables.Tetrahedra, name))
    return found


def such_as(arguments: Collection[str]) -> str:
    """What may have been meant by arguments without a kind: the only one that takes them, if there is one."""
    takers = [name for name, of in kinds().items() if arguments and set(arguments) <= set(of.parameters)]
    return f"{takers[0]}: {{{', '.join(f'{a}: ...' for a in arguments)}}}" if len(takers) == 1 else "Revolute: {axis: y}"


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
    "Constraint",
    "Material",
    "Law",
    "ParametricCurve",
    "ParametricSurface",
    "Hill",
    "Attachment",
    "Site",
    "Fibres",
}


def is_abstract(cls: type) -> bool:
    """Whether a class is there to be subclassed, or made by the library, alone."""
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
    "constraint": (constraints.Constraint,),
    "deformable": (deformables.Deformable,),
    "curve": (curves.ParametricCurve,),
    "surface": (surfaces.ParametricSurface,),
}


@cache
def family(name: str) -> tuple[str, ...]:
    """The kinds that may stand where a member of the family is expected."""
    own = (name,) if name in ("joint", "force", "constraint") else ()
    return (*(n for n, k in kinds().items() if issubclass(k.type, FAMILIES[name])), *own)


@cache
def names() -> dict[type, str]:
    """The kind of each public class."""
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


@cache
def meaning_of(kind: str, argument: str) -> Meaning:
    """What an argument of a kind, of a section, or of `joint` and the like means; NOTHING where it is a number, or says itself."""
    found = taken(kind).get(argument)
    return NOTHING if found is None else meaning(found)


@cache
def taken(kind: str) -> dict[str, Any]:
    """The types of the arguments."""
    if kind in SECTIONS or kind in ENTRIES:
        return (hints(SECTIONS[kind]) if kind in SECTIONS else {}) | ENTRIES.get(kind, {})
    k = kinds().get(kind)
    if k is None:
        return {}
    whole = SplineGrid if issubclass(k.type, SplineGrid) else k.type  # which takes what is handed on
    return hints(whole) | hints(k.make)


def shapes(kind: str, argument: str, sizes: dict[str, int]) -> dict[str, Shape]:
    """What a function is called with, with numbers for "nq", "dof" and "coordinates"."""
    called = meaning_of(kind, argument).called
    assert called is not None
    return {name: tuple(sizes[n] if isinstance(n, str) else n for n in shape) for name, shape in called.arguments.items()}
