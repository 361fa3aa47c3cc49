"""Bodies in absolute coordinates by any of their frames, on any group, in steps of every index and by explicit methods."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import redmax as rm
from integrators.test_generalized_alpha import chain
from redmax.cli import main
from redmax.integrators.absolute.group import GROUPS
from redmax.scenes import find

FORMS = {"mk2": {}, "cf4": {}, "index 1": {"index": 1}, "index 2": {"index": 2}, "index 3": {"index": 3}}
ORDER = {"cf4": 4.0}


def how(form: str) -> dict[str, Any]:
    return {"integrator": "generalized-alpha" if form.startswith("index") else form, "progress": False} | FORMS[form]


@cache
def framed() -> rm.Model:
    """A chain, with frames on its first and its last body."""
    scene = chain()
    scene.add_frame("grip", scene.links[0].name, rm.pose(rm.rotation_about((1, 2, 3), 0.8), (0.1, -0.2, 0.05)))
    scene.add_frame("tip", scene.links[2].name, (0.3, 0.1, 0), "joint")
    return scene.model()


@cache
def exact() -> np.ndarray:
    return rm.simulate(framed(), 0.2, 0.2, integrator="adaptive", rtol=1e-12, progress=False).q[-1]


def far_off(form: str, group: str, frame: str, n: int) -> float:
    run = rm.simulate(framed(), 0.2, 0.2 / n, group=group, frame=frame, every=n, **how(form))
    return float(np.linalg.norm(run.q[-1] - exact()))


SOME = [
    ("mk2", "SE3-right", "body"), ("cf4", "SO3xR3-right", "grip, tip"), ("index 1", "SO3xR3-right", "joint"),
    ("index 1", "SE3-right", "body"), ("mk2", "SO3xR3", "joint"), ("index 3", "SO3xR3", "grip, tip"),
    ("index 2", "SO3xR3-right", "tip"),
]  # fmt: skip
ALL = [(form, group, frame) for form in FORMS for group in GROUPS for frame in ("body", "joint", "grip", "grip, tip")]


@pytest.mark.parametrize(("form", "group", "frame"), [*SOME, *(pytest.param(*x, marks=pytest.mark.long) for x in ALL if x not in SOME)])
def test_order(form: str, group: str, frame: str) -> None:
    coarse, fine = (far_off(form, group, frame, n) for n in (50, 100))
    assert np.log2(coarse / fine) == pytest.approx(ORDER.get(form, 2.0), abs=0.55 if form == "cf4" else 0.15)
    assert fine < (1e-7 if form == "cf4" else 4e-4)


def open_by(run: rm.Trajectory) -> float:
    assert run.joint_drift is not None
    return float(run.joint_drift.max())


@cache
def top() -> rm.Model:
    """The heavy top with a frame where it is held, one beside that, and one whose axes are turned."""
    scene = find("heavy-top").scene()
    scene.add_frame("held", "top", (0, -1, 0))
    scene.add_frame("turned", "top", rm.pose(rm.rotation_about((1, 2, 3), 0.8), (0, -1, 0)))
    scene.add_frame("beside", "top", (0.02, -1, 0.01))
    return scene.model()


@pytest.mark.parametrize("form", ["cf4", "index 1"])
def test_a_top_stays_where_a_frame_is_held_or_where_its_twists_are_a_subalgebra(form: str) -> None:
    """Nothing but the rows of accelerations holds it: with other frames of the direct product it leaves its joint."""
    drift = {
        (group, frame): open_by(rm.simulate(top(), 0.05, 1e-3, group=group, frame=frame, **how(form)))
        for group in GROUPS for frame in ("body", "held", "turned", "beside")
    }  # fmt: skip
    for (group, frame), found in drift.items():
        if group.startswith("SE3") or frame in ("held", "turned"):
            assert found < 1e-12
        else:
            assert found > 1e-9


@pytest.mark.parametrize("form", ["mk2", "index 1", "index 2", "index 3"])
@pytest.mark.parametrize("group", ["SO3xR3", "SO3xR3-right"])
def test_a_frame_of_a_name_is_the_one_without_at_the_same_place(form: str, group: str) -> None:
    named, joint = (rm.simulate(top(), 0.02, 1e-3, group=group, frame=frame, **how(form)) for frame in ("held", "joint"))
    np.testing.assert_allclose(named.q, joint.q, rtol=0, atol=1e-12)
    elsewhere = rm.simulate(top(), 0.02, 1e-3, group=group, frame="beside", **how(form))
    assert np.abs(elsewhere.q - joint.q).max() > 1e-10


def exponential(group: str, d: np.ndarray, E: np.ndarray) -> np.ndarray:
    """exp(d) from E, by the series of matrices."""
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]]
    twist[:3, 3] = d[3:] if group.startswith("SE3") else 0.0
    found = expm(twist) @ E if group.endswith("right") else E @ expm(twist)
    if group.startswith("SO3"):
        found[:3, 3] = E[:3, 3] + d[3:]
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_a_step_of_the_midpoint_rule_by_hand(group: str) -> None:
    """Of a body that flies, by a frame beside its centre: rates from its Lagrangian in that frame; mk2 is q0 exp(h dexp^-1 v_2)."""
    h, frame = 0.05, rm.pose(rm.rotation_about((1, 2, 3), 0.8), (0.1, -0.2, 0.3))
    scene, body = rm.Scene(), rm.Cuboid((0.7, 0.4, 0.2), mass=2.0)
    mass, inertia = body.mass, body.inertia
    joint, start, twist = rm.Free("pose"), rm.pose(rm.rotation_about((3, 1, 2), 0.5), (1, 2, 3)), np.array([1.0, -2, 3, 0.3, 0.5, -0.7])
    scene.add_body(body, joint=joint, q=start[:3].ravel(), qdot=twist, name="body")
    scene.add_frame("grip", "body", frame)
    back = np.linalg.inv(frame)

    def as_twist(E: Any, v: Any) -> Any:
        """Of the body's centre, of v of the frame that is at E."""
        R = E[:3, :3]
        body = {
            "SE3": lambda: v,
            "SO3xR3": lambda: np.concatenate([v[:3], R.T @ v[3:]]),
            "SE3-right": lambda: np.concatenate([R.T @ v[:3], R.T @ (v[3:] + np.cross(v[:3], E[:3, 3]))]),
            "SO3xR3-right": lambda: np.concatenate([R.T @ v[:3], R.T @ v[3:]]),
        }[group]()
        return rm.lie.Ad(frame) @ body

    def lagrangian(E: Any, v: Any) -> Any:
        V = as_twist(E, v)
        return 0.5 * (V[:3] @ (inertia @ V[:3])) + 0.5 * mass * (V[3:] @ V[3:]) - 9.81 * mass * (E @ back)[2, 3]

    placed = start @ frame
    to_v = np.linalg.inv(np.array([as_twist(placed, e) for e in np.eye(6)]).T)
    equations, v0 = rm.EulerPoincare(lagrangian, group=group), to_v @ twist
    half = exponential(group, 0.5 * h * v0, placed)
    v2 = v0 + 0.5 * h * equations.accelerations(placed, v0)[0][0]
    side = 0.5 * h if group.endswith("right") else -0.5 * h
    end = exponential(group, h * inverse_dexp(group, side * v0, v2), placed) @ back
    run = rm.simulate(scene, h, h, integrator="mk2", group=group, frame="grip", progress=False)
    np.testing.assert_allclose(run.pose("body")[-1], end, rtol=0, atol=1e-13)
    v1 = v0 + h * equations.accelerations(half, v2)[0][0]
    np.testing.assert_allclose(run.twist("body", kind="body")[-1], as_twist(end @ frame, v1), rtol=0, atol=1e-12)


def inverse_dexp(group: str, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The series of Bernoulli's numbers of ad_x: 1 - ad/2 + ad^2/12 - ad^4/720 + ..."""
    ad = rm.lie.ad(x)
    if group.startswith("SO3"):
        ad[3:] = 0.0
    powers = {1: -0.5, 2: 1 / 12, 4: -1 / 720, 6: 1 / 30240, 8: -1 / 1209600}
    return v + sum(b * np.linalg.matrix_power(ad, k) @ v for k, b in powers.items())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"frame": "grib"}, "There is no frame, body or joint 'grib'. Did you mean 'grip'"),
        ({"frame": "grip, bar"}, "There is no frame, body or joint 'bar'"),
        ({"frame": "grip, grip"}, "moves by one frame"),
        ({"frame": " "}, "frame must be 'body', 'joint', or names of the scene's frames"),
        ({"frame": 3}, "frame must be"),
        ({"frame": "grip", "integrator": "rk4"}, "An integrator that does not go along groups goes with no frame. Got frame='grip'"),
        ({"frame": "grip", "integrator": "rattle"}, "does not go with integrator|goes with no frame"),
        ({"frame": "grip", "dynamics": "redmax"}, "Take dynamics='maximal', or leave frame out"),
    ],
)
def test_what_is_no_frame_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(rm.RedmaxError, match=said):
        rm.simulate(framed(), 0.01, 0.01, **{"integrator": "mk2", **more})


def test_in_files_and_on_the_command_line(tmp_path: Path) -> None:
    scene = find("heavy-top").scene()
    scene.add_frame("held", "top", (0, -1, 0))
    path = tmp_path / "top.yaml"
    scene.save(path)
    asked = "\nrun: {duration: 0.02, dt: 0.001, integrator: cf4, group: SO3xR3, frame: held}\n"
    path.write_text(path.read_text() + asked)
    run = rm.simulate(rm.Scene.load(path), progress=False)
    assert open_by(run) < 1e-13
    run.save(tmp_path / "run.h5")
    assert rm.load(tmp_path / "run.h5").settings["frame"] == "held"
    assert main(["run", str(path), "--frame", "body", "--json", str(tmp_path / "body.json")]) == 0
    body = json.loads((tmp_path / "body.json").read_text())
    assert 1e-9 < np.abs(np.array(body["q"]) - run.q[-1]).max() < 1e-3
    path.write_text(path.read_text().replace("frame: held", "frame: hold"))
    with pytest.raises(rm.RedmaxError, match=r"no frame, body or joint 'hold'"):
        rm.Scene.load(path)
