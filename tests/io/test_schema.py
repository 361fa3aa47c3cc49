"""The schema of scene files knows every kind, and agrees with what saving writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import redmax as rm
from redmax.io import schema
from redmax.io.kinds import is_abstract, kinds
from redmax.made import Made
from redmax.scenes import CATALOGUE


def check(value, rule, root, at="scene"):
    """The few words of JSON schema that ours uses; says where a value does not fit."""
    if "$ref" in rule:
        return check(value, root["$defs"][rule["$ref"].rsplit("/", 1)[1]], root, at)
    if "anyOf" in rule:
        found = [check(value, option, root, at) for option in rule["anyOf"]]
        return [] if [] in found else min(found, key=len)
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
    allowed = rule.get("type", names[type(value)])
    wrong = [] if names[type(value)] in ([allowed] if isinstance(allowed, str) else allowed) else [f"{at}: {value!r} is no {allowed}"]
    if "const" in rule and value != rule["const"]:
        wrong.append(f"{at}: {value!r}")
    if "enum" in rule and value not in rule["enum"]:
        wrong.append(f"{at}: {value!r} is none of {rule['enum'][:5]}")
    if isinstance(value, list) and "items" in rule:
        wrong += [w for i, x in enumerate(value) for w in check(x, rule["items"], root, f"{at}[{i}]")]
    if isinstance(value, dict):
        properties, more = rule.get("properties", {}), rule.get("additionalProperties", True)
        wrong += [f"{at}: needs {n}" for n in rule.get("required", []) if n not in value]
        wrong += [f"{at}: has no {n}" for n in value if n not in properties and more is False]
        for n, x in value.items():
            wrong += check(x, properties.get(n, more if isinstance(more, dict) else {}), root, f"{at}.{n}")
    return wrong


@pytest.mark.parametrize("entry", [e for e in CATALOGUE if e.name not in ("globe", "beads", "spinning-beads")], ids=lambda e: e.name)
def test_what_is_saved_fits_the_schema(entry, tmp_path):
    entry.scene().save(tmp_path / "scene.yaml")
    data = yaml.load(Path(tmp_path / "scene.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    rule = schema()
    assert check(data, rule, rule) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{redmax: 1, bodies: [{shape: {Cubiod: {size: [1, 1, 1]}}}]}", "Cubiod"),
        ("{redmax: 1, bodies: [{shape: {Cuboid: {}}}]}", "needs size"),
        ("{redmax: 1, forces: [{SpringDamper: {a: x, b: y, stifness: 1}}]}", "stifness"),
        ("{bodies: []}", "needs redmax"),
        ("{redmax: 1, gravty: 1}", "gravty"),
    ],
)
def test_the_schema_sees_mistakes(text, words):
    rule = schema()
    assert any(words in w for w in check(yaml.safe_load(text), rule, rule))


def test_the_schema_is_json_and_refers_to_what_it_has():
    text = json.dumps(schema())
    definitions = json.loads(text)["$defs"]
    assert all(part.split('"')[0] in definitions for part in text.split("#/$defs/")[1:])


def test_every_public_class_can_be_named_in_a_file():
    public = {getattr(rm, name) for name in rm.__all__ if isinstance(getattr(rm, name), type)}
    missing = [c.__name__ for c in public if issubclass(c, Made) and not is_abstract(c) and c not in {k.type for k in kinds().values()}]
    assert missing == []
    assert len(kinds()) > 65
