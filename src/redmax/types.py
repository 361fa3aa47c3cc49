"""The types of the public API that have names, in one place. Shapes are said where they are used.

Equations run on numbers and on traces alike, so that what they are given is a union:

    Value           one real number: a float, or a traced scalar
    Array           an array of them: of dtype float, or object where entries are traced
    ValueOrArray    one, or an array that is taken entry by entry
    Vector          a short array that may also be written as a list or a tuple

What a user hands over as data (a point, a list of coordinates) is NumPy's `ArrayLike`; `Given` where it may be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike, NDArray

from redmax.trace.scalar import Scalar, Value

Array: TypeAlias = NDArray[Any]
ValueOrArray: TypeAlias = Scalar | float | Array
Vector: TypeAlias = Array | Sequence[Value]
Given: TypeAlias = ArrayLike | None

__all__ = ["Array", "Given", "Value", "ValueOrArray", "Vector"]
