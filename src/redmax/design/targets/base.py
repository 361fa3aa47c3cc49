"""What is to be reached: rows r(q) that are zero where it is, with how they change, dr = A (twist of what carries them).

A target is made of blocks, each of which is written once over the frames that it sees: traced, it runs for many worlds side by side.

    r: position errors in m, angles in rad, in world axes;   weight: what a row is multiplied by before squares are added up

Targets of priority 0 come first; one of priority 1 takes what freedom they leave, and so on.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from redmax.arguments import as_array, as_floats, brief
from redmax.components.checks import whole
from redmax.errors import SceneError, wrong
from redmax.model.frames import Framed, Located, located
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model

Unit = Literal["m", "rad", "1"]
LARGEST = 1e50  # of what is asked for: squares of squares are numbers still


@dataclass(frozen=True, eq=False)
class Seen:
    """What a block sees of one world, traced. link: number -> (3, 4), joint frame in the world; columns: number -> (dof, 6), the twist of
    all that hangs on a joint, by each of its rates, at its origin in world axes; q: number -> configuration; t: s."""

    link: Mapping[int, np.ndarray]
    columns: Mapping[int, np.ndarray]
    q: Mapping[int, np.ndarray]


Slopes = dict[int, np.ndarray]  # joint -> (rows, dof): how rows change with its velocities


class Block(ABC):
    """Rows of one kind. size: how many; goals: numbers that it is given; unit: of its rows."""

    size: int
    goals: int
    unit: Unit

    @property
    def undefined(self) -> str:
        """What it means where its rows are no numbers."""
        return "has no place there: a joint that moves it is outside the range of its motion"

    @abstractmethod
    def links(self, model: Model) -> Sequence[int]:
        """The links whose frames it looks at."""

    def joints(self, model: Model) -> list[int]:
        """The joints that move it, in order."""
        found: set[int] = set()
        for link in self.links(model):
            while link >= 0:
                found.add(link)
                link = model.tree.parent[link]
        return sorted(i for i in found if model.links[i].joint.dof)

    @abstractmethod
    def rows(self, model: Model, seen: Seen, goal: np.ndarray) -> tuple[Sequence[Any], Slopes]:
        """r, (size,), and how it changes."""


class Target(ABC):
    """name: to be told by; weight: a number, or one for each row; goal: of all worlds that get none of their own, or None.

    priority: 0 is met first. shape: of a goal
    """

    shape: tuple[int, ...]

    def hold(self, name: str, goal: Given, weight: Any, priority: Any) -> None:
        """What all targets have."""
        if not isinstance(name, str) or not name:
            raise wrong(type(self).__name__, "name", name, "a text")
        self.name = name
        self.goal = None if goal is None else self.checked(goal)
        self.priority = whole(self.label, "priority", priority, 0)
        found = as_floats(weight)
        if found is None or found.ndim > 1 or not (found <= LARGEST).all() or (found < 0).any() or not found.any():
            raise wrong(self.label, "weight", weight, f"a finite number above 0, or one from 0 up for each row, none above {LARGEST:g}")
        self.weight = found

    @property
    def label(self) -> str:
        """As sentences call it."""
        return f"{type(self).__name__} {brief(self.name)}"

    def __repr__(self) -> str:
        said = [brief(self.name), *([f"weight={brief(self.weight)}"] if np.any(self.weight != 1.0) else [])]
        return f"{type(self).__name__}({', '.join([*said, *([f'priority={self.priority}'] if self.priority else [])])})"

    def bound(self, model: Model) -> Target:
        """Itself, as it is for a model: most are the same for all."""
        return self

    @abstractmethod
    def blocks(self, model: Model) -> list[Block]:
        """Its rows; their goals one behind the other are what `packed` gives."""

    def checked(self, goal: Any) -> np.ndarray:
        """A goal, (..., *shape), or an error that says what is wrong with it."""
        given = as_array(goal)
        n = len(self.shape)
        valid = f"finite numbers of shape {self.shape}, or (..., {', '.join(map(str, self.shape))}) for many worlds"
        if given.dtype.kind not in "fiu" or given.ndim < n or given.shape[given.ndim - n :] != self.shape:
            raise wrong(self.label, "goal", goal, valid, but=f", of shape {given.shape}" if given.dtype.kind in "fiu" else "")
        found = given.astype(float)
        if not self.holes and not np.isfinite(found).all():
            at = [int(i) for i in np.argwhere(~np.isfinite(found))[0]]
            raise wrong(self.label, "goal", goal, valid, but=f", with {found[tuple(at)]} at {at}, which is not finite")
        if (np.abs(found) > LARGEST).any():
            at = [int(i) for i in np.argwhere(np.abs(found) > LARGEST)[0]]
            raise wrong(self.label, "goal", goal, f"{valid}, none above {LARGEST:g}", but=f", with {found[tuple(at)]:g} at {at}")
        return found

    @property
    def holes(self) -> bool:
        """Whether goals may have numbers missing (NaN), whose rows then do not count."""
        return False

    def packed(self, goal: np.ndarray) -> np.ndarray:
        """(..., goals): what its blocks are given."""
        return goal.reshape(*goal.shape[: goal.ndim - len(self.shape)], math.prod(self.shape))

    def weights(self, goal: np.ndarray, size: int) -> np.ndarray:
        """(..., size): of its rows, for goals (..., *shape)."""
        if self.weight.ndim and len(self.weight) != size:
            what = f"{self.label}: weight has {len(self.weight)} numbers"
            raise SceneError(f"{what}, and the target has {size} rows. Give one number, or one for each row.", argument="weight")
        return np.broadcast_to(self.weight, (*goal.shape[: goal.ndim - len(self.shape)], size))


@dataclass(frozen=True, eq=False)
class OnFrame(Block):
    """Rows of one frame: r and D, (rows, 6), how they change with its twist at its origin in world axes. place: (4, 4) in the link's."""

    link: int
    place: np.ndarray

    def links(self, model: Model) -> Sequence[int]:
        return (self.link,)

    @abstractmethod
    def of_frame(self, R: np.ndarray, p: np.ndarray, goal: np.ndarray) -> tuple[Sequence[Any], np.ndarray]:
        """r, (size,), and D, (size, 6)."""

    def rows(self, model: Model, seen: Seen, goal: np.ndarray) -> tuple[Sequence[Any], Slopes]:
        link = seen.link[self.link]
        R, p = link[:, :3] @ self.place[:3, :3], link[:, :3] @ self.place[:3, 3] + link[:, 3]
        r, D = self.of_frame(R, p, goal)
        return r, {j: (D @ at_point(seen, j, p).T) for j in seen.columns}


def at_point(seen: Seen, joint: int, p: np.ndarray) -> np.ndarray:
    """(dof, 6): the twists of a joint's rates, at a point in world axes."""
    arm = p - seen.link[joint][:, 3]
    return np.array([[*c[:3], *(c[3:] + cross(c[:3], arm))] for c in seen.columns[joint]], object)


def cross(a: Any, b: Any) -> np.ndarray:
    """a x b, of traced numbers."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], object)


def placed(model: Model, owner: str, of: Framed) -> tuple[int, np.ndarray]:
    """The link that a frame is on, and where it is in the link's frame, (4, 4)."""
    try:
        at: Located = located(model, of)
    except SceneError as error:
        raise SceneError(f"{owner}: {error}", owner=owner, argument="of") from None
    if at.link >= len(model.bodies):
        raise SceneError(f"{owner}: {brief(of)} is no rigid body of the scene.", owner=owner, argument="of")
    return at.link, (model.links[at.link].body @ at.pose if at.relative_to == "body" else at.pose)


def named(of: Any, name: str | None, kind: str) -> str:
    """What a target is called: as the user says, or as what it is of."""
    if name is not None:
        return name
    body = getattr(of, "body", None)
    found = of if isinstance(of, str) else getattr(of, "name", None) or getattr(body, "name", None)
    return found if isinstance(found, str) else kind
