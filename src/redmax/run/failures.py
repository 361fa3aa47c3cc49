"""Runs that break off, or leave what joints are made for: how much of them is good, and which joint to blame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.errors import RedmaxError, SimulationError, samples_in_words, warn
from redmax.model.model import Model
from redmax.model.state import State

LOOKED_AT = 300  # degrees of freedom, above which nobody looks for one without inertia
NO_INERTIA = 1e-13  # relative
INTERRUPTED = "interrupted"  # how a run ended that somebody stopped
FORCES = 3  # that are named
BLOWN_UP = 1e9  # a state beyond this was lost to a large dt before anything else: its inertia says nothing


@dataclass(frozen=True)
class Cause:
    """Why a run broke off, in a sentence; by_steps: whether other steps may help, smaller ones or those of another integrator."""

    said: str
    by_steps: bool = False


class BlowUp(SimulationError):
    """A portion that did not stay finite: how many of its samples are good, and why. advice: what to try, behind the sentence."""

    def __init__(self, good: int, cause: Cause, advice: str = "") -> None:
        super().__init__(cause.said + advice)
        self.good, self.cause = good, cause


class BrokenOff(KeyboardInterrupt):
    """Ctrl-C within a portion: how many of its samples are good."""

    def __init__(self, good: int) -> None:
        super().__init__()
        self.good = good


@dataclass(frozen=True)
class Failure:
    """A run, or a world of a batch, that broke off. world: its place in the batch, () of a run by itself; t: of its last sample (s);
    joint: where it began, "" if that is not known; reason: what happened, in a sentence; samples: how many it has, 0 if nobody counted;
    by_steps: whether other steps may help; steps: how many of those that `adaptive` chose lead to its last sample, in a batch."""

    world: tuple[int, ...]
    t: float
    joint: str
    reason: str
    samples: int = 0
    by_steps: bool = field(default=False, repr=False, compare=False)
    steps: int = 0

    def __str__(self) -> str:
        name = ", ".join(map(str, self.world))
        return f"World {name}: {self.reason}" if self.world else self.reason

    @property
    def short(self) -> str:
        """When, where, and how much there is, in a few words."""
        joint = f", beginning in joint {self.joint!r}" if self.joint else ""
        return f"broke off at t = {self.t:.6g} s, after {samples_in_words(self.samples)}{joint}"


def failure_of_run(model: Model, t: np.ndarray, ended: str) -> Failure | None:
    """That of a whole run with samples at times t (s). ended: what a run that is not complete ended with; interrupted ones did not fail."""
    return None if ended in ("", INTERRUPTED) else Failure((), float(t[-1]), joint_in(model, ended), ended, len(t))


def joint_in(model: Model, said: str) -> str:
    """The joint that a sentence names."""
    return next((name for name in model.joint_names if f"joint {name!r}" in said), "")


def count_finite(q: np.ndarray, qdot: np.ndarray) -> int:
    """How many samples come before the first that is not finite."""
    bad = np.flatnonzero(~(np.isfinite(q).all(axis=(1, 2)) & np.isfinite(qdot).all(axis=(1, 2))))
    return int(bad[0]) if len(bad) else len(q)


def last_state(now: State, q: np.ndarray, qdot: np.ndarray, interval: float) -> State:
    """The last of samples (time, worlds, n) at these intervals (s) from now on; the present state if there are none."""
    return State(now.t + len(q) * interval, q[-1], qdot[-1]) if len(q) else now


def broke_off_at(model: Model, state: State, dt: float, what: str) -> Cause:
    """Why a run broke off whose last good state this is, dt before it was good no longer. q of the state is a configuration."""
    beyond = left_range(model, state, dt)
    if beyond is not None:
        return Cause(beyond)
    joint, rate = fastest_joint(model, state)
    where = f"beginning in joint {joint or 'none'!r} (rate {rate:.3g}{forces_on(model, joint)})"
    return Cause(f"The run broke off at t = {state.t:.6g} s, {where}: {what}.", by_steps=True)


def energy_overflow(model: Model, last: State, dt: float) -> Cause:
    """Why a run ends whose states go on being numbers after this one, but whose energy does not."""
    return broke_off_at(model, last, dt, "its energy was too large for a number after that")


def forces_on(model: Model, joint: str) -> str:
    """The forces that act where a joint moves, in words, "" if there are none with a name."""
    if joint not in model.joint_names:
        return ""
    link = model.joint_names.index(joint)
    near = {link, model.links[link].parent} - {-1}
    names = [f.name for f in model.joint_forces if model.index(str(getattr(f.body, "name", f.body))) == link]
    names += [f.name for f in model.forces if any(b.index in near for b in f.bodies)]
    known = [repr(name) for name in dict.fromkeys(names) if name][:FORCES]
    return f"; forces there: {', '.join(known)}" if known else ""


def fastest_joint(model: Model, state: State) -> tuple[str, float]:
    """The joint that moves fastest, "" if there is none, and its rate."""
    speeds = np.abs(np.nan_to_num(np.atleast_2d(state.qdot), nan=np.inf)).max(axis=0)
    return (model.joint_of(int(np.argmax(speeds))), float(speeds.max())) if len(speeds) else ("", 0.0)


def without_inertia(model: Model, engine_of: Callable[[int], Any], state: State) -> str | None:
    """What to say if a direction of the joints' motion moves no inertia there: no dt helps. q of the state is a configuration.

    engine_of: the dynamics of each world
    """
    if model.soft or model.map is not None or not 0 < model.nv <= LOOKED_AT:
        return None
    q = np.atleast_2d(state.q)
    if not max(np.abs(q).max(initial=0.0), np.abs(state.qdot).max(initial=0.0)) < BLOWN_UP:
        return None
    try:
        world = int(np.flatnonzero(np.isfinite(q).all(axis=1))[0])
        M = np.asarray(engine_of(world).inertia(q[world], t=state.t), float)
    except (RedmaxError, IndexError):
        return None
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not (scale > NO_INERTIA * max(scale.max(), 1e-300)).all():
        worst = int(np.argmin(scale))
    else:
        values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
        if values[0] > NO_INERTIA:
            return None
        worst = int(np.argmax(np.abs(vectors[:, 0])))
    free = [i for i, p in enumerate(model.prescribed) if p]
    if model.joint_names.index(model.joint_of(worst)) in free:
        return None
    what = f"a motion of joint {model.joint_of(worst)!r} moves no inertia there, so that it has no equation of motion"
    fix = "Give what it moves mass away from its axis or, if it is the joint's position that is singular, use other coordinates"
    return f"The run broke off at t = {state.t:.6g} s: {what}. {fix}."


def not_held(engine: Any, state: State) -> str | None:
    """What to say if the rows or the map that hold the scene have no solution there. q of the state is a configuration."""
    if not engine.is_held or engine.model.soft:
        return None
    try:
        engine.forward(np.atleast_2d(state.q), np.atleast_2d(state.qdot), t=state.t)
    except SimulationError as failure:
        return failure.reason
    except RedmaxError:
        return None
    return None


def left_range(model: Model, state: State, dt: float) -> str | None:
    """What to say if a joint is about to leave the range in which its motion is defined; from an end, a force may have pushed it out."""
    q, _ = model.configurations.split(np.atleast_2d(state.q))
    qdot = model.configurations.rates(q, np.atleast_2d(state.qdot))
    for link, p in zip(model.links, map(model.q_slice, model.joint_names), strict=True):
        for k, (low, high) in enumerate(link.joint.domain or ()):
            x, v = q[:, p][:, k], qdot[:, p][:, k]
            soon = x + 2.0 * dt * v
            out = np.flatnonzero(~((np.minimum(x, soon) > low) & (np.maximum(x, soon) < high)))
            if len(out):
                where = f"coordinate {k} was {x[out[0]]:.6g} and moving at {v[out[0]]:.3g}"
                left = f"joint {link.joint_name!r} left its range [{low:.6g}, {high:.6g}]; its {where}"
                return f"The run broke off at t = {state.t:.6g} s: {left}."
    return None


def domain_exits(model: Model, q: np.ndarray, t: np.ndarray) -> dict[str, str]:
    """joint -> what to say of it, for each that samples took out of the domain of its motion; q: (time, ..., nq)."""
    found: dict[str, str] = {}
    for link in model.links:
        if link.joint.domain is None:
            continue
        x = q[..., model.q_slice(link.joint_name)]
        for k, (low, high) in enumerate(link.joint.domain):
            out = np.argwhere((x[..., k] < low) | (x[..., k] > high))
            if len(out):
                first = tuple(out[0])
                where = f"q[{k}] was {x[..., k][first]:.6g} at t = {t[first[0]]:.6g} s, not between {low:.6g} and {high:.6g}"
                left = f"Joint {link.joint_name!r} left the domain of its motion: {where}"
                advice = "Keep it inside, or state a larger domain"
                found[link.joint_name] = f"{left}. Its formula went on there, which nobody has checked. {advice}."
                break
    return found


def warn_of_domains(exits: Mapping[str, str]) -> None:
    """Warn of each joint that a run took out of the domain of its motion, which went on there."""
    for text in exits.values():
        warn(text)
