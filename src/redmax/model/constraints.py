"""Constraints of a scene, and of its model: those of one kind together, with their places in the joint frames of the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import brief
from redmax.components.handles import BodyHandle
from redmax.constraints.base import Constraint
from redmax.constraints.force_limits import check_rows
from redmax.constraints.law import RowsLaw
from redmax.constraints.prescribed_twist import PrescribedTwist, prescribed_twist
from redmax.errors import SceneError, unknown
from redmax.joints.frames import cleaned
from redmax.model.links import Function
from redmax.model.parameters import Parameter, constants_of
from redmax.program.interaction import Acting

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.run.assembled_scene import Assembly

AnyConstraint = TypeVar("AnyConstraint", bound=Constraint)


class SceneConstraints:
    """The methods of a Scene that constrain it beyond its joints."""

    constraints: list[Constraint]
    twists: list[PrescribedTwist]

    def add_constraint(self, constraint: AnyConstraint) -> AnyConstraint:
        """Add a constraint: a loop that closes, a coupling of joints, a limit, a prescribed motion. It is returned, with its name."""
        scene: Any = self
        if not isinstance(constraint, Constraint) or not hasattr(constraint, "name"):
            valid = "a constraint such as redmax.Distance(a, b)"
            said = f"add_constraint takes {valid}. Got {brief(constraint)}."
            raise SceneError(said, owner="add_constraint", argument="constraint", expected=valid)
        name = scene._names.constraints.fresh(constraint.name, self.constraints, "constraint")
        bodies, joints = tuple(map(scene.find, constraint.bodies)), tuple(map(scene.find_joint, constraint.joints))
        added = constraint.replaced(bodies=bodies, joints=joints, name=name)
        read = [scene.links[handle.index].joint for handle in joints]
        added.check_added(read)
        added = added.fitted(read)
        check_rows(added)
        self.constraints.append(added)
        return added

    def assemble(self, fixed: Sequence[str] = ()) -> Assembly:
        """Put the parts together: change q and qdot of the bodies so that all constraints are met, by the least change in kinetic distance.

        fixed: names of joints (or of their bodies) that stay where they are, with their rates
        Rates that are not zero are kept where the constraints allow it. Constraints with a gain or compliance of their own are left as they
        are. SceneError where no position is found; it names the constraint that stays open, and its gap. Returns what was found: gaps
        before, how far joints moved, how many ways to move are left, and rows that repeat others.
        """
        from redmax.run.assembled_scene import assemble

        scene: Any = self
        return assemble(scene, fixed)

    def prescribe_twist(
        self, body: BodyHandle | str, rows: int | Sequence[int], velocity: Function | ArrayLike, acceleration: Function | None = None
    ) -> None:
        """Prescribe some of a body's twist, in body axes; the forces that this takes follow.

        rows: which of the twist (angular x y z; linear x y z), numbers from 0 to 5
        velocity: (rows,) numbers, or a function (t, R) of them, R (3, 3) the axes of the body in the world: R.T @ v has a world velocity v
        acceleration: its time derivative, likewise; found by differentiation unless given

        Functions that cannot be traced are called from Python in each step, and their derivative is found by differences, to about 1e-10.
        """
        scene: Any = self
        handle = scene._found(body, "body")
        self.twists.append(prescribed_twist(handle.index, handle.name, rows, velocity, acceleration))


class ModelConstraints:
    """What a Model knows of its constraints."""

    constraints: tuple[Constraint, ...]
    twists: tuple[PrescribedTwist, ...]

    def constraint(self, name: str) -> Constraint:
        """One of them, by its name."""
        known: dict[str, Constraint] = {str(c.name): c for c in self.constraints}
        if not isinstance(name, str) or name not in known:
            raise SceneError(unknown("constraint", name, list(known)), argument="name")
        return known[name]

    @cached_property
    def row_offsets(self) -> np.ndarray:
        """Where the rows of each constraint begin among those of all, and their end."""
        return np.concatenate([[0], np.cumsum([c.size for c in self.constraints])]).astype(int)

    @property
    def row_count(self) -> int:
        """How many rows all constraints have."""
        return int(self.row_offsets[-1])

    def row_slice(self, name: str) -> slice:
        """Where the rows of a constraint lie among those of all."""
        k = self.constraints.index(self.constraint(name))
        return slice(int(self.row_offsets[k]), int(self.row_offsets[k + 1]))

    @cached_property
    def row_kinds(self) -> list[tuple[Acting, list[int]]]:
        """Those of one kind together, with their numbers among the model's constraints."""
        model: Model = self  # type: ignore[assignment]
        return [(self.rows_alike(numbers), numbers) for numbers in self.constraint_kinds(model.parameters)]

    def constraint_kinds(self, parameters: Sequence[Parameter]) -> list[list[int]]:
        """The numbers of the constraints, those together that differ in nothing but data, and of which the same data are parameters."""
        kinds: dict[Any, list[int]] = {}
        for number, c in enumerate(self.constraints):
            kinds.setdefault((c.structure(), self.dofs_of(c), constants_of(c, parameters)), []).append(number)
        return list(kinds.values())

    def dofs_of(self, constraint: Constraint) -> tuple[int, ...]:
        """Of the joints that it reads."""
        model: Model = self  # type: ignore[assignment]
        return tuple(model.links[b.index].joint.dof for b in constraint.joints)

    @cached_property
    def rows(self) -> tuple[Acting, ...]:
        """What programs fill rows by."""
        return tuple(rows for rows, _ in self.row_kinds)

    def rows_alike(self, numbers: list[int]) -> Acting:
        """The kernels of constraints that differ in nothing but data."""
        model: Model = self  # type: ignore[assignment]
        alike = [model.constraints[n] for n in numbers]
        law = RowsLaw(alike[0], self.dofs_of(alike[0]))
        members = np.array([[b.index for b in (*c.bodies, *c.joints)] for c in alike])
        own = constants_of(alike[0], model.parameters)
        return Acting(law, members, np.array([law.constants(self.constraint_placed(c)) for c in alike]), own, law.kept.total)

    def constraint_placed(self, constraint: Constraint, moved: Mapping[int, np.ndarray] | None = None) -> Constraint:
        """A constraint with its anchors in the joint frames of the kernels. moved: body frames that are elsewhere, by number."""
        model: Model = self  # type: ignore[assignment]
        numbers = [b.index for b in constraint.bodies]
        return constraint.within([cleaned(model.frames[i].T @ (moved or {}).get(i, model.links[i].body)) for i in numbers])
