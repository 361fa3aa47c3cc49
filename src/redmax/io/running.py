"""The section `run` of a file: what `redmax.simulate` is told unless somebody says otherwise, and what of it does not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.errors import RedmaxError
from redmax.integrators import METHODS
from redmax.io.structure import entry
from redmax.model.scene import Scene
from redmax.run.simulate import number_of_steps
from redmax.solvers.reduced import NAMES as SOLVERS

MOST_STEPS = 100_000_000


def option(types: Any, expected: str, **limits: Any) -> Any:
    return (Annotated[types, Field(description=expected, **limits)],)


POSITIVE: dict[str, Any] = {"gt": 0, "allow_inf_nan": False}
Run = entry(
    "run",
    "run",
    "How to run the scene unless somebody says otherwise.",
    duration=option(float, "a number of seconds greater than 0", **POSITIVE),
    dt=option(float, "a number of seconds greater than 0", **POSITIVE),
    integrator=(Literal[tuple(METHODS)],),
    dynamics=(Literal[DYNAMICS],),
    rtol=option(float, "a number greater than 0 and at most 1, such as 1e-8", gt=0, le=1),
    solver=(Literal[SOLVERS],),
    stabilisation=(Literal["baumgarte", "project"],),
    halvings=option(int, "a whole number from 0 to 30", ge=0, le=30),
    every=option(int, "a whole number from 1 up", ge=1),
    backend=(Literal["llvm", "interpret"],),
    dtype=(Literal["float64", "float32"],),
)


def contradictions(run: Mapping[str, Any], scene: Scene) -> Iterator[tuple[str, str]]:
    """(option, sentence) for each that does not go with the others or with the scene."""
    integrator, dynamics = run.get("integrator"), run.get("dynamics")
    if "duration" in run:
        try:
            count = number_of_steps(run["duration"], run.get("dt", 0.01), run.get("every", 1))
            if count > MOST_STEPS:
                yield (
                    "duration",
                    f"the run would have {count:.3g} steps, expected at most {MOST_STEPS}. Choose a larger dt or a shorter duration.",
                )
        except (RedmaxError, OverflowError) as error:
            yield "duration", str(error) if isinstance(error, RedmaxError) else "duration is too long for its dt."
    if dynamics not in (None, "redmax") and (scene.twists or scene.map is not None):
        what = "a map of coordinates" if scene.map is not None else "prescribed twists"
        yield "dynamics", f"the scene has {what}, which needs dynamics: redmax, but run has {dynamics!r}."
    if dynamics == "maximal" and scene.deformables:
        yield "dynamics", "deformables do not go with maximal dynamics. Use recursive or redmax."
    if integrator not in (None, "implicit") and any(d.ties for d in scene.deformables):
        yield (
            "integrator",
            f"nodes are tied (tie), which only the integrator implicit solves, but run has {integrator!r}. Use it, or attach.",
        )
    if dynamics == "maximal" and integrator in ("bdf1", "bdf2"):
        yield "integrator", f"{integrator} solves the reduced equations of motion. Use it with recursive or redmax dynamics, not maximal."
    reduced = dynamics == "redmax" or (dynamics is None and (scene.twists or scene.map is not None))
    if run.get("solver", "auto") != "auto" and not reduced and not scene.deformables:
        yield "solver", f"solver: {run['solver']} is for dynamics: redmax and for deformables. Leave it out, or choose that dynamics."
    if run.get("stabilisation") == "project" and (dynamics != "maximal" or integrator in (None, "adaptive")):
        yield "stabilisation", "stabilisation: project is for dynamics: maximal with an integrator of fixed steps, such as rk4."
