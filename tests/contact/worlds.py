"""Small worlds with contact, and how they are run."""

from __future__ import annotations

from typing import Any

import numpy as np

import redmax as rm

G, DT = 9.81, 0.002


def ran(scene: rm.Scene, duration: float, dt: float = DT, **options: Any) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt, integrator="implicit", **options)


def on_ramp(angle: float, friction: float) -> rm.Scene:
    """A cube on a plane that falls towards x, with the angle in radians."""
    scene, R = rm.Scene(), rm.rotation_about("y", angle)
    scene.add_obstacle(rm.Plane(), at=rm.pose(R, (0, 0, 0)), contact=friction, name="ramp")
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=rm.pose(R, R @ (0, 0, 0.1)), contact=friction, name="body")
    return scene


def on_ground(shape: rm.Body, height: float, velocity: Any = (0, 0, 0), **material: float) -> rm.Scene:
    """A body over the plane z = 0, of the same material."""
    scene, made = rm.Scene(), rm.ContactMaterial(**material)
    scene.add_ground(contact=made)
    scene.add_body(shape, joint=rm.Free3D(), at=(0, 0, height), qdot=(*velocity, 0, 0, 0), contact=made, name="body")
    return scene


def place(run: rm.Trajectory, name: str = "body") -> np.ndarray:
    """(time, 3)"""
    return run.pose(name)[:, :3, 3]


def speed(run: rm.Trajectory, name: str = "body") -> np.ndarray:
    """(time, 6): angular and linear velocity, in body axes."""
    return run.twist(name)


def moved_since(run: rm.Trajectory, t: float) -> float:
    """m or as a number: how far any entry of a pose is from where it was at the time t."""
    k = int(np.searchsorted(run.t, t))
    return max(float(np.abs(run.body_pose(j)[k:] - run.body_pose(j)[k]).max()) for j in range(len(run.model.bodies)))
