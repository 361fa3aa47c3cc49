"""What a joint is: its motion `transform(q)`, and nothing else that it has to say.

The joint Jacobian S, with twist = S(q) qdot in the child's frame (RedMax supplement Eqs. 15-17), and Sdot follow by differentiating the
trace of `transform` (joints/motion.py). Attributes that are floats, float arrays or tables are data: two joints that differ only in them
share their compiled kernels. Every other attribute (names, integers, functions) is structure, and so is the shape of an array or a table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_array, brief
from redmax.components.checks import finite, flag
from redmax.components.data_and_structure import Described, one_line
from redmax.components.from_function import FromFunction
from redmax.components.given import Intervals, Parameter
from redmax.errors import About, Phrase, SceneError, called, wrong
from redmax.joints.conversions import Conversions
from redmax.joints.stepping import STEPS, Stepping
from redmax.trace.blame import Blaming
from redmax.types import Array, Value

if TYPE_CHECKING:
    from redmax.joints.drawing import Drawing

DOES = ("transform", "jacobian", *STEPS, "rechart", "force", "potential", "discrete")
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
OF_TIME = " What depends on time takes it as its second argument, with the name t."
EVERYWHERE = (-np.inf, np.inf)  # an interval without ends
VALID_AXIS = "'x', 'y', 'z', '-x', '-y', '-z' or three finite numbers, not all zero"


class Joint(Stepping, Conversions, Described):
    """A motion of a child frame relative to its parent, with `dof` coordinates (0 to 6).

    Subclass it, set `dof`, and write `transform(q) -> 4x4 pose` with Python operators, NumPy or redmax.math; or use `redmax.joint`.
    """

    dof: int = 0
    chart: str = ""  # the name of the coordinates, where they have one and there is no other
    proven: bool = False  # whether the motion needs no check when it is added to a scene (joints/checks)

    @property
    def nq(self) -> int:
        """How many numbers are coordinates; as many as degrees of freedom, unless velocities are not rates of coordinates."""
        return self.dof

    @property
    def home(self) -> np.ndarray:
        """(nq,): where a joint is unless a scene says otherwise."""
        return np.zeros(self.nq)

    def transform(self, q: Array) -> Any:
        """The pose of the child frame in the parent frame, (4, 4), at coordinates q, (dof,); with `transform(self, q, t)`, at time t."""
        raise NotImplementedError(f"{type(self).__name__} does not define transform(q)")

    def jacobian(self, q: Array) -> Any | None:
        """S, (6, dof), where a closed form is cheaper than what differentiation finds; None otherwise. Takes t if `transform` does."""
        return None

    @property
    def source(self) -> str:
        """What messages about the pose call its origin."""
        return f"{type(self).__name__}.transform(q)"

    def needs_check(self) -> bool:
        """Whether nobody vouches for this transform: a subclass that writes its own leaves its parent's word behind."""
        return not (self.proven and ("proven" in vars(self) or self.has_own("proven")))

    @property
    def extent(self) -> tuple[tuple[float, float], ...] | None:
        """Where checks look at the motion: its domain, unless it knows better, as one period of a motion that repeats itself."""
        return self.domain

    @property
    def timed(self) -> bool:
        """Whether the motion depends on time: `transform` and `jacobian` take t."""
        return takes_time(type(self).transform)

    def at(self, method: str, q: Array, t: Value) -> Any:
        """`transform` or `jacobian` at a configuration and a time."""
        return getattr(self, method)(q, t) if self.timed else getattr(self, method)(q)

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:
        """For each coordinate, where the motion is defined; None: everywhere."""
        return None

    @property
    def free_range(self) -> tuple[tuple[float, float], ...] | None:
        """For each coordinate, between which values no limit of the joint's own pushes back; None: everywhere."""
        return None

    @property
    def discrete(self) -> tuple[tuple[str, ...], ...]:
        """For each choice of a chart that the joint has, the names of the charts. Their numbers follow the coordinates in q."""
        return ()

    @property
    def changing(self) -> tuple[bool, ...]:
        """For each coordinate, whether it means another thing after a change of charts."""
        return (bool(self.discrete),) * self.dof

    @property
    def start(self) -> tuple[int, ...]:
        """The charts in use at first."""
        return (0,) * len(self.discrete)

    @property
    def size(self) -> int:
        """How many numbers are a configuration: the coordinates, then the charts in use."""
        return self.nq + len(self.discrete)

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        """The same motion in better coordinates, where these near a singularity; None if that never happens.

        states: (q, qdot) now, then at earlier times, as far as a method keeps them; all in one chart, and in one when they come back.
        """
        return None

    @property
    def rolls(self) -> int:
        """How many numbers `slip` has: of a joint that rolls without slip, whose slip is kept at zero; else none."""
        return 0

    def slip(self, q: Array, qdot: Array) -> Any:
        """The velocities, (rolls,), of the child's material points over those of the parent where they touch."""
        return ()

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        """The coordinates where the child is turned further by a unit quaternion (4,), in its own axes, and put at a position (3,)."""
        raise NotImplementedError(f"{type(self).__name__} does not define turned(...)")

    def rates_of_twist(self, q: Array, twist: Array) -> Any:
        """(dof,): the velocities that go with a body twist (angular; linear), of joints that define `turned`."""
        raise NotImplementedError(f"{type(self).__name__} does not define rates_of_twist(...)")

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        """The coordinates (..., nq) where the child is turned and moved so, of numbers; of joints that reach every orientation."""
        raise NotImplementedError(f"{type(self).__name__} does not define located(...)")

    def force(self, q: Array, qdot: Array) -> Any | None:
        """What the joint itself exerts, (dof,), such as a limit of its range; None if nothing."""
        return None

    def potential(self, q: Array) -> Any:
        """The energy stored by what of `force` is conservative."""
        return 0.0

    def canonical(self) -> tuple[Joint, np.ndarray]:
        """(core, C) with transform(q) = C core.transform(q) C^-1, C a rotation that makes the core sparse."""
        return self, np.eye(4)

    def drawing(self) -> Sequence[Drawing] | None:
        """The curves and surfaces to show of the joint; None for what its motion sweeps over a bounded domain (joints/swept.py)."""
        return None

    def has_own(self, name: str, of: str = "transform") -> bool:
        """Whether a closed form belongs to this transform: a subclass that writes a new transform leaves its parent's behind."""
        return belongs(type(self), name, of)

    def core(self) -> tuple[Joint, np.ndarray]:
        """`canonical()`, unless a subclass does something that its parent's core does not."""
        known = all(self.has_own("canonical", of=name) for name in DOES)
        return self.canonical() if known else (self, np.eye(4))


@lru_cache(maxsize=4096)
def belongs(cls: type[Joint], name: str, of: str) -> bool:
    """Whether a class has the method `name` from where it has `of`, or from a class below."""
    owners = {n: next(c for c in cls.__mro__ if n in vars(c)) for n in (name, of)}
    return issubclass(owners[name], owners[of])


class FunctionJoint(FromFunction, Joint):
    """A joint given as a function of its coordinates, and of named parameters."""

    def __init__(self, function: Callable[..., Any], dof: int, parameters: dict[str, Any], domain: Any = None) -> None:
        self.dof, self.stated = dof, domain
        self.time = "t" not in parameters and takes_time(function)
        self.hold(called("Joint", name_of(function)), function, ("q", "t") if self.time else ("q",), parameters, OF_TIME)

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:
        return self.stated

    @property
    def timed(self) -> bool:
        return self.time

    @property
    def source(self) -> str:
        return f"The function {name_of(self.function)!r} of a joint"

    def transform(self, q: Array, *t: Any) -> Any:
        return self.function(q, *t, **self.parameters)

    def __repr__(self) -> str:
        said = [f"{name}={one_line(value)}" for name, value in {"dof": self.dof, **self.parameters}.items()]
        return f"joint({', '.join([name_of(self.function), *said])})"


def name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


@Blaming()
def joint(function: Callable[..., Any], dof: int, *, domain: Intervals | None = None, check: bool = True, **parameters: Parameter) -> Joint:
    """A joint from one function `f(q, **parameters)`, or `f(q, t, **parameters)`, that returns a 4x4 pose.

    The parameters are data that joints of this kind may differ in.
    domain: for each coordinate (lower, upper), where the motion is defined and smooth; everywhere unless given
    check: whether to make sure, over the domain (or from -3.2 to 3.2, a little more than a turn), that the pose is rigid, the motion
        smooth and S of full rank
    """
    if not callable(function):
        raise SceneError(f"redmax.joint takes a function q -> 4x4 pose. Got {brief(function)}.", owner="joint", argument="function")
    if not isinstance(dof, int | np.integer) or isinstance(dof, bool) or not 0 <= dof <= 6:
        raise SceneError(f"A joint has a whole number of degrees of freedom, 0 to 6. Got dof={dof!r}.", owner="joint", argument="dof")
    from redmax.joints.checks import check_joint, checked_domain

    name = name_of(function)
    sides: Any = [domain] if dof == 1 and as_array(domain).shape == (2,) else domain
    made = FunctionJoint(function, int(dof), parameters, checked_domain(sides, dof, called("Joint", name)))
    if flag(called("Joint", name), "check", check):
        with About("joint", "function"):
            check_joint(made, name)
    else:
        made.proven = True
    return made


def unit_axis(axis: Any, what: str, argument: str = "axis") -> np.ndarray:
    """A unit vector from "x", "y", "z" (with a sign if wanted) or any nonzero 3-vector. argument: which of those of `what`"""
    said = Phrase("axis", argument)
    if isinstance(axis, str):
        sign, name = (-1.0, axis[1:]) if axis.startswith("-") else (1.0, axis)
        if name not in AXES:
            raise wrong(what, said, axis, VALID_AXIS)
        return sign * np.array(AXES[name])
    vector = finite(what, said, axis, ((3,),), VALID_AXIS)
    if not vector.any():
        raise wrong(what, said, axis, VALID_AXIS)
    vector = vector / np.abs(vector).max()  # its square neither overflows nor vanishes
    return vector / np.linalg.norm(vector)


def frame_of_axis(axis: np.ndarray) -> np.ndarray:
    """A rotation (4, 4) whose z axis is `axis`; an exact permutation for the coordinate axes, so that zeros stay zeros.

    For an axis between, the permutation of the nearest one, turned by the smallest rotation: x and y follow a small tilt.
    """
    return made_frame(np.asarray(axis, float).tobytes()).copy()


@lru_cache(maxsize=1024)
def made_frame(given: bytes) -> np.ndarray:
    axis = np.frombuffer(given)
    C = np.eye(4)
    k = int(np.argmax(np.abs(axis)))
    C[:3, :3] = np.roll(np.eye(3), k + 1, axis=0)  # a cyclic permutation takes z to axis k
    if axis[k] < 0:
        C[:3, :3] = C[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    if np.delete(np.abs(axis), k).max() < 4e-16:  # less than that is rounding; more is a tilt that counts
        return C
    x, z = C[:3, 0], C[:3, 2]
    side = x - (x @ axis) / (1.0 + z @ axis) * (z + axis)  # x turned from z to axis
    side = side - (side @ axis) * axis
    C[:3, 0] = side / np.linalg.norm(side)
    C[:3, 1] = np.cross(axis, C[:3, 0])
    C[:3, 2] = axis
    return C


def sparse_frame_of_axis(axis: np.ndarray) -> np.ndarray:
    """As `frame_of_axis`, for motions that do not show where x and y are: of an axis between, x has no part along one coordinate axis."""
    C = frame_of_axis(axis)
    if np.count_nonzero(C[:3, 2]) == 1:
        return C
    x = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    C[:3, 0] = x / np.linalg.norm(x)
    C[:3, 1] = np.cross(axis, C[:3, 0])
    return C


@lru_cache(maxsize=4096)
def takes_time(function: Callable[..., Any]) -> bool:
    """Whether a transform has a parameter t (and not just any further ones)."""
    try:
        parameter = inspect.signature(function).parameters.get("t")
        return parameter is not None and parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    except (TypeError, ValueError):  # a callable that does not say what it takes
        return False
