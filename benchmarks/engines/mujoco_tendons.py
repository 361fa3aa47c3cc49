"""MuJoCo with a spatial tendon along each path of a scene: springs with dampers, or its own muscles. Many steps, looped over in C++."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
from mujoco.rollout import Rollout

import redmax as rm
from benchmarks.engines.mujoco import specification
from benchmarks.timing import Contestant
from redmax.forces import PathForce

INTEGRATORS = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "implicit": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}
Law = Callable[[mujoco.MjSpec, "mujoco.MjsTendon", PathForce], None]
Control = Callable[[PathForce], float]


def tendons(scene: rm.Scene, law: Law) -> mujoco.MjModel:
    """The scene's tree, and a tendon with this law in place of each of its forces."""
    spec = specification(scene)
    for kind in ("SPRING", "DAMPER", "ACTUATION"):
        spec.option.disableflags &= ~int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + kind))
    for force in scene.forces:
        if not isinstance(force, PathForce):
            raise TypeError(f"Only paths are translated for MuJoCo. Got {force!r}.")
        tendon = spec.add_tendon(name=force.name)
        for i, anchor in enumerate(force.anchors):
            link = scene.links[force.bodies[anchor.member].index] if anchor.member >= 0 else None
            body, E = (spec.worldbody, np.eye(4)) if link is None else (spec.body(link.name), link.body)
            site = body.add_site(name=f"{force.name} {i}", pos=E[:3, :3] @ anchor.position + E[:3, 3])
            tendon.wrap_site(site.name)
        law(spec, tendon, force)
    return spec.compile()


class Tendons:
    """integrator: "euler", which takes no damping into its system here, or "implicit": `implicitfast`."""

    def __init__(self, scene: rm.Scene, law: Law, integrator: str, dt: float, control: Control | None = None) -> None:
        self.name = f"MuJoCo {'Euler' if integrator == 'euler' else 'implicitfast'}"
        self.model = tendons(scene, law)
        self.model.opt.integrator, self.model.opt.timestep = INTEGRATORS[integrator], dt
        self.data = mujoco.MjData(self.model)
        self.order = np.array([self.model.joint(link.name).dofadr[0] for link in scene.links])
        self.controls = np.array([control(f) for f in scene.forces if isinstance(f, PathForce)]) if control else np.zeros(0)
        self.rollout = Rollout(nthread=0)

    def lengths_and_acceleration(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(paths,) m and (n,) at one state, by its forward dynamics."""
        d = self.data
        d.qpos[self.order], d.qvel[self.order], d.ctrl[:] = q, v, self.controls
        mujoco.mj_forward(self.model, d)
        return d.ten_length.copy(), d.qacc[self.order]

    def contestant(self, q: np.ndarray, v: np.ndarray, steps: int) -> Contestant:
        """From q, v (n,); its `accelerations` are the last rates, (1, n)."""
        n = len(q)
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start, states = np.zeros((1, size)), np.zeros((1, steps, size))
        start[0, 1 + self.order], start[0, 1 + n + self.order] = q, v
        controls = np.ascontiguousarray(np.broadcast_to(self.controls, (1, steps, self.model.nu)))
        given = {"control": controls} if self.model.nu else {}

        def call() -> None:
            self.rollout.rollout([self.model], [self.data], start, nstep=steps, state=states, skip_checks=True, **given)

        return Contestant(self.name, call, steps, lambda: states[:, -1, 1 + n + self.order])
