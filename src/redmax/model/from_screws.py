"""A tree from screws alone: where each body is in the reference configuration, what it weighs, and about which line it moves.

    C_i = C_p B_i exp(X_i q_i) = C_p exp(Xbar_i q_i) B_i,     C_i = exp(Y_1 q_1) ... exp(Y_i q_i) A_i        (p: the parent of i)

(Mueller and Terze, Geometric methods and formulations, Eqs. 50-57: X_i is the screw seen from body i, Xbar_i from its parent, Y_i from the
world, A_i = C_i(0) and B_i = A_p^-1 A_i.) Nobody has to say where a joint frame is. The library puts one on the line, nearest to the body's
reference frame and with its axes, so that joints cost what they cost in any scene; the reference frames are named frames of the scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import brief
from redmax.bodies import Body, MassProperties
from redmax.components.checks import as_pose, choice, finite, flag
from redmax.errors import SceneError, wrong
from redmax.joints import Fixed, Helical, Joint, Prismatic, Revolute
from redmax.lie import Ad, inverse
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.scene import Scene

OWNER = "Scene.from_screws"
UNIT, NO_PITCH = 1e-8, 1e-13  # how far from 1 the length of a screw may be, and from 0 the pitch of a rotation
FRAME = ".frame"  # behind the name of a body: its reference frame
SeenFrom: TypeAlias = Literal["spatial", "body", "parent"]


class SceneFromScrews:
    """The method of Scene that makes one from screws."""

    @classmethod
    def from_screws(
        cls,
        screws: Sequence[Any] | np.ndarray,
        poses: Sequence[ArrayLike] | np.ndarray,
        shapes: Sequence[Body] | None = None,
        *,
        seen_from: SeenFrom = "spatial",
        masses: Given = None,
        inertias: Sequence[ArrayLike] | np.ndarray | None = None,
        centers: Given = None,
        parents: Sequence[Any] | None = None,
        relative: bool = False,
        names: Sequence[str] | None = None,
        q: Given = None,
        qdot: Given = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        title: str = "",
    ) -> Scene:
        """A scene of bodies, each with one joint that is a screw; no joint frames are needed. One of everything for each body.

        screws: (n, 6) unit screws, angular first, as `redmax.lie.screw(axis, point, pitch)` makes them; None of a body that is fixed
        poses: where the bodies' reference frames are when all coordinates are zero, each a 3-vector or a 4x4
        shapes: what they are, such as redmax.Cuboid(...); or masses (n,) kg and inertias, each (3,) or (3, 3), kg m^2 about the centre
            of mass along the axes of the reference frame
        seen_from: where screws are written: "spatial" (in the world, in the reference configuration), "body" (in the body's own
            reference frame) or "parent" (in that of its parent)
        centers: (n, 3) m, centres of mass (or the frames of shapes) in the reference frames; zero unless given
        parents: of each an earlier number, -1 or None of the world; one chain unless given
        relative: whether poses are those in the parents' reference frames, and not in the world
        names: of the bodies; the reference frame of "arm" is then called "arm.frame"
        q, qdot: (n,) where the motion begins, zero unless given
        """
        scene = new_scene(cls, gravity, title)
        bodies = bodies_of(shapes, masses, inertias, count_of(poses, OWNER, "poses"), OWNER)
        fill(scene, OWNER, bodies, screws, poses, seen_from, relative, parents, Each(centers, names, q, qdot))
        return scene


def new_scene(cls: Any, gravity: Any, title: str) -> Any:
    """A scene without bodies."""
    return cls(gravity=gravity, title=title)


class Each(NamedTuple):
    """What may be left out."""

    centers: Given
    names: Sequence[str] | None
    q: Given
    qdot: Given


def fill(
    scene: Any, owner: str, bodies: Sequence[Body], screws: Any, poses: Any, seen_from: str, relative: bool, parents: Any, each: Each
) -> None:
    """Add the bodies to a scene; arguments as of `from_screws`. owner: what sentences call who was given them."""
    n = len(bodies)
    above = parents_of(parents, n, owner)
    A = reference_poses([as_pose(owner, f"poses[{i}]", E) for i, E in enumerate(poses)], above, flag(owner, "relative", relative))
    seen = choice(owner, "seen_from", seen_from, ("spatial", "body", "parent"))
    X = [own_screw(owner, x, i, A, above, seen) for i, x in enumerate(one_each(screws, n, "screws", owner))]
    valid = f"{n} points of three numbers (m)"
    middles = np.zeros((n, 3)) if each.centers is None else finite(owner, "centers", each.centers, ((n, 3),), valid)
    called = [f"body{i + 1}" for i in range(n)] if each.names is None else list(one_each(each.names, n, "names", owner))
    starts = {"q": numbers(each.q, n, "q", owner), "qdot": numbers(each.qdot, n, "qdot", owner)}
    frames: list[np.ndarray] = []  # of the joints, in the reference configuration
    for i in range(n):
        joint, point = joint_of(X[i])
        frames.append(A[i] @ shift(point))
        own = {name: x[i : i + 1] for name, x in starts.items()} if joint.dof else {}
        above_it = {"parent": called[above[i]], "at": inverse(frames[above[i]]) @ frames[i]} if above[i] >= 0 else {"at": frames[i]}
        handle = scene.add_body(bodies[i], joint=joint, name=called[i], body=shift(middles[i] - point), **above_it, **own)
        scene.add_frame(called[i] + FRAME, handle, shift(-point), relative_to="joint")


def count_of(given: Any, owner: str, argument: str) -> int:
    """How many bodies there are, by the argument that has one of each."""
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or not len(given):
        raise wrong(owner, argument, given, "one for each body, at least one")
    return len(given)


def one_each(given: Any, n: int, argument: str, owner: str) -> Any:
    """Itself, if there is one for each body."""
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or len(given) != n:
        raise wrong(owner, argument, given, f"one for each of the {n} bodies")
    return given


def parents_of(parents: Sequence[Any] | None, n: int, owner: str) -> list[int]:
    """-1 of the world; one chain unless given."""
    if parents is None:
        return list(range(-1, n - 1))
    found = [-1 if p is None else p for p in one_each(parents, n, "parents", owner)]
    for i, p in enumerate(found):
        if not isinstance(p, int | np.integer) or isinstance(p, bool) or not -1 <= p < i:
            raise wrong(owner, f"parents[{i}]", p, f"the number of an earlier body, from 0 to {i - 1}, or -1 of the world" if i else "-1")
    return [int(p) for p in found]


def reference_poses(poses: list[np.ndarray], parents: list[int], relative: bool) -> list[np.ndarray]:
    """A_i, in the world."""
    A: list[np.ndarray] = []
    for E, p in zip(poses, parents, strict=True):
        A.append(A[p] @ E if relative and p >= 0 else E)
    return A


def own_screw(owner: str, x: Any, i: int, A: list[np.ndarray], parents: list[int], seen_from: str) -> np.ndarray | None:
    """X_i, seen from the body, of length 1."""
    if x is None:
        return None
    name = f"screws[{i}]"
    X = finite(owner, name, x, ((6,),), "six finite numbers, (angular; linear)")
    w, v = np.linalg.norm(X[:3]), np.linalg.norm(X[3:])
    size = w if w > UNIT else v
    if not abs(size - 1.0) <= UNIT:
        how = f"whose {'angular' if w > UNIT else 'linear'} part has the length {size:.6g}"
        fix = "Divide by it, or make it with redmax.lie.screw(axis, point, pitch)"
        raise SceneError(f"{owner}: {name} is {brief(x)}, {how}, expected 1. {fix}.", owner=owner, argument="screws", got=brief(x))
    X = X / size if w > UNIT else np.append(np.zeros(3), X[3:] / size)
    if seen_from == "body":
        return X
    world = X if seen_from == "spatial" else Ad(A[parents[i]] if parents[i] >= 0 else np.eye(4)) @ X
    return Ad(inverse(A[i])) @ world


def joint_of(X: np.ndarray | None) -> tuple[Joint, np.ndarray]:
    """The joint of a unit screw, along axes of the body's reference frame, and the point of its line nearest to the frame's origin."""
    if X is None:
        return Fixed(), np.zeros(3)
    w, v = X[:3], X[3:]
    if not w.any():
        return Prismatic(v), np.zeros(3)
    pitch, point = float(w @ v), np.cross(w, v)
    return (Revolute(w) if abs(pitch) <= NO_PITCH * max(1.0, float(np.abs(v).max())) else Helical(w, pitch)), point


def bodies_of(shapes: Any, masses: Any, inertias: Any, n: int, owner: str) -> list[Body]:
    """The shapes, or what has these masses and inertias."""
    if shapes is not None:
        if masses is not None or inertias is not None:
            said = f"{owner} takes shapes, or masses and inertias; shapes have both. Got all of them: leave out masses and inertias."
            raise SceneError(said, owner=owner, argument="shapes")
        return list(one_each(shapes, n, "shapes", owner))
    if masses is None or inertias is None:
        said = f"{owner} takes shapes, or masses (n,) and inertias. Got neither, or only one of the two."
        raise SceneError(said, owner=owner, argument="masses")
    m = finite(owner, "masses", masses, ((n,),), f"{n} masses (kg)")
    return [MassProperties(float(m[i]), inertia) for i, inertia in enumerate(one_each(inertias, n, "inertias", owner))]


def numbers(given: Any, n: int, argument: str, owner: str) -> np.ndarray:
    return np.zeros(n) if given is None else finite(owner, argument, given, ((n,),), f"{n} finite numbers, one for each body")


def shift(p: np.ndarray) -> np.ndarray:
    """The pose that is moved by p."""
    E = np.eye(4)
    E[:3, 3] = p
    return E
