"""The schema of scene files is one, knows every kind, and agrees with loading and saving."""

from __future__ import annotations

import json
from functools import cache

import pytest
from jsonschema import Draft202012Validator

from redmax.io import SceneFileError, loads, schema, starter
from redmax.io.budget import Budget
from redmax.io.kinds import FAMILIES, family, kinds
from redmax.io.source import items, plain
from redmax.io.structure import OWN, kind_model
from redmax.scenes import CATALOGUE

LARGE = ("globe", "beads", "letters")  # whose kinds are all in spinning-beads, letters-sliding and scapula


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def mistakes(text: str) -> list[str]:
    return [e.message for e in validator().iter_errors(plain(items(text, lambda *_: None, Budget())))]


def test_the_schema_is_a_schema_in_json():
    Draft202012Validator.check_schema(schema())
    assert json.loads(json.dumps(schema())) == schema()
    definitions = schema()["$defs"]
    assert all(part.split('"')[0] in definitions for part in json.dumps(schema()).split("#/$defs/")[1:])


@pytest.mark.parametrize("entry", [pytest.param(e, id=e.name, marks=[pytest.mark.long] * (e.name in LARGE)) for e in CATALOGUE])
def test_what_is_saved_fits_the_schema(entry, saved):
    assert mistakes(saved(entry)) == []


def test_the_starter_fits_the_schema():
    assert mistakes(starter()) == []


WRONG = [
    ("{redmax: 1, bodies: [{shape: {Cubiod: {size: [1, 1, 1]}}}]}", "Cubiod"),
    ("{redmax: 1, bodies: [{shape: {Cuboid: {}}}]}", "size"),
    ("{redmax: 1, bodies: [{shape: {Sphere: {radius: [1]}}}]}", "radius"),
    ("{redmax: 1, bodies: [{shape: {Sphere: {radius: 1}}, motion_level: fast}]}", "fast"),
    ("{redmax: 1, forces: [{SpringDamper: {a: x, b: y, stifness: 1}}]}", "stifness"),
    ("{redmax: 1, deformables: [{Cloth: {size: [1, 1], cells: [2, 2], density: 1, stretch: 1}, hld: [0]}]}", "hld"),
    ("{bodies: []}", "redmax"),
    ("{redmax: 1, gravty: 1}", "gravty"),
    ("{redmax: 1, run: {dt: 0}}", "0"),
    ("{redmax: 1, run: {integrator: rk5}}", "rk5"),
    ("{redmax: 1, include: [{fle: a.yaml}]}", "fle"),
    ("{redmax: 1, wrenches: [{on: a, frame: wrld}]}", "wrld"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_the_schema_and_loading_see_the_same_mistakes(text, words):
    assert mistakes(text)
    with pytest.raises(SceneFileError) as caught:
        loads(text)
    assert any(words in p.message for p in caught.value.problems), caught.value


def test_the_schema_knows_every_kind_with_its_arguments():
    definitions = schema()["$defs"]
    for name in FAMILIES:
        for kind in family(name):
            properties = definitions[kind.replace(".", "_")]["properties"]
            assert set(properties) == set(kind_model(kind).model_fields)
            if kind not in OWN:
                assert set(properties) - {"parameters"} == set(kinds()[kind].parameters)
    assert len(kinds()) > 65
