"""Configurations: what describes the position of all joints, as programs keep it. Each joint's coordinates, then the charts it uses.

Users see the two apart: q, (..., nq), and the charts' numbers, (..., choices), or their names. Where no joint has a choice of charts,
a configuration is q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.joints.base import Joint


class Configurations:
    """The layout for the joints of one model."""

    def __init__(self, names: Sequence[str], joints: Sequence[Joint]) -> None:
        self.names, self.joints = tuple(names), tuple(joints)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each joint's configuration begins, and the end."""
        return np.concatenate([[0], np.cumsum([joint.size for joint in self.joints])]).astype(int)

    @property
    def size(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Which entries are coordinates, (nq,)."""
        return self.entries([range(joint.nq) for joint in self.joints])

    @cached_property
    def charts(self) -> np.ndarray:
        """Which entries are numbers of charts, (choices,)."""
        return self.entries([range(joint.nq, joint.size) for joint in self.joints])

    def entries(self, parts: Sequence[range]) -> np.ndarray:
        return np.array([start + i for start, part in zip(self.offsets[:-1], parts, strict=True) for i in part], int)

    def parts(self) -> list[slice]:
        """Each joint's configuration."""
        return [slice(a, b) for a, b in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)]

    @cached_property
    def start(self) -> np.ndarray:
        """The charts in use at first, (choices,)."""
        return np.array([n for joint in self.joints for n in joint.start], float)

    def rates(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """(..., nq): how coordinates change with velocities (..., nv)."""
        if q.shape[-1] == qdot.shape[-1]:
            return qdot
        ends = [np.cumsum([getattr(joint, n) for joint in self.joints])[:-1] for n in ("nq", "dof")]
        parts = zip(self.joints, np.split(q, ends[0], axis=-1), np.split(qdot, ends[1], axis=-1), strict=True)
        moved = [v if j.nq == j.dof else (np.asarray(j.tangent(x), float) @ v[..., None])[..., 0] for j, x, v in parts]
        return np.concatenate(moved, axis=-1)

    def sizes(self, configuration: np.ndarray) -> np.ndarray:
        """(nv,): of one configuration, the coordinates that steps add to; 0 where steps go along a group."""
        parts = zip(self.joints, self.parts(), strict=True)
        return np.concatenate([np.zeros(0), *(configuration[p][: j.dof] if j.nq == j.dof else np.zeros(j.dof) for j, p in parts)])

    def moved(self, configuration: np.ndarray, step: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The configuration, (size,), that is a step, (nv,), further, and how fast the step changes there with the velocities qdot."""
        ends = np.cumsum([joint.dof for joint in self.joints])[:-1]
        shares = zip(self.joints, self.parts(), np.split(step, ends), np.split(qdot, ends), strict=True)
        found = [(j.retract(configuration[p], own), j.rate(own, v)) for j, p, own, v in shares]
        places, rates = ([np.asarray(x, float) for x in each] for each in zip(*found, strict=True))
        return np.concatenate(places), np.concatenate(rates)

    def join(self, q: np.ndarray, charts: Any = None) -> np.ndarray:
        """Configurations (..., size) from q (..., nq) and the charts' numbers (..., choices), those in use at first unless given."""
        if not len(self.charts):
            return q
        charts = self.start if charts is None else self.checked(np.asarray(charts, float))
        try:
            worlds = np.broadcast_shapes(q.shape[:-1], charts.shape[:-1])
        except ValueError:
            raise SceneError(f"q has the leading axes {q.shape[:-1]}, but the charts {charts.shape[:-1]}; they must agree.") from None
        result = np.empty((*worlds, self.size), q.dtype)
        result[..., self.coordinates], result[..., self.charts] = q, charts
        return result

    @cached_property
    def choices(self) -> np.ndarray:
        """How many charts there are to choose from, (choices,)."""
        return np.array([len(options) for joint in self.joints for options in joint.discrete], int)

    def checked(self, charts: np.ndarray) -> np.ndarray:
        """The charts' numbers, if they are some: those of a result file, or of a user, may be anything."""
        if charts.shape[-1:] != self.choices.shape:
            raise SceneError(f"The charts of a configuration are {len(self.choices)} numbers. Got shape {charts.shape}.")
        right = (charts >= 0) & (charts < self.choices) & (charts == np.floor(charts))
        if not right.all():
            wrong = np.argwhere(~right)[0]
            value, last = charts[tuple(wrong)], self.choices[wrong[-1]] - 1
            raise SceneError(f"There is no chart {value:g}, at {wrong.tolist()} of the charts. Valid: whole numbers from 0 to {last}.")
        return charts

    def split(self, configurations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and the charts' numbers."""
        if not len(self.charts):
            return configurations, np.zeros((*configurations.shape[:-1], 0), int)
        charts = configurations[..., self.charts]
        return configurations[..., self.coordinates], np.where(np.isfinite(charts), charts, 0).astype(int)

    @cached_property
    def charted(self) -> list[tuple[str, Joint]]:
        """The joints whose coordinates have a name, or a choice of names."""
        return [(name, joint) for name, joint in zip(self.names, self.joints, strict=True) if joint.chart or joint.discrete]

    def chart_names(self, charts: np.ndarray) -> dict[str, Any]:
        """joint -> the name of its coordinates, where they have one; of a batch, an array of names."""
        found: dict[str, Any] = {}
        charts = self.checked(charts) if len(self.choices) else charts
        column = 0
        for name, joint in self.charted:
            if joint.chart:
                found[name] = joint.chart
            if joint.discrete:
                words = [np.asarray(options)[charts[..., column + i]] for i, options in enumerate(joint.discrete)]
                text = words[0]
                for word in words[1:]:
                    text = np.char.add(np.char.add(text, " "), word)
                found[name] = str(text) if np.ndim(text) == 0 else text
                column += len(joint.discrete)
        return found

    def numbered(self, names: Mapping[str, Any]) -> np.ndarray:
        """The charts' numbers, (..., choices), from names as `named` gives them; those in use at first where there is none."""
        if not names and not len(self.choices):
            return np.zeros(0)
        strange = [name for name in names if name not in self.names]
        if strange:
            raise SceneError(f"The state has a chart for joint {strange[0]!r}, which is not in the scene. It has {', '.join(self.names)}.")
        columns: list[np.ndarray] = []
        for name, joint in zip(self.names, self.joints, strict=True):
            if not joint.discrete:
                if name in names and not np.all(np.asarray(names[name]) == joint.chart):
                    raise SceneError(f"Joint {name!r} has no chart {names[name]!r}. Valid: {joint.chart!r}.")
                continue
            if name not in names:
                columns += [np.array(float(n)) for n in joint.start]
                continue
            given = np.asarray(names[name])
            words = [np.vectorize(lambda text, i=i: (str(text).split() + [""] * 9)[i])(given) for i in range(len(joint.discrete))]
            for word, options in zip(words, joint.discrete, strict=True):
                unknown = [w for w in np.unique(word).tolist() if w not in options]
                if unknown:
                    raise SceneError(f"Joint {name!r} has no chart {unknown[0]!r}. Valid: {', '.join(map(repr, options))}.")
                columns.append(np.vectorize(options.index, otypes=[float])(word))
        try:
            shape = np.broadcast_shapes(*[c.shape for c in columns]) if columns else ()
        except ValueError:
            raise SceneError(f"The charts of a state must agree in their axes. Got {', '.join(str(c.shape) for c in columns)}.") from None
        return np.stack([np.broadcast_to(c, shape) for c in columns], axis=-1) if columns else np.zeros(0)
