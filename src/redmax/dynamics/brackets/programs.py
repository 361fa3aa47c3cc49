"""The columns of Jacobians with their derivatives of any order: along directions of the velocities, or in time.

    J_i,a = X_i X_i-1 ... S_a,     D (X_i f) = X_i (D f) - ad(nu_i) X_i f,     nu_i = S_i x_i  along a direction x

Beyond its own joint a column changes by brackets alone, whatever the joint (Mueller and Terze, Eq. 80, in any order of coordinates). At its
own, S of a lower pair is constant; that of any other joint is differentiated as it was traced. In time nu is the joint's twist, and x its
rates, which change as well: q by qdot, qdot by qddot, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.dynamics.brackets.words import Word, along, carried, in_time, parts
from redmax.dynamics.common.kinematics import ad, motion
from redmax.joints.motion import NOTHING, Motion
from redmax.joints.stepping import moving
from redmax.lie import Adjoint
from redmax.program.fields import Fields
from redmax.program.program import Columns, Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Sweep, forward, recursion
from redmax.trace import Scalar, jvp
from redmax.trace.vector import vector_of

DIRECTION, RATE = "along[{}]", "rates[{}]"  # inputs: the directions, or the rates from qdot on


class OfDirections:
    """How what is traced from q changes along directions of the velocities, which are constant."""

    def __init__(self, j: JointView, w: WorldView, word: Word) -> None:
        self.x = [getattr(j, DIRECTION.format(k)) for k in range(len(word))]
        self.seeds = [rates_of_coordinates(j, x) for x in self.x]

    def twist(self, m: Motion, letter: int) -> Any:
        return m.S @ self.x[letter] if len(self.x[letter]) else NOTHING


class OfTime:
    """The same as time goes on: each rate changes by the next."""

    def __init__(self, j: JointView, w: WorldView, word: Word) -> None:
        rates = [getattr(j, RATE.format(k)) for k in range(len(word))]
        seeds = rates_of_coordinates(j, rates[0]) if rates else {}
        for rate, following in pairwise(rates):
            seeds |= moving(list(rate), following)
        if j.joint.timed and isinstance(w.t, Scalar):
            seeds[w.t] = 1.0
        self.seeds, self.rates = [seeds], rates

    def twist(self, m: Motion, letter: int) -> Any:
        return m.twist(self.rates[0])


def rates_of_coordinates(j: JointView, x: Any) -> dict[Scalar, Any]:
    """How the coordinates change with velocities x: seeds of `jvp`."""
    q = list(j.q[: j.joint.nq])
    return moving(q, x if j.joint.nq == j.joint.dof else j.joint.tangent(j.q) @ x)


def derived(values: Any, word: Word, seeds: Sequence[dict[Scalar, Any]]) -> dict[Word, Any]:
    """The derivatives of traced values for the parts of a word."""
    found: dict[Word, Any] = {(): values}
    for w in parts(word)[1:]:
        before = found[w[:-1]]
        found[w] = vector_of(jvp(list(before.ravel()), seeds[w[-1]])).reshape(values.shape)
    return found


def derive_joint(word: Word, timed: bool) -> Sweep:
    """What a joint's columns and its twist begin with; and the twist of its frame, with derivatives, from that of the parent's."""

    def derive(j: JointView, p: ParentView, w: WorldView) -> None:
        X, m = motion(j, np.zeros(j.joint.dof).astype(object), w)
        changes = (OfTime if timed else OfDirections)(j, w, word)
        for k, columns in enumerate(derived(m.S, word, changes.seeds).values()):
            setattr(j, f"S{k}", columns.T.ravel())
        nu = twists(word, lambda letter, rest: derived(changes.twist(m, letter), rest, changes.seeds))
        V = frame_twists(word, X, nu, {w: p.V[6 * k : 6 * k + 6] for k, w in enumerate(parts(word)[1:])})
        j.V = j.moved = vector_of([x for w in parts(word)[1:] for x in V[w]])
        j.frame = vector_of([*X.R.ravel(), *X.p, *[x for w in parts(word)[1:] for x in nu[w]]])

    derive.__name__ = f"derive columns {word}"
    return forward(derive)


def twists(word: Word, of: Any) -> dict[Word, Any]:
    """By word w, the derivatives w[1:] of the twist of D_w[0]. of: (letter, the letters after it) -> these derivatives."""
    found: dict[Word, Any] = {}
    for k in range(len(word)):
        found |= {word[k : k + 1] + w: x for w, x in of(word[k], word[k + 1 :]).items()}
    return found


def frame_twists(word: Word, X: Adjoint, nu: dict[Word, Any], parent: dict[Word, Any]) -> dict[Word, Any]:
    """The same of the joint's frame, X V_p + nu, from that of the parent's."""

    def of(letter: int, rest: Word) -> dict[Word, Any]:
        before = {w: parent[(letter, *w)] for w in parts(rest)}
        return {w: x + nu[(letter, *w)] for w, x in carried(rest, lambda f: X @ f, ad, nu, before).items()}

    return twists(word, of)


def step(word: Word) -> Any:
    """Takes columns with their derivatives from a body's parent to the body."""

    def through_joint(frame: Any, *columns: Any) -> tuple[Any, ...]:
        X = Adjoint(frame[:9].reshape(3, 3), frame[9:12])
        nu = {w: frame[12 + 6 * k : 18 + 6 * k] for k, w in enumerate(parts(word)[1:])}
        f = dict(zip(parts(word), columns, strict=True))
        return tuple(carried(word, lambda x: X @ x, ad, nu, f).values())

    return through_joint


@lru_cache(maxsize=16)
def derived_columns(order: int, timed: bool) -> Program:
    """Columns "J" of all derivatives, and the twists of the joint frames with theirs, for the parts of a word of so many letters.

    timed: d/dt, given `order` rates from qdot on; else along as many directions.
    """
    word = in_time(order) if timed else along(order)
    count, inputs = len(parts(word)), [(RATE if timed else DIRECTION).format(k) for k in range(order)]
    name = f"derivatives of columns, {'in time' if timed else 'along'} {order}"
    starts = tuple(f"S{k}" for k in range(count))
    twist = 6 * (count - 1)
    state: dict[str, Any] = {"q": "q", **dict.fromkeys(inputs, "v"), **dict.fromkeys(starts, "6v"), "frame": 12 + twist, "moved": twist}
    fields = Fields(down={"V": twist}, state=state, world={"t": 1})
    stages = (recursion(derive_joint(word, timed), name=name), Columns(f"J {name}", starts, "frame", step(word)))
    return Program(name, stages, fields, ("q", *inputs, "t"), (f"J {name}", "moved"))
