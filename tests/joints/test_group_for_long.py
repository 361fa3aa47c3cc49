"""Groups survive long runs: by every method R'R = 1 and |q| = 1 hold to roundings after a million steps, and nobody normalises anything.

The products of a step are corrected once for what was rounded before (joints/group/base.py), without a root or a division. Products alone
keep to 1e-12 as well where roundings differ from step to step; not where they repeat, as in a spin at a constant rate, which is why.
"""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from joints.group_forms import JOINTS
from redmax.integrators import METHODS
from redmax.integrators.lie import ALONG_GROUPS
from redmax.joints.group.rotations import NOWHERE, RotationMatrix, UnitQuaternion
from redmax.lie import quaternions, so3

FORMS = [name for name in JOINTS if name.startswith(("ball", "free"))]
STEP = 1e-3  # s
ROUNDINGS = 1e-14  # a hundredth of what is asked for


class ProductOfQuaternions(UnitQuaternion):
    """Rounded, and not corrected."""

    def turned(self, q, turn, position=NOWHERE):
        return quaternions.product(q, turn)


class ProductOfMatrices(RotationMatrix):
    """The same."""

    def step(self, q, delta):
        return (self.turn(q) @ so3.exp(delta)).ravel()


class ByProductsAlone(rm.Spherical):
    """A ball joint whose steps are products and nothing else."""

    elements = {"quaternion": ProductOfQuaternions(), "matrix": ProductOfMatrices()}  # noqa: RUF012


def farthest(name: str, integrator: str, steps: int) -> tuple[float, float]:
    """From the group, and of R'R from 1, in ten samples of a run: a pendulum that spins, or a body that tumbles as it flies."""
    ball = name.startswith("ball")
    return farthest_of(JOINTS[name], ball, integrator, steps)


def farthest_of(joint: rm.Joint, ball: bool, integrator: str, steps: int) -> tuple[float, float]:
    scene = rm.Scene(gravity=(0, 0, -9.81 if ball else 0.0))
    damping = 1e-3 * ball * (integrator == "forward-euler")  # which gains energy
    spin = np.array([3.1, -2.3, 1.7, 0.1, 0.2, -0.1])[: joint.dof]
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1.0), joint=joint, com=(0, 0, -0.2 if ball else 0.0), damping=damping, qdot=spin)
    whole = steps * STEP
    how = {"dt": whole / 10, "rtol": 1e-6} if integrator == "adaptive" else {"dt": STEP, "every": steps // 10}
    run = rm.simulate(scene, duration=whole, integrator=integrator, progress=False, **how)
    R = joint.pose(run.q)[:, :3, :3]
    return float(joint.off(run.q).max()), float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max())


@pytest.mark.parametrize(("integrator", "name"), [(m, FORMS[k % len(FORMS)]) for k, m in enumerate(METHODS)])
def test_every_method_keeps_the_group(integrator: str, name: str) -> None:
    off, crooked = farthest(name, integrator, 30_000)
    assert off < ROUNDINGS
    assert crooked < ROUNDINGS


@pytest.mark.long
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("integrator", METHODS)
def test_a_million_steps_of_every_method_keep_the_group(integrator: str, name: str) -> None:
    off, crooked = farthest(name, integrator, 1_000_000)
    assert off < 1e-12
    assert crooked < 1e-15 if "quaternion" in name else crooked < 1e-12


@pytest.mark.parametrize("form", ["quaternion", "matrix"])
@pytest.mark.parametrize("integrator", [m.name for m in ALONG_GROUPS])
def test_a_million_products_alone_keep_the_group_too(integrator: str, form: str) -> None:
    """Of a pendulum, whose roundings differ: they add up as a random walk does, 1e-16 times a thousand."""
    off, crooked = farthest_of(ByProductsAlone(form), True, integrator, 1_000_000)
    assert 1e-15 < off < 1e-12
    assert crooked < (1e-15 if form == "quaternion" else 1e-12)


@pytest.mark.parametrize("form", ["quaternion", "matrix"])
def test_roundings_that_repeat_are_why_products_are_corrected(form: str) -> None:
    """A million equal steps add up a million equal roundings; of a quaternion R does not know its length."""
    off, crooked = {}, {}
    for joint in (ByProductsAlone(form), rm.Spherical(form)):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), mass=1.0), joint=joint, qdot=(0, 0, 1.7), name="body")
        run = rm.simulate(scene, 1000.0, 1e-3, integrator="mk4", every=100_000)
        R = run.pose("body")[:, :3, :3]
        off[type(joint)], crooked[type(joint)] = joint.off(run.q).max(), np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max()
    assert 1e-12 < off[ByProductsAlone] < 1e-9
    assert off[rm.Spherical] < 1e-15
    assert max(crooked[rm.Spherical], crooked[ByProductsAlone] if form == "quaternion" else 0.0) < 1e-15


def test_a_quaternion_of_any_length_is_a_rotation() -> None:
    """R divides by |q|^2: in floats, and compiled, where the body's pose is R."""
    rng, scene = np.random.default_rng(0), rm.Scene()
    q = rng.normal(size=(20_000, 4)) * 10.0 ** rng.uniform(-6, 6, (20_000, 1))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical("quaternion"))
    seen = rm.Dynamics(scene).observe(q, np.zeros((len(q), 3)))
    for R in (np.asarray(so3.from_quaternion(q), float), seen.pose[:, 0, :3, :3]):
        assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < 1e-15
        assert np.abs(np.linalg.det(R) - 1).max() < 2e-15
