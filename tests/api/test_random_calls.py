"""Random calls of everything public: each ends in a result that can be used, or in a sentence of the library's, and soon.

`attack` makes as many as one likes of the same calls; here are the first of each.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import redmax as rm
from api.calls import Verdict, judged, outcome
from api.specimens import parts
from api.specimens_of_design import of_design
from api.specimens_of_runs import of_runs, of_scenes
from api.worlds import Fixture, World

EACH = 4  # spoiled calls of every specimen
SLOW = {"run.film", "run.plot", "run.picture", "scene picture"}  # each draws: fewer of them
# Made by the library.
BESIDE = {
    "Observation",
    "Centroidal",
    "Assembly",
    "Checkpoint",
    "ForceHistory",
    "ConstraintHistory",
    "ConstraintStates",
    "Contact",
    "ContactSample",
    "Contacts",
    "Obstacle",
    "Site",
    "Trajectory",
    "Model",
    "Point",
    "BodyHandle",
    "FrameHandle",
    "Torques",
    "BallClosure",  # another name of PointClosure
    "CurveFit",
    "SurfaceFit",
    "Motion",
    "SmoothedMotion",
    "MotionTorques",
    "Activations",
    "Tracked",
    "Reached",
    "Gradient",
    "Moment",
    "RunGradient",
    "StepLinearization",
    "Target",
    "MarkerPoses",
    "MeasuredPoses",
    "fit_report",
    "watch",  # which opens a page: tests/view/live
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[World], Any]]:
    return parts() | of_design() | of_scenes() | of_runs(Fixture(tmp_path_factory.mktemp("calls")))


def test_sensible_calls_of_everything_are_accepted(known: dict[str, Any], tmp_path: Path):
    refused: dict[str, Any] = {}
    for name, make in known.items():
        world = World(tmp_path)
        function, arguments, named = make(world)
        result = (None, True) if name in SLOW else outcome(lambda f=function, a=arguments, n=named: f(*a, **n))
        if result != (None, True) and name not in ("run.force", "run.nodes", "run.constraint"):
            refused[name] = result
    assert not refused


def test_every_class_and_function_at_the_top_has_a_specimen(known: dict[str, Any], tmp_path: Path):
    called = {getattr(make(World(tmp_path))[0], "__name__", "") for make in known.values()}
    public = {n for n in rm.__all__ if callable(getattr(rm, n)) and not (isinstance(getattr(rm, n), type) and is_base(getattr(rm, n)))}
    assert public - called - BESIDE == set()


def is_base(kind: type) -> bool:
    """What users subclass or catch."""
    return kind in (rm.Body, rm.Joint, rm.Force, rm.JointForce, rm.PathForce, rm.Constraint, rm.State) or issubclass(kind, BaseException)


def test_spoiled_calls_end_in_a_sentence(known: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # for names of files that are drawn by chance
    wrong: list[Verdict] = []
    for name in known:
        for seed in range(1 if name in SLOW else EACH):
            verdict = judged(seed, tmp_path, known, name)
            wrong += [verdict] if verdict.wrong else []
    assert not wrong, "\n".join(f"{v.name}({v.spoiled}): {v.wrong}" for v in wrong)
