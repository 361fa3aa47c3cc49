"""The JSON schema of scene files, from the signatures of the public classes: for editors that complete and check while one writes.

It says what kinds there are and what each takes. Loading checks more: values, names of bodies, and expressions.
"""

from __future__ import annotations

import inspect
from typing import Any

from redmax.bodies.base import Body
from redmax.deformables import Deformable
from redmax.forces.base import Force
from redmax.forces.joint_force import JointForce
from redmax.io.functions import OWN
from redmax.io.kinds import ALWAYS, BODIES, FUNCTIONS, JOINTS, TEXT, Kind, kinds
from redmax.io.load import BODY, RUN
from redmax.io.soft import STEPS
from redmax.joints.base import Joint

DRAFT = "https://json-schema.org/draft/2020-12/schema"
VALUE = {"$ref": "#/$defs/value"}
FUNCTION = {"$ref": "#/$defs/function"}


def schema() -> dict[str, Any]:
    """A document that `json.dump` writes."""
    families = {"shape": Body, "jointKind": Joint, "forceKind": (Force, JointForce), "deformableKind": Deformable}
    definitions: dict[str, Any] = {
        "value": {"description": "a number, an expression, an object, a body, or a list of these"},
        "function": {
            "description": "an expression, a list of them, or {function: name}",
            "type": ["string", "array", "number", "object", "null"],
        },
        "place": {"type": ["string", "array", "object"]},
    }
    definitions |= {name: kind_schema(k) for name, k in kinds().items()}
    definitions |= {name: own_schema(*OWN[name]) for name in OWN}
    for family, base in families.items():
        members = [name for name, k in kinds().items() if issubclass(k.type, base)]
        members += {"jointKind": ["joint"], "forceKind": ["force"]}.get(family, [])
        definitions[family] = one_of(members, extra=STEPS if family == "deformableKind" else ())
    return {
        "$schema": DRAFT,
        "title": "redmax scene",
        "type": "object",
        "properties": {
            "redmax": {"const": 1},
            "title": {"type": "string"},
            "units": {"type": "string"},
            "gravity": VALUE,
            "parameters": {"type": "object", "additionalProperties": {"type": ["number", "string", "boolean"]}},
            "include": {"type": "array", "items": {"type": ["string", "object"]}},
            "bodies": entries(body_schema()),
            "wrenches": entries(closed({"on": {"$ref": "#/$defs/place"}, "torque": FUNCTION, "force": FUNCTION, "frame": text()}, ["on"])),
            "forces": entries({"$ref": "#/$defs/forceKind"}),
            "deformables": entries({"$ref": "#/$defs/deformableKind"}),
            "twists": entries(
                closed({"body": VALUE, "rows": VALUE, "velocity": FUNCTION, "acceleration": FUNCTION}, ["body", "rows", "velocity"])
            ),
            "map": closed({"function": FUNCTION, "matrix": VALUE, "coordinates": VALUE, "q": VALUE, "qdot": VALUE}, []),
            "run": closed({name: text() if name in TEXT else VALUE for name in RUN}, []),
            "functions": {"type": "object", "additionalProperties": trace_schema()},
        },
        "required": ["redmax"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def text() -> dict[str, Any]:
    return {"type": "string"}


def entries(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": ["array", "null"], "items": of}


def closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def one_of(members: list[str], extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """A kind by its name alone, as the one name of a mapping, or under `kind`."""
    mapping = {"type": "object", "properties": {m: {"$ref": f"#/$defs/{m}"} for m in members} | dict.fromkeys(extra, VALUE)}
    named = {"type": "object", "properties": {"kind": {"enum": members}}, "required": ["kind"]}
    alone = {"enum": members}
    return {"anyOf": [mapping | {"additionalProperties": False, "minProperties": 1}, named, alone]}


def kind_schema(k: Kind) -> dict[str, Any]:
    properties = {name: argument_schema(k.name, name) for name in k.parameters} | ({"parameters": {"type": "object"}} if k.own else {})
    about = (inspect.getdoc(k.type) or "").split("\n\n")[0]
    return closed(properties, k.required) | {"type": ["object", "null"] if not k.required else "object", "description": about}


def own_schema(known: list[str], required: list[str]) -> dict[str, Any]:
    return closed(dict.fromkeys(known, VALUE), required)


def argument_schema(kind: str, name: str) -> dict[str, Any]:
    if (kind, name) in FUNCTIONS:
        return FUNCTION if name in ALWAYS else VALUE
    return (
        VALUE if name not in BODIES | JOINTS or kind in ("Inverted", "CurveOnCurve", "SurfaceContact") else {"type": ["string", "object"]}
    )


def body_schema() -> dict[str, Any]:
    properties: dict[str, Any] = dict.fromkeys(BODY, VALUE)
    properties |= {"shape": {"$ref": "#/$defs/shape"}, "joint": {"$ref": "#/$defs/jointKind"}, "parent": text(), "name": text()}
    properties |= {"joint_name": text(), "motion_level": {"enum": ["position", "velocity", "acceleration"]}, "motion": FUNCTION}
    return closed(properties, ["shape"])


def trace_schema() -> dict[str, Any]:
    return closed(
        {"arguments": {"type": "object"}, "parameters": {"type": "object"}, "returns": VALUE, "operations": text()},
        ["arguments", "returns", "operations"],
    )
