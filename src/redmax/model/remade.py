"""Parameters that are arguments of a component: which constants of its kernels follow from them, and what these are in each world.

The pitch of a screw is a constant of its kernels as it is; the control frames of a spline become the screws between them, the size of a
cuboid its inertia. So the component is made again with other numbers: which constants differ then is found by changing each number a
little, once. Where the constants are the numbers themselves, programs take these, and have derivatives by them; otherwise they take the
constants, which are computed world by world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from redmax.components.holding import Holding
from redmax.components.numbers import Path, Values, inside, made_with
from redmax.constraints.base import Constraint
from redmax.errors import SceneError
from redmax.forces.base import Force
from redmax.joints.frame_product import by_twists
from redmax.lie import so3
from redmax.trace import Table

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.parameters import Parameter

Entry: TypeAlias = tuple[str, int]  # a constant of the kernels, and which of its numbers
Constants: TypeAlias = Mapping[str, "np.ndarray | Table"]
Maker: TypeAlias = Callable[[Values], Constants]
MADE = "made"  # what constants that several arguments make together are called among the parameters of a joint or force
MOMENTS = {  # constants that follow from them
    "mass": ("mass", "h", "A"), "com": ("h", "A", "body_p"), "inertia": ("A",), "body_turn": ("A", "body_R"), "at": ("p0",), "at_turn": ("R0",),
}  # fmt: skip
ROUNDING = 1e-13  # of the largest number of a constant: what another turn makes of the inertia of a ball
LITTLE = 2**-6  # by which numbers are changed, of their size; exact for most


class Refused(Exception):
    """Why a number cannot be a parameter."""


@dataclass(frozen=True, eq=False)
class Remaking:
    """How the constants of one link or force follow from its arguments.

    make: its constants, made again; values, names: of the parameters by path; entries: the constants that differ; same: whether they are
    the values, as they are
    """

    make: Maker
    values: Values
    names: Mapping[Path, str]
    entries: tuple[Entry, ...]
    same: bool
    owner: object

    def columns(self, given: Mapping[str, np.ndarray]) -> np.ndarray:
        """(..., entries) from values by name, (..., its shape) each."""
        shapes = {path: given[name].shape[: given[name].ndim - value.ndim] for path, name, value in self.each(given)}
        lead = np.broadcast_shapes(*shapes.values())
        spread = {p: np.broadcast_to(given[n], (*lead, *v.shape)).reshape(-1, *v.shape) for p, n, v in self.each(given)}
        count = int(np.prod(lead))
        if self.same and spread:
            self.check({path: f(values, axis=0) for path, values in spread.items()} for f in (np.min, np.max) if count)
            return next(iter(spread.values())).reshape(*lead, -1)
        known: dict[bytes, np.ndarray] = {}
        rows = np.empty((count, len(self.entries)))
        for w in range(count):
            own = {path: values[w] for path, values in spread.items()}
            key = b"".join(value.tobytes() for value in own.values())
            if key not in known:
                known[key] = self.row(own)
            rows[w] = known[key]
        return rows.reshape(*lead, len(self.entries))

    def each(self, given: Mapping[str, np.ndarray]) -> list[tuple[Path, str, np.ndarray]]:
        """(path, name, value as the model has it) of those that are given."""
        return [(path, self.names[path], value) for path, value in self.values.items() if self.names[path] in given]

    def check(self, worlds: Any) -> None:
        """Raise the sentence of the constructor where it does not take these."""
        for values in worlds:
            self.made(values)

    def row(self, values: Values) -> np.ndarray:
        """The entries in one world."""
        constants, (base, known) = self.made(values), self.base
        made = flat(constants)
        changed = np.flatnonzero(np.abs(made - base) > ROUNDING * sizes(constants))
        if set(changed.tolist()) - set(known):
            names = " and ".join(self.names.values())
            why = "change more than the numbers near those of the scene do, where it is in a special position"
            raise SceneError(f"The given values of {names} {why}. Build the scene with other numbers.", owner="parameters")
        return made[known]

    @cached_property
    def touching(self) -> dict[str, Any]:
        """What has been found of arguments of many numbers, by name: the entries that each of them changes, and which can move together."""
        return {}

    @cached_property
    def base(self) -> tuple[np.ndarray, list[int]]:
        """All of its numbers as the model has them, and where the entries stand among them."""
        constants = self.make({})
        return flat(constants), places(constants, self.entries)

    def made(self, values: Values) -> Constants:
        """Its constants in one world, of the same structure."""
        try:
            return self.make(values)
        except Refused as why:
            names = " and ".join(self.names.values())
            raise SceneError(f"The given values of {names} make another component of it: {why}.", owner="parameters") from None


def flat(constants: Constants) -> np.ndarray:
    """All of their numbers."""
    return np.concatenate([np.zeros(0), *[ravelled(v) for v in constants.values()]])


def sizes(constants: Constants) -> np.ndarray:
    """Of each number, how large those are that it belongs to."""
    each = [ravelled(v) for v in constants.values()]
    return np.concatenate([np.zeros(0), *[np.full(x.size, np.abs(x).max(initial=0.0)) for x in each]])


def ravelled(value: np.ndarray | Table) -> np.ndarray:
    """Of one constant."""
    return np.ravel(value.array if isinstance(value, Table) else value).astype(float)


def places(constants: Constants, entries: Sequence[Entry]) -> list[int]:
    """Where entries stand among all numbers."""
    starts = dict(zip(constants, np.cumsum([0, *[ravelled(v).size for v in constants.values()]]).tolist(), strict=False))
    return [starts[name] + k for name, k in entries]


def remaking(make: Maker, values: Values, names: Mapping[Path, str], owner: object = None) -> Remaking:
    """Find the entries. Raises Refused where nothing, or too much, follows from the values."""
    base = make({})
    before, changed, same = flat(base), np.zeros(flat(base).size, bool), len(values) == 1
    for path, value in values.items():
        try:
            tries = tried(make, path, value)
        except SceneError:  # poses, knots and the like: no number of theirs changes alone
            changed |= np.concatenate([np.zeros(0, bool), *[np.full(ravelled(v).size, n.startswith(OF[path[0]])) for n, v in base.items()]])
            same = False
            continue
        moved = np.any([found != before for _, found in tries], axis=0)
        if not moved.any():
            raise Refused("no constant of its kernels follows from it, as where it is part of a function of time")
        same = same and all(np.array_equal(found[moved], np.ravel(other)) for other, found in tries)
        changed |= moved
    if len(values) > 1:
        changed |= moved_together(make, values, before)
    return Remaking(make, values, names, entries_of(base, changed), same, owner)


def moved_together(make: Maker, values: Values, before: np.ndarray) -> np.ndarray:
    """What changes with all of them at once: turns about two axes do what neither of them does."""
    try:
        return flat(make({path: nudged(value)[0] for path, value in values.items()})) != before
    except (Refused, SceneError):
        return np.zeros(before.size, bool)


OF = {"joint": ("joint.",), "shape": ("mass", "h", "A", "body_"), "force": ("",), "frame": ("anchors",)}  # of what


def tried(make: Maker, path: Path, value: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(numbers near a value, the constants they make): each changed by another amount or, where that makes another component, alike."""
    try:
        return [(other, flat(make({path: other}))) for other in nudged(value)]
    except Refused:
        found = [(other, flat(make({path: other}))) for other in (value * (1 + LITTLE), value * (1 - LITTLE))]
        if all(np.array_equal(constants, flat(make({}))) for _, constants in found):
            raise
        return found


def nudged(value: np.ndarray) -> list[np.ndarray]:
    """Numbers near a value, each by another amount, with none that is zero.

    A turn is about two axes, none of which a point in a special position is on.
    """
    if value.shape == (3,) and not value.any():
        return [np.array(turn) for turn in ((0.0131, -0.0223, 0.0317), (0.0279, 0.0181, -0.0113))]
    steps = LITTLE * (1 + np.arange(value.size).reshape(value.shape) % 8)
    size = float(np.abs(value).max()) or 1.0
    return [np.where(value == 0, part * steps * size, value * (1 + part * steps)) for part in (1.0, 0.5)]


def entries_of(constants: Constants, changed: np.ndarray) -> tuple[Entry, ...]:
    """The constants that changed, number by number, but tables as a whole."""
    found: list[Entry] = []
    start = 0
    for name, value in constants.items():
        size = ravelled(value).size
        own = changed[start : start + size]
        chosen = range(size) if isinstance(value, Table) and own.any() else np.flatnonzero(own).tolist()
        found += [(name, k) for k in chosen]
        start += size
    return tuple(found)


def link_maker(model: Model, i: int) -> Maker:
    """The constants of a link whose joint ("joint", ...) or shape ("shape", ...) has other numbers."""
    link = model.links[i]

    def make(values: Values) -> Constants:
        joint, shape = (made_with(old, inside(values, what)) for what, old in (("joint", link.joint), ("shape", link.shape)))
        core, C = joint.core() if model.cores[i] is not link.joint else (joint, np.eye(4))
        if joint.structure() != link.joint.structure() or core.structure() != model.cores[i].structure():
            raise Refused("other code is needed for its joint with other numbers")
        if not np.array_equal(C, model.frames[i]):
            raise Refused("it turns the frames that the kernels of its neighbours are written in beyond where the scene has them")
        if joint.domain != link.joint.domain:
            raise Refused("it would change the range in which the motion of the joint is defined")
        body = link.body if link.place is None else link.place @ shape.frame
        holding = {*model.touched, *[twist.body for twist in model.twists], *[node.parent for node in model.nodes]}
        holding |= {b.index for c in model.constraints for b in c.bodies}
        if i in holding and not np.array_equal(body, link.body):
            raise Refused("it moves the frame of a body that forces, constraints, prescribed twists or deformables hold on to")
        return model.link_constants(i, replace(link, joint=joint, shape=shape, body=body), by_twists(core))

    return make


def with_free_axes(model: Model, chosen: Iterable[Parameter]) -> Model:
    """The model whose kernels have the joints that turn their own frames, as axes do, as they are, instead of along z: any axis fits then."""
    cores, frames = list(model.cores), list(model.frames)
    for i in {p.place for p in chosen if p.path[:1] == ("joint",) and turns_frames(model, p)}:
        assert i is not None
        cores[i], frames[i] = model.links[i].joint, np.eye(4)
    changed = any(a is not b for a, b in zip(cores, model.cores, strict=True))
    return replace(model, cores=tuple(cores), frames=tuple(frames)) if changed else model


def turns_frames(model: Model, p: Parameter) -> bool:
    """Whether a number of a joint says where the frames lie in which its kernels are sparse."""
    joint = model.links[p.place or 0].joint
    for value in nudged(p.default.reshape(p.shape)):
        try:
            if not np.array_equal(made_with(joint, {p.path[1:]: value}).core()[1], joint.core()[1]):
                return True
        except SceneError:  # poses, knots and the like, which are no such numbers
            return False
    return False


def force_maker(model: Model, force: Holding, placed: bool = True) -> Maker:
    """The constants of a force or constraint ("force", ...) with other numbers, or with frames of its bodies elsewhere ("frame", ...).

    placed: as kernels have its anchors, or as the user gave them, in body frames
    """
    from redmax.model.build import begun, initial_poses, settled, settled_rows

    first = [*begun(model.bodies, model.map), *model.hidden, *model.nodes]
    poses = initial_poses(first)

    def again(own: Values) -> Holding:
        """It, with other numbers, as it is where the scene begins."""
        if not own:
            return force
        same = {"name": force.name, "joints": force.joints}
        if isinstance(force, Constraint):
            made = made_with(force, own).replaced(**same, bodies=force.bodies)
            return settled_rows([made.fitted([model.links[b.index].joint for b in force.joints])], poses, first)[0]
        return settled([made_with(force, own).replaced(**same)], poses, first)[0]

    def make(values: Values) -> Constants:
        moved = moved_frames(model, inside(values, "frame"))
        found = again(inside(values, "force"))
        if found.structure() != force.structure():
            raise Refused("other code is needed for it with other numbers, as where one of them is zero in the scene")
        if not placed:
            return found.data()
        if isinstance(found, Constraint):
            return model.constraint_placed(found, moved).data()
        assert isinstance(found, Force)
        return model.placed(found, moved).data()

    return make


def moved_frames(model: Model, values: Values) -> dict[int, np.ndarray]:
    """The frames of bodies in their joint frames that are elsewhere: by body and "com" or "body_turn", or one number of it, "com.x"."""
    found: dict[int, np.ndarray] = {}
    turns: dict[int, np.ndarray] = {}
    for (body, given), value in values.items():
        what, _, axis = given.partition(".")
        i, chosen = int(body), "xyz".index(axis) if axis else slice(0, 3)
        E = found.setdefault(i, model.links[i].body.copy())
        if what == "com":
            E[chosen, 3] = value
        else:
            turns.setdefault(i, np.zeros(3))[chosen] = value
    for i, turn in turns.items():
        found[i][:3, :3] = found[i][:3, :3] @ so3.exp(turn)
    return found


def on_forces(model: Model, p: Parameter) -> list[Parameter]:
    """Where a body frame is, once more for each force or constraint that holds on to the body: its points are given from there."""
    if not p.moves_body:
        return []
    path = ("frame", str(p.place), p.what)
    holding = [held for held in (*model.forces, *model.constraints) if p.place in [b.index for b in held.bodies]]
    return [replace(p, place=None, what=MADE, owner=force, path=path) for force in holding]


def completed(model: Model, chosen: Sequence[Parameter]) -> list[Parameter]:
    """The same parameters, those that are arguments of components with how these are made again with them."""
    chosen = [*chosen, *[more for p in chosen for more in on_forces(model, p)]]
    done = [p for p in chosen if not p.path]
    for owner in {id(p.owner): p.owner for p in chosen if p.path}.values():
        own = [p for p in chosen if p.path and p.owner is owner]
        make = force_maker(model, owner) if isinstance(owner, Holding) else link_maker(model, own[0].place or 0)
        alone = {p.path: found(make, [p]) for p in own}
        together = [p for p in own if not alone[p.path].same or shares(alone, p.path)]
        done += [with_columns(p, alone[p.path], f"{MADE}.{'.'.join(p.path)}") for p in own if p not in together]
        if together:
            done += [with_columns(together[0], found(make, together), MADE), *[replace(p, default=np.zeros(0)) for p in together[1:]]]
    check_apart(done)
    return done


def shares(alone: Mapping[Path, Remaking], path: Path) -> bool:
    """Whether a constant that follows from one argument follows from another too, as the place of a point on a body that is moved."""
    others = {entry for other, made in alone.items() if other != path for entry in made.entries}
    return not others.isdisjoint(alone[path].entries)


def found(make: Maker, chosen: Sequence[Parameter]) -> Remaking:
    """What some arguments of one component make."""
    try:
        return remaking(make, {p.path: p.default.reshape(p.shape) for p in chosen}, {p.path: p.name for p in chosen}, chosen[0].owner)
    except Refused as why:
        name = " and ".join(repr(p.name) for p in chosen)
        raise SceneError(f"{name} cannot be a parameter: {why}.", owner="parameters", argument=chosen[0].name) from None


def with_columns(p: Parameter, made: Remaking, what: str) -> Parameter:
    """A parameter whose columns are the constants that are made."""
    base = made.make({})
    return replace(p, what=what, remaking=made, default=flat(base)[places(base, made.entries)])


def check_apart(chosen: Sequence[Parameter]) -> None:
    """Raise where a constant would follow from two parameters in different ways, as an inertia from a mass and from a size."""
    met: dict[tuple[int, str], str] = {}
    for p in sorted(chosen, key=lambda p: bool(p.path)):
        for name in {name for name, _ in p.remaking.entries} if p.remaking else MOMENTS.get(p.what.partition(".")[0], ()):
            other = met.setdefault((id(p.owner), name), p.name)
            if other != p.name and p.path and not (name.startswith("joint.") or isinstance(p.owner, Holding)):
                raise SceneError(f"The parameters {other!r} and {p.name!r} overlap. Give one of them.", owner="parameters")
