"""Random calls of the public interface: a sensible call of which some arguments are spoiled, and what came of it.

`judged(seed, folder, known)` makes one call and says what is wrong with how it ended, or None. A call may be refused: by a RedmaxError, or
by a TypeError or ValueError that the library raises itself. What is accepted is used, and must then run, or be refused in the same way.
"""

from __future__ import annotations

import dis
import random
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import redmax as rm
from api.nasty import nasty
from api.worlds import Call, World

PACKAGE = str(Path(rm.__file__).parent)
SLOW = 2.0  # s of processor time


@dataclass
class Verdict:
    """name: of what was called; spoiled: the arguments; wrong: None, or what should not have happened."""

    name: str
    spoiled: str
    wrong: str | None
    accepted: bool


def judged(seed: int, folder: Path, known: Mapping[str, Callable[[World], Call]], only: str | None = None) -> Verdict:
    """One call. folder: to write to; known: the specimens to choose from, or `only` this one of them."""
    draw = random.Random(seed)
    name = only or draw.choice(sorted(known))
    world = World(folder)
    function, arguments, named = known[name](world)
    positional, by_name = list(arguments), dict(named)
    spoiled: dict[str, Any] = {}
    places: list[Any] = [*range(len(positional)), *by_name]
    for place in draw.sample(places, min(len(places), draw.choice((1, 1, 1, 2)))):
        value = other_scene(draw, world) if draw.random() < 0.05 else nasty(draw)
        spoiled[str(place)] = value
        if isinstance(place, int):
            positional[place] = value
        else:
            by_name[place] = value
    text = ", ".join(f"{k}={shown(v)}" for k, v in spoiled.items())
    started = time.process_time()
    wrong, accepted = outcome(lambda: used(function(*positional, **by_name), world))
    spent = time.process_time() - started
    if wrong is None and spent > SLOW:
        wrong = f"took {spent:.1f} s"
    return Verdict(name, text, wrong, accepted)


def other_scene(draw: random.Random, world: World) -> Any:
    other = rm.Scene()
    for k in range(5):
        last = other.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), name=f"other{k}")
    return last if draw.random() < 0.5 else last.point(0, 0, 0)


def shown(value: Any) -> str:
    try:
        return repr(value)[:100]
    except Exception:
        return f"<{type(value).__name__}>"


def outcome(call: Any) -> tuple[str | None, bool]:
    """What is wrong with how a call ended, and whether it was accepted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except rm.RedmaxError as error:
            return told(error), False
        except (TypeError, ValueError) as error:
            return (None if is_ours(error) else f"{type(error).__name__} of another: {error} at {where(error.__traceback__)}"), False
        except KeyError as error:
            return (None if is_users(error) else f"KeyError: {error} at {where(error.__traceback__)}"), False
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]} at {where(error.__traceback__)}", False
    return None, True


def told(error: rm.RedmaxError) -> str | None:
    """A sentence, not a page."""
    text = str(error)
    if not text or len(text) > 3000:
        return f"a message of {len(text)} characters: {text[:200]} at {where(error.__traceback__)}"
    return None


def is_ours(error: BaseException) -> bool:
    """Whether the library, or the binding of arguments, or a user's function raised it: not something beneath."""
    last = innermost(error)
    raised = last.tb_frame.f_code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return is_users(error) or (raised and last.tb_frame.f_code.co_filename.startswith(PACKAGE))


def is_users(error: BaseException) -> bool:
    """Whether the call itself raised it, or a user's own function, whose errors are its own."""
    return "/tests/api/" in innermost(error).tb_frame.f_code.co_filename


def innermost(error: BaseException) -> TracebackType:
    last = error.__traceback__
    assert last is not None
    while last.tb_next is not None:
        last = last.tb_next
    return last


def where(traceback: TracebackType | None) -> str:
    """The innermost lines of the library, from inside to outside."""
    found: list[str] = []
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if path.startswith(PACKAGE):
            found.append(f"{path.removeprefix(PACKAGE)}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return " < ".join(found[::-1][:5])


def used(made: Any, world: World) -> None:
    """Use what a call gave: what was accepted must run."""
    scene = world.scene
    if isinstance(made, rm.curves.ParametricCurve):
        made = rm.CurveJoint(made)
    if isinstance(made, rm.surfaces.ParametricSurface):
        made = rm.PointOnSurface(made, orientation="fixed")
    if isinstance(made, rm.MovingPoint | rm.ConditionalPoint):
        made = rm.Cable([world.a.point(0, 0, 0.1), made, world.b.point(0, 0, 0.2), (0, 0, 1)], stiffness=1.0, rest=0.1)
    if isinstance(made, rm.Pulley):
        made = rm.Rope([world.b, made, (0, 0, 3)], slack=False)
    if isinstance(made, rm.Body):
        scene.add_body(made, joint=rm.Revolute("z"), com=(1, 0, 0))
    elif isinstance(made, rm.Joint):
        scene.add_body(rm.Sphere(0.1), joint=made, com=(0.3, 0.2, 0.1))
    elif isinstance(made, rm.Force | rm.JointForce) and made not in scene.forces:
        scene.add_force(made)
    elif isinstance(made, rm.Constraint) and made not in scene.constraints:
        scene.add_constraint(made)
    elif isinstance(made, rm.Deformable) and not scene.deformables:
        scene.add_deformable(made)
    elif isinstance(made, rm.Scene):
        made.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), com=(1, 0, 0))
        scene = made
    elif made is not None and not isinstance(made, rm.BodyHandle):
        repr(made)
        return
    moved(scene)


def moved(scene: rm.Scene) -> None:
    """The scene, built and moved by a step."""
    model = scene.model()
    sim = rm.Simulation(model, dt=1e-3, integrator="implicit" if model.soft else "euler", backend="interpret")
    state = sim.step()
    assert np.isfinite(state.q).all()
    str(scene), repr(model)
