"""Parameters that a scene file declares, as parameters of the model: what follows from them through the expressions that use them.

    p = p(n),     dy/dn = sum over what n changes in the model:  dy/dp dp/dn

The file is read again with each set of values, and with values beside them: dp/dn are differences of order 8. What changes that is no
parameter of the model is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from typing import Any

import numpy as np

from redmax.arguments import as_numbers, brief
from redmax.dynamics.common.parameter_slopes import STEP, WEIGHTS, are_poses, value_of
from redmax.errors import SceneError
from redmax.lie import so3
from redmax.model.contact_parameters import contact_follows
from redmax.model.model import Model
from redmax.model.parameters import known_parameters
from redmax.model.scene import Scene

TURNS = {"at_turn": "at", "body_turn": "body"}  # what kernels call turns of frames -> the frame of a link
BEGIN = ("q", "qdot")  # what else follows from them: where the model begins
Numbers = Mapping[str, np.ndarray]


class File:
    """A scene file, whose parameters have other values. names: of those that are asked for."""

    def __init__(self, scene: Scene, names: Sequence[str]) -> None:
        self.source, self.names = scene.source, tuple(names)
        self.start = {name: float(self.source.parameters[name]) for name in names}
        self.model = lru_cache(maxsize=4)(self.read)
        self.numbers = lru_cache(maxsize=4096)(self.found)

    def __reduce__(self) -> Any:
        """Without what was found."""
        return again, (self.source, self.names)

    def read(self, *values: float) -> Model:
        """The model with these values, in the order of the names."""
        return self.source.again(dict(zip(self.names, values, strict=True))).model()

    def found(self, *values: float) -> Numbers:
        """What follows from these values: parameters of the model, and where it begins."""
        model = self.model(*values)
        return {**self.values(model, self.moved), "q": model.q0, "qdot": model.qdot0}

    def values(self, model: Model, names: Iterable[str]) -> dict[str, np.ndarray]:
        """The values that a model has of parameters of the first one: of turns, from where that has the frames."""
        first, names = self.model(*self.start.values()), list(names)
        known, found = known_parameters(first), values_in(model, names)
        for p in (known[name] for name in names if known[name].what in TURNS):
            before, now = (getattr(m.links[p.place or 0], TURNS[p.what])[:3, :3] for m in (first, model))
            found[p.name] = so3.log(before.T @ now) if not np.array_equal(before, now) else np.zeros(3)
        return found

    @cached_property
    def moved(self) -> tuple[str, ...]:
        """The parameters of the model that follow from those of the file."""
        first, found = self.model(*self.start.values()), dict[str, None]()
        known = {name: p for name, p in known_parameters(first).items() if p.path[:1] != ("shape",) and name[-2:] not in (".x", ".y", ".z")}
        before = self.values(first, known)
        for k in range(len(self.names)):
            after = self.values(self.model(*self.beside(tuple(self.start.values()), k, 1)), known)
            found |= {name: None for name in known if not np.array_equal(before[name], after[name])}
        own = {(known[name].place, known[name].what, id(known[name].owner), known[name].path): name for name in reversed(found)}
        return tuple(name for name in found if name in own.values())

    def check(self, owner: str, argument: str) -> None:
        """Raise where something else follows from them: the motion then changes by more than the model's parameters account for."""
        from redmax.dynamics.dynamics import Dynamics

        first, rng = self.model(*self.start.values()), np.random.default_rng(0)
        q, (qdot, x), t = first.q0 + 0.1 * rng.normal(size=first.nq), rng.normal(size=(2, first.nv)), 0.37
        told = (lambda d: d.inverse(q, qdot, x, t=t), lambda d: d.forward(q, qdot, x, t=t), lambda d: d.observe(q, qdot, t).pose)
        unseen = "joints that rub" if first.rubbing else "a map" if first.map is not None else ""
        for k, name in enumerate(self.names):
            other = self.model(*self.beside(tuple(self.start.values()), k, 1))
            parts = Dynamics(first, "interpret", parameters=self.values(other, self.moved) or None), Dynamics(other, "interpret")
            same = [close(f(parts[0]), f(parts[1])) for f in told]
            same += [contact_follows(first, other, self.values(other, self.moved))] if first.touches else []
            if unseen or not all(same):
                why = f"may change more than numbers, in a scene with {unseen}" if unseen else "changes more than numbers"
                fix = "Give parameters of the model instead, such as 'arm.mass'"
                said = f"The file's parameter {name!r} {why} that may differ from world to world, such as one within a function. {fix}."
                raise SceneError(said, owner=owner, argument=argument)

    def beside(self, values: Sequence[float], k: int, steps: int) -> tuple[float, ...]:
        """The values with one of them a little away."""
        return tuple(x + steps * STEP * size(x) if i == k else x for i, x in enumerate(values))

    def follow(self, given: Numbers, of: Callable[..., Numbers] | None = None) -> dict[str, np.ndarray]:
        """(..., shape) of all that follows from values (...), by name, or of what is `of` those of one world: read once for each set."""
        columns = np.stack(np.broadcast_arrays(*[given[name] for name in self.names]), axis=-1)
        sets, places = np.unique(columns.reshape(-1, len(self.names)), axis=0, return_inverse=True)
        each = [(of or self.numbers)(*x) for x in sets.tolist()]
        lead = columns.shape[:-1]
        return {name: np.array([x[name] for x in each])[places.ravel()].reshape((*lead, *np.shape(each[0][name]))) for name in each[0]}

    def slopes(self, given: Numbers, k: int) -> dict[str, np.ndarray]:
        """The same of their derivatives by one of the values."""
        return self.follow(given, lambda *values: self.slope(values, k))

    def slope(self, values: Sequence[float], k: int) -> Numbers:
        """In one world."""
        ends = [(c, self.numbers(*self.beside(values, k, n)), self.numbers(*self.beside(values, k, -n))) for n, c in enumerate(WEIGHTS, 1)]
        unit = STEP * size(values[k])
        return {name: np.asarray(sum(c * (up[name] - down[name]) for c, up, down in ends) / unit) for name in ends[0][1]}


@dataclass(frozen=True, eq=False)
class Declared:
    """Parameters of a file with the values (...) that a user gives. others: those of the model that are given beside them."""

    file: File
    given: Numbers
    others: Mapping[str, Any]

    @cached_property
    def follows(self) -> Numbers:
        """(..., shape) of what follows from them."""
        return self.file.follow(self.given)

    @cached_property
    def moves(self) -> list[Numbers]:
        """How that changes with each of them."""
        return [self.file.slopes(self.given, k) for k in range(len(self.file.names))]

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters of the model, with values."""
        return {name: self.follows[name] for name in self.file.moved} | dict(self.others)

    @cached_property
    def begin(self) -> tuple[np.ndarray, np.ndarray] | None:
        """q and qdot, (..., n), where the file begins with these values, if that follows from them."""
        first = self.file.model(*self.file.start.values())
        q, qdot = (self.follows[name] for name in BEGIN)
        return None if (q == first.q0).all() and (qdot == first.qdot0).all() else (q, qdot)

    def slopes(self, found: Numbers, rows: int, begin: Sequence[str] = ()) -> dict[str, np.ndarray]:
        """By what was given, of slopes (..., *rows, shape) by parameters of the model.

        rows: how many axes there are of what has slopes; begin: of "q" and "qdot", those that are where the file begins, with slopes too
        """
        by, lead = {name: found[name] for name in self.others}, len(np.broadcast_shapes(*[x.shape for x in self.given.values()]))
        for k, name in enumerate(self.file.names):
            total: Any = 0.0
            for other, move in self.moves[k].items():
                if other in self.file.moved or other in begin:
                    along = twists(self.follows[other], move) if are_poses(self.follows[other]) else move
                    spread = along.reshape((*along.shape[:lead], *(1,) * rows, *along.shape[lead:]))
                    slope = found[other] * spread
                    total = total + slope.sum(axis=tuple(range(lead - along.ndim, 0)))
            by[name] = np.asarray(total)
        return by


def twists(E: np.ndarray, dE: np.ndarray) -> np.ndarray:
    """(..., 6), angular, then linear, of changes of poses (..., 4, 4): dE = E [xi]."""
    X = np.swapaxes(E[..., :3, :3], -1, -2) @ dE[..., :3, :]
    return np.stack([X[..., 2, 1], X[..., 0, 2], X[..., 1, 0], X[..., 0, 3], X[..., 1, 3], X[..., 2, 3]], axis=-1)


def with_declared(scene: Any, parameters: Any) -> tuple[Any, Any, Declared | None]:
    """A scene, the parameters of its model, and those of its file that are among what a user gives, if there are some."""
    if not isinstance(parameters, Mapping) or not parameters:
        return scene, parameters, None
    if isinstance(scene, str | PathLike):
        from redmax.model.named_scene import named_scene

        scene = named_scene(scene)
    source = scene.source if isinstance(scene, Scene) else None
    names = [] if source is None or source.path is None else [name for name in parameters if name in source.parameters]
    known = known_parameters(scene.model()) if names else {}
    names = [name for name in names if name not in known]
    if not names:
        return scene, parameters, None
    file = File(scene, names)
    others = {name: x for name, x in parameters.items() if name not in names}
    if both := sorted(set(file.moved) & set(others)):
        said = f"{both[0]!r} follows from {names[0]!r} of the file. Give one of them."
        raise SceneError(said, owner="parameters", argument=both[0])
    file.check("parameters", names[0])
    found = Declared(file, {name: checked(name, parameters[name]) for name in names}, others)
    return scene.model(), found.parameters, found


def checked(name: str, value: Any) -> np.ndarray:
    """(...), finite."""
    array = as_numbers(value, f"The parameter {name!r}", "float64")
    if not np.isfinite(array).all():
        raise SceneError(f"The parameter {name!r} must be finite. Got {brief(value)}.", owner="parameters", argument=name)
    return array


def again(source: Any, names: tuple[str, ...]) -> File:
    """What unpickling calls."""
    return File(source.again({}), names)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal but for roundings."""
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max(initial=0.0)))


def size(x: float) -> float:
    """Of a value, as differences take it."""
    return abs(x) or 1.0


def values_in(model: Model, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The values that a model has of parameters."""
    known = known_parameters(model)
    return {name: value_of(known[name]) for name in names}
