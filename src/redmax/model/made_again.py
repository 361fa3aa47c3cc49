"""How the constants of joints, shapes, forces and constraints are made again with other numbers, as what remade.py asks for them.

A force holds on to places that are given in body frames, so that where these are is made again with it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from redmax.components.holding import Holding
from redmax.components.numbers import Path, Values, inside, made_with
from redmax.constraints.base import Constraint
from redmax.errors import SceneError
from redmax.forces.base import Force
from redmax.joints.frame_product import by_twists
from redmax.lie import so3
from redmax.model.remade import MADE, Constants, Maker, Refused, Remaking, flat, nudged, places, remaking

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.parameters import Parameter

MOMENTS = {  # constants that follow from them
    "mass": ("mass", "h", "A"), "com": ("h", "A", "body_p"), "inertia": ("A",), "body_turn": ("A", "body_R"),
    "at": ("p0",), "at_turn": ("R0",),
}  # fmt: skip


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
    """The model whose kernels have joints, of which these turn the frames, as axes do, as they are, not along z: any axis fits then."""
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
