"""What nobody reads is left away from the way back, and that changes no number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.design.gradients.fixed_steps import FixedSteps
from redmax.program import turn_by_turn
from redmax.program.blocks import Row
from redmax.program.kernel import Kernel, Store
from redmax.program.plan import Plan
from redmax.program.read_kernels import Reads
from redmax.program.reverse_kernel import CopyKernels
from redmax.program.tape import regular
from redmax.program.unmoved import copied
from redmax.program.unread import Unread
from redmax.run.simulation import Simulation
from redmax.trace import Graph

DT, STEPS = 2e-3, 4


def arm(joint: Any, links: int = 3, spring: bool = False, **options: Any) -> rm.Scene:
    """spring: between its ends, so that rows of forces are among the blocks."""
    scene, bodies = rm.Scene(), list[Any]()
    for k in range(links):
        at = {"parent": bodies[-1], "at": (0.3, 0, 0)} if bodies else {}
        shape = rm.Cuboid((0.3, 0.1, 0.05), mass=1.0)
        bodies.append(scene.add_body(shape, joint=joint, com=(0.15, 0, 0), name=f"link{k}", **at, **options))
    if spring:
        ends = bodies[0].point(0, 0, 0.1), bodies[-1].point(0, 0, 0.1)
        scene.add_force(rm.PointSpring(*ends, stiffness=30.0, damping=0.5))
    return scene


SCENES = {
    "hinges": lambda: arm(rm.Revolute("y"), q=0.4),
    "balls": lambda: arm(rm.Spherical(), 2, q=(0.2, -0.5, 0.3)),
    "charts": lambda: arm(rm.SphericalEuler(), 2, q=(0.2, 1.2, 0.3)),
    "spring": lambda: arm(rm.Revolute("y"), spring=True, q=0.4, stiffness=2.0),
}


def found(scene: rm.Scene, integrator: str, running: bool) -> tuple[rm.RunGradient, Plan]:
    model = scene.model()
    begin = rm.State(0.0, model.q0, np.random.default_rng(1).normal(size=model.nv))
    cost = {"running": lambda now: now.tau @ now.tau + now.q[0] ** 2} if running else {}
    by, T = ["q", "qdot", "tau", "link1.mass"], STEPS * DT
    options: dict[str, Any] = {"by": by, "initial": begin, "integrator": integrator, "backend": "interpret", **cost}
    g = rm.gradient(model, lambda now: now.q @ now.q + now.qdot[0], T, DT, **options)
    return g(), g._run.turns.backwards


def operations(plan: Plan) -> int:
    return sum(kernel.operations + len(kernel.stores) for row in plan.rows if isinstance(kernel := row.group.kernels[row.sweep], Kernel))


METHODS = ("euler", "rk4", "implicit", "bdf1", "bdf2")
FEW = {("hinges", "bdf2"), ("balls", "euler"), ("charts", "rk4"), ("spring", "implicit")}
PAIRS = [pytest.param(s, m, marks=() if (s, m) in FEW else pytest.mark.long) for s in SCENES for m in METHODS]


@pytest.mark.parametrize(("scene", "integrator"), PAIRS)
def test_no_number_changes(scene, integrator, monkeypatch):
    """Beside the same plans with all that they might compute; rows that become one may round otherwise."""
    less, plan = found(SCENES[scene](), integrator, integrator == "bdf2")

    def whole(self: Unread) -> Plan:
        self.asked = {n: np.ones(len(slots), bool) for n, slots in enumerate(self.plan.inputs)}
        return self.plan

    monkeypatch.setattr(Unread, "without", whole)
    monkeypatch.setattr(turn_by_turn, "joined", lambda plan: plan)
    more, all_of_it = found(SCENES[scene](), integrator, integrator == "bdf2")
    assert less.value == pytest.approx(more.value, rel=1e-14)
    for name, slope in more.by.items():
        assert np.allclose(less.by[name], slope, rtol=1e-12, atol=1e-13 * np.abs(slope).max()), name
    assert operations(plan) < (1.0 if scene == "spring" else 0.97) * operations(all_of_it)  # routines reversed may read anything


def test_states_are_not_stepped_again():
    """Of an explicit step the way back reads what the accelerations were found from; where the step leads is noted already."""
    plan = FixedSteps(Simulation(arm(rm.Revolute("y")).model(), dt=DT, integrator="euler")).turns.backwards
    names = {group.kernels[number].name for group in plan.groups for number in range(len(group.kernels))}
    kept = {k.name for group in plan.groups for k in group.kernels if isinstance(k, Kernel) and k.stores}
    assert "accelerate" in names
    assert not {"symplectic_step", "arrive", "tick"} & kept


def test_reads_are_those_of_the_stores_that_are_kept():
    graph = Graph()
    a, b = graph.input("record", 0), graph.input("parent", 3)
    reads = Reads(Kernel("pair", (Store("record", 1, a * 2.0), Store("upward", 2, b, accumulate=True))))
    starts = np.array([0, 100, 200, 300, 400, 0])
    assert sorted(reads.stored(starts).tolist()) == [101, 402]
    reads.kept = np.array([True, False])
    assert reads.read(starts).tolist() == [100]
    reads.kept = np.array([False, True])
    assert sorted(reads.read(starts).tolist()) == [203, 402]


@pytest.mark.parametrize(
    ("pairs", "moves", "expected"),
    [
        ([(4, 1), (7, 3), (10, 5), (14, 7)], True, (3, 3, 2)),
        ([(4, 0), (7, 0), (10, 0)], False, (3, 3, 0)),
        ([(7, 1), (4, 3)], True, (1, 0, 0)),
        ([(4, 3), (7, 1)], True, (1, 0, 0)),
        ([(5, 5)], True, (1, 0, 0)),
    ],
)
def test_copies_at_equal_distances_are_one(pairs, moves, expected):
    assert regular(pairs, moves) == expected
    count, far, wide = expected
    if count > 1:
        to, source = copied(Row(CopyKernels(count, far, wide), 0, (0, *pairs[0], 0, 0)))
        assert to.tolist() == [t for t, _ in pairs[:count]]
        assert source.tolist() == ([s for _, s in pairs[:count]] if moves else [])
