"""A scene before it moves, as a run of a single sample: what pictures and notebooks show of it."""

from __future__ import annotations

import numpy as np

from redmax.dynamics.dynamics import Dynamics
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.combinations import usual_dynamics
from redmax.run.start import initial_state
from redmax.run.trajectory import Trajectory


def initial_run(scene: Scene | Model) -> Trajectory:
    """The initial state of a scene as a Trajectory; nothing is simulated."""
    model = scene.model() if isinstance(scene, Scene) else scene
    state = initial_state(model)
    return Trajectory(
        model=model,
        t=np.array([state.t]),
        q=state.q[None],
        qdot=state.qdot[None],
        charts=model.configurations.numbered(state.chart)[None],
        integrator="none",
        dynamics=usual_dynamics(model),
        dt=0.0,
        steps=0,
        wall_s=0.0,
        compile_s=0.0,
        engine=Dynamics(model),
    )
