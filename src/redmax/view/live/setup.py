"""Setup: what a simulation is begun with, and the panel in which it can be changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import brief, positive
from redmax.errors import SceneError
from redmax.integrators import METHODS
from redmax.model.links import Link
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.run.combinations import allowed
from redmax.run.options import RunOptions
from redmax.run.simulation import Simulation
from redmax.view.live.source import Growing
from redmax.view.live.watched_scene import MakeScene

if TYPE_CHECKING:
    import viser

MOST = 8  # initial coordinates that the panel has fields for


@dataclass(frozen=True)
class Setup:
    """parameters: of the scene, by name; gravity, q: what replaces the scene's own gravity and initial coordinates (None: nothing).

    options: of the run; q: joint -> initial coordinates; further: what else a Simulation takes (controller, initial)
    """

    parameters: Mapping[str, float]
    options: RunOptions
    gravity: tuple[float, ...] | None = None
    q: Mapping[str, tuple[float, ...]] | None = None
    further: Mapping[str, Any] = field(default_factory=dict)

    def scene(self, make_scene: MakeScene) -> Scene:
        """The scene with these values."""
        scene = make_scene(dict(self.parameters))
        if not isinstance(scene, Scene):
            raise SceneError(f"make_scene must return a Scene. Got {brief(scene)}.")
        if self.gravity is not None:
            scene.gravity = np.array(self.gravity, float)
        if self.q:
            scene.links = [replace(k, q=np.array(self.q[k.joint_name])) if k.joint_name in self.q else k for k in scene.links]
        return scene

    def source(self, make_scene: MakeScene) -> Growing:
        """The simulation, at its beginning. Whatever a function of the user's raises becomes a sentence."""
        try:
            sim = Simulation(self.scene(make_scene), **self.options.of_simulation(), **self.further)
            return Growing(sim, positive(self.options.duration, "duration"))
        except MemoryError as error:
            needs = f"duration = {self.options.duration:g} s in steps of dt = {self.options.dt:g} s needs more memory than there is"
            raise SceneError(f"{needs}. Choose a shorter one, or larger steps.") from error
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, SceneError):
                raise
            raise SceneError(f"The scene cannot be made with these parameters: {type(error).__name__}: {error}.") from error


class SetupPanel:
    """Fields for everything in a setup, and a button that begins again with them."""

    def __init__(self, gui: viser.GuiApi, setup: Setup, model: Model, integrator: str, begin: Callable[[Setup], None]) -> None:
        self.setup, self.model = setup, model
        self.parameters = {name: gui.add_number(name, float(value), step=step(value)) for name, value in setup.parameters.items()}
        x, y, z = map(float, model.gravity)
        self.gravity = gui.add_vector3("gravity x y z", (x, y, z), step=0.1)
        self.q = {link.joint_name: [coordinate(gui, link.joint_name, k, link.q) for k in range(len(link.q))] for link in movable(model)}
        self.duration = gui.add_number("duration (s)", float(setup.options.duration or 0), step=step(setup.options.duration or 0))
        self.dt = gui.add_number("dt (s)", float(setup.options.dt), step=step(setup.options.dt))
        fitting = tuple(name for name in METHODS if name == integrator or allowed(model, replace(setup.options, integrator=name)))
        self.integrator = gui.add_dropdown("integrator", fitting, initial_value=integrator)

        async def restart(_: Any) -> None:
            begin(self.values())

        gui.add_button("Restart", hint="Simulate again with these values").on_click(restart)

    def values(self) -> Setup:
        """What the fields say."""
        gravity = tuple(self.gravity.value)
        q = {name: tuple(field.value for field in fields) for name, fields in self.q.items()}
        return replace(
            self.setup,
            parameters={name: field.value for name, field in self.parameters.items()},
            options=replace(self.setup.options, duration=self.duration.value, dt=self.dt.value, integrator=self.integrator.value),
            gravity=gravity if gravity != tuple(map(float, self.model.gravity)) else None,
            q={name: value for name, value in q.items() if value != self.initial(name)},
        )

    def initial(self, joint: str) -> tuple[float, ...]:
        return tuple(float(x) for link in self.model.links if link.joint_name == joint for x in link.q)


def coordinate(gui: viser.GuiApi, joint: str, k: int, q: np.ndarray) -> Any:
    return gui.add_number(f"q of {joint}" if len(q) == 1 else f"q[{k}] of {joint}", float(q[k]), step=0.05)


def movable(model: Model) -> list[Link]:
    """The links whose few initial coordinates are free to choose."""
    free = [link for link in model.bodies if 0 < len(link.q) <= 3 and link.motion is None]
    return free if model.map is None and sum(len(link.q) for link in free) <= MOST else []


def step(value: float) -> float:
    """Of a field: a tenth of the size of its number."""
    return float(10.0 ** (np.floor(np.log10(abs(value))) - 1)) if value and np.isfinite(value) else 0.1
