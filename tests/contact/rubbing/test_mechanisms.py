"""Chains of joints that rub: energy, batches, dynamics, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redmax as rm


def chain(kinds: list[str], friction: float, seed: int = 0, **rubbing: object) -> rm.Scene:
    rng, scene, last = np.random.default_rng(seed), rm.Scene(), None
    joints = {"hinge": rm.Revolute, "slide": rm.Prismatic, "ball": rm.Spherical}
    shapes = {"hinge": {"radius": 0.03, "height": 0.08}, "slide": {"size": (0.2, 0.05, 0.05)}, "ball": {"radius": 0.04}}
    for k, kind in enumerate(kinds):
        joint = rm.Spherical() if kind == "ball" else joints[kind](rng.normal(size=3))
        body = scene.add_body(
            rm.Cuboid(rng.uniform(0.05, 0.2, 3), mass=rng.uniform(0.5, 2)), joint=joint, parent=last, at=rng.normal(size=3) * 0.2,
            com=rng.normal(size=3) * 0.1, qdot=rng.normal(size=joint.dof), name=f"b{k}",
        )  # fmt: skip
        scene.add_force(rm.JointFriction(body, friction, **shapes[kind], **rubbing))  # type: ignore[arg-type]
        last = body
    return scene


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(["hinge", "slide", "ball"]), min_size=1, max_size=4), st.floats(0.0, 1.5), st.integers(0, 99))
def test_dynamics_agree(kinds, friction, seed):
    runs = [rm.simulate(chain(kinds, friction, seed), 0.1, 0.005, dynamics=name) for name in ("redmax", "recursive")]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-6)
    assert np.allclose(runs[0].qdot, runs[1].qdot, atol=1e-4)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(["hinge", "slide", "ball"]), min_size=1, max_size=4), st.floats(0.1, 1.5), st.integers(0, 99))
def test_friction_never_adds_energy(kinds, friction, seed):
    """The work of friction in a step is h x'(v + v1) / 2, from velocities v without it to v1 with it; also where turns end too early."""
    scene = chain(kinds, friction, seed)
    scene.set_staggering(tolerance=1e-3, iterations=4)
    run, dynamics, h = rm.simulate(scene, 0.2, 0.005), rm.Dynamics(scene), 0.005
    x, v = run.friction_torque[1:], run.qdot[1:]
    taken = np.linalg.solve(dynamics.inertia(run.q[:-1]), x[..., None])[..., 0]
    work = h * (x * (v - 0.5 * h * taken)).sum(axis=-1)
    assert (work <= 1e-12 * np.abs(work).max()).all()
    assert np.abs(work).max() > 0


def test_joints_come_to_rest_and_stay():
    run = rm.simulate(chain(["hinge", "hinge"], 8.0, 3), duration=4, dt=0.005)
    assert np.abs(run.qdot[-1]).max() < 1e-8
    assert np.abs(run.q[-1] - run.q[-100]).max() < 1e-8


@pytest.mark.parametrize("dynamics", ["redmax", "recursive"])
def test_a_batch_is_its_worlds(dynamics):
    scene = chain(["ball", "hinge", "slide"], 0.4)
    q = np.random.default_rng(1).normal(size=(11, 5)) * 0.3
    qdot = 2 * q[::-1]
    whole = rm.simulate(scene, 0.2, 0.005, dynamics=dynamics, initial=rm.State(0.0, q, qdot))
    for k in (0, 4, 10):
        alone = rm.simulate(scene, 0.2, 0.005, dynamics=dynamics, initial=rm.State(0.0, q[k], qdot[k]))
        assert np.allclose(whole.q[:, k], alone.q, atol=1e-9)
        assert np.allclose(whole.world(k).rubbing("b1").normals, alone.rubbing("b1").normals, atol=1e-5)


def test_interpreted_is_compiled():
    scene = chain(["hinge", "ball"], 0.4)
    runs = [rm.simulate(scene, 0.05, 0.005, dynamics="redmax", backend=b) for b in ("llvm", "interpret")]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-9)


def test_steps_by_themselves_are_the_run():
    scene = chain(["hinge", "hinge"], 0.5)
    run, sim = rm.simulate(scene, 0.2, 0.01), rm.Simulation(scene, dt=0.01)
    sim.step(10)
    kept = sim.checkpoint()
    sim.step(10)
    assert np.array_equal(sim.state.q, run.q[-1])
    sim.restore(kept)
    sim.step(10)
    assert np.array_equal(sim.state.q, run.q[-1])


def test_reactions_balance_the_motion():
    run = rm.simulate(chain(["hinge", "slide"], 0.6, 5), 0.1, 0.001)
    torque = run.rubbing("b0").torque[1:]
    along = run.model.links[0].joint.axis
    assert np.allclose(run.reaction("b0")[1:, :3] @ along, torque[:, 0], atol=1e-9)


def test_scenes_without_friction_compile_to_what_they_were():
    from redmax.dynamics.choose import system
    from redmax.integrators import METHODS

    plain = chain(["hinge", "hinge"], 0.5)
    plain.forces.clear()
    program = METHODS["implicit"].program(system("recursive", plain.model()))
    assert (program.inputs, program.outputs) == (("q", "qdot", "tau", "t", "t0", "h", "k"), ("q", "qdot"))
    assert not any(name.startswith("rub") for name in program.fields.found_by_name)


def refused(scene: rm.Scene, **options: object) -> str:
    with pytest.raises(rm.RedmaxError) as error:
        rm.simulate(scene, 0.1, 0.01, **options)  # type: ignore[arg-type]
    return str(error.value)


def test_what_does_not_go_with_it_says_so():
    scene = chain(["hinge", "hinge"], 0.5)
    for integrator in ("rk4", "adaptive", "euler", "bdf1"):
        assert "Take 'implicit'" in refused(scene, integrator=integrator)
    assert "does not go with dynamics 'maximal'" in refused(scene, dynamics="maximal")
    scene.set_staggering(contact="unilateral")
    limit = scene.add_constraint(rm.HardLimit(scene.find("b1"), -3, 3))
    assert "by contact='unilateral' beside constraints" in refused(scene)
    scene.set_staggering()
    scene.constraints.remove(limit)
    scene.add_constraint(rm.HardLimit(scene.find("b1"), -3, 3, force_limits=5))
    assert "beside a constraint with limited force" in refused(scene)


def test_arguments_are_checked():
    scene = rm.Scene()
    hinge = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("x"), name="a")
    planar = scene.add_body(rm.Sphere(0.1), joint=rm.Planar(), name="p")
    with pytest.raises(rm.SceneError, match="takes radius and height"):
        scene.add_force(rm.JointFriction(hinge, 0.3, radius=0.1))
    with pytest.raises(rm.SceneError, match="Got size"):
        scene.add_force(rm.JointFriction(hinge, 0.3, radius=0.1, height=1, size=(1, 1, 1)))
    with pytest.raises(rm.SceneError, match="Give points and normals"):
        scene.add_force(rm.JointFriction(planar, 0.3, radius=0.1))
    with pytest.raises(rm.SceneError, match="even number from 4 up"):
        rm.JointFriction(hinge, 0.3, radius=0.1, height=1, sides=5)
    with pytest.raises(rm.SceneError, match="friction"):
        rm.JointFriction(hinge, -0.3, radius=0.1, height=1)
    scene.add_force(rm.JointFriction(hinge, 0.3, radius=0.1, height=1))
    scene.add_force(rm.JointFriction(hinge, 0.3, radius=0.1, height=1))
    with pytest.raises(rm.SceneError, match="are in one joint"):
        scene.model()


def test_points_of_ones_own():
    """A puck on a table: three feet."""
    scene = rm.Scene()
    puck = scene.add_body(rm.Cylinder(0.1, 0.02, mass=1), joint=rm.PlanarRotating(), qdot=(1, 0, 0), name="puck")
    feet = [(0.1, 0, 0), (-0.05, 0.08, 0), (-0.05, -0.08, 0)]
    scene.add_force(rm.JointFriction(puck, 0.3, points=feet, normals=[(0, 0, 1)] * 3, sides=None))
    run = rm.simulate(scene, duration=0.2, dt=0.01)
    assert np.isclose(run.qdot[-1, 0], 1 - 0.3 * 9.81 * 0.2, rtol=1e-3)


def test_files_hold_it(tmp_path):
    scene = chain(["hinge", "ball"], 0.4, sides=8)
    scene.set_staggering(tolerance=1e-5, iterations=50)
    scene.save(tmp_path / "scene.yaml")
    first, again = rm.simulate(scene, 0.05, 0.005), rm.simulate(tmp_path / "scene.yaml", 0.05, 0.005, out=tmp_path / "run.h5")
    assert np.array_equal(first.q, again.q)
    assert np.array_equal(rm.load(tmp_path / "run.h5").rubbing("b1").wrench, first.rubbing("b1").wrench)
