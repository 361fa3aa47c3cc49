"""A recursion of the papers as decorated functions over one joint and its parent.

    @forward                                   # root to leaves
    def velocity(j, p):
        j.V = j.X @ p.V + j.S @ j.qdot

The arguments are named: `j` a joint, `p` its parent, `w` the world (time, step, sums). `j.name = value` keeps a value; `p.name += value`
adds to what the parent gathers from its children; `w.name += value` adds to a sum over the model. The function runs once for each
distinct kind of joint, with traced scalars, and the kernels that come out run for every joint.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from redmax.program.record import JointView, ParentView, WorldView

Order = Literal["forward", "backward", "once", "interactions"]


class Part(StrEnum):
    """What of every force acts, between two sweeps of a recursion; how large its blocks of two members are."""

    WRENCH = "wrench"
    POTENTIAL = "potential"
    IMPLICIT = "implicit"  # with stiffness and damping, symmetric: of each block between two members one of both
    UNSYMMETRIC = "implicit exact"  # with each force's own kind of stiffness, for solvers that ask for no symmetry
    NEWTON = "newton"  # how the wrench changes with poses and twists, exactly, of every force
    ACCELERATION_ROWS = "acceleration rows"  # of constraints, and what they ask of accelerations
    VELOCITY_ROWS = "velocity rows"  # the same, of the velocities at the end of a step
    LIMIT_BOUNDS = "limit bounds"  # of ranges of coordinates: where they end, once for many steps
    LIMITS_NEAR = "limits near"  # of limits of coordinates: whether one would be passed at the end of a step
    LIMIT_ROWS = "limit rows"  # as velocity rows, of these limits, once one would
    POSITION_ROWS = "position rows"  # the same, of positions: how far they are off
    SEEK_ROWS = "seek rows"  # of constraints that carry coordinates of their own: compares where these may begin
    TRACK_ROWS = "track rows"  # the same: one step of Newton's method towards where they are
    REACTIONS = "reactions"  # how far constraints are off, and what their multipliers do to bodies and joints
    SHAPES = "shapes"  # of contact: where they are
    NEWTON_ROWS = "newton rows"  # their rows, and how reactions change with poses and twists, exactly, at the same multipliers

    @property
    def implicitly(self) -> bool:
        """Whether it is of a linearly implicit step."""
        return self in (Part.IMPLICIT, Part.UNSYMMETRIC)

    @property
    def of_rows(self) -> bool:
        """Whether constraints fill their rows, and forces have no share in it."""
        levels = self in (Part.ACCELERATION_ROWS, Part.VELOCITY_ROWS, Part.POSITION_ROWS)
        return levels or self in (Part.REACTIONS, Part.NEWTON_ROWS, Part.SHAPES) or self.of_carried or self.of_limits

    @property
    def of_carried(self) -> bool:
        """Whether constraints only find the coordinates that they carry."""
        return self in (Part.SEEK_ROWS, Part.TRACK_ROWS)

    @property
    def of_limits(self) -> bool:
        """Whether limits of coordinates alone have a share in it."""
        return self in (Part.LIMIT_BOUNDS, Part.LIMITS_NEAR, Part.LIMIT_ROWS)

    @property
    def block(self) -> int:
        """Scalars of a block: 6 x 6, or 6 x 12 where poses and twists are apart."""
        return 72 if self in (Part.NEWTON, Part.NEWTON_ROWS) else 36


@dataclass(frozen=True)
class Sweep:
    """One function over a relation: over the joints root to leaves, leaves to root, or once for the world."""

    function: Callable[..., None]
    order: Order

    @cached_property
    def name(self) -> str:
        """The function's name; of interactions, the part of the forces that acts."""
        return self.function.__name__

    @property
    def text(self) -> str:
        """What tells this sweep from any other of the same name: its code and what it closes over."""
        cells = [repr(cell.cell_contents) for cell in self.function.__closure__ or ()]
        return f"{self.order} {self.function.__module__}.{self.function.__qualname__} {code_text(self.function.__code__)} {cells}"

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Which of j, p and w the function takes."""
        return tuple(inspect.signature(self.function).parameters)

    def __call__(self, j: JointView, p: ParentView, w: WorldView) -> None:
        given = {"j": j, "p": p, "w": w}
        self.function(*[given[name] for name in self.arguments])


def interactions(part: Part) -> Sweep:
    """Between two sweeps of a recursion: this part of every force acts on the joints it touches (see program/interaction.py)."""

    def act() -> None:
        """Joints have no share in it."""

    act.__name__ = part.value
    return Sweep(act, "interactions")


def code_text(code: CodeType) -> str:
    """What a function does, as text: its byte code, names and constants, those of functions inside too."""
    constants = [code_text(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


def forward(function: Callable[..., None]) -> Sweep:
    """Visit parents before children."""
    return Sweep(function, "forward")


def backward(function: Callable[..., None]) -> Sweep:
    """Visit children before parents."""
    return Sweep(function, "backward")


def once(function: Callable[..., None]) -> Sweep:
    """Run once, on the world's record `w`."""
    return Sweep(function, "once")


@dataclass(frozen=True)
class Recursion:
    """Sweeps that run one after the other and share what they keep in `j`; nothing of it is seen outside."""

    name: str
    sweeps: tuple[Sweep, ...]
    core: bool = True  # False for an integrator's: it sees the fields that the integrator adds
    part: int | None = None  # the one sweep that runs, of several that are compiled together

    def __post_init__(self) -> None:
        if len({s.order == "once" for s in self.sweeps}) != 1:
            raise ValueError(f"Recursion {self.name} mixes sweeps over joints with sweeps over the world. Make two of it.")

    @cached_property
    def once(self) -> bool:
        """Whether it runs once for the world rather than for each joint."""
        return self.sweeps[0].order == "once"

    @cached_property
    def text(self) -> str:
        """What tells it from any other: the text of its sweeps."""
        return "\n".join([self.name, *[s.text for s in self.sweeps]])


def recursion(*sweeps: Sweep, name: str = "", core: bool = True) -> Recursion:
    """Sweeps as a stage of a program, in order. core=False: an integrator's, which sees the fields that it adds."""
    return Recursion(name or "+".join(s.name for s in sweeps), sweeps, core)


def compiled_together(*sweeps: Sweep, name: str) -> list[Recursion]:
    """Sweeps over the world as stages of their own, in one module: small ones cost the compiler more by their number than by their size."""
    return [Recursion(name, sweeps, part=number) for number in range(len(sweeps))]
