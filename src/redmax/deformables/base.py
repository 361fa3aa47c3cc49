"""A deformable body: point masses at its nodes, and elements between them (RedMax notes Sec. 2.7).

Some nodes may be held by the world or carried by bodies; the others are free, with three coordinates each (Eq. 2.85: x_a and x_f).
Damping proportional to mass and stiffness (Rayleigh) is part of every deformable: f = -alpha m v, and beta (df/dx) v at rest (Law.viscous).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.components.appearance import Appearance, Material, appearance_of
from redmax.components.checks import finite, number
from redmax.components.colours import Color
from redmax.components.given import Fraction, FromZero, Gain, Indices, Length, Range, Rayleigh, Shape, Unit
from redmax.components.handles import BodyHandle
from redmax.components.kept_arguments import Made
from redmax.contact.material import ContactMaterial
from redmax.deformables.attachment import BAUMGARTE, Attachment, selected
from redmax.deformables.elements import Elements, check_range, integers
from redmax.deformables.touching import NodeContact, node_contact
from redmax.errors import Phrase, SceneError, called, wrong

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
FROM_ZERO = "a number from 0 up"
Nodes = int | Sequence[int] | Numbers | NDArray[np.bool_] | Callable[[Any], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Deformable(Made):
    """Nodes, their masses, and the elements between them; its methods return changed copies.

    nodes: (N, 3) rest positions in the world (m)
    masses: (N,) of the nodes (kg)
    elements: the laws between nodes
    rayleigh: (alpha, beta), damping proportional to mass (1/s) and to stiffness (s)
    surface: (m, 3) triangles of nodes to draw, seen counterclockwise from outside
    lines: (m, 2) lines between nodes to draw, where there is no surface
    attachments: what keeps a node that is not free, by its number
    ties: what a free node is held to by three constraint rows, by its number
    contact: which of its nodes touch rigid shapes, if some do; see `touching`
    implicit: whether implicit steps take its stiffness and damping into their system
    positions, velocities: (N, 3) at the start (m, m/s); at rest unless `moved`
    appearance: how it looks, if somebody said; see `painted`
    """

    nodes: Annotated[Array, Shape((-1, 3)), Unit("m")]
    masses: Annotated[Array, Shape((-1,)), Range(above=0), Unit("kg")]
    elements: tuple[Elements, ...]
    rayleigh: Rayleigh = (0.0, 0.0)
    surface: Indices = field(default_factory=lambda: np.zeros((0, 3), np.int64), kw_only=True)
    lines: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int64), kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    attachments: dict[int, Attachment] = field(init=False)
    ties: dict[int, Attachment] = field(init=False)
    contact: NodeContact | None = field(init=False)
    implicit: bool = field(init=False)
    positions: Array = field(init=False)
    velocities: Array = field(init=False)
    appearance: Appearance | None = field(init=False)

    def __post_init__(self) -> None:
        nodes = finite(self.owner, "nodes", self.nodes, ((-1, 3),), "an (N, 3) array of finite coordinates (m)")
        count = len(nodes)
        masses = finite(self.owner, "masses", self.masses, ((count,),), f"{count} finite numbers greater than 0 (kg), one for each node")
        light = np.flatnonzero(~(masses > 0))
        if not count or len(light):
            what = f"masses has {masses[light[0]]:g} at node {light[0]}" if count else "nodes is empty"
            raise SceneError(
                f"{self.owner}: {what}, expected at least one node and masses greater than 0 (kg).",
                owner=self.owner,
                argument="masses" if count else "nodes",
            )
        if not isinstance(self.elements, list | tuple) or not all(isinstance(group, Elements) for group in self.elements):
            raise wrong(self.owner, "elements", self.elements, "a tuple of redmax.deformables.Elements")
        for group in self.elements:
            check_range(self.owner, Phrase("element", "elements"), group.nodes, count)
        surface = integers(self.owner, "surface", self.surface, 3, "an (m, 3) array of node numbers")
        lines = integers(self.owner, "lines", self.lines, 2, "an (m, 2) array of node numbers")
        check_range(self.owner, Phrase("triangle", "surface"), surface, count)
        check_range(self.owner, Phrase("line", "lines"), lines, count)
        if self.name is not None and not (isinstance(self.name, str) and self.name):
            raise wrong(self.owner, "name", self.name, "a text or None")
        self._set(nodes=nodes, masses=masses, elements=tuple(self.elements), rayleigh=checked_rayleigh(self.owner, self.rayleigh))
        self._set(surface=surface, lines=lines, attachments={}, ties={}, contact=None, implicit=True, appearance=None)
        self._set(positions=nodes.copy(), velocities=np.zeros_like(nodes))

    @property
    def owner(self) -> str:
        """Whose the error is."""
        return type(self).__name__ if self.name is None else called(type(self).__name__, self.name)

    @property
    def free(self) -> Numbers:
        """Numbers of the nodes that nothing keeps."""
        return np.array([i for i in range(len(self.nodes)) if i not in self.attachments], np.int64)

    def hold(self, nodes: Nodes) -> Self:
        """The same with nodes kept in the world, where they start."""
        return self._attached(dict.fromkeys(selected(self.owner, nodes, self.nodes), Attachment()))

    def attach(self, body: BodyHandle, nodes: Nodes, at: ArrayLike | None = None) -> Self:
        """The same with nodes carried by a body.

        at: place of the node in the body's frame (3,), or of each node (n, 3) (m); unless given, each stays where it starts, seen from
        the body's initial pose
        """
        return self._attached(self._places(body, nodes, at))

    def tie(
        self,
        body: BodyHandle | None,
        nodes: Nodes,
        at: ArrayLike | None = None,
        *,
        gain: Gain | None = BAUMGARTE,
        compliance: FromZero = 0.0,
    ) -> Self:
        """The same with nodes that stay free, but are held to a body, or to the world (None), by a constraint of three rows each.

        Each is one of the model's constraints, called "tie of " and the node's name, such as "tie of cloth node 3": runs know its force,
        its gap and what it does to the body. `attach` needs no rows and is never off, but has no force that could be asked for.

        at: as of `attach`
        gain: how quickly drift is taken back (1/s), as in RedMax notes Sec. 2.8; None: as the run does it for other constraints
        compliance (m/N): of a tie that gives way
        """
        places = dict.fromkeys(selected(self.owner, nodes, self.nodes), Attachment()) if body is None else self._places(body, nodes, at)
        b = None if gain is None else number(self.owner, "gain", gain, FROM_ZERO, least=0)
        c = number(self.owner, "compliance", compliance, FROM_ZERO, least=0)
        new = {i: replace(a, gain=b, compliance=c) for i, a in places.items()}
        for i in new:
            if i in self.attachments or i in self.ties:
                raise SceneError(
                    f"{self.owner}: node {i} is kept already, expected a node that is free; tie it once.",
                    owner=self.owner,
                    argument="nodes",
                )
        return self._changed(ties=self.ties | new)

    def tied_at(self, points: Mapping[int, ArrayLike]) -> Self:
        """The same with other places of its ties to bodies: node -> (3,) in the body's frame (m)."""
        new = {i: (float(x), float(y), float(z)) for i, (x, y, z) in ((i, np.asarray(p)) for i, p in points.items())}
        return self._changed(ties={i: replace(a, point=new.get(i, a.point)) for i, a in self.ties.items()})

    def touching(
        self, contact: ContactMaterial | float | bool = True, *, radius: Length | None = None, nodes: Nodes | None = None, group: int = 0
    ) -> Self:  # fmt: skip
        """The same with nodes that touch bodies with `contact`, and obstacles, as small balls; nodes never touch each other.

        contact: what it is made of, or its friction; radius (m): of the balls, a tenth of the mean length of edges unless given
        nodes: which; those of its surface unless given; group: shapes of one group, which is not 0, do not touch each other
        """
        return self._changed(contact=node_contact(self, contact, radius, nodes, group))

    def explicit(self) -> Self:
        """The same, with implicit steps taking its forces where the step begins: exact for soft springs, unstable for stiff ones."""
        return self._changed(implicit=False)

    def _places(self, body: Any, nodes: Nodes, at: Any) -> dict[int, Attachment]:
        """Where a body has the nodes."""
        if not isinstance(body, BodyHandle):
            raise wrong(self.owner, "body", body, "what Scene.add_body returned")
        chosen = selected(self.owner, nodes, self.nodes)
        if at is None:
            return dict.fromkeys(chosen, Attachment(body))
        shapes = ((len(chosen), 3), (3,)) if len(chosen) == 1 else ((len(chosen), 3),)
        valid = f"a point in the body's frame (3 finite numbers, m) for each of {len(chosen)} nodes"
        places = finite(self.owner, "at", at, shapes, valid).reshape(-1, 3)
        return {i: Attachment(body, (float(p[0]), float(p[1]), float(p[2]))) for i, p in zip(chosen, places, strict=True)}

    def moved(self, positions: ArrayLike | None = None, velocities: ArrayLike | None = None) -> Self:
        """The same, starting at other positions (N, 3) (m) or with velocities (N, 3) (m/s); None leaves them as they are.

        A node that is held or attached stays where it starts; it moves with what keeps it, whatever its velocity here.
        """
        changes = {}
        for name, value, unit in (("positions", positions, "m"), ("velocities", velocities, "m/s")):
            if value is not None:
                valid = f"a ({len(self.nodes)}, 3) array of finite numbers ({unit})"
                changes[name] = finite(self.owner, name, value, (self.nodes.shape,), valid)
        return self._changed(**changes)

    def painted(self, color: Color | None = None, opacity: Fraction = 1.0, material: Material = "plastic") -> Self:
        """The same in another colour, or with another opacity or material, as of `Scene.add_body`."""
        return self._changed(appearance=appearance_of(self.owner, color, opacity, material))

    def renamed(self, name: str) -> Self:
        """The same under another name."""
        return self._changed(name=name)

    def found(self, find: Callable[[BodyHandle], BodyHandle]) -> Self:
        """The same with bodies as a scene finds them."""
        kept = ({i: a if a.body is None else replace(a, body=find(a.body)) for i, a in x.items()} for x in (self.attachments, self.ties))
        attachments, ties = kept
        return self._changed(attachments=attachments, ties=ties)

    def __repr__(self) -> str:
        name = "" if self.name is None else f"{self.name!r}, "
        kept = f", {len(self.attachments)} of them kept" if self.attachments else ""
        return f"{type(self).__name__}({name}{len(self.nodes)} nodes{kept}, {sum(map(len, self.elements))} elements)"

    def _attached(self, new: dict[int, Attachment]) -> Self:
        for i in new:
            if i in self.attachments or i in self.ties:
                by = (self.attachments | self.ties)[i].body
                keeper = "the world" if by is None else f"the body {by.name!r}"
                raise SceneError(
                    f"{self.owner}: node {i} is kept by {keeper} already, expected a node that is free; attach it once.",
                    owner=self.owner,
                    argument="nodes",
                )
        return self._changed(attachments=self.attachments | new)

    def _changed(self, **changes: Any) -> Self:
        other = copy.copy(self)
        other._set(**changes)
        return other

    def _set(self, **values: Any) -> None:
        """Store fields while the frozen object is being made; arrays become read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)


def checked_rayleigh(owner: str, value: Any) -> tuple[float, float]:
    valid = "two finite numbers from 0 up: proportional to mass (1/s) and to stiffness (s)"
    alpha, beta = finite(owner, "rayleigh", value, ((2,),), valid).tolist()
    if not min(alpha, beta) >= 0:
        raise wrong(owner, "rayleigh", value, valid)
    return alpha, beta
