"""What the arguments j, p and w of a sweep are while it is traced: views that turn attribute access into reads and stores.

The classes declare the names that most sweeps use, for readers and editors; what else there is, a program's `Fields` say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from redmax.arguments import brief
from redmax.errors import TraceError
from redmax.program.fields import Layout
from redmax.program.kernel import CONSTANTS, EXTRA, GATHERED, PARAMETERS, PARENT, PARKED, RECORD, UPWARD, WORLD, Store
from redmax.trace import Graph, Scalar
from redmax.trace.algebra import add, neg
from redmax.trace.vector import vector_of

if TYPE_CHECKING:
    from redmax.forces.joint_force import JointForce
    from redmax.joints.base import Joint
    from redmax.lie import Adjoint, Inertia
    from redmax.types import Array


def flatten(value: Any) -> list[Any]:
    """The scalars of an array, or of an object that offers `flat()`."""
    if not isinstance(value, np.ndarray | np.generic) and hasattr(value, "flat"):
        return list(value.flat())
    return [x.item() if isinstance(x, np.ndarray) else x for x in np.asarray(value, object).ravel()]


def map_scalars(value: Any, f: Any) -> Any:
    """`f` applied to every scalar of a value: a number, an array, a tuple, or an object that offers `map(f)`."""
    if isinstance(value, np.ndarray):
        out = np.empty(value.shape, object)
        for index in np.ndindex(value.shape):
            out[index] = f(value[index])
        return out
    if isinstance(value, tuple | list):
        return type(value)(map_scalars(v, f) for v in value)
    if isinstance(value, Scalar | float | int):
        return f(value)
    return value.map(f) if hasattr(value, "map") else value


class Tracing:
    """The state shared by the views of one kind of joint while a recursion is traced."""

    def __init__(self, graph: Graph, layout: Layout, statics: dict[str, Any], base: dict[str, Any], flags: dict[str, bool]) -> None:
        self.graph, self.layout, self.base, self.flags = graph, layout, base, flags
        known_as = layout.fields.known_as
        self.other_names = {name: meant for name, meant in known_as.items() if isinstance(meant, str)}
        self.statics = {**statics, **{name: thing for name, thing in known_as.items() if not isinstance(thing, str)}}
        self.kept: dict[str, tuple[int, Any]] = {}  # private fields: the sweep that set them, and the value
        self.origin: dict[int, int] = {}  # node id -> the sweep that computes it for later ones
        self.begin(0)

    def begin(self, sweep: int) -> None:
        """A sweep begins: nothing set yet, nothing stored."""
        self.sweep = sweep
        self.now: dict[str, Any] = {}
        self.stores: list[Store] = []

    def vector(self, base: str, offset: int, size: int) -> np.ndarray:
        """(size,) of inputs place[offset], place[offset + 1], ..."""
        return vector_of([self.graph.input(base, offset + i) for i in range(size)])

    def store(self, base: str, offset: int, size: int, value: Any, name: str, accumulate: bool = False) -> None:
        """Store the entries of a value, checked against the field's size, from place[offset] on."""
        entries = flatten(value)
        if len(entries) != size:
            raise TraceError(f"{name} holds {size} numbers. Got {len(entries)}.")
        sparse = accumulate or name in self.layout.fields.blank
        added = [i for i, x in enumerate(entries) if not sparse or isinstance(x, Scalar) or x]  # nothing is not added
        self.stores += [Store(base, offset + i, entries[i], accumulate) for i in added]

    def park(self, x: Any) -> Any:
        """A scalar computed in an earlier sweep, as it is read back in this one."""
        if not isinstance(x, Scalar):
            return x
        if x.op == "neg":
            return neg(self.park(x.args[0]))
        if x.op == "const" or (x.op == "input" and x.args[0] in (CONSTANTS, PARAMETERS, PARKED)):
            return x
        return self.graph.input(PARKED, x.id)


class JointView:
    """`j` in a sweep: a joint and the body it moves. nq, nv: its numbers of coordinates and of velocities.

    Reading gives traced values. Assigning to a field of the program stores it; any other name is kept for the sweeps after this one.
    """

    # What it is: the same whenever the kernel runs, or data of the kernel.
    name: str
    joint: Joint  # its motion, over traced constants
    joint_forces: tuple[JointForce, ...]  # those that act within it
    root: bool  # whether it hangs on the world
    leaf: bool  # whether nothing hangs on it
    first: bool  # whether it is the first that adds to what its parent gathers
    prescribed: bool  # whether its acceleration is given and its torque found
    motion: Callable[[Any], Any]  # of a prescribed joint that has one ("motion" in j): t -> (nv,)
    motion_level: Literal["position", "velocity", "acceleration"]
    torque: Callable[..., Any]  # of a joint that has one ("torque" in j): (t, q, qdot) -> (nv,)
    touched: bool  # whether forces act on the body
    pushed_at: bool  # whether forces act on the coordinates
    on_group: bool  # whether its tree begins with a joint on a group, so that steps carry its momentum along
    flies: bool  # whether a tree begins with it whose steps are in axes of their beginning (dynamics/common/flown.py)
    aloft: bool  # whether it is of such a tree
    counted: bool  # whether it has energy: not if it only keeps a state
    M: Inertia  # of the body about the joint frame
    mass_value: Any
    first_moment: Array  # (3,) mass times center of mass, in the joint frame
    R0: Array  # (3, 3) and p0 (3,): where the joint is in its parent's joint frame
    p0: Array
    body_R: Array  # (3, 3) and body_p (3,): the body frame in the joint frame
    body_p: Array
    moving_R: Array  # (3, 3) and moving_p (3,): of bodies that move by frames of the scene, these in the joint frame
    moving_p: Array
    gravity: Array  # (3,) in world axes
    stiffness: Array  # (nv,) with damping and rest: of the joint's own spring
    damping: Array
    rest: Array
    armature: Array  # of a joint that has a rotor ("armature" in j): (nv,), or (1,) of a ball joint, with the ratio of its gear
    gear: Array
    on_twist: Literal["own", "forces"]  # of a joint ("on_twist" in j) where what acts is along the twist: its own damper and torque too?
    gain: Array  # (1,) and velocity_gain (1,): how a prescribed motion is held
    velocity_gain: Array

    # Its state.
    q: Array  # (nq and the charts in use,)
    qdot: Array  # (nv,)
    qddot: Array  # (nv,)
    tau: Array  # (nv,)

    # What recursions find on the way, under the names of the papers.
    X: Adjoint  # from the parent's joint frame to this one
    S: Array  # (6, nv): twist = S qdot, in the joint frame
    V: Array  # (6,) twist (angular; linear), in the joint frame
    Vdot: Array  # (6,) its rate
    eta: Array  # (6,) what of Vdot comes from velocities
    R: Array  # (9,) and x (3,): the joint frame in the world, by rows
    x: Array
    applied: Array  # (6,) what forces add to the body, in world axes about the joint frame
    pushed: Array  # (nv,) what forces add to the coordinates

    def __init__(self, tracing: Tracing) -> None:
        object.__setattr__(self, "_", tracing)

    def __getattr__(self, name: str) -> Any:
        t: Tracing = object.__getattribute__(self, "_")
        name = t.other_names.get(name, name)
        if name in t.now:
            return t.now[name]
        if name in t.flags:
            return t.flags[name]
        if name in t.statics:
            return t.statics[name]
        if name in t.kept:
            return map_scalars(t.kept[name][1], t.park)
        return self.read(t, name)

    def __contains__(self, name: str) -> bool:
        """Whether the joint has this attribute or field."""
        t: Tracing = object.__getattribute__(self, "_")
        return name in t.now or name in t.statics or name in t.kept or name in t.layout.state or name in t.layout.down

    @staticmethod
    def read(t: Tracing, name: str) -> Any:
        """A field as inputs: what the joint gathered, or a part of its record."""
        layout = t.layout
        if name in layout.up:
            offset, size = layout.up[name]
            return np.zeros(size).astype(object) if t.flags["leaf"] else t.vector(GATHERED, offset, size)
        if name in layout.down:
            return t.vector(RECORD, *layout.down[name])
        if name in layout.state:
            return t.vector(RECORD, *layout.state[name])
        if name in layout.fields.extra:
            return t.vector(EXTRA, *layout.extra(0)[name])
        raise TraceError(f"A joint has no field {name!r} here. Known: {', '.join(sorted({*t.now, *t.statics, *t.kept, *layout.state}))}.")

    def __setattr__(self, name: str, value: Any) -> None:
        t: Tracing = object.__getattribute__(self, "_")
        name = t.other_names.get(name, name)
        t.now[name] = value
        layout = t.layout
        if name in layout.down:
            t.store(RECORD, *layout.down[name], value, name)
        elif name in layout.state:
            t.store(RECORD, *layout.state[name], value, name)
        elif name in layout.fields.extra:
            t.store(EXTRA, *layout.extra(0)[name], value, name)
        else:
            t.kept[name] = (t.sweep, value)


class Sum:
    """The left side of `p.name += value`."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __add__(self, value: Any) -> Sum:
        return Sum(value)


class ParentView:
    """`p` in a sweep: reads what children see of their parent (`down`), adds to what it gathers from them (`up`): p.name += value.

    For a root it reads the world's fixed values and gathers nothing.
    """

    V: Array  # (6,) twist of the parent, in its joint frame
    Vdot: Array  # (6,) its rate; of the world, minus gravity
    R: Array  # (9,) and x (3,): its joint frame in the world
    x: Array

    def __init__(self, tracing: Tracing) -> None:
        object.__setattr__(self, "_", tracing)

    def __getattr__(self, name: str) -> Any:
        t: Tracing = object.__getattribute__(self, "_")
        if name in t.layout.up:
            return Sum()
        if name not in t.layout.down:
            raise TraceError(f"A parent offers {', '.join(t.layout.down)} to its children. Got {brief(name)}.")
        offset, size = t.layout.down[name]
        if not t.flags["root"]:
            return t.vector(PARENT, offset, size)
        return t.base.get(name, np.zeros(size).astype(object))

    def __setattr__(self, name: str, value: Any) -> None:
        t: Tracing = object.__getattribute__(self, "_")
        if not isinstance(value, Sum) or name not in t.layout.up:
            raise TraceError(f"A joint may only add to what its parent gathers: p.{name} += value, with {', '.join(t.layout.up)}.")
        if not t.flags["root"]:
            t.store(UPWARD, *t.layout.up[name], value.value, name, accumulate=not t.flags["first"])


class WorldView:
    """`w` in a sweep: the clock, and sums over the model."""

    t: Any  # the time that forces see (s)
    h: Any  # the step (s), where there is one
    t0: Any  # when the run began (s), and k, how many steps are done: of integrators with a fixed step
    k: Any

    def __init__(self, tracing: Tracing) -> None:
        object.__setattr__(self, "_", tracing)

    def __getattr__(self, name: str) -> Any:
        t: Tracing = object.__getattribute__(self, "_")
        if "w." + name in t.now:
            return t.now["w." + name]
        if name not in t.layout.world:
            raise TraceError(f"The world has no field {name!r} here. Known: {', '.join(t.layout.world)}.")
        offset, size = t.layout.world[name]
        return t.graph.input(WORLD, offset) if size == 1 else t.vector(WORLD, offset, size)

    def __setattr__(self, name: str, value: Any) -> None:
        t: Tracing = object.__getattribute__(self, "_")
        if name not in t.layout.world:
            raise TraceError(f"The world has no field {name!r} here. Known: {', '.join(t.layout.world)}.")
        t.now["w." + name] = value
        t.stores = [s for s in t.stores if not (s.base == WORLD and self.covers(t, name, s.index))]
        t.store(WORLD, *t.layout.world[name], value, name)

    @staticmethod
    def covers(t: Tracing, name: str, index: int) -> bool:
        """Whether this index of the world's record belongs to the field."""
        offset, size = t.layout.world[name]
        return offset <= index < offset + size

    def gather(self, name: str, value: Any) -> None:
        """Add to a sum over the model."""
        current = getattr(self, name)
        entries = [add(c, x) for c, x in zip(flatten(current), flatten(value), strict=True)]
        setattr(self, name, vector_of(entries))
