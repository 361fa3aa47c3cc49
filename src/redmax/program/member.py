"""What a law over several joints sees while it is traced: the records of its members, and what it keeps by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.errors import TraceError
from redmax.program.fields import Layout
from redmax.program.kernel import KEPT
from redmax.program.record import Sum, Tracing


class KeptView:
    """What a constraint keeps, while its law is traced: named runs of numbers, to read or to store."""

    def __init__(self, tracing: Tracing, size: int) -> None:
        self.tracing, self.size = tracing, size

    def read(self, start: int, size: int) -> Any:
        """So many numbers, from a place on."""
        return self.tracing.vector(KEPT, start, size)

    def store(self, start: int, values: Any, name: str) -> None:
        """Numbers from a place on."""
        entries = np.ravel(np.asarray(values, object))
        self.tracing.store(KEPT, start, len(entries), entries, name)


class MemberView:
    """`b[i]` while a law is traced: a joint's record, to read from and to add to."""

    def __init__(self, tracing: Tracing, place: str, layout: Layout) -> None:
        object.__setattr__(self, "_", (tracing, place, layout))

    def __getattr__(self, name: str) -> Any:
        tracing, place, layout = object.__getattribute__(self, "_")
        offset, size = self.field(layout, name)
        if name in layout.fields.sums:
            return Sum()
        return tracing.vector(place, offset, size)

    def __setattr__(self, name: str, value: Any) -> None:
        tracing, place, layout = object.__getattribute__(self, "_")
        if not isinstance(value, Sum) or name not in layout.fields.sums:
            raise TraceError(f"A force may only add to what its members gather: b.{name} += value, with {', '.join(layout.fields.sums)}.")
        tracing.store(place, *self.field(layout, name), value.value, name, accumulate=True)

    def __contains__(self, name: str) -> bool:
        _, _, layout = object.__getattribute__(self, "_")
        return name in layout.down or name in layout.state

    @staticmethod
    def field(layout: Layout, name: str) -> tuple[int, int]:
        """(offset, size) of a member's field in its record."""
        for part in (layout.down, layout.state):
            if name in part:
                return part[name]
        raise TraceError(f"A member of a force has no field {name!r} here. Known: {', '.join([*layout.down, *layout.state])}.")
