"""What an objective sees of a run: one sample, whose numbers are traced, so that the objective is traced once for all samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers
from redmax.components.holding import Site
from redmax.errors import SceneError, unknown
from redmax.model.frames import Framed, Located, located
from redmax.model.model import Model
from redmax.model.parameters import Parameter

POSE, TWIST = "pose", "twist"  # of a body, behind which its number stands

Give = Callable[[str, int], np.ndarray]  # the array of a name, of so many numbers


class Moment:
    """A sample of a run: `now.q`, `now.point("hand", (0.1, 0, 0))`, `now["arm.mass"]`. All of it is of one world.

    data: the row of this sample, of what `data=` gives
    """

    def __init__(self, model: Model, give: Give, columns: int) -> None:
        self._model, self._give, self._columns = model, give, columns

    @property
    def t(self) -> Any:
        """The time (s)."""
        return self._give("t", 1)[0]

    @property
    def q(self) -> np.ndarray:
        """(nq,): the coordinates."""
        return self._give("q", self._model.nq)

    @property
    def qdot(self) -> np.ndarray:
        """(nv,): the rates."""
        return self._give("qdot", self._model.nv)

    @property
    def tau(self) -> np.ndarray:
        """(nv,): the torques that are given during the step which begins here; zero at the end of the run."""
        return self._give("tau", self._model.nv)

    @property
    def data(self) -> np.ndarray:
        """(columns,): the row of `data=` that belongs to this sample."""
        if not self._columns:
            said = "The objective asks for now.data, but the gradient was given none. Give data=, a row for each sample."
            raise SceneError(said, owner="gradient", argument="data")
        return self._give("data", self._columns)

    def coordinates(self, joint: str) -> np.ndarray:
        """(nq of the joint,): its coordinates. joint: its name, or that of its body."""
        return self.q[self._model.q_slice(joint)]

    def rates(self, joint: str) -> np.ndarray:
        """(dof of the joint,): its rates. joint: its name, or that of its body."""
        return self.qdot[self._model.v_slice(joint)]

    def __getitem__(self, parameter: str) -> Any:
        """The value of a parameter that the gradient is by: a number, or an array of its shape."""
        start = 0
        for p in self._model.parameters:
            size = p.default.size
            if p.name == parameter and is_plain(p):
                own = self._give("parameters", sum(x.default.size for x in self._model.parameters))[start : start + size]
                return own.reshape(p.shape) if p.shape else own[0]
            start += size
        names = [p.name for p in self._model.parameters if is_plain(p)]
        if parameter in [p.name for p in self._model.parameters]:
            seen = f"What it can read: {', '.join(names)}" if names else "It can read masses, centres, stiffnesses and the like"
            said = f"An objective cannot read {parameter!r}: programs take what follows from it, not its numbers. {seen}."
            raise SceneError(said, owner="gradient", argument="objective")
        raise SceneError(unknown("parameter that the gradient is by", parameter, names), owner="gradient", argument="objective")

    def pose(self, of: Framed) -> np.ndarray:
        """(4, 4): the pose of a frame, a body or a point in the world. of: as of `run.pose`."""
        E, found = self._body(located(self._model, of))
        return E @ found

    def point(self, of: Framed, at: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """(3,): where a point is in the world (m). of: a body, a frame or a point; at: in its frame (m)."""
        return self.site(of, at).x

    def nodes(self, deformable: str) -> np.ndarray:
        """(N, 3): where the nodes of a deformable are in the world (m), those that are held too."""
        found = {soft.name: soft for soft in self._model.soft}
        if deformable not in found:
            raise SceneError(unknown("deformable", deformable, list(found)), owner="gradient", argument="objective")
        first = found[deformable].first
        links = range(first, first + len(found[deformable].shape.nodes))
        return np.array([self._give(f"{POSE}{i}", 12).reshape(3, 4)[:, 3] for i in links])

    def site(self, of: Framed, at: ArrayLike = (0.0, 0.0, 0.0)) -> Site:
        """Position x (m), velocity v (m/s), axes R and angular velocity omega (rad/s) of a point, in world axes, as forces see them."""
        place = located(self._model, of)
        p = as_numbers(at, "at", "float64")
        if p.shape != (3,):
            raise SceneError(f"at must be three numbers, in the frame of {of!r}. Got shape {p.shape}.", owner="gradient", argument="at")
        E, frame = self._body(place)
        V = self._give(f"{TWIST}{place.link}", 6)
        R, r = E[:3, :3], frame[:3, :3] @ p + frame[:3, 3]
        return Site(E[:3, 3] + R @ r, R @ (V[3:] + np.cross(V[:3], r)), R @ frame[:3, :3], R @ V[:3])

    def _body(self, place: Located) -> tuple[np.ndarray, np.ndarray]:
        """The pose of a body in the world, and that of a frame of it in its own."""
        rows = self._give(f"{POSE}{place.link}", 12).reshape(3, 4)
        E = np.concatenate([rows, np.array([[0.0, 0.0, 0.0, 1.0]], object)])
        if place.relative_to == "body":
            return E, place.pose
        link = self._model.links[place.link]
        moved = next((p.name for p in self._model.parameters if p.place == place.link and p.moves_body), None)
        if moved is not None:
            said = f"The objective asks for the frame of a joint, whose body {moved!r} moves. Ask for a point of the body instead."
            raise SceneError(said, owner="gradient", argument="objective")
        return E, np.linalg.inv(link.body) @ place.pose


def is_plain(p: Parameter) -> bool:
    """Whether programs take the numbers of a parameter as they are."""
    return p.remaking is None and not p.path and p.what != "inertia"
