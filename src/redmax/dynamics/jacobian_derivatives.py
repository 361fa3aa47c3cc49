"""Derivatives of Jacobians of any order, by brackets of their columns: along directions of the velocities, and in time.

dynamics/brackets has the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, as_whole
from redmax.dynamics.brackets.kinds import rewritten
from redmax.dynamics.brackets.programs import DIRECTION, RATE, derived_columns
from redmax.dynamics.brackets.words import Word, along, in_time, parts
from redmax.dynamics.common.parametrised import check_frames
from redmax.dynamics.common.twist_kinds import TwistKind, check_kind
from redmax.dynamics.kinematics import Kinematics
from redmax.dynamics.redmax.joints import to_body_frames
from redmax.errors import wrong
from redmax.lie import se3
from redmax.memory import check_room
from redmax.model.frames import Framed, Located, located
from redmax.program.columns import column_table

Along: TypeAlias = "int | str | ArrayLike"  # a coordinate by its number, a joint of one by its name, or a direction (..., nv)


class DerivedColumns(NamedTuple):
    """Columns of all links in their joint frames, (..., links, nv, 6), and twists of these frames, (..., links, 6), with derivatives."""

    word: Word
    J: dict[Word, np.ndarray]
    V: dict[Word, np.ndarray]


class JacobianDerivatives(Kinematics):
    """The functions of `Dynamics` that differentiate Jacobians."""

    def jacobian_derivative(
        self, q: ArrayLike, along: Sequence[Along], of: Framed | None = None, kind: TwistKind = "body", t: ArrayLike = 0.0
    ) -> np.ndarray:
        """The derivative of J of order len(along), (..., 6, nv) of one frame, or (..., 6 bodies, nv) of all body frames, by brackets.

        along: what to differentiate along, the first first: the number of a velocity (so [2, 3] asks for d2J / dq2 dq3), the name of a
            joint of one, or a direction (..., nv) of velocities. Those of joints on groups are body twists: q moves by exp(s x), and the
            order counts, as rotations do not commute
        of, kind: as of `jacobian`
        """
        owner = "Dynamics.jacobian_derivative"
        check_kind(owner, kind)
        if isinstance(along, str | int | np.integer) or not isinstance(along, Sequence | np.ndarray):
            raise wrong(owner, "along", along, "a list: numbers of velocities, names of joints of one, or directions (..., nv)")
        directions = [self.direction(owner, x, f"along[{k}]") for k, x in enumerate(along)]
        found = self.derived(q, directions, t, timed=False)
        return self.seen(owner, q, t, found, of, kind)[found.word]

    def jacobian_rates(
        self, q: ArrayLike, rates: Sequence[ArrayLike], of: Framed | None = None, kind: TwistKind = "body", t: ArrayLike = 0.0
    ) -> np.ndarray:
        """J and its derivatives in time, (1 + order, ..., 6, nv) of one frame or (1 + order, ..., 6 bodies, nv) of all body frames.

        rates: [qdot, qddot, ...], each (..., nv): as many as derivatives are wanted; of, kind: as of `jacobian`
        """
        owner = "Dynamics.jacobian_rates"
        check_kind(owner, kind)
        if isinstance(rates, str) or not isinstance(rates, Sequence | np.ndarray):
            raise wrong(owner, "rates", rates, "a list of qdot, qddot and so on, each (..., nv)")
        found = self.derived(q, [as_numbers(x, f"rates[{k}]", self.dtype) for k, x in enumerate(rates)], t, timed=True)
        every = self.seen(owner, q, t, found, of, kind)
        return np.stack([every[w] for w in parts(found.word)])

    def direction(self, owner: str, given: Any, argument: str) -> np.ndarray:
        """(..., nv)."""
        n = self.model.nv
        if isinstance(given, str):
            places = self.model.v_slice(given)
            if places.stop - places.start != 1:
                valid = f"a joint of one velocity. It has {places.stop - places.start}: name one by its number, from {places.start} on"
                raise wrong(owner, argument, given, valid)
            return np.eye(n, dtype=self.dtype)[places.start]
        if not isinstance(given, bool) and isinstance(given, int | np.integer):
            if as_whole(given) is None or not 0 <= given < n:
                raise wrong(owner, argument, given, f"the number of a velocity, from 0 to {n - 1}")
            return np.eye(n, dtype=self.dtype)[given]
        return as_numbers(given, argument, self.dtype)

    def derived(self, q: ArrayLike, inputs: Sequence[np.ndarray], t: ArrayLike, timed: bool) -> DerivedColumns:
        """J with its derivatives along these directions, or with these rates, at the joint frames of all links."""
        order, (links, n) = len(inputs), (len(self.model.links), self.model.nv)
        word = in_time(order) if timed else along(order)
        program, words = derived_columns(order, timed), parts(word)
        names = [(RATE if timed else DIRECTION).format(k) for k in range(order)]
        shape, arrays = self.arrays(q=q, **dict(zip(names, inputs, strict=True)), t=t)
        table = column_table(self.model.tree, [link.joint.dof for link in self.model.links])
        size = 8 * int(np.prod(shape, dtype=float)) * len(words) * links * n * 6
        check_room(3 * size, f"Derivatives of Jacobians of {int(np.prod(shape))} states", "Ask for fewer at a time.")
        widths = ((len(table), len(words), 6), (links, len(words) - 1, 6))
        packed, twists = self.call(program.name, program, arrays, shape, *widths)
        J = np.zeros((len(words), *shape, links, n, 6), self.dtype)
        J[..., table[:, 0], table[:, 1], :] = np.moveaxis(packed, -2, 0)
        return DerivedColumns(word, dict(zip(words, J, strict=True)), {w: twists[..., k, :] for k, w in enumerate(words[1:])})

    def seen(
        self, owner: str, q: ArrayLike, t: ArrayLike, found: DerivedColumns, of: Framed | None, kind: TwistKind
    ) -> dict[Word, np.ndarray]:
        """Jacobians of one frame, (..., 6, nv), or of all body frames, (..., 6 bodies, nv), of this kind."""
        check_frames(self.model, owner)
        if of is None:
            to_frame = to_body_frames(self.model).astype(self.dtype)
            J, V = found.J, found.V
            E = self.observe(q, np.zeros(self.model.nv, self.dtype), t).pose if kind != "body" else np.eye(4)
        else:
            at = located(self.model, of)
            to_frame, E = self.to_frame(at).astype(self.dtype), self.pose(q, of, t) if kind != "body" else np.eye(4)
            J, V = ({w: x[..., at.link, :, :] for w, x in found.J.items()}, {w: x[..., at.link, :] for w, x in found.V.items()})
        columns = {w: x @ np.swapaxes(to_frame, -1, -2) for w, x in J.items()}
        twists = {w: (to_frame @ x[..., None])[..., 0] for w, x in V.items()}
        result = {w: np.swapaxes(x, -1, -2) for w, x in rewritten(kind, E, found.word, twists, columns).items()}
        if of is not None:
            return result
        return {w: x.reshape(*x.shape[:-3], 6 * len(self.model.links), self.model.nv) for w, x in result.items()}

    def to_frame(self, at: Located) -> np.ndarray:
        """(6, 6): from the joint frame of the kernels to a frame on the body."""
        base = self.model.links[at.link].body if at.relative_to == "body" else np.eye(4)
        return np.asarray(se3.Ad(se3.inverse(self.model.frames[at.link].T @ base @ at.pose)), float)
