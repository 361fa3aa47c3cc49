"""Options of a run, each named, checked and explained once; and what a rule is that says what they go with (run/combinations.py).

`simulate` and `Simulation` take them as arguments, the section `run` of a scene file and the command line by the same names, the live page
begins with them, and a result file keeps them.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import Named, OneOf, OneOfWhole, Positive, PositiveEach, Share, Valid, Whole, as_whole, not_valid
from redmax.backends.base import BACKENDS
from redmax.components.wrong_call import why_not
from redmax.dynamics.choose import DRIFT, FRICTION, SOLVERS
from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.errors import SceneError
from redmax.integrators import METHODS
from redmax.integrators.absolute.group import GROUPS
from redmax.model.scene import Scene

if TYPE_CHECKING:
    from redmax.dynamics.contact.runner import Told
    from redmax.model.model import Model
    from redmax.run.controls import Controls
    from redmax.run.impacts import ImpactLog

P = ParamSpec("P")
R = TypeVar("R")
RUN = "simulate"  # whose options they are, for errors
FEW = 3  # values that a sentence names
MOST_SIDES = 64  # of cones of friction
MOST_STEPS = 2**53  # floats count no further
ABSOLUTE = ("group", "index", "rho", "frame")  # options of bodies in absolute coordinates


def option(default: Any, valid: Valid) -> Any:
    return field(default=default, metadata={"valid": valid})


@dataclass(frozen=True)
class RunOptions:
    """duration, dt: seconds; the others as `redmax.simulate` says. None: the library chooses, see `combinations`."""

    duration: float | None = option(None, Positive("a number of seconds greater than 0"))
    dt: float = option(0.01, Positive("a number of seconds greater than 0"))
    integrator: str | None = option(None, OneOf(tuple(METHODS), open=True))
    dynamics: str | None = option(None, OneOf(DYNAMICS, open=True))
    rtol: float = option(1e-8, Positive("a number greater than 0 and at most 1, such as 1e-8", 1.0))
    solver: str = option("auto", OneOf(SOLVERS))
    stabilisation: str = option("auto", OneOf(("auto", "baumgarte", "project", "none")))
    halvings: int = option(0, Whole(0, 30))
    every: int = option(1, Whole(1))
    backend: str = option("llvm", OneOf(BACKENDS))
    dtype: str = option("float64", OneOf(("float64", "float32")))
    atol: float | Sequence[float] | None = option(None, PositiveEach("a number greater than 0, such as 1e-10, or one for each rate"))
    drift: float = option(DRIFT, Positive("a number greater than 0, such as 1e-6, relative to the size of the mechanism"))
    friction: str = option("exact", OneOf(FRICTION))
    friction_sides: int = option(0, Whole(3, MOST_SIDES, or_none=True))
    group: str | None = option(None, OneOf(GROUPS, open=True))
    index: int | None = option(None, OneOfWhole((3, 2, 1)))
    rho: float | None = option(None, Share())
    frame: str | None = option(None, Named("'body', 'joint', or names of the scene's frames, one for each of some bodies"))

    def checked(self) -> RunOptions:
        """The same, with each value looked at by itself, and numbers as the library needs them."""
        for name, valid in VALID.items():
            if name != "duration" or self.duration is not None:
                valid.check(name, getattr(self, name))
        duration = None if self.duration is None else float(self.duration)
        whole = {name: operator.index(getattr(self, name)) for name in ("halvings", "every", "friction_sides")}
        atol = None if self.atol is None else as_tuple(self.atol)
        floats = {name: float(getattr(self, name)) for name in ("dt", "rtol", "drift")}
        rho = None if self.rho is None else float(self.rho)
        index = None if self.index is None else operator.index(self.index)
        return replace(self, duration=duration, atol=atol, index=index, rho=rho, **floats, **whole)

    def tolerances(self, rates: int) -> np.ndarray:
        """(rates,): atol of each, relative to rtol."""
        atol = np.asarray(self.rtol if self.atol is None else self.atol, float)
        if atol.ndim and len(atol) != rates:
            expected = f"a number, or {rates} of them, one for each rate of this scene"
            raise SceneError(f"atol must be {expected}. Got {len(atol)}.", owner=RUN, argument="atol", expected=expected)
        return np.broadcast_to(atol, (rates,))

    def of_simulation(self) -> dict[str, Any]:
        """What a Simulation takes of them."""
        return {name: value for name, value in asdict(self).items() if name not in ("duration", "every")}

    def settings(self, controller: bool) -> dict[str, Any]:
        """What a Trajectory and its file keep, besides integrator, dynamics and dt, which they say by themselves."""
        kept = {name: value for name, value in asdict(self).items() if name not in ("integrator", "dynamics", "dt")}
        atol = self.rtol if self.atol is None else np.asarray(self.atol, float).tolist()
        return kept | {"atol": atol, "controller": controller}

    def steps(self) -> int:
        """How many steps of dt make up the duration; each `every`-th of them is kept."""
        if self.duration is None:
            sentence = "simulate needs a duration (s), such as duration=5: the scene has none of its own."
            raise SceneError(sentence, owner=RUN, argument="duration")
        return number_of_steps(self.duration, self.dt, self.every)


class Asked:
    """What a Simulation was asked for. options: all of it."""

    options: RunOptions
    impacts: ImpactLog | None = None  # where samples are kept that have some
    controls: Controls | None = None  # torques of every step, which `simulate` may give
    told: Told | None = None  # of the contacts of the last portion
    tells: bool = True  # whether portions are those of the run, and not looked at once more

    @property
    def dt(self) -> float:
        """The step, or the interval between samples (s)."""
        return self.options.dt

    @property
    def rtol(self) -> float:
        """The relative tolerance of `adaptive`."""
        return self.options.rtol

    @property
    def atol(self) -> float | Sequence[float]:
        """The absolute tolerance of `adaptive`, a number, or one for each rate."""
        return self.rtol if self.options.atol is None else self.options.atol

    @property
    def dynamics(self) -> str:
        """The name of the dynamics in use."""
        return str(self.options.dynamics)

    @property
    def backend(self) -> str:
        """What runs the programs: "llvm" or "interpret"."""
        return self.options.backend

    @property
    def dtype(self) -> str:
        """Of the states: "float64" or "float32"."""
        return self.options.dtype


def as_tuple(value: ArrayLike) -> Any:
    """A number, or several of them."""
    found = np.asarray(value, float).tolist()
    return tuple(found) if isinstance(found, list) else found


VALID: Mapping[str, Valid] = {f.name: f.metadata["valid"] for f in fields(RunOptions)}


def number_of_steps(duration: float, dt: float, every: int) -> int:
    """How many steps of dt make up the duration; each `every`-th of them is kept."""
    stride = as_whole(every, 1)
    if stride is None:
        raise not_valid("every", every, "a whole number from 1 up")
    got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:.3g} steps"
    if not duration / dt <= MOST_STEPS:
        raise SceneError(
            f"A run has at most {MOST_STEPS:.1e} steps, as floats count no further. Got {got}. Choose a larger dt.",
            owner=RUN,
            argument="dt",
        )
    count = round(duration / dt)
    got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:g} steps"
    if count < 1 or abs(count * dt - duration) > 1e-6 * dt:
        raise SceneError(f"duration must be a whole number of steps. Got {got}.", owner=RUN, argument="duration", got=got)
    if count % stride:
        raise SceneError(f"every must divide the number of steps. Got every = {stride}, {got}.", owner=RUN, argument="every", got=got)
    return count


def beside(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What of a scene's own options holds beside those that a caller gives: not what was meant for another integrator."""
    named = given.get("integrator")
    method = METHODS.get(named) if isinstance(named, str) else None
    none = set(given)
    if given.get("group") is not None or given.get("frame") is not None or (method and method.only_on):
        none.add("dynamics")
    if method and not method.absolute:
        none.update(ABSOLUTE)
    return {name: value for name, value in defaults.items() if name not in none}


def with_defaults(function: Callable[P, R]) -> Callable[P, R]:
    """The function of a scene, with what the section `run` of the scene's file says for what its caller leaves out."""
    signature = inspect.signature(function)

    @wraps(function)
    def filled(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            given = signature.bind_partial(*arguments, **options).arguments
        except TypeError as error:
            raise TypeError(why_not(function, function.__name__, arguments, options, error)) from None
        scene = given.get("scene")
        if isinstance(scene, str | PathLike):
            from redmax.model.named_scene import named_scene

            scene: Any = named_scene(scene)
            if "scene" in options:
                options["scene"] = scene
            else:
                arguments = (scene, *arguments[1:])  # type: ignore[assignment]
        defaults = scene.defaults | ({"parameters": scene.parameters} if scene.parameters else {}) if isinstance(scene, Scene) else {}
        more: Any = {name: value for name, value in beside(defaults, given).items() if name in signature.parameters}
        return function(*arguments, **{**more, **options})

    return filled


When = Callable[["Model", RunOptions], object]  # what is there, in words or just something true; else nothing


@dataclass(frozen=True)
class Rule:
    """Where `when` finds something, `option` must be one of `valid`.

    feature: what it is about, in words, unless `when` has better ones; advice: what else to do; scene: whether it is the scene's
    """

    feature: str
    when: When
    option: str
    valid: tuple[str, ...]
    advice: str = ""
    scene: bool = True

    def broken(self, model: Model, options: RunOptions) -> str | None:
        """The sentence, where a run breaks it. What the library may choose is never wrong."""
        value = getattr(options, self.option)
        if value is None or value in self.valid:
            return None
        found = self.when(model, options)
        if not found:
            return None
        what = found if isinstance(found, str) else self.feature
        begin = f"The scene has {what}: that" if self.scene else f"{what[0].upper()}{what[1:]}"
        asks = self.asks()
        unsaid = 0 < len(self.valid) <= FEW and asks.startswith("does not")
        advice = self.advice or (f"Take {either(self.valid)}." if unsaid else "")
        return f"{begin} {asks}. Got {self.option}={value!r}.{' ' * bool(advice)}{advice}"

    def asks(self) -> str:
        """What it asks for, in words: "goes with dynamics 'redmax' only"."""
        if not self.valid:
            return f"goes with no {self.option}"
        every = VALID[self.option]
        left_out = [name for name in every.names if name not in self.valid] if isinstance(every, OneOf) else []
        if len(left_out) < len(self.valid):
            return f"does not go with {self.option} {either(left_out)}"
        return f"goes with {self.option} {either(self.valid)} only"


def either(names: tuple[str, ...] | list[str]) -> str:
    *most, last = map(repr, names)
    return f"{', '.join(most)} or {last}" if most else last
