"""What a file may have in the place of an argument: read from the type that the argument has where it is taken (components/given.py).

Most arguments are numbers, objects, or lists of these, which says itself. Text, bodies and functions do not: a text in a file is an
expression unless its argument takes texts, and a function needs to know what it is called with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from numpy.typing import ArrayLike

from redmax.components.given import CalledWith, OfJoint, OnBodies, Range, Shape, Unbounded, Unit
from redmax.components.handles import BodyHandle

SEVERAL = (Sequence, tuple, list)


@dataclass(frozen=True)
class Meaning:
    """Of an argument. members: the types that it may have (Shape: an array); then what is said about them."""

    members: tuple[Any, ...] = ()
    called: CalledWith | None = None
    shape: Shape | None = None
    range: Range | None = None
    unit: str = ""
    place: bool = False
    joint: bool = False
    unbounded: bool = False

    @property
    def body(self) -> bool:
        """Whether it is a body, by its name."""
        return BodyHandle in self.members and not self.place

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that are valid, where there are only some."""
        return next((get_args(m) for m in self.members if get_origin(m) is Literal), ())

    @property
    def by_joint(self) -> bool:
        """Whether it has a value for each of some joints, by name."""
        return any(get_origin(m) is Mapping for m in self.members)

    @property
    def text(self) -> bool:
        """Whether a text is meant as it stands."""
        return not self.body and (str in self.members or bool(self.words))

    @property
    def several(self) -> bool:
        """Whether it is a list of objects, or of places."""
        return len(self.members) == 1 and get_origin(self.members[0]) in SEVERAL

    @property
    def always(self) -> bool:
        """Whether nothing but a function will do, so that a constant is one too."""
        return self.called is not None and all(get_origin(m) in (Callable, *SEVERAL) for m in self.members)


NOTHING = Meaning()


def hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of what a function or a constructor takes, with all that is said about them."""
    if not isinstance(function, type):
        return get_type_hints(function, include_extras=True)
    maker: Any = next(cls for cls in function.__mro__ if "__init__" in vars(cls))
    made = vars(maker).get("__dataclass_params__")
    if made is not None and made.init:
        return get_type_hints(function, include_extras=True)  # each field's in the module of the class that declares it
    return get_type_hints(maker.__init__, include_extras=True)


def meaning(hint: Any) -> Meaning:
    """What a type says."""
    found = list(parts(hint))
    said = [part for part in found if isinstance(part, CalledWith | Shape | Range | Unit | OnBodies | OfJoint | Unbounded)]

    def first(kind: type) -> Any:
        return next((word for word in said if isinstance(word, kind)), None)

    unit = first(Unit)
    return Meaning(
        members=tuple(part for part in found if not any(part is word for word in said)),
        called=first(CalledWith),
        shape=first(Shape),
        range=first(Range),
        unit="" if unit is None else unit.name,
        place=first(OnBodies) is not None,
        joint=first(OfJoint) is not None,
        unbounded=first(Unbounded) is not None,
    )


def parts(hint: Any) -> Iterator[Any]:
    """The types that an argument may have, but None, and what is said about them.

    An array is one type, Shape: what NumPy makes arrays of has texts among it, which no file has there.
    """
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *said = get_args(hint)
        yield from said
        yield from (Shape,) if any(isinstance(word, Shape) for word in said) else parts(inner)
    elif origin in (Union, UnionType):
        array = set(get_args(ArrayLike)) <= set(get_args(hint))
        yield from (Shape,) if array else ()
        for member in get_args(hint):
            if not array or member not in get_args(ArrayLike):
                yield from parts(member)
    elif hint is not NoneType:
        yield hint
        if origin in SEVERAL:  # places and joints may be in a list
            yield from (part for member in get_args(hint) for part in parts(member) if isinstance(part, OnBodies | OfJoint))
