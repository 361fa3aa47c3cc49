"""Curves and surfaces within joints.

A joint keeps their attributes as its own, under the part's name: numbers of a curve are then data of the joint that follows it, and
what else it consists of is structure.
"""

from __future__ import annotations

from typing import Any

from redmax.joints.base import Joint


def keep(joint: Joint, name: str, part: Any) -> None:
    """Take a part's attributes over."""
    setattr(joint, f"{name}:kind", type(part))
    for attribute, value in vars(part).items():
        setattr(joint, f"{name}:{attribute}", value)


def kept(joint: Joint, name: str) -> Any:
    """The part, over the joint's data as they are now (numbers, or traced)."""
    own = {n.removeprefix(name + ":"): v for n, v in vars(joint).items() if n.startswith(name + ":")}
    kind = own.pop("kind")
    part = object.__new__(kind)
    vars(part).update(own)
    return part
