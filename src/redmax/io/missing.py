"""What stands for a value that could not be read: whatever is made of it is missing too, without a further word."""

from __future__ import annotations


class Missing:
    """The type of MISSING, of which there is one."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
