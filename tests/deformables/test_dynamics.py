"""Deformables in motion: conservation, attachments, beam theory, damping, and implicit steps against a dense oracle of differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree

STEEL: dict[str, Any] = {"density": 1000.0, "youngs": 2e4, "poisson": 0.3}


def flying(material: str = "neo-hookean", **options: Any) -> rm.Scene:
    """A block that turns, stretches and flies."""
    block = rm.Tetrahedra.box((0.4, 0.3, 0.2), (2, 2, 1), **(STEEL | {"material": material} | options), name="block")
    x = block.nodes
    v = np.cross([1.0, -2.0, 3.0], x) + 0.5 * x @ np.diag([1, -1, 2]) + [0.3, 0.2, -0.1]
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_deformable(block.moved(x * [1.1, 0.95, 1.0], v))
    return scene


def totals(run: rm.Trajectory, name: str, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum from the nodes alone."""
    x = run.nodes(name)
    first = run.model.soft[0].first
    v = np.stack(
        [(run.observed.pose[:, i, :3, :3] @ run.observed.twist[:, i, 3:, None])[..., 0] for i in range(first, first + x.shape[1])], 1
    )
    return (masses[:, None] * v).sum(1), (masses[:, None] * np.cross(x, v)).sum(1)


@pytest.mark.parametrize("material", ["neo-hookean", "corotated"])
def test_free_flight_keeps_momentum_and_energy(material):
    scene = flying(material)
    run = rm.simulate(scene, 0.5, 0.05, integrator="adaptive", rtol=1e-10, progress=False)
    linear, angular = totals(run, "block", scene.deformables[0].masses)
    assert np.ptp(run.energy.potential) > 0.1 * run.energy.kinetic.max()
    assert agree(linear, np.broadcast_to(linear[0], linear.shape), 1e-12)
    assert agree(angular, np.broadcast_to(angular[0], angular.shape), 1e-8)  # a polynomial of degree 2: kept as well as the method can
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()
    assert agree(run.momentum, np.concatenate([angular, linear], 1), 1e-12)


@pytest.mark.parametrize("material", ["neo-hookean", "corotated"])
@pytest.mark.parametrize("rayleigh", [(0.0, 0.0), (0.0, 0.05)])
def test_forces_are_in_balance(material, rayleigh):
    """Accelerations of the nodes have no sum and no moment: what the integrator adds to angular momentum is its own."""
    scene = flying(material, rayleigh=rayleigh)
    model = scene.model()
    masses = scene.deformables[0].masses[:, None]
    a = rm.Dynamics(model).forward(model.q0, model.qdot0).reshape(-1, 3)
    x, scale = model.q0.reshape(-1, 3), np.abs(masses * a).max()
    assert np.abs((masses * a).sum(0)).max() < 1e-12 * scale
    assert np.abs(np.cross(x, masses * a).sum(0)).max() < 1e-12 * scale


@pytest.mark.parametrize("rayleigh", [(2.0, 0.0), (0.0, 0.02), (1.0, 0.01)])
def test_rayleigh_damping_only_dissipates(rayleigh):
    run = rm.simulate(flying(rayleigh=rayleigh), 0.5, 0.01, integrator="adaptive", rtol=1e-9, progress=False)
    assert np.diff(run.energy.total).max() < 1e-9 * run.energy.kinetic.max()
    assert run.energy.total[-1] < 0.9 * run.energy.total[0]
    if rayleigh[0] == 0:  # damping by stiffness is internal: neither a force nor a torque on the whole
        assert agree(run.momentum[-1, 3:], run.momentum[0, 3:], 1e-12)
        assert agree(run.momentum[-1, :3], run.momentum[0, :3], 1e-7)  # a polynomial of degree 2: kept as well as the method can


def carried(integrator_dofs: bool = True, youngs: float = 5e4, rayleigh: Any = (0.0, 0.0)) -> rm.Scene:
    """A swinging link that carries a soft beam by the nodes of one end, and a second one held by the world."""
    scene = rm.Scene()
    link = scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=[0.4], name="link")
    hand = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Spherical(), parent=link, at=(0.3, 0, 0), com=(0.05, 0, 0), name="hand")
    E = scene.model().links and rm.Dynamics(scene.model()).observe(scene.model().q0, np.zeros(4)).pose[1]
    at = E @ rm.pose(np.eye(3), (0.05, 0, 0))
    beam = rm.Tetrahedra.beam(0.3, 0.1, 0.1, (3, 1, 1), at=at, density=800, youngs=youngs, poisson=0.3, rayleigh=rayleigh, name="beam")
    scene.add_deformable(beam.attach(hand, lambda x: np.linalg.norm((x - at[:3, 3]) @ at[:3, :1], axis=1) < 1e-6))
    return scene


def test_order_of_coordinates():
    """Joints first, then the free nodes, three numbers each, in the order of nodes; run.nodes has all of them."""
    scene = carried()
    model, beam = scene.model(), scene.deformables[0]
    assert model.nq == 4 + 3 * len(beam.free)
    assert np.array_equal(model.q0[4:].reshape(-1, 3), beam.positions[beam.free])
    run = rm.simulate(scene, 0.1, 0.01, progress=False)
    assert run.integrator == "implicit"
    assert run.nodes("beam").shape == (11, len(beam.nodes), 3)
    assert np.array_equal(run.nodes("beam")[:, beam.free].reshape(11, -1), run.q[:, 4:])
    assert agree(run.nodes("beam")[0], beam.positions, 1e-13)


@pytest.mark.parametrize("integrator", ["implicit", "adaptive"])
def test_attached_nodes_stay_on_their_body(integrator):
    scene = carried()
    beam = scene.deformables[0]
    run = rm.simulate(scene, 0.3, 0.01, integrator=integrator, progress=False)
    kept = [i for i in range(len(beam.nodes)) if i in beam.attachments]
    assert len(kept) == 4
    E = run.pose("hand")
    local = np.einsum("tji,tnj->tni", E[:, :3, :3], run.nodes("beam")[:, kept] - E[:, None, :3, 3])
    assert np.abs(local - local[0]).max() < 1e-12
    assert np.ptp(run.nodes("beam")[:, kept], axis=0).max() > 0.05


def test_carried_energy_and_momentum_balance():
    """Body and beam together: energy is kept, by the adaptive method."""
    run = rm.simulate(carried(youngs=2e4), 0.5, 0.05, integrator="adaptive", rtol=1e-10, progress=False)
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()


def test_a_stiff_block_is_part_of_its_body():
    """A pendulum with an all but rigid block attached swings as one whose body has the block's nodes as further masses."""
    periods = []
    for soft in (True, False):
        scene = rm.Scene()
        bob = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Revolute("y"), com=(0, 0, -0.5), q=[0.1], name="bob")
        at = rm.rotation_about((0, 1, 0), 0.1) @ np.array([0, 0, -0.7])
        E = rm.pose(rm.rotation_about((0, 1, 0), 0.1), at)
        block = rm.Tetrahedra.box((0.2, 0.2, 0.2), (1, 1, 1), at=E, density=500, youngs=1e8, poisson=0.3)
        if soft:
            scene.add_deformable(block.attach(bob, lambda x: np.arange(len(x)) < 4))
        else:
            for x, m in zip(block.nodes, block.masses, strict=True):
                local = rm.rotation_about((0, 1, 0), 0.1).T @ x
                scene.add_body(rm.MassProperties(m, 1e-12 * np.eye(3)), joint=rm.Fixed(), parent=bob, at=local)
        run = rm.simulate(scene, 0.6, 0.004, integrator="implicit", progress=False)
        q = run.q[:, 0]
        falling = np.flatnonzero((q[:-1] > 0) & (q[1:] <= 0))
        periods.append(np.interp(0.0, [-q[falling[0]], -q[falling[0] + 1]], [run.t[falling[0]], run.t[falling[0] + 1]]))
    assert periods[0] == pytest.approx(periods[1], rel=1e-3)


def bent(cells: tuple[int, int, int], youngs: float = 1e6, force: float = 0.4) -> float:
    """Deflection of the loaded tip of a cantilever, found with heavy damping, over F L^3 / (3 E I)."""
    L, w, h = 1.0, 0.1, 0.1
    beam = rm.Tetrahedra.beam(
        L, w, h, cells, density=100, youngs=youngs, poisson=0.0, rayleigh=(20.0, 0.0), material="corotated", name="beam"
    )
    tip = np.flatnonzero(beam.nodes[:, 0] > L - 1e-9)
    scene = rm.Scene(gravity=(0, 0, 0))
    plate = scene.add_body(rm.Cuboid((0.01, w, h), mass=0.05), joint=rm.Translational(), at=(L, 0, 0))
    scene.add_deformable(beam.hold(lambda x: x[:, 0] < 1e-9).attach(plate, tip[:1]))
    scene.add_wrench(plate, force=(0, 0, -force), frame="world")
    run = rm.simulate(scene, 3.0, 0.1, progress=False)
    assert np.abs(run.qdot[-1]).max() < 1e-5
    return -float(run.nodes("beam")[-1, tip, 2].mean() - beam.nodes[tip, 2].mean()) / (force * L**3 / (3 * youngs * w * h**3 / 12))


def test_a_cantilever_bends_as_beam_theory_says():
    """Linear tetrahedra are too stiff in bending by what falls with the square of their size; extrapolated, E I is right."""
    stiffness = [1.0 / bent((10 * n, n, n)) for n in (1, 2, 3)]
    assert (stiffness[0] - 1) / (stiffness[1] - 1) == pytest.approx(4, abs=0.5)
    assert (stiffness[1] - 1) / (stiffness[2] - 1) == pytest.approx(9 / 4, abs=0.25)
    assert stiffness[2] + (stiffness[2] - stiffness[1]) * 4 / 5 == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("rayleigh", [(0.0, 0.0), (1.0, 0.01)])
def test_direct_and_iterative_solvers_agree(rayleigh):
    runs = [rm.simulate(carried(rayleigh=rayleigh), 0.2, 0.01, solver=s, progress=False) for s in ("direct", "cg")]
    assert agree(runs[1].q, runs[0].q, 1e-8)


def energy(block: rm.Tetrahedra, x: np.ndarray) -> float:
    """By the laws' own energies, element by element."""
    return sum(float(e.law.energy(x[n], d)) for e in block.elements for n, d in zip(e.nodes, e.data, strict=True))


def test_one_implicit_step_against_a_dense_oracle():
    """(M + h D - h^2 K) a = f + h K v, with f and K from differences of the energy alone, and D = alpha M + beta times the second
    derivative of half the power that the rates of the Green strain dissipate. The block is stretched: there the exact K is taken."""
    block = rm.Tetrahedra.box((0.3, 0.2, 0.2), (1, 1, 1), density=1000, youngs=1e4, poisson=0.3, rayleigh=(0.5, 0.02), name="b")
    rng, h = np.random.default_rng(1), 0.01
    x = block.nodes * [1.3, 0.95, 0.95] + 0.003 * rng.normal(size=block.nodes.shape)
    v = rng.normal(size=block.nodes.shape)
    held = [0, 3]
    scene = rm.Scene()
    scene.add_deformable(block.hold(held).moved(x, v))
    v[held] = 0
    n = x.size
    step = 1e-3

    def V(y: np.ndarray) -> float:
        return energy(block, y.reshape(-1, 3))

    def gradient(y: np.ndarray) -> np.ndarray:
        near = [approx_central(V, y, s) for s in (step, step / 2)]
        return (4 * near[1] - near[0]) / 3

    f = -gradient(x.ravel())
    K = -np.array([(gradient(x.ravel() + step * e) - gradient(x.ravel() - step * e)) / (2 * step) for e in np.eye(n)]).T
    M = np.repeat(block.masses, 3)
    D = 0.5 * np.diag(M) + 0.02 * viscosity(block, x, 1e4, 0.3)
    f = f + np.tile([0, 0, -9.81], len(x)) * M - D @ v.ravel()
    free = ~np.isin(np.arange(n) // 3, held)
    A = np.diag(M) + h * D - h * h * K
    a = np.linalg.solve(A[np.ix_(free, free)], (f + h * K @ v.ravel())[free])
    run = rm.simulate(scene, h, h, progress=False)
    assert agree((run.qdot[1] - run.qdot[0]) / h, a, 2e-5)


def viscosity(block: rm.Tetrahedra, x: np.ndarray, E: float, nu: float) -> np.ndarray:
    """V (2 mu Edot : Edot' + lambda tr(Edot) tr(Edot')) for all pairs of velocities, Edot by a difference of F'F/2."""
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    rest, found = block.nodes[block.tets], np.zeros((x.size, x.size))
    B = np.linalg.inv((rest[:, 1:] - rest[:, :1]).transpose(0, 2, 1))

    def strain(y: np.ndarray) -> np.ndarray:
        p = y.reshape(-1, 3)[block.tets]
        F = (p[:, 1:] - p[:, :1]).transpose(0, 2, 1) @ B
        return F.transpose(0, 2, 1) @ F / 2

    rates = np.array([(strain(x.ravel() + e) - strain(x.ravel() - e)) / 2 for e in np.eye(x.size)])  # exact: a polynomial of degree 2
    traces = np.trace(rates, axis1=2, axis2=3)
    found += 2 * mu * np.einsum("t,atij,btij->ab", block.volumes, rates, rates)
    return found + lam * np.einsum("t,at,bt->ab", block.volumes, traces, traces)


def approx_central(V: Any, y: np.ndarray, s: float) -> np.ndarray:
    return np.array([(V(y + s * e) - V(y - s * e)) / (2 * s) for e in np.eye(len(y))])


def test_implicit_is_of_first_order():
    scene = carried(youngs=2e4)
    exact = rm.simulate(scene, 0.1, 0.1, integrator="adaptive", rtol=1e-10, progress=False).q[-1]
    errors = [np.abs(rm.simulate(scene, 0.1, h, progress=False).q[-1] - exact).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.25)
    assert errors[1] / errors[2] == pytest.approx(2, abs=0.15)


def test_a_prescribed_joint_carries_a_soft_beam():
    """It follows its motion; the torque it takes is that of inverse dynamics with the nodes' accelerations."""
    scene = rm.Scene()
    motor = scene.add_body(
        rm.Cuboid((0.2, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.1, 0, 0), name="motor", motion=lambda t: [0.5 * np.sin(3.0 * t)]
    )
    beam = rm.Tetrahedra.beam(0.3, 0.1, 0.1, (3, 1, 1), at=(0.2, 0, 0), density=800, youngs=5e4, poisson=0.3, name="beam")
    scene.add_deformable(beam.attach(motor, lambda x: x[:, 0] < 0.2 + 1e-9))
    run = rm.simulate(scene, 0.4, 0.01, integrator="adaptive", rtol=1e-10, progress=False)
    assert agree(run.q[:, 0], 0.5 * np.sin(3 * run.t), 1e-8)
    dynamics = rm.Dynamics(run.model)
    tau = dynamics.inverse(run.q, run.qdot, run.qddot, t=run.t)
    assert agree(run.torque[:, 0], tau[:, 0], 1e-9)
    assert np.abs(tau[:, 1:]).max() < 1e-9 * np.abs(tau).max()
    # the torque's work is what the energy changes by
    power = run.torque[:, 0] * run.qdot[:, 0]
    fine = rm.simulate(scene, 0.4, 0.002, integrator="adaptive", rtol=1e-10, progress=False)
    power = fine.torque[:, 0] * fine.qdot[:, 0]
    from scipy.integrate import simpson

    assert simpson(power, x=fine.t) == pytest.approx(fine.energy.total[-1] - fine.energy.total[0], rel=1e-5)
    rough = rm.simulate(scene, 0.4, 0.01, progress=False)
    assert agree(rough.q[:, 0], 0.5 * np.sin(3 * rough.t), 2e-2)


def test_exact_stiffness_beside_a_deformable_is_refused():
    scene = rm.Scene()
    a = scene.add_body(rm.Cuboid((0.3, 0.1, 0.1)), joint=rm.Spherical(), com=(0.15, 0, 0))
    scene.add_force(rm.PointSpring((0, 0, 1), a, stiffness=300, stiffness_kind="exact", name="tie"))
    scene.add_deformable(rm.Tetrahedra.box((0.1, 0.1, 0.1), (1, 1, 1), **STEEL))
    with pytest.raises(rm.RedmaxError, match=r"'tie' with stiffness_kind='exact' beside deformables.*Leave stiffness_kind out"):
        rm.simulate(scene, 0.05, 0.01, integrator="implicit", progress=False)
