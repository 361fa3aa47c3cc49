"""What a deformable is made of: laws, each over a table of nodes and a table of numbers.

A law says what one element does; thousands of elements share one compiled copy of it. The laws here are written for arrays with any
leading axes too, so that a table of elements can be evaluated with NumPy at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from redmax.arguments import brief
from redmax.components.checks import finite
from redmax.components.given import Shape
from redmax.deformables.tangent import along_velocities, exact_stiffness
from redmax.errors import Phrase, SceneError, wrong
from redmax.memory import check_room
from redmax.trace import jacobian
from redmax.types import Array


class Law(ABC):
    """The potential of one element and what follows from it; hashable, and equal to another that computes the same.

    nodes: how many nodes an element has (k);  numbers: how many data (d);  damped: whether `damping` does anything
    """

    nodes: int
    numbers: int
    damped: bool = False

    @abstractmethod
    def energy(self, x: Array, data: Array) -> Any:
        """Potential energy () in J of an element with its nodes at x (k, 3) in m, over its data (d,)."""

    @abstractmethod
    def forces(self, x: Array, data: Array) -> Any:
        """Forces (k, 3) in N on the nodes, the negative gradient of the energy; their own derivative is exact too."""

    def damping(self, x: Array, v: Array, data: Array) -> Any:
        """Forces (k, 3) in N on the nodes that their velocities v (k, 3) in m/s add; asked for only if `damped`."""
        raise NotImplementedError(f"{type(self).__name__} is not damped")

    def viscous(self, x: Array, v: Array, data: Array) -> Any:
        """Forces (k, 3) in N that rayleigh damping of 1 s by stiffness adds.

        Unless a law has its own, (df/dx) v: exact at rest, but it may add energy to a compressed element and turn a free one.
        """
        return along_velocities(self, x, v, data)

    def stiffness(self, x: Array, data: Array) -> Any:
        """K = df/dx (3k, 3k) in N/m, symmetric, as implicit steps take it; x and data are traced.

        Unless a law has its own, the exact one. A law keeps large steps stable where its -K is positive semidefinite for any x.
        """
        return exact_stiffness(self, x, data)

    def viscosity(self, x: Array, v: Array, data: Array) -> Any:
        """-d viscous / dv (3k, 3k) in N, symmetric, as implicit steps take it; x, v and data are traced."""
        return -jacobian(np.asarray(self.viscous(x, v, data), object).ravel(), list(np.ravel(v)))


BYTES = 200  # of an element and its nodes, about


@dataclass(frozen=True, eq=False)
class Elements:
    """Elements that obey one law.

    nodes: (n, k) which nodes each has;  data: (n, d) the numbers of each
    """

    law: Law
    nodes: Annotated[NDArray[np.int64], Shape((-1, -1))]
    data: Annotated[NDArray[np.float64], Shape((-1, -1))]

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            hint = " Did you forget the parentheses?" if isinstance(self.law, type) and issubclass(self.law, Law) else ""
            raise SceneError(
                f"Elements: law is {brief(self.law)}, expected a law such as redmax.deformables.Spring().{hint}",
                owner="Elements",
                argument="law",
            )
        k, d = self.law.nodes, self.law.numbers
        owner = Phrase(type(self.law).__name__, "Elements")
        nodes = integers(owner, "nodes", self.nodes, k, f"an (n, {k}) array of node numbers")
        data = finite(owner, "data", self.data, ((len(nodes), d),), f"a ({len(nodes)}, {d}) array of finite numbers")
        for name, array in (("nodes", nodes), ("data", data)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.nodes)


def integers(owner: str, name: str, value: Any, width: int, valid: str) -> NDArray[np.int64]:
    """`value` as an (n, width) array of whole numbers, or an error."""
    if (isinstance(value, list | tuple) and not value) or (isinstance(value, np.ndarray) and value.ndim and not len(value)):
        return np.zeros((0, width), np.int64)
    given = finite(owner, name, value, ((-1, width),), valid)
    whole = given.astype(np.int64)
    if not np.array_equal(whole, given):
        raise wrong(owner, name, value, valid)
    return whole


def check_range(owner: str, name: str, numbers: NDArray[np.int64], count: int) -> None:
    """Raise unless the node numbers are those of `count` nodes."""
    beyond = np.argwhere((numbers < 0) | (numbers >= count))
    if len(beyond):
        row = int(beyond[0][0])
        raise SceneError(
            f"{owner}: {name} {row} has the nodes {numbers[row].tolist()}, expected 0 to {count - 1}; numbering starts at 0.",
            owner=owner,
            argument=name,
        )


def check_size(owner: str, elements: int, argument: str) -> None:
    """Raise if so many elements do not fit into memory, about. argument: which says how many"""
    check_room(BYTES * elements, f"{owner} of {elements:,} elements", "Use fewer.", owner, argument)
