"""The JSON schema of scene files, made of the models that loading validates with: for editors that complete and check while one writes.

It says what kinds there are and what each takes. Loading checks more: values, names of bodies, and expressions.
"""

from __future__ import annotations

from typing import Any

from redmax.io.kinds import FAMILIES, family

LATER = "later"  # of structure.py, which is imported late
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """A document that `json.dump` writes."""
    from pydantic.json_schema import models_json_schema

    from redmax.io.running import Run
    from redmax.io.structure import OWN, SceneFile, Steps, kind_model

    members = {name: list(family(name)) for name in FAMILIES}
    models = [SceneFile, Run, Steps, *OWN.values(), *(kind_model(k) for names in members.values() for k in names if k not in OWN)]
    _, found = models_json_schema([(m, "validation") for m in dict.fromkeys(models)], ref_template="#/$defs/{model}")
    definitions = found["$defs"]
    scene, steps = definitions.pop("scene"), definitions.pop("steps")["properties"]
    definitions["run"] = with_expressions(definitions["run"])
    for name, names in members.items():
        definitions[f"{name}Kind"] = one_of(names, definitions, steps if name == "deformable" else {})
    return {"$schema": DRAFT, **finished(scene), "title": "redmax scene", "$defs": finished(definitions)}


def one_of(members: list[str], definitions: dict[str, Any], steps: dict[str, Any]) -> dict[str, Any]:
    """A kind by its name alone, as the one name of a mapping, or under `kind`."""
    models = {name: name.replace(".", "_") for name in members}
    bare = [name for name in members if not definitions[models[name]].get("required")]
    arguments: dict[str, Any] = {name: {"$ref": f"#/$defs/{models[name]}"} for name in members}
    arguments |= {name: {"anyOf": [arguments[name], {"type": "null"}]} for name in bare}
    mapping = {"type": "object", "properties": arguments | steps, "additionalProperties": False, "minProperties": 1}
    named = {"type": "object", "properties": {"kind": {"enum": members}}, "required": ["kind"]}
    return {"anyOf": [mapping, named, *([{"enum": bare}] if bare else [])]}


def with_expressions(run: dict[str, Any]) -> dict[str, Any]:
    """Wherever a number is expected a file may have an expression."""
    numbers = {n: p for n, p in run["properties"].items() if p.get("type") in ("number", "integer")}
    return run | {"properties": run["properties"] | {n: {"anyOf": [p, {"type": "string"}]} for n, p in numbers.items()}}


def finished(part: Any) -> Any:
    """Without the defaults of the models, which say only that something may be left out; with references to what comes later."""
    if isinstance(part, list):
        return [finished(x) for x in part]
    if not isinstance(part, dict):
        return part
    left_out = {"default": type(None), "title": str}
    return {"$ref" if k == LATER else k: finished(v) for k, v in part.items() if not (k in left_out and isinstance(v, left_out[k]))}
