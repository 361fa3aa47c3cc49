"""Friction in the joints of a run: what each joint rubbed with, and what its points bore, during the step that led to each sample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from redmax.errors import SceneError, unknown
from redmax.lie import se3

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.rubbing import HeldPlace
    from redmax.run.simulation import Simulation
    from redmax.run.trajectory import Trajectory

WRENCH, TORQUE, NORMAL, HELD = "rub_t", "rub_torque", "rub_normal", "rub_held"  # what a runner notes of joints that rub


@dataclass(frozen=True, eq=False)
class RecordsFriction:
    """What a Trajectory knows of joints that rub; None where none do. Zero at the sample that a run begins with.

    friction: (time, ..., places that rub, 6), the wrench (torque; force) of friction by parent on child, in the joint frame (N m; N);
        behind them, where constraints rub, on the first body, at its place and in the axes of the other
    friction_torque: (time, ..., nv), the same along the coordinates
    normal_force: (time, ..., normals), what each normal of the points of all these joints bore (N)
    """

    friction: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    friction_torque: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    normal_force: np.ndarray | None = field(default=None, kw_only=True, repr=False)

    def rubbing(self, name: str) -> RubbingHistory:
        """What friction did in a joint, by the name of its JointFriction, of the joint, or of its body."""
        run = cast("Trajectory", self)
        model, first = run.model, 0
        known = [f.name for f in model.rubbings]
        for k, rubbing in enumerate(model.rubbings):
            last, held, i = first + rubbing.normals, rubbing.held, rubbing.body
            names = (model.constraints[held.constraint].name,) if held else (model.joint_names[i], model.body_names[i])
            if name in (rubbing.name, *names):
                own = slice(0, 0) if held else slice(int(model.offsets[i]), int(model.offsets[i + 1]))
                wrench, torque, normals = (np.asarray(x, float) for x in (self.friction, self.friction_torque, self.normal_force))
                return RubbingHistory(wrench[..., k, :], torque[..., own], normals[..., first:last])
            first = last
        raise SceneError(unknown("friction in a joint", name, known), argument="name")

    @cached_property
    def friction_on_bodies(self) -> np.ndarray:
        """(time, ..., bodies, 6): what friction in joints does to bodies, in body frames."""
        run = cast("Trajectory", self)
        model, pose = run.model, np.asarray(run.observed.pose, float)
        found = np.zeros((*pose.shape[:-2], 6))
        for k, i in enumerate(model.rubbing_at):
            link, F = model.links[i], np.asarray(self.friction, float)[..., k, :]
            found[..., i, :] += F @ np.asarray(se3.Ad(link.body), float)  # Ad(body)' F
            if link.parent >= 0:
                joint = pose[..., i, :, :] @ np.linalg.inv(link.body)
                found[..., link.parent, :] -= carried(np.linalg.inv(joint) @ pose[..., link.parent, :, :], F)
        for k, rubbing in enumerate(model.rubbing_held, len(model.rubbing_at)):
            held, F = rubbing.held, np.asarray(self.friction, float)[..., k, :]
            assert held
            place = held_pose(model, held, pose)
            for body, sign in zip(held.bodies, (1, -1), strict=True):
                if body >= 0:
                    found[..., body, :] += sign * carried(np.linalg.inv(place) @ pose[..., body, :, :], F)
        return found


@dataclass(frozen=True, eq=False)
class RubbingHistory:
    """wrench: (time, ..., 6), of friction by parent on child, in the joint frame, or on the first body of a constraint, at its place

    torque: (time, ..., dof), along the coordinates of a joint

    normals: (time, ..., normals), what each normal bore, point after point; either sign, where a point touches on both sides
    """

    wrench: np.ndarray
    torque: np.ndarray
    normals: np.ndarray


def with_rubbing(run: Trajectory, reactions: np.ndarray) -> np.ndarray:
    """(time, ..., joints, 6): wrenches of parents on children, friction among them."""
    if run.friction is not None:
        reactions[..., list(run.model.rubbing_at), :] += np.asarray(run.friction)[..., : len(run.model.rubbing_at), :]
    return np.asarray(reactions)


def held_pose(model: Model, held: HeldPlace, pose: np.ndarray) -> np.ndarray:
    """(..., 4, 4): the first place of a constraint, with the axes of the second. pose: of all bodies."""
    first, second = (
        None if b < 0 else pose[..., b, :, :] @ np.linalg.inv(model.links[b].body) @ model.frames[b] for b in held.bodies
    )  # fmt: skip
    assert first is not None
    found = np.zeros_like(first)
    found[..., :3, 3], found[..., 3, 3] = first[..., :3, :3] @ held.position + first[..., :3, 3], 1.0
    found[..., :3, :3] = held.rotation if second is None else second[..., :3, :3] @ held.rotation
    return found


def carried(E: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Ad(E)' F: a wrench in another frame, whose pose in the one that it is given in is E, (..., 4, 4)."""
    R, p, n, f = E[..., :3, :3], E[..., :3, 3], F[..., :3], F[..., 3:]
    torque = n - np.cross(p, f)
    return np.concatenate([(torque[..., None, :] @ R)[..., 0, :], (f[..., None, :] @ R)[..., 0, :]], axis=-1)


def friction_room(sim: Simulation, samples: int) -> dict[str, np.ndarray]:
    """Where a run with joints that rub keeps what its runner notes."""
    noted = sim.runner.notes
    return {name: np.zeros((samples, len(sim.q), noted[name].shape[-1])) for name in (WRENCH, TORQUE, NORMAL, HELD) if name in noted}


def noted_friction(sim: Simulation, kept: dict[str, np.ndarray], samples: int) -> dict[str, np.ndarray]:
    """The fields of a Trajectory, from what was noted of its samples, (samples, worlds, n)."""
    model, batch, h = sim.model, sim.batch, sim.dt
    wrench = kept[WRENCH][:samples].reshape(samples, *batch, len(model.links), 6) / -h
    turned = [wrench[..., i, :] @ np.kron(np.eye(2), model.frames[i][:3, :3]).T for i in model.rubbing_at]
    held = kept[HELD][:samples].reshape(samples, *batch, -1, 6) / -h
    turned += [held[..., k, :] for k in range(len(model.rubbing_held))]
    torque, normal = kept[TORQUE][:samples], kept[NORMAL][:samples] / h
    shaped = torque.reshape(samples, *batch, -1), normal.reshape(samples, *batch, -1)
    return {"friction": np.stack(turned, axis=-2), "friction_torque": shaped[0], "normal_force": shaped[1]}


def with_friction(run: Trajectory, noted: dict[str, np.ndarray]) -> Trajectory:
    """The same run with what was noted."""
    return replace(run, friction=noted["friction"], friction_torque=noted["friction_torque"], normal_force=noted["normal_force"])
