"""`gradient`: an objective of a run, and its exact derivatives by where the run begins, by the torques of every step, and by parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.design.gradients.file_gradient import FileGradient
from redmax.design.gradients.moment import Moment
from redmax.design.gradients.objective import Objective
from redmax.design.gradients.reversible import ToReverse
from redmax.design.gradients.run_gradient import STATE, Gradient
from redmax.dynamics.choose import DRIFT, FRICTION
from redmax.dynamics.common.parametrised import parametrised
from redmax.dynamics.declared import File
from redmax.dynamics.programs import model_of
from redmax.errors import SceneError
from redmax.model.model import Model
from redmax.model.parameters import known_parameters
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.run.options import RunOptions, with_defaults


@with_defaults
def gradient(
    scene: Scene | Model | str | PathLike[str],
    objective: Callable[[Moment], Any] | None = None,
    duration: float | None = None,
    dt: float = 0.01,
    *,
    running: Callable[[Moment], Any] | None = None,
    by: Sequence[str] = STATE,
    data: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    initial: State | None = None,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float = 1e-8,
    atol: float | Sequence[float] | None = None,
    solver: str = "auto",
    stabilisation: str = "auto",
    drift: float = DRIFT,
    friction: str = FRICTION[0],
    backend: str = "llvm",
) -> Gradient:
    """An objective of a run with its exact derivatives: by the initial state, the torques of every step, and parameters.

    What it returns is called: `g()` runs the scene as it is and gives a RunGradient, `found.value` and `found.by["qdot"]`; `g(tau=tau)`
    runs it with other torques. It is compiled once. `scipy.optimize.minimize(g.flat, g.start, jac=True)` optimises.

    objective: a function of the last sample, a Moment, that returns a number: `lambda now: norm2(now.point("hand") - target)`
    running: the same of each sample before, summed over all steps, times dt: `lambda now: 0.01 * now.tau @ now.tau`
    Both are traced once, as joints and forces are: written with Python's operators, NumPy and redmax.math.
    by: what derivatives are asked for: "q", "qdot", "tau", and names of parameters, such as "arm.mass", or of a file's own, such as "mass"
    data: (steps + 1, n) or (steps + 1, ..., n), a row for each sample, that the functions see as `now.data`
    controls: (steps, nv) or (steps, ..., nv), torques of every step where `tau` is not given; else zero
    initial: where to begin; constraints are met there first, and derivatives are by the state that does
    duration (s), dt (s), integrator, dynamics, rtol, atol, solver, stabilisation, drift, friction: as of `redmax.simulate`. Steps that
        `adaptive` chooses are held.
    """
    check_functions(objective, running)
    method = integrator, dynamics, rtol, solver, stabilisation, 0
    options = RunOptions(duration, dt, *method, 1, backend, "float64", atol, drift, friction).checked()
    steps, asked = options.steps(), names_in(by)
    model, own = model_of(scene), [name for name in asked if name not in STATE]
    file = file_of(scene, model, own)
    own = [*[name for name in own if file is None or name not in file.names], *(file.moved if file else ())]
    model = parametrised(model, dict.fromkeys(own)) if own else model
    sim = ToReverse(model, initial=initial, **options.of_simulation())
    rows = checked_data(data, steps + 1)
    end, along = (
        None if f is None else Objective(sim.model, f, rows.shape[-1], what, backend)
        for f, what in ((objective, "objective"), (running, "running"))
    )
    given = sim, steps, asked, end, along, rows, controls
    return Gradient(*given) if file is None else FileGradient(file, *given)


def file_of(scene: Any, model: Model, names: Sequence[str]) -> File | None:
    """The file of a scene, if it declares some of these parameters."""
    source = scene.source if isinstance(scene, Scene) else None
    if source is None or source.path is None:
        return None
    known = known_parameters(model)
    declared = [name for name in names if name in source.parameters and name not in known]
    if not declared:
        return None
    if model.nq != model.nv:
        said = f"redmax.gradient finds slopes by {declared[0]!r}, a parameter of a file, where no joint has more coordinates than rates"
        raise SceneError(f"{said}. Give derivatives by parameters of the model instead.", owner="gradient", argument="by")
    file = File(scene, declared)
    both = sorted(set(file.moved) & set(names))
    if both:
        raise SceneError(f"{both[0]!r} follows from {declared[0]!r} of the file. Give one of them.", owner="gradient", argument="by")
    file.check("gradient", "by")
    return file


def check_functions(objective: Any, running: Any) -> None:
    """Raise unless there is something to differentiate."""
    if objective is None and running is None:
        said = "redmax.gradient takes objective=, a function of the last sample, running=, of each sample before it, or both. Got neither"
        raise SceneError(f"{said}: write objective=lambda now: now.q @ now.q.", owner="gradient", argument="objective")


def names_in(by: Any) -> tuple[str, ...]:
    """What derivatives are asked for by."""
    if isinstance(by, str) or not isinstance(by, Sequence) or not by or not all(isinstance(name, str) for name in by):
        said = f'by is a list of names, such as ["qdot", "tau", "arm.mass"]. Got {brief(by)}.'
        raise SceneError(said, owner="gradient", argument="by", got=brief(by))
    return tuple(dict.fromkeys(by))


def checked_data(data: Any, samples: int) -> np.ndarray:
    """(samples, ..., n): what the objective sees of each sample."""
    if data is None:
        return np.zeros((samples, 0))
    array = as_numbers(data, "data", "float64")
    if array.ndim < 2 or len(array) != samples or not np.isfinite(array).all():
        valid = f"finite numbers, a row for each of the {samples} samples, ({samples}, n)"
        raise SceneError(f"data is {valid}. Got shape {array.shape}.", owner="gradient", argument="data", expected=valid)
    return array
