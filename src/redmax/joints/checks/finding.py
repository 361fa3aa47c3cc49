"""What a check finds wrong with a joint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """fatal: whether the joint cannot be used at all; text: what is wrong, where, by how much, and what to do."""

    fatal: bool
    text: str
