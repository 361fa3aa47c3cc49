"""What users give to constructors, as types: an editor shows the type, and scene files and their schema follow from what is said beside it.

An alias is a real type with a few words about it, `Annotated[float, Range(above=0), Unit("m")]`; what a file may have in the place of an
argument is read from these (io/meaning.py), never from names or from the text of an annotation. Shapes: -1 stands for any length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.components.handles import BodyHandle, FrameHandle, Point
from redmax.trace import Table


@dataclass(frozen=True)
class Unit:
    """Of the numbers."""

    name: str


@dataclass(frozen=True)
class Range:
    """Of a number, or of each of several."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None


class Shape:
    """Of an array: one of these."""

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        self.shapes = shapes


class Unbounded:
    """Of numbers that may be infinite, or left out: where there is no bound."""


class OfJoint:
    """A body whose joint is meant, named by either."""


class OnBodies:
    """A place, or several: on bodies, or in the world."""


class CalledWith:
    """Of a function: the shapes of what it is called with, by name; "dof" is as many as the joint has velocities, "nq" coordinates.

    each: whether it returns one number for each coordinate
    """

    def __init__(self, each: bool = False, **arguments: tuple[int | str, ...]) -> None:
        self.each, self.arguments = each, arguments


# Numbers
Positive: TypeAlias = Annotated[float, Range(above=0)]
FromZero: TypeAlias = Annotated[float, Range(least=0)]
Fraction: TypeAlias = Annotated[float, Range(least=0, most=1)]
Length: TypeAlias = Annotated[float, Range(above=0), Unit("m")]
Mass: TypeAlias = Annotated[float, Range(above=0), Unit("kg")]
Density: TypeAlias = Annotated[float, Range(above=0), Unit("kg/m^3")]
Seconds: TypeAlias = Annotated[float, Range(above=0), Unit("s")]
Angle: TypeAlias = Annotated[float, Unit("rad")]
Gain: TypeAlias = Annotated[float, Range(least=0), Unit("1/s")]  # of what takes drift back

# Vectors, directions and poses
Vector3: TypeAlias = Annotated[ArrayLike, Shape((3,))]
Point3: TypeAlias = Annotated[ArrayLike, Shape((3,)), Unit("m")]
Lengths3: TypeAlias = Annotated[ArrayLike, Shape((3,)), Range(above=0), Unit("m")]
Sides: TypeAlias = Annotated[tuple[float, float, float], Shape((3,)), Range(above=0), Unit("m")]
Points: TypeAlias = Annotated[ArrayLike, Shape((-1, 3)), Unit("m")]
Normals: TypeAlias = Annotated[ArrayLike, Shape((-1, 3), (-1, -1, 3))]  # of points: one, or several, of each
Axis: TypeAlias = str | Vector3  # "x", "y", "z", with a minus if wanted, or a direction
Pose: TypeAlias = Annotated[ArrayLike, Shape((3,), (4, 4)), Unit("m")]  # a translation, or a 4x4 rigid transform
Frames: TypeAlias = Annotated[ArrayLike, Shape((-1, 4, 4), (-1, 6))]  # poses, or rows of a position and a rotation vector
Twists: TypeAlias = Annotated[ArrayLike, Shape((-1, 6))]
Basis: TypeAlias = str | Annotated[ArrayLike, Shape((-1, -1))]  # by its name, or its matrix

# Numbers for each coordinate of a joint, for each parameter of a spline
PerCoordinate: TypeAlias = Annotated[ArrayLike, Shape((), (-1,))]
FromZeroEach: TypeAlias = Annotated[ArrayLike, Shape((), (-1,)), Range(least=0)]
Limits: TypeAlias = Annotated[ArrayLike | Sequence[float | None], Shape((), (-1,)), Unbounded()]
MostEach: TypeAlias = Annotated[ArrayLike | Sequence[float | None], Shape((), (-1,)), Range(least=0), Unbounded()]  # either way
FastestEach: TypeAlias = Annotated[ArrayLike | Sequence[float | None], Shape((), (-1,)), Range(above=0), Unbounded()]
Interval: TypeAlias = Annotated[ArrayLike, Shape((2,)), Unbounded()]
Intervals: TypeAlias = Annotated[ArrayLike, Shape((2,), (-1, 2)), Unbounded()]
ForceLimits: TypeAlias = Annotated[ArrayLike, Shape((), (2,), (-1, 2)), Unit("N or N m")]  # the most, (lower, upper), or pairs for rows
Impedance3: TypeAlias = Annotated[ArrayLike, Shape((), (3,), (3, 3))]  # a number, a diagonal, or a symmetric matrix
Impedance6: TypeAlias = Annotated[ArrayLike, Shape((), (6,), (6, 6))]

Knots: TypeAlias = Annotated[ArrayLike | Sequence[ArrayLike | None], Shape((-1,), (-1, -1))]

ControlValues: TypeAlias = Annotated[ArrayLike, Shape((-1, 6), (-1, -1, 6), (-1, -1, -1, 6))]  # x, y, z (m) and three angles (rad)
Outside: TypeAlias = Literal["error", "limit"]  # of the range of a spline

# Polygons, nodes and elements
Polygons: TypeAlias = Annotated[NDArray[np.float64] | Sequence[NDArray[np.float64]], Shape((-1, 2), (-1, -1, 2)), Unit("m")]
Indices: TypeAlias = Annotated[NDArray[np.int64], Shape((-1, 2), (-1, 3), (-1, 4))]
Cells: TypeAlias = Annotated[Sequence[int], Shape((3,)), Range(least=1)]  # along x, y and z
PerElement: TypeAlias = Annotated[ArrayLike, Shape((), (-1,))]
Rayleigh: TypeAlias = Annotated[tuple[float, float], Shape((2,)), Range(least=0)]  # by mass (1/s) and by stiffness (s)

# Bodies, their joints, places on them
Which: TypeAlias = Annotated[int, Range(least=0)]  # of a joint's coordinates
JointOf: TypeAlias = Annotated[BodyHandle | str, OfJoint()]
JointWeights: TypeAlias = Annotated[Mapping[BodyHandle | str, ArrayLike], OfJoint()]  # a number, or several, for each of some joints
RestLength: TypeAlias = Annotated[ArrayLike, Shape((), (2,)), Unit("m")]  # or a range of them
Place: TypeAlias = Annotated[Point | BodyHandle | FrameHandle | Sequence[float] | np.ndarray, OnBodies()]  # of a body, or of the world
Frame: TypeAlias = Annotated[Place | tuple[BodyHandle, Pose], OnBodies()]  # or (body, pose)
OnBody: TypeAlias = Annotated[Point, OnBodies()]
StiffnessKind: TypeAlias = Literal["definite", "symmetrised", "exact"]  # what implicit steps take for the stiffness of a force
ActsOn: TypeAlias = Literal["rates", "twist"]  # what a damper or a torque in a joint is along
Per: TypeAlias = Literal["length", "strain"]  # what stiffness and damping of a path are for

# Functions, and what they have as parameters
Parameter: TypeAlias = Annotated[ArrayLike | Table, Shape()]
Modes: TypeAlias = Annotated[Sequence[tuple[ControlValues, Callable[[Any], Any]]], CalledWith(t=())]
VectorOfTime: TypeAlias = Annotated[Vector3 | Callable[[Any], Any], CalledWith(t=())]
NumberOfTime: TypeAlias = Annotated[float | Callable[[Any], Any], CalledWith(t=())]
FractionOfTime: TypeAlias = Annotated[float | Callable[[Any], Any], Range(least=0, most=1), CalledWith(t=())]
