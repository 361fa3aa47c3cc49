"""Contact of a scene: which shapes take part, obstacles, pairs that do not touch; and of its model: shapes, pairs, and their kernels."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import brief
from redmax.bodies import Body
from redmax.components.appearance import Color, Fraction, Material
from redmax.components.checks import as_pose
from redmax.components.handles import BodyHandle
from redmax.contact.height_field import HeightField
from redmax.contact.law import CONSTANTS, KEPT, ShapeLaw, entries
from redmax.contact.material import ContactMaterial, as_material
from redmax.contact.obstacle import Obstacle, Plane
from redmax.contact.pairs.table import MOST_ASKED, ORDER, PAIRS
from redmax.contact.shape import ContactShape, shapes_of
from redmax.deformables.base import Deformable
from redmax.errors import Phrase, SceneError, called, unknown
from redmax.joints.frames import cleaned
from redmax.model.body_rows import rows_of_bodies
from redmax.model.contact_parameters import AS_IT_IS, Felt, Moments, of_moments, shapes_apart
from redmax.model.links import Link, body_appearance
from redmax.model.node_contact import node_shapes, shape_pairs
from redmax.model.pair_laws import check_laws
from redmax.program.interaction import Acting
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model

POINTS_A_SHAPE, LEAST_POINTS = 12, 64  # of the table of contacts


class SceneContact:
    """The methods of a Scene that are about contact."""

    links: list[Link]
    obstacles: list[Obstacle]
    apart: list[frozenset[str | int]]
    contact_laws: dict[frozenset[str | int], ContactMaterial]

    def add_obstacle(
        self, shape: Body | Plane | HeightField, *, at: Given = None, contact: ContactMaterial | float | bool = True,
        name: str | None = None, group: int = 0, color: Color | None = None, opacity: Fraction = 1.0, material: Material = "plastic",
    ) -> Obstacle:  # fmt: skip
        """Add something that stands in the world, and that bodies with `contact` touch: rm.Plane(), rm.HeightField(...), or a body's shape.

        at: where it stands, a translation (3,) or a pose (4, 4); contact: what it is made of, or its friction
        group: shapes of one group, which is not 0, do not touch each other; color, opacity, material: how it looks
        """
        scene: Any = self
        if not isinstance(shape, Body | Plane | HeightField):
            said = "add_obstacle takes redmax.Plane(), redmax.HeightField(...) or a shape such as redmax.Cuboid((1, 1, 1))"
            raise SceneError(f"{said}. Got {brief(shape)}.", owner="add_obstacle", argument="shape")
        name = str(scene._names.obstacles.fresh(name, self.obstacles, "obstacle"))
        pose = np.eye(4) if at is None else as_pose(Phrase("Scene", name), Phrase(f"at of obstacle {name!r}", "at"), at)
        made = as_material(f"Obstacle {name!r}", contact)
        look = body_appearance(name, color, opacity, material)
        self.obstacles.append(Obstacle(name, shape, pose, made, checked_group(f"Obstacle {name!r}", group), look))
        self.obstacles[-1].shapes()  # which says so where it cannot be met
        return self.obstacles[-1]

    def add_ground(self, height: float = 0.0, *, contact: ContactMaterial | float | bool = True, name: str = "ground") -> Obstacle:
        """Add the plane z = height, which is solid below."""
        return self.add_obstacle(Plane(), at=(0, 0, height), contact=contact, name=name)

    def ignore_contact(self, first: Any, second: Any) -> None:
        """Let two of bodies, obstacles and deformables pass through each other; themselves or by name. Numbers are groups: all in them."""
        pair = self._touching_pair("ignore_contact", first, second)
        self.contact_laws.pop(pair, None)
        if pair not in self.apart:
            self.apart.append(pair)

    def set_contact(self, first: Any, second: Any, contact: ContactMaterial | float | bool) -> None:
        """Give two of bodies, obstacles and deformables a law of their own, in place of what their materials are together.

        first, second: themselves or their names; two numbers are groups, and the law is that of all pairs of which one is in each
        contact: the material of the pair, its friction, or True for the usual one. Two that are named touch also where a joint connects
        them, or where both are of one group.
        """
        pair = self._touching_pair("set_contact", first, second)
        made = as_material("set_contact", contact)
        for name in sorted(x for x in pair if isinstance(x, str)):
            self._check_touches(name)
        self.apart[:] = [x for x in self.apart if x != pair]
        self.contact_laws[pair] = made

    def _check_touches(self, name: str) -> None:
        scene: Any = self
        thing = next((x for x in (*self.links, *scene.deformables) if x.name == name), None)
        if isinstance(thing, Deformable) and thing.contact is None:
            said = f"set_contact: deformable {name!r} touches nothing. Add it with .touching(...), such as cloth.touching(0.5)."
            raise SceneError(said, owner="set_contact", argument="first")
        if isinstance(thing, Link) and thing.contact is None:
            said = f"set_contact: body {name!r} touches nothing. Give it contact=True (or a material) where it is added."
            raise SceneError(said, owner="set_contact", argument="first")

    def _touching_pair(self, method: str, first: Any, second: Any) -> frozenset[str | int]:
        """Two names, or the numbers of two groups."""
        numbers = [isinstance(x, int) and not isinstance(x, bool) for x in (first, second)]
        if any(numbers) and (not all(numbers) or 0 in (first, second)):
            said = f"{method} takes two things that touch, or the numbers of two groups, none of them 0."
            raise SceneError(f"{said} Got {brief(first)} and {brief(second)}.", owner=method, argument="second")
        pair = [first, second] if all(numbers) else [self._touching(x) for x in (first, second)]
        if pair[0] == pair[1]:
            said = f"{method} takes two things that touch. Got {pair[0]!r} twice."
            raise SceneError(said, owner=method, argument="second")
        return frozenset(pair)

    def _touching(self, thing: Any) -> str:
        """The name of a body, an obstacle or a deformable."""
        scene: Any = self
        if isinstance(thing, Obstacle | Deformable):
            return str(thing.name)
        if isinstance(thing, str) and any(o.name == thing for o in (*self.obstacles, *scene.deformables)):
            return thing
        if isinstance(thing, str) and all(link.name != thing for link in self.links):
            known = [str(x.name) for x in (*self.links, *self.obstacles, *scene.deformables)]
            raise SceneError(unknown("body, obstacle or deformable", thing, known))
        return scene.find(thing).name if isinstance(thing, BodyHandle | str) else scene._found(thing, "first").name


def contact_of(name: str, shape: Body, contact: ContactMaterial | float | bool | None) -> ContactMaterial | None:
    """The material of a body, whose shape can be met; None if nothing touches it."""
    if contact is None or contact is False:
        return None
    material = as_material(called("Body", name), contact)
    for _ in shapes_of(name, 0, shape, np.eye(4), material, 0):
        pass  # which says so where it cannot
    return material


def checked_group(owner: str, group: Any) -> int:
    if isinstance(group, bool) or not isinstance(group, int):
        raise SceneError(f"{owner}: contact group is {brief(group)}, expected a whole number, 0 for none.", owner=owner, argument="group")
    return group


class ModelContact:
    """What a Model knows of contact."""

    @cached_property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """All shapes that take part, those on bodies first."""
        model: Model = self  # type: ignore[assignment]
        moving = [s for k, link in enumerate(model.bodies) if link.contact is not None for s in shapes_on(k, link)]
        moving += node_shapes(model)
        fixed = [s for o in model.obstacles for s in o.shapes()] if moving else []
        return (*moving, *fixed)

    @cached_property
    def contact_pairs(self) -> tuple[tuple[ContactShape, ContactShape], ...]:
        """The pairs of shapes that may touch, the lower kind first."""
        check_laws(self)  # type: ignore[arg-type]
        found = [(a, b) for a, b in shape_pairs(self.contact_shapes) if self.may_touch(a, b)]
        result = [(a, b) if ORDER.index(a.kind) <= ORDER.index(b.kind) else (b, a) for a, b in found]
        return tuple(result)

    @cached_property
    def asked_pairs(self) -> tuple[tuple[ContactShape, ContactShape], ...]:
        """Those for which there is no routine: Python is asked for them in each step (contact/asked)."""
        return tuple((a, b) for a, b in self.contact_pairs if (a.kind, b.kind) not in PAIRS)

    def may_touch(self, a: ContactShape, b: ContactShape) -> bool:
        """Not within one body, nor neighbours in a tree, nor of one group, nor what the scene lets pass, nor two that do not move.

        What the scene says of two names counts before their groups, and before joints between them.
        """
        model: Model = self  # type: ignore[assignment]
        names, groups = frozenset((a.owner, b.owner)), frozenset((a.group, b.group))
        if a.body == b.body or names in model.apart or self.welded(a.body) == self.welded(b.body):
            return False
        if names in model.contact_laws:
            return True
        return not ((a.group and a.group == b.group) or groups in model.apart or self.neighbours(a.body, b.body))

    def neighbours(self, a: int, b: int) -> bool:
        """Whether a joint connects two bodies, or only welds lie between; the world is a neighbour of what is welded to it."""
        first, second = self.welded(a), self.welded(b)
        if first == second:
            return True
        model: Model = self  # type: ignore[assignment]
        above = [self.welded(model.tree.parent[x]) if x >= 0 else None for x in (first, second)]
        joined = [above[0] == second and second >= 0, above[1] == first and first >= 0]
        return any(joined)

    def welded(self, j: int) -> int:
        """The topmost body that a body is welded to; -1: the world."""
        model: Model = self  # type: ignore[assignment]
        while j >= 0 and not model.links[j].joint.dof:
            j = model.tree.parent[j]
        return j

    @cached_property
    def contact_capacity(self) -> int:
        """How many points there is room for."""
        most = sum(PAIRS[a.kind, b.kind][1] if (a.kind, b.kind) in PAIRS else MOST_ASKED for a, b in self.contact_pairs)
        return max(1, min(most, LEAST_POINTS + POINTS_A_SHAPE * len(self.contact_shapes)))

    @cached_property
    def shapes_placed(self) -> tuple[tuple[Acting, list[ContactShape]], ...]:
        """The kernels that place shapes, on bodies and in the world, and which: those with parameters have their own."""
        model: Model = self  # type: ignore[assignment]
        found: list[tuple[Acting, list[ContactShape]]] = []
        for fixed, differs, numbers in shapes_apart(self.contact_shapes, model.parameters):
            shapes, felt = [self.contact_shapes[k] for k in numbers], Felt(inverted=not of_moments(differs))
            members = np.array([[] if fixed else [s.body] for s in shapes], np.int64).reshape(len(shapes), -1)
            constants = np.array([self.shape_constants(s, felt) for s in shapes])
            found.append((Acting(ShapeLaw(fixed, felt.inverted), members, constants, differs, KEPT), shapes))
        return tuple(found)

    @property
    def shapes_acting(self) -> tuple[Acting, ...]:
        """These kernels."""
        return tuple(acting for acting, _ in self.shapes_placed)

    def contact_place(self, shape: ContactShape) -> tuple[Acting, int]:
        """Which of the kernels place a shape, and as which of theirs."""
        return self.contact_places[id(shape)]

    @cached_property
    def contact_places(self) -> dict[int, tuple[Acting, int]]:
        """The same of all, by identity."""
        return {id(s): (acting, k) for acting, shapes in self.shapes_placed for k, s in enumerate(shapes)}

    @cached_property
    def solver_rows(self) -> dict[int, int]:
        """The row of each body in the solver's matrices."""
        return rows_of_bodies(self)  # type: ignore[arg-type]

    def shape_constants(self, shape: ContactShape, felt: Felt = AS_IT_IS) -> np.ndarray:
        """In the joint frame of the kernels; the row of the body is that of the solver's matrices."""
        model: Model = self  # type: ignore[assignment]
        pose, centre, inverse, easy = shape.pose, np.zeros(3), 0.0, np.zeros((3, 3))
        if shape.body >= 0:
            frame = felt.frames.get(shape.body, model.links[shape.body].body)
            pose = cleaned(model.frames[shape.body].T @ frame) @ pose
            carrier = model.links[shape.body].parent if shape.node >= 0 else -1
            bearer = shape.body if carrier < 0 else carrier
            body = seen_from(model, shape.body, bearer, frame)
            mass, inertia = self.felt_mass(bearer, felt.moments)
            centre, inverse = body[:3, 3], 1.0 / mass if felt.inverted else mass
            if bearer < len(model.bodies):  # a free node is a point, of which steps know more (dynamics/soft/contact.py)
                easy = body[:3, :3] @ (np.linalg.inv(inertia) if felt.inverted else inertia) @ body[:3, :3].T
        row = self.solver_rows[shape.body]
        where = [*pose[:3, :3].ravel(), *pose[:3, 3], *shape.size, shape.radius]
        numbers = [*where, *centre, inverse, *entries(easy), *(felt.material or shape.material).numbers(), row]
        assert len(numbers) == CONSTANTS
        return np.array(numbers, float)

    def felt_mass(self, j: int, others: Moments | None = None) -> tuple[float, np.ndarray]:
        """Mass and inertia of a body; of one that has none, of what it carries. others: those of bodies that have other ones"""
        model: Model = self  # type: ignore[assignment]
        shape = model.links[j].shape
        if j >= len(model.bodies):
            return float(shape.mass), np.eye(3)
        if shape.mass > 0 and np.linalg.eigvalsh(shape.inertia)[0] > 1e-12 * max(np.trace(shape.inertia), 1e-300):
            return (others or {}).get(j, (float(shape.mass), np.asarray(shape.inertia, float)))
        masses = [float(link.shape.mass) if k not in (others or {}) else (others or {})[k][0] for k, link in enumerate(model.bodies)]
        below = [k for k in range(len(model.bodies)) if j in model.tree.ancestors(k)]
        mass = sum(masses[k] for k in below) or sum(masses) or 1.0
        size = max((s.radius for s in self.contact_shapes if s.body == j), default=1.0)
        return mass, 0.4 * mass * size * size * np.eye(3)


def seen_from(model: Model, j: int, body: int, frame: np.ndarray) -> np.ndarray:
    """The body frame of link j, `frame` in its joint frame; or of the body that carries it, as a node that is attached."""
    own = model.frames[body].T @ (frame if body == j else model.links[body].body)
    return cleaned(own if body == j else np.linalg.inv(model.frames[body].T @ model.links[j].at @ model.frames[j]) @ own)


def shapes_on(k: int, link: Link) -> Iterable[ContactShape]:
    """Of one body."""
    assert link.contact is not None
    return shapes_of(link.name, k, link.shape, np.eye(4), link.contact, link.contact_group)
