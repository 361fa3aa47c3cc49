"""What random calls refer to: a scene with two bodies, and what is made of it once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import redmax as rm

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@dataclass
class World:
    """What calls refer to: a scene with two bodies, another scene, what was made of them, a folder to write to."""

    folder: Path

    @cached_property
    def scene(self) -> rm.Scene:
        scene = rm.Scene()
        upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="upper")
        scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0), parent=upper, name="lower")
        return scene

    @cached_property
    def a(self) -> rm.BodyHandle:
        return self.scene.find("upper")

    @cached_property
    def b(self) -> rm.BodyHandle:
        return self.scene.find("lower")


@dataclass
class Fixture:
    """What is expensive and never changes: a model, its dynamics, a run, a simulation."""

    folder: Path

    @cached_property
    def model(self) -> rm.Model:
        return World(self.folder).scene.model()

    @cached_property
    def dynamics(self) -> rm.Dynamics:
        return rm.Dynamics(self.model)

    @cached_property
    def run(self) -> rm.Trajectory:
        return rm.simulate(self.model, 0.02, 0.01, integrator="euler")

    @cached_property
    def batch(self) -> rm.Trajectory:
        return rm.simulate(self.model, 0.02, 0.01, integrator="euler", initial=rm.State(0.0, np.zeros((3, 2)), np.zeros(2)))

    @cached_property
    def simulation(self) -> rm.Simulation:
        return rm.Simulation(self.model, dt=0.01, integrator="euler")

    @cached_property
    def file(self) -> Path:
        path = self.folder / "scene.yaml"
        World(self.folder).scene.save(path)
        return path

    @cached_property
    def result(self) -> Path:
        path = self.folder / "run.h5"
        self.run.save(path)
        return path
