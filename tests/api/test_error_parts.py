"""Errors carry what their sentences are about: whose argument it is, which one, what was given and what is valid."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm
from api.specimens import parts
from api.worlds import World
from redmax.components.kept_arguments import constructor
from redmax.errors import About, Phrase, wrong
from redmax.io import SceneFileError, loads
from redmax.io.encode import Writer
from redmax.io.kinds import kinds, names

SPOILT: list[Any] = [
    None, float("nan"), -1, 0, "x", [], [1, [2]], (0, 0, 0), np.zeros((2, 3, 4)), lambda: 1.0,
]  # fmt: skip
IN_FILES: list[Any] = [-1, [], [0, 0, 0], [[1, 2], [3, 4]]]
SPECIMENS = {name: make for name, make in parts().items() if isinstance(make(World(Path()))[0], type)}


def test_a_wrong_argument_is_a_sentence_and_its_parts():
    error = wrong("Cuboid", Phrase("side 2", "size"), [1, -2], "a positive number")
    assert str(error) == "Cuboid: side 2 is [1, -2], expected a positive number."
    assert (error.owner, error.argument, error.got, error.expected) == ("Cuboid", "size", "[1, -2]", "a positive number")
    assert rm.SceneError("Only a sentence.").argument == ""


def test_parts_survive_pickling_and_copying():
    with pytest.raises(rm.SceneError) as told:
        rm.Sphere(-1)
    for again in (pickle.loads(pickle.dumps(told.value)), copy.copy(told.value), copy.deepcopy(told.value)):
        assert type(again) is rm.SceneError
        assert str(again) == str(told.value)
        assert (
            vars(again)
            == vars(told.value)
            == {"owner": "Sphere", "argument": "radius", "got": "-1"} | {"expected": "a finite number greater than 0 (m)"}
        )
    phrase = Phrase("Joint 'a'", "a")
    assert pickle.loads(pickle.dumps(phrase)).name == "a"


def test_those_who_call_say_what_an_error_does_not_know():
    with pytest.raises(rm.SceneError) as told, About("Body", "joint"):
        raise rm.SceneError("No.", argument="dof")
    assert (told.value.owner, told.value.argument) == ("Body", "dof")


def spoilt(name: str) -> Iterator[tuple[Any, rm.SceneError]]:
    """What a constructor says to each argument in turn, spoilt in each way."""
    _, positional, named = SPECIMENS[name](World(Path()))
    for where in (*range(len(positional)), *named):
        for value in SPOILT:
            what, positional, named = SPECIMENS[name](World(Path()))
            arguments = list(positional)
            if isinstance(where, int):
                arguments[where] = value
            else:
                named[where] = value
            try:
                with np.errstate(all="ignore"):
                    what(*arguments, **named)
            except rm.SceneError as error:
                yield what, error


@pytest.mark.parametrize("name", SPECIMENS)
def test_every_error_of_a_constructor_says_whose_argument_it_is_and_which(name: str):
    for what, error in spoilt(name):
        assert error.owner, error
        taken = set(constructor(what).parameters) | set(SPECIMENS[name](World(Path()))[2])
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in constructor(what).parameters.values()):
            taken |= {argument for k in kinds().values() if k.type is what for argument in k.parameters}
        assert error.argument in taken, (error.argument, str(error))


SECTIONS = {rm.Force: "forces", rm.JointForce: "forces", rm.Deformable: "deformables", rm.Body: "shape", rm.Joint: "joint"}
WRITTEN = [name for name, make in SPECIMENS.items() if (what := make(World(Path()))[0]) in names() and issubclass(what, tuple(SECTIONS))]


def written(name: str) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """(section, kind, its arguments as a file has them, its functions)."""
    what, positional, named = SPECIMENS[name](World(Path()))
    writer = Writer(sizes={name: {"dof": 1, "nq": 1} for name in ("upper", "lower")})
    ((kind, arguments),) = writer.value(what(*positional, **named)).items()
    return next(section for base, section in SECTIONS.items() if issubclass(what, base)), kind, arguments, writer.functions


BODIES = """\
  - {name: upper, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [0.15, 0, 0]}
  - {name: lower, parent: upper, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, at: [0.3, 0, 0], com: [0.15, 0, 0]}
"""


def text_of(section: str, kind: str, arguments: dict[str, Any], functions: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """A file with one entry, each argument of which has a line of its own; and which argument is in which line."""
    head = "redmax: 1\n" + (f"functions: {json.dumps(functions)}\n" if functions else "") + "bodies:\n" + BODIES
    if section in ("forces", "deformables"):
        head += f"{section}:\n  - {kind}:\n"
    else:
        other = "joint: {Free3D: }" if section == "shape" else "shape: {Sphere: {radius: 0.1}}"
        head += f"  - name: third\n    {other}\n    {section}:\n      {kind}:\n"
    lines = {head.count("\n") + 1 + k: argument for k, argument in enumerate(arguments)}
    return head + "".join(f"        {argument}: {json.dumps(value)}\n" for argument, value in arguments.items()), lines


@pytest.mark.parametrize("name", WRITTEN)
def test_in_a_file_the_mistake_is_found_at_the_line_of_an_argument(name: str):
    section, kind, arguments, functions = written(name)
    loads(text_of(section, kind, arguments, functions)[0])
    for argument in arguments:
        for value in IN_FILES:
            text, lines = text_of(section, kind, arguments | {argument: value}, functions)
            try:
                loads(text)
            except SceneFileError as error:
                for problem in error.problems:
                    assert problem.line in lines, str(problem)


OPTIONS = {"duration": 0.15, "dt": -1, "every": 0, "rtol": -1, "integrator": "rk5", "halvings": -1, "dtype": "int8"}


@pytest.mark.parametrize("option", OPTIONS)
def test_errors_of_a_run_say_which_option_it_is(option: str):
    with pytest.raises(rm.RedmaxError) as told:
        rm.simulate(World(Path()).scene, **{"duration": 0.1, "dt": 0.1, option: OPTIONS[option]})
    assert (told.value.owner, told.value.argument) == ("simulate", option)


def test_in_a_file_the_option_of_a_run_is_found_at_its_line():
    text = f"redmax: 1\nbodies:\n{BODIES}run:\n  duration: 1\n  dt: 0.1\n  every: 3\n"
    with pytest.raises(SceneFileError) as told:
        loads(text)
    assert [(p.line, "every must divide" in p.message) for p in told.value.problems] == [(8, True)]


def test_enough_kinds_are_tried():
    assert len(SPECIMENS) > 50
    assert len(WRITTEN) > 40
