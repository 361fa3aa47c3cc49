"""The section `run` of a file: what `redmax.simulate` is told unless somebody says otherwise, and what of it does not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from redmax.arguments import Named, OneOf, OneOfWhole, PositiveEach, Share, Valid, Whole
from redmax.dynamics.common.parametrised import parametrised
from redmax.errors import RedmaxError
from redmax.integrators.absolute.frame import OWN, kind_of
from redmax.io.argument_types import optional
from redmax.io.structure import WORLD_VALUES, described, entry
from redmax.model.frames import with_moving
from redmax.model.parameter_values import parameter_columns
from redmax.model.scene import Scene
from redmax.run.combinations import broken, filled
from redmax.run.options import VALID, RunOptions

MOST_STEPS = 100_000_000


def option(valid: Valid) -> Any:
    """What an option takes, as a type of a file's entry."""
    if isinstance(valid, OneOf | OneOfWhole):
        return (Literal[tuple(valid.names)],)
    if isinstance(valid, Named):
        return (described(str, valid.expected),)
    if isinstance(valid, Whole):
        return (Annotated[int, Field(description=valid.expected, ge=0 if valid.or_none else valid.least, le=valid.most)],)
    if isinstance(valid, Share):
        return (Annotated[float, Field(description=valid.expected, ge=0, le=1, allow_inf_nan=False)],)
    number = Annotated[float, Field(description=valid.expected, gt=0, le=getattr(valid, "most", None), allow_inf_nan=False)]
    return (described(number | list[number], valid.expected) if isinstance(valid, PositiveEach) else number,)


OPTIONS = {name: option(valid) for name, valid in VALID.items()}
Run = entry("run", "run", "How to run the scene unless somebody says otherwise.", **OPTIONS, parameters=(optional(WORLD_VALUES),))


def wrong_parameters(given: Mapping[str, Any], scene: Scene) -> Iterator[tuple[str, str]]:
    """(name, sentence) for each parameter that is none of the scene, or whose values are none; else of all together."""
    try:
        model = scene.model()
    except RedmaxError:  # which is said elsewhere
        return
    said = False
    for some in [*[{name: value} for name, value in given.items()], given]:
        try:
            if not said:
                parameter_columns(parametrised(model, some), some)
        except RedmaxError as error:
            said = some is not given or said
            yield next(iter(some)), str(error)


def contradictions(run: Mapping[str, Any], scene: Scene) -> Iterator[tuple[str, str]]:
    """(option, sentence) for each that does not go with the others or with the scene."""
    options = RunOptions(**run)
    try:
        options.checked()
    except RedmaxError as error:
        yield error.argument if error.argument in run else next(iter(run)), str(error)
        return
    if options.duration is not None:
        try:
            count = options.steps()
            if count > MOST_STEPS:
                why = f"the run would have {count:.3g} steps, expected at most {MOST_STEPS}"
                yield "duration", f"{why}. Choose a larger dt or a shorter duration."
        except RedmaxError as error:
            yield error.argument if error.argument in run else "duration", str(error)
        except OverflowError:
            yield "duration", "duration is too long for its dt."
    try:
        model = scene.model()
    except RedmaxError:  # which is said elsewhere
        return
    try:
        options.tolerances(model.nv)
    except RedmaxError as error:
        yield "atol", str(error)
    try:
        if options.frame is not None and kind_of(options.frame) == OWN:
            with_moving(model, options.frame)
    except RedmaxError as error:
        yield "frame", str(error)
    said: set[str] = set()
    for name, sentence in broken(model, filled(model, options)):
        at = name if name in run else next(iter(run), name)
        if at not in said:
            said.add(at)
            yield at, sentence
