"""What files may have for an argument follows from its type, and the types say what the constructors check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import redmax as rm
from api.specimens import parts
from api.worlds import World
from redmax.components.given import CalledWith, JointOf, Length, Place, Range, Shape, VectorOfTime
from redmax.components.kept_arguments import constructor
from redmax.io import loads, schema
from redmax.io.argument_types import bounds
from redmax.io.kinds import kinds, meaning_of, names
from redmax.io.meaning import hints, meaning

SPECIMENS = {name: make for name, make in parts().items() if make(World(Path()))[0] in names()}


def test_a_type_says_what_a_file_may_have():
    assert meaning(Literal["a", "b"] | None).words == ("a", "b")
    assert meaning(str | Annotated[ArrayLike, Shape((3,))]).text
    assert not meaning(ArrayLike).text  # NumPy takes texts, files have numbers there
    assert meaning(Place).place
    assert not meaning(Place).body
    assert meaning(JointOf | None).body
    assert meaning(JointOf | None).joint
    assert meaning(Length | None).unit == "m"
    assert meaning(VectorOfTime).called.arguments == {"t": ()}  # type: ignore[union-attr]
    assert not meaning(VectorOfTime).always
    assert meaning(Annotated[Callable[..., Any], CalledWith(s=())]).always


@pytest.mark.parametrize("kind", kinds())
def test_every_argument_of_a_kind_has_a_type(kind: str):
    """One that an editor can show: not Any, which says nothing."""
    for argument in kinds()[kind].parameters:
        members = meaning_of(kind, argument).members
        assert members, argument
        assert Any not in members, argument


def test_the_types_of_fields_and_of_arguments_are_found_where_they_are_declared():
    assert set(hints(rm.Cuboid)) >= {"size", "mass", "density"}  # of a dataclass and of its base
    assert set(hints(rm.Cloth)) - {"return"} == set(constructor(rm.Cloth).parameters)  # of one with a constructor of its own


def beyond(range: Range) -> list[float]:
    """Numbers next to the range."""
    found = {"above": range.above, "below": range.below, "least": range.least, "most": range.most}
    steps = {"above": 0.0, "below": 0.0, "least": -1.0, "most": 1.0}
    return [value + steps[name] for name, value in found.items() if value is not None]


def refused(name: str, argument: str, value: Any) -> bool:
    """Whether a constructor says that this argument is wrong."""
    what, positional, named = SPECIMENS[name](World(Path()))
    given = dict(constructor(what).bind(*positional, **named).arguments)
    given.update(given.pop("options", {}), **given.pop("parameters", {}))
    try:
        what(**given | {argument: value})
    except rm.SceneError as error:
        return error.argument == argument
    return False


@pytest.mark.parametrize("name", [n for n in SPECIMENS if n != "CompositeJoint"])
def test_constructors_refuse_what_their_types_exclude(name: str):
    what, positional, named = SPECIMENS[name](World(Path()))
    for argument in constructor(what).bind(*positional, **named).arguments:
        meant = meaning_of(names()[what], argument)
        size = max((shape[0] for shape in meant.shape.shapes if shape), default=0) if meant.shape is not None else 0
        for value in beyond(meant.range) if meant.range is not None else []:
            wrong = np.full(size, value) if size > 0 else value
            assert refused(name, argument, int(wrong) if meant.members == (int,) else wrong), (argument, wrong)
        if meant.shape is not None and meant.shape.shapes and argument != "knots":
            assert refused(name, argument, np.ones((1, 1, 1, 1, 1))), argument


def test_the_schema_has_bounds_shapes_units_and_words():
    found = schema()["$defs"]
    radius, size = found["Sphere"]["properties"]["radius"], found["Cuboid"]["properties"]["size"]
    assert radius["exclusiveMinimum"] == 0
    assert "(m)" in radius["description"]
    assert (size["minItems"], size["maxItems"], size["items"]["exclusiveMinimum"]) == (3, 3, 0)
    assert found["SpringDamper"]["properties"]["per"]["enum"] == ["length", "strain"]
    assert {"type": "null"} in found["Elliptic"]["properties"]["base"]["anyOf"]
    assert bounds(Range(least=0, below=1)) == {"minimum": 0, "exclusiveMaximum": 1}


def test_arguments_that_share_a_name_need_not_share_a_meaning():
    """The order of a spline is a number, that of Euler angles a word; the points of a curve are no bodies."""
    curve = "{curves.Bezier: {points: [[0, 0, 0], [k, 0, 0], [k, k, 0], [0, k, 0]]}}"
    text = "redmax: 1\nparameters: {k: 4}\nbodies:\n"
    text += "  - {shape: {Sphere: {radius: 0.1}}, joint: {SphericalEuler: {order: ZYX}}}\n"
    text += f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{CurveJoint: {{curve: {curve}, frame: fixed}}}}}}\n"
    frames = "[" + ", ".join(f"[[1, 0, 0, {x}], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]" for x in range(5)) + "]"
    text += f"  - {{shape: {{Sphere: {{radius: 0.1}}}}, joint: {{SplineCurve: {{frames: {frames}, order: k}}}}}}\n"
    scene = loads(text)
    assert scene.links[2].joint.axis.order == 4  # type: ignore[attr-defined]
