"""BDF1 and BDF2 with dynamics "maximal": the motion of the others, found from the sparse system of bodies, joints and rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.constraints.four_bar import four_bar

import redmax as rm

LONG = pytest.mark.long


def bars(count: int = 3) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    scene, found = rm.Scene(), list[rm.BodyHandle]()
    joints = [rm.Universal(), rm.Revolute("y"), rm.Spherical(), rm.Revolute("x")]
    for k in range(count):
        parent = found[-1] if k else None
        found.append(
            scene.add_body(
                rm.Cuboid((0.4, 0.05, 0.08), mass=1.0), joint=joints[k % 4], parent=parent, at=(0.4 * (k > 0), 0, 0), com=(0.2, 0, 0)
            )
        )
    return scene, found


def sprung() -> rm.Scene:
    """A spring between the ends, and a muscle-like cable on the way: forces that couple bodies, without rows."""
    scene, b = bars(4)
    scene.add_force(rm.SpringDamper(b[0].point(0.1, 0, 0.1), b[3].point(0, 0.1, 0), stiffness=300, damping=2))
    scene.add_force(rm.SpringDamper(b[1], (0.5, 0.5, 0), stiffness=50))
    return scene


def chain_on_a_rod() -> rm.Scene:
    """A loop in space: a point of the last body at a distance from the first, beside the spring."""
    scene = sprung()
    first, second, _, last = (scene.find(f"body{k}") for k in range(1, 5))
    scene.add_constraint(rm.PointInPlane(last.point(0.1, 0, 0), (0, 0, 0), (0, 1, 0), name="plane"))
    scene.add_constraint(rm.Gear(first, second, 2.0, coordinates=(1, 0)))
    scene.assemble()
    return scene


def swinging_into_a_limit() -> rm.Scene:
    scene, b = bars(2)
    scene.add_constraint(rm.HardLimit(b[1], lower=-0.2, upper=0.3))
    scene.add_constraint(rm.Rope([(0.2, 0.3, 0), b[1].point(0.2, 0, 0)], length=0.75))
    return scene


def soft_loop() -> rm.Scene:
    return four_bar(compliance=1e-5)


def driven_loop() -> rm.Scene:
    """A slider-crank whose crank is prescribed, and a wheel that hangs on it."""
    scene, bar = rm.Scene(), rm.Cuboid((0.4, 0.05, 0.08), mass=1.0)
    crank = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), motion=lambda t: 0.4 + 3 * t)
    rod = scene.add_body(rm.Cuboid((1, 0.05, 0.05), mass=1), joint=rm.Revolute("y"), parent=crank, at=(0.4, 0, 0), com=(0.5, 0, 0))
    scene.add_body(bar, joint=rm.Universal(), parent=rod, at=(0.5, 0, 0), com=(0.2, 0, 0), qdot=(1.0, 2.0))
    scene.add_constraint(rm.PointInPlane(rod.point(0.5, 0, 0), (0, 0, 0), (0, 0, 1)))
    scene.assemble()
    return scene


OTHERS = four_bar, swinging_into_a_limit, sprung, soft_loop, driven_loop


@pytest.mark.parametrize("integrator", ["bdf2", pytest.param("bdf1", marks=LONG)])
@pytest.mark.parametrize("scene", [chain_on_a_rod, *[pytest.param(scene, marks=LONG) for scene in OTHERS]])
def test_all_dynamics_move_alike(scene, integrator):
    runs = {d: rm.simulate(scene(), 0.2, 0.005, integrator=integrator, dynamics=d) for d in ("recursive", "redmax", "maximal")}
    scale = np.abs(runs["recursive"].q).max()
    for d in ("redmax", "maximal"):
        assert np.abs(runs[d].q - runs["recursive"].q).max() < 1e-8 * scale
        assert np.abs(runs[d].qdot - runs["recursive"].qdot).max() < 1e-8 * np.abs(runs["recursive"].qdot).max()
    assert not runs["maximal"].joint_drift.any()
    for c, other in zip(runs["maximal"].model.constraints, runs["recursive"].model.constraints, strict=True):
        forces, expected = (runs[d].constraint(x.name).multipliers for d, x in (("maximal", c), ("recursive", other)))
        assert np.abs(forces - expected).max() < 1e-6 * max(np.abs(expected).max(), 1.0)


def test_worlds_and_types():
    """Worlds in lanes are those alone and those of the interpreter; short floats are rounded doubles."""
    scene, how = chain_on_a_rod(), {"integrator": "bdf2", "dynamics": "maximal"}
    on = rm.simulate(scene, 0.2, 0.005, **how)
    many = rm.simulate(scene, 0.02, 0.005, initial=rm.State(0.0, on.q[::10], on.qdot[::10]), **how)
    alone = rm.simulate(scene, 0.02, 0.005, initial=rm.State(0.0, on.q[20], on.qdot[20]), **how)
    assert np.abs(many.q[:, 2] - alone.q).max() < 1e-12
    interpreted, short, expected = (
        rm.simulate(scene, 0.01, 0.005, **how, **more) for more in ({"backend": "interpret"}, {"dtype": "float32"}, {})
    )
    assert np.abs(interpreted.q - expected.q).max() < 1e-12
    assert short.q.dtype == np.float32
    assert np.abs(short.q - expected.q).max() < 1e-6
