"""Springs and dampers over the coordinates of several joints: MuJoCo's fixed tendons, one motion by all dynamics, exact stiffness."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from random_examples import examples

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def chain(rng, n):
    """The same tree of hinges and slides in both engines, with two tendons over its joints."""
    scene, bodies = rm.Scene(), []
    parents = [-1] + [int(rng.integers(-1, i)) for i in range(1, n)]
    shapes = []
    for i, parent in enumerate(parents):
        size, at, mass = rng.uniform(0.1, 0.4, 3), rng.uniform(-0.3, 0.3, 3), rng.uniform(0.5, 2.0)
        axis, slide, com, a = rng.choice(list(AXES)), bool(rng.integers(2)), rng.uniform(-0.2, 0.2, 3), rng.uniform(0.0, 0.2)
        joint = rm.Prismatic(axis) if slide else rm.Revolute(axis)
        given = {"name": f"b{i}", "at": at, "com": com, "armature": a}
        bodies.append(scene.add_body(rm.Cuboid(size, mass=mass), joint=joint, parent=None if parent < 0 else bodies[parent], **given))
        words = [" ".join(map(repr, v.tolist())) for v in (at, com, size / 2)]
        shapes.append(
            f'<body name="b{i}" pos="{words[0]}"><joint name="b{i}" type="{"slide" if slide else "hinge"}" axis="{AXES[axis]}"'
            f' armature="{a}"/>'
            f'<geom type="box" contype="0" conaffinity="0" pos="{words[1]}" size="{words[2]}" mass="{mass}"/>'
        )

    def written(i):
        return shapes[i] + "".join(written(k) for k in range(n) if parents[k] == i) + "</body>"

    tendons = ""
    for k in range(2):
        chosen = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        c, (stiffness, damping) = rng.uniform(-2, 2, len(chosen)), rng.uniform(0, 20, 2)
        rest = float(rng.normal()) if k else np.sort(rng.normal(size=2))
        scene.add_force(
            rm.FixedTendon(
                {f"b{i}": x for i, x in zip(chosen, c, strict=True)}, stiffness=stiffness, damping=damping, rest=rest, name=f"tendon{k}"
            )
        )
        joints = "".join(f'<joint joint="b{i}" coef="{x!r}"/>' for i, x in zip(chosen, c.tolist(), strict=True))
        spring = " ".join(map(repr, np.atleast_1d(rest).tolist()))
        tendons += f'<fixed name="tendon{k}" stiffness="{stiffness}" damping="{damping}" springlength="{spring}">{joints}</fixed>'
    text = "".join(written(i) for i in range(n) if parents[i] < 0)
    other = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody><tendon>{tendons}</tendon></mujoco>")
    order = [other.jnt_dofadr[mujoco.mj_name2id(other, mujoco.mjtObj.mjOBJ_JOINT, f"b{i}")] for i in range(n)]
    return scene, other, order


@examples(6, 60)
@given(seed=st.integers(0, 2**16), n=st.integers(1, 5))
def test_accelerations_equal_mujoco_on_random_trees(seed, n):
    rng = np.random.default_rng(seed)
    scene, other, order = chain(rng, n)
    q, qdot = rng.normal(size=(2, n))
    data = mujoco.MjData(other)
    data.qpos[order], data.qvel[order] = q, qdot
    mujoco.mj_forward(other, data)
    d = rm.Dynamics(scene.model(), backend="interpret")
    assert agree(d.forward(q, qdot), data.qacc[order], 1e-10)
    momentum = np.zeros(n)
    mujoco.mj_mulM(other, data, momentum, data.qvel)
    assert agree(d.inertia(q) @ qdot, momentum[order], 1e-11)


def pair(tendon, motion=None, **given) -> rm.Scene:
    scene = rm.Scene()
    bar = rm.Cuboid((0.3, 0.05, 0.04), density=1000)
    hip = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), name="hip", q=0.3, motion=motion)
    knee = scene.add_body(bar, joint=rm.Universal(), parent=hip, at=(0.3, 0, 0), com=(0.15, 0, 0), name="knee", qdot=(1, -0.5))
    scene.add_body(bar, joint=rm.Prismatic("x"), parent=knee, at=(0.3, 0, 0), com=(0.15, 0, 0), name="foot")
    if tendon:
        scene.add_force(rm.FixedTendon({hip: 1.0, "knee": (-0.5, 0.7), "foot": 2.0}, name="tendon", **given))
    return scene


@pytest.mark.parametrize("name", ["recursive", *[pytest.param(name, marks=pytest.mark.long) for name in ("redmax", "maximal")]])
def test_energy_stays_without_damping(name):
    run = rm.simulate(pair(True, stiffness=200.0), 0.3, rtol=1e-10, dynamics=name, progress=False)
    assert run.energy.drift.max() < 1e-9
    force = run.force("tendon")
    q = run.q
    assert np.allclose(force.length, q[:, 0] - 0.5 * q[:, 1] + 0.7 * q[:, 2] + 2.0 * q[:, 3])
    assert np.allclose(force.tension, 200.0 * (force.length - force.length[0]))
    assert np.allclose(force.potential, 0.5 * 200.0 * (force.length - force.length[0]) ** 2)
    assert np.allclose(force.power, -force.tension * force.rate)


@pytest.mark.parametrize("moved", [False, True])
def test_a_stiff_implicit_step_is_the_one_of_exact_stiffness(moved):
    """(M + h D - h^2 K) a = f + h K qdot, with K and D of the tendon by differences of the accelerations that it causes."""
    given = {"stiffness": 5e5, "damping": 300.0, "rest": 0.3}
    motion = (lambda t: [0.3 + 0.2 * t]) if moved else None
    h, scene = 1e-3, pair(True, motion, **given)
    model = scene.model()
    free = [k for k in range(4) if not (moved and k == 0)]
    d, bare = (rm.Dynamics(pair(tendon, None, **given).model(), backend="interpret") for tendon in (True, False))
    q, qdot = model.q0, np.array([0.2 if moved else 0.0, 1.0, -0.5, 0.0])
    M, c = d.inertia(q), np.array([1.0, -0.5, 0.7, 2.0])
    K, D = -5e5 * np.outer(c, c), 300.0 * np.outer(c, c)
    f = M @ d.forward(q, qdot)
    assert agree(f - M @ bare.forward(q, qdot), -c * (5e5 * (c @ q - 0.3) + 300.0 * (c @ qdot)), 1e-9)
    A, b = M + h * D - h * h * K, f + h * K @ qdot
    a = np.linalg.solve(A[np.ix_(free, free)], b[free])
    for name in ("recursive", "redmax", "maximal"):
        run = rm.simulate(scene, h, dt=h, integrator="implicit", dynamics=name, backend="interpret", progress=False)
        assert agree(run.qdot[-1][free] - qdot[free], h * a, 5e-3 if name == "maximal" else 1e-8), name  # whose joints have moved


def test_bdf_finds_its_step_with_a_stiff_tendon():
    stiff = pair(True, stiffness=2e4, damping=20.0)
    exact = rm.simulate(stiff, 0.05, rtol=1e-9, progress=False).q[-1]
    errors = [np.abs(rm.simulate(stiff, 0.05, dt=dt, integrator="bdf2", progress=False).q[-1] - exact).max() for dt in (5e-4, 2.5e-4)]
    assert errors[1] < 0.35 * errors[0] < 1e-2


def test_numbers_of_a_tendon_are_parameters_and_survive_files(tmp_path):
    scene = pair(True, stiffness=200.0, damping=1.0)
    scene.save(tmp_path / "pair.yaml")
    again = rm.Scene.load(tmp_path / "pair.yaml")
    q, qdot = np.full(4, 0.1), np.full(4, 0.3)
    d = rm.Dynamics(scene.model(), "interpret")
    assert np.array_equal(rm.Dynamics(again.model(), "interpret").forward(q, qdot), d.forward(q, qdot))
    worlds = {"tendon.stiffness": [200.0, 10.0], "tendon.joints.knee": [(-0.5, 0.7), (0.1, 0.2)]}
    found = rm.Dynamics(scene.model(), "interpret", parameters=worlds).forward(q, qdot)
    other = rm.Scene.load(tmp_path / "pair.yaml")
    other.forces.clear()
    other.add_force(rm.FixedTendon({"hip": 1.0, "knee": (0.1, 0.2), "foot": 2.0}, stiffness=10.0, damping=1.0, name="tendon"))
    assert np.allclose(found, [d.forward(q, qdot), rm.Dynamics(other.model(), "interpret").forward(q, qdot)], rtol=1e-12)


@pytest.mark.parametrize(
    ("joints", "given", "said"),
    [
        ({}, {}, "joints with their coefficients"),
        ({"hip": 1.0, "ankle": 2.0}, {}, "ankle"),
        ({"knee": 1.0}, {}, "which has 2 coordinates"),
        ({"hip": "much"}, {}, "a number for 'hip'"),
        ({"hip": 1.0}, {"rest": (2.0, 1.0)}, "the lower one first"),
        ({"hip": 1.0}, {"stiffness": -1.0}, "a number from 0 up"),
        ({3: 1.0}, {}, "bodies whose joints they are"),
        ({"ball": (1.0, 2.0, 3.0)}, {}, "may exchange its coordinates"),
    ],
)
def test_tendons_that_make_no_sense_get_a_sentence(joints, given, said):
    scene = pair(False)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical(), name="ball")
    with pytest.raises(rm.SceneError, match=said):
        scene.add_force(rm.FixedTendon(joints, **given))
