"""How the bodies of a model move at given states: poses, twists, and the Jacobians J and Jdot, phi = J qdot (RedMax supplement Sec. 3)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import flag
from redmax.dynamics.common.observe import OBSERVE_FIELDS, Observation, observe, reset
from redmax.dynamics.common.parametrised import check_frames
from redmax.dynamics.common.twist_kinds import TwistKind, check_kind, hybrid, rewritten
from redmax.dynamics.frames import FrameKinematics
from redmax.dynamics.programs import Pair
from redmax.dynamics.redmax.joints import DRIFT, JACOBIAN, PRODUCT, TRANSPOSED_PRODUCT, Columned, to_body_frames
from redmax.errors import SceneError
from redmax.model.frames import Framed, check_named
from redmax.program.program import Program
from redmax.types import Given


class Kinematics(FrameKinematics):
    """The functions of `Dynamics` that no force has a part in."""

    def jacobian(
        self,
        q: ArrayLike,
        qdot: Given = None,
        sparse: bool = False,
        t: ArrayLike = 0.0,
        *,
        of: Framed | None = None,
        kind: TwistKind = "body",
    ) -> tuple[Any, Any]:
        """J and Jdot, (..., 6 bodies, nv): twists of the body frames are J qdot, their rates J qddot + Jdot qdot.

        Joints that depend on time add to both (`drift`).

        sparse: as scipy.sparse matrices (of one world), whose pattern is the ancestors of each body
        of: one frame, body or point, as of `pose`, whose twist is meant: J and Jdot are (..., 6, nv)
        kind: of the twists, as of `twist`: "body", "spatial", "hybrid" or "mixed"
        """
        check_named(q=q, qdot=qdot, sparse=sparse)
        check_kind("Dynamics.jacobian", kind)
        if of is not None and not sparse:
            return self.frame_jacobian(q, qdot, of, kind, t)
        if of is not None:
            raise SceneError("The Jacobian of one frame is dense: leave out sparse.", owner="Dynamics.jacobian", argument="sparse")
        check_frames(self.model, "Dynamics.jacobian")
        sparse = flag("Dynamics.jacobian", "sparse", sparse)
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        packed = self.call("jacobian", JACOBIAN, arrays, shape, (12 * len(self.columned.table),))[0]
        J, Jdot = (self.body_frames @ part for part in self.columned.dense(packed))
        if sparse and shape:
            raise SceneError(f"Sparse Jacobians are of one state. Got states of shape {shape}: ask for them one by one, or without sparse.")
        if kind != "body":
            J, Jdot = self.of_another_kind(kind, q, qdot, t, J, Jdot)
        flat = (*shape, 6 * len(self.model.links), self.model.nv)
        if not sparse:
            return J.reshape(flat), Jdot.reshape(flat)
        from scipy.sparse import csc_array

        return csc_array(J.reshape(flat)), csc_array(Jdot.reshape(flat))

    def of_another_kind(self, kind: str, q: ArrayLike, qdot: Given, t: ArrayLike, J: np.ndarray, Jdot: np.ndarray) -> Pair:
        """Jacobians of body twists and their rates, (..., links, 6, nv), as those of twists of another kind."""
        seen = self.observe(q, np.zeros(self.model.nv, self.dtype) if qdot is None else qdot, t)
        V, columns = hybrid(seen.pose, seen.twist, *(np.swapaxes(x, -1, -2) for x in (J, Jdot)))
        u, udot = rewritten(kind, seen.pose, V, *columns)
        return np.swapaxes(u, -1, -2), np.swapaxes(udot, -1, -2)

    @cached_property
    def columned(self) -> Columned:
        return Columned(self.model)

    @cached_property
    def body_frames(self) -> np.ndarray:
        return to_body_frames(self.model)

    def drift(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> Pair:
        """phi0 and a0, (..., bodies, 6): twists of the body frames are J qdot + phi0, their rates J qddot + a0.

        phi0 is what joints that depend on time do by themselves; a0 includes Jdot qdot.
        """
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        bodies = len(self.model.links)
        y, z = self.call("drift", DRIFT, arrays, shape, (bodies, 6), (bodies, 6))
        return y, z

    def jacobian_product(self, q: ArrayLike, qdot: ArrayLike, x: ArrayLike, t: ArrayLike = 0.0) -> Pair:
        """J x and Jdot x, (..., bodies, 6), in O(n)."""
        shape, arrays = self.arrays(q=q, qdot=qdot, x=x, t=t)
        bodies = len(self.model.links)
        y, z = self.call("J x", PRODUCT, arrays, shape, (bodies, 6), (bodies, 6))
        return y, z

    def jacobian_transposed_product(self, q: ArrayLike, y: ArrayLike, t: ArrayLike = 0.0) -> np.ndarray:
        """J^T y, (..., nv), of wrenches y (..., bodies, 6) on the bodies, in O(n)."""
        shape, arrays = self.arrays(q=q, y=y, t=t)
        return self.call("J^T y", TRANSPOSED_PRODUCT, arrays, shape, (self.model.nv,))[0]

    def observe(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> Observation:
        """Energy, momentum, poses and twists at states (..., n)."""
        return self.observe_bodies(q, qdot, t)

    def observe_bodies(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike) -> Observation:
        """The same, as if no constraint stored energy."""
        outputs = ("kinetic", "potential", "momentum", "pose", "twist")
        program = Program("observe", (reset, observe), OBSERVE_FIELDS, ("q", "qdot", "t"), outputs)
        shape, arrays = self.arrays(q=q, qdot=qdot, t=t)
        bodies = len(self.model.links)
        found = self.call("observe", program, arrays, shape, (1,), (1,), (6,), (bodies, 3, 4), (bodies, 6))
        kinetic, potential, momentum, pose, twist = found
        last = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*pose.shape[:-2], 1, 4))
        return Observation(kinetic[..., 0], potential[..., 0], momentum, np.concatenate([pose, last], axis=-2), twist)
