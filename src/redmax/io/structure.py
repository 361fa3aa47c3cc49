"""What a scene file is made of, as pydantic models: which names there are, which are needed, and what each takes.

Loading validates against these models and the JSON schema is made of them, so that the two cannot disagree. Most come from signatures of
the Python API. What a value means (expressions, bodies, functions, kinds within kinds) is the Decoder's matter: here a value is a number,
text, a list or a mapping. The description of a type says what is expected, in the sentences about mistakes and in editors.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from redmax.components.appearance import Appearance
from redmax.constraints.own import constraint
from redmax.contact.material import ContactMaterial
from redmax.forces.own import force
from redmax.io.argument_types import ANYTHING, BODY, FUNCTION, NUMBER, TEXT, TRUTH, Later, argument_type, described, optional
from redmax.io.arrays import TYPES
from redmax.io.kinds import kinds, meaning_of
from redmax.joints.base import joint
from redmax.model.cameras import Camera
from redmax.model.links import LEVELS
from redmax.model.look import Look, Trail
from redmax.model.scene import Scene


class Entry(BaseModel):
    """A mapping of a file. owner: what sentences call it."""

    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=(), defer_build=True)  # built when first used
    owner: ClassVar[str] = "this"


VALUES = described(dict[str, bool | int | float | str], "numbers or expressions with names, such as mass: 1.0")
WORLD_VALUES = described(dict[str, Any], "names with a number, or with a list that has one for each world, such as arm.mass: [1.0, 2.0]")
OWN_VALUES = described(dict[str, Any], "names with numbers or arrays, such as k: 1.0")
SHAPES = described(dict[str, Any], "names with shapes, such as q: [3]")
SIZE = described(Annotated[int, Field(ge=1, le=100)], "a whole number from 1 to 100")
TURNS = ("azimuth", "elevation", "zoom")  # of a camera
VERSION = described(Literal[1], "1, the version of scene files that is known here")
FORCES, CONSTRAINTS, DEFORMABLES = (
    described(list[Annotated[Any, Later(f"{name}Kind")]], "a list") for name in ("force", "constraint", "deformable")
)


def entry(name: str, owner: str, about: str = "", base: type[Entry] = Entry, /, **fields: Any) -> type[Entry]:
    """A model of these fields; (type,) of those that may be left out."""
    given = {n: (t[0], None) if isinstance(t, tuple) else (t, ...) for n, t in fields.items()}
    made: type[Entry] = create_model(name.replace(".", "_"), __base__=base, __doc__=about, **given)  # type: ignore[call-overload]
    made.owner = owner
    return made


def of_signature(name: str, owner: str, function: Any, parameters: Mapping[str, inspect.Parameter], /, **special: Any) -> type[Entry]:
    """The model of what a function of the Python API takes. special: types of some of its arguments."""
    fields: dict[str, Any] = {}
    for argument, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            fields["parameters"] = (optional(OWN_VALUES),)
        elif argument != "self":
            kind = special.get(argument) or argument_type(meaning_of(name, argument), parameter.default)
            fields[argument] = kind if parameter.default is parameter.empty else (kind,)
    return entry(name, owner, (inspect.getdoc(function) or "").split("\n\n")[0], **fields)


def method(name: str, owner: str, function: Any, /, **special: Any) -> type[Entry]:
    """The model of what a method takes."""
    return of_signature(name, owner, function, inspect.signature(function).parameters, **special)


class NameAlone(Entry):
    """A file to include may be its name alone."""

    @model_validator(mode="before")
    @classmethod
    def name_alone(cls, data: Any) -> Any:
        """A name as the mapping that it is short for."""
        return {"file": data} if isinstance(data, str) else data

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        found = handler.resolve_ref_schema(handler(core))
        mapping = dict(found)
        found.clear()
        found |= {"anyOf": [{"type": "string"}, mapping]}
        return found


CONTACT = described(bool | int | float | str | dict[str, Any] | None, "true, a friction such as 0.6, or {friction, restitution, ...}")
OBSTACLE_SHAPE = described(str | dict[str, Any], "Plane, or a shape such as Cuboid: {size: [1, 1, 1]}")
BodyEntry = method("body", "a body", Scene.add_body, motion_level=Literal[LEVELS], contact=CONTACT)
ContactEntry = method("contact", "contact", ContactMaterial)
ObstacleEntry = method("obstacle", "an obstacle", Scene.add_obstacle, shape=OBSTACLE_SHAPE, contact=CONTACT)
PASSING = described(list[list[str | int]], "pairs of names, such as [[box, ground]], or of groups")
TOUCHING = described(str | int, "the name of a body or an obstacle, or the number of a group")
LawEntry = method("law", "a law of contact", Scene.set_contact, first=TOUCHING, second=TOUCHING, contact=CONTACT)
FrameEntry = method("frame", "a frame", Scene.add_frame)
WrenchEntry = method("wrench", "a wrench", Scene.add_wrench, frame=Literal["body", "world"])
TwistEntry = method("twist", "a twist", Scene.prescribe_twist)
StaggeringEntry = method("staggering", "staggering", Scene.set_staggering)
MapEntry = entry("map", "map", function=(FUNCTION,), matrix=(ANYTHING,), coordinates=(NUMBER,), q=(ANYTHING,), qdot=(ANYTHING,))
Include = entry("include", "include", "", NameAlone, file=TEXT, parameters=(optional(VALUES),), prefix=(TEXT,))
TraceEntry = entry("trace", "a function", arguments=SHAPES, parameters=(SHAPES,), returns=ANYTHING, operations=TEXT)
Array = entry("array", "an array", type=Literal[tuple(TYPES)], shape=described(list[int], "a list of whole numbers"), data=TEXT)
Place = entry("place", "a place on a body", body=BODY, point=(ANYTHING,), pose=(ANYTHING,))
Keeper = entry("keeper", "what keeps nodes", body=optional(BODY), nodes=ANYTHING, at=(ANYTHING,))
Tie = entry("tie", "what ties nodes", body=optional(BODY), nodes=ANYTHING, at=(ANYTHING,), gain=(optional(NUMBER),), compliance=(NUMBER,))
TouchingEntry = entry("touching", "what touches", contact=(CONTACT,), radius=(NUMBER,), nodes=(ANYTHING,), group=(NUMBER,))
KEEPERS, TIES = list[Keeper] | None, list[Tie] | None
TOUCHING = described(bool | float | dict[str, Any], "true, a friction, or {contact, radius, nodes, group}")
PAINT = described(str | list[Any] | dict[str, Any], "a colour, or {color, opacity, material}")
ON_BODY = described(str | dict[str, Any], "a body's name, or {body, point}")
AppearanceEntry = method("appearance", "an appearance", Appearance)
TrailEntry = method("trail", "a trail", Trail, of=ON_BODY)
KeyEntry = entry("key", "a key frame", t=NUMBER, **dict.fromkeys(TURNS, (NUMBER,)), eye=(ANYTHING,), target=(ANYTHING,))
CameraEntry = method("camera", "camera", Camera, follow=optional(ON_BODY), keys=list[KeyEntry])
TRAILS = described(list[str | dict[str, Any]], "a list of bodies' names, of {body, point}, or of {of, color, seconds}")
CAMERA = described(list[Any] | dict[str, Any] | None, "[azimuth, elevation] or [azimuth, elevation, zoom] in degrees, or a camera")
COLORS = described(dict[str, str | list[Any] | dict[str, Any]], "names with colours, such as arm: tomato")
SHOWN_FRAMES = described(bool | list[str], "true or false, or a list of names of frames, bodies or joints")
LookEntry = method("look", "look", Look, trails=TRAILS, camera=CAMERA, colors=COLORS, ground=optional(TRUTH), frames=SHOWN_FRAMES)
Steps = entry(
    "steps", "a deformable", hold=(ANYTHING,), attach=(KEEPERS,), tie=(TIES,), touching=(TOUCHING,), positions=(ANYTHING,),
    velocities=(ANYTHING,), explicit=(TRUTH,), painted=(PAINT,),
)  # fmt: skip
SECTIONS: dict[str, Any] = {
    "redmax": (VERSION,),
    "title": (TEXT,),
    "units": (described(str, "text such as 'm kg s'"),),
    "gravity": (ANYTHING,),
    "parameters": (optional(VALUES),),
    "include": (list[Include] | None,),
    "bodies": (list[BodyEntry] | None,),
    "obstacles": (list[ObstacleEntry] | None,),
    "ignore_contact": (optional(PASSING),),
    "set_contact": (list[LawEntry] | None,),
    "frames": (list[FrameEntry] | None,),
    "wrenches": (list[WrenchEntry] | None,),
    "forces": (optional(FORCES),),
    "deformables": (optional(DEFORMABLES),),
    "constraints": (optional(CONSTRAINTS),),
    "twists": (list[TwistEntry] | None,),
    "map": (MapEntry | None,),
    "staggering": (StaggeringEntry | None,),
    "look": (LookEntry | None,),
    "run": (Annotated[Any, Later("run")],),
    "functions": (dict[str, TraceEntry] | None,),
}
Part = entry("part", "a scene", "A file that others include.", **SECTIONS)
SceneFile = entry("scene", "a scene", "A scene of redmax.", **SECTIONS | {"redmax": VERSION})
OWN: dict[str, type[Entry]] = {
    "joint": method("joint", "joint", joint, function=FUNCTION),
    "force": method("force", "force", force, function=FUNCTION, potential=FUNCTION, tension=FUNCTION, torque=FUNCTION),
    "constraint": method("constraint", "constraint", constraint, function=FUNCTION),
    "law": entry("law", "law", "Of elements.", nodes=SIZE, numbers=SIZE, energy=FUNCTION, forces=FUNCTION, damping=(FUNCTION,)),
    "material": entry("material", "material", "Of tetrahedra.", own=FUNCTION, nominal=FUNCTION, density=FUNCTION, stress=FUNCTION),
}


@cache
def kind_model(name: str) -> type[Entry]:
    """What a kind takes."""
    if name in OWN:
        return OWN[name]
    kind = kinds()[name]
    extra = {"parameters": inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)} if kind.own else {}
    return of_signature(name, name, kind.make, kind.parameters | extra)
