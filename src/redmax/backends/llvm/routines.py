"""Routines as LLVM IR: loops that rows call, over the type `ty` (a scalar, or one lane per world)."""

from __future__ import annotations


def routine_text(routine: str, name: str, ty: str) -> str:
    """The function `name` that does what the routine does; its arguments are the words of its row."""
    raise NotImplementedError(f"no code for the routine {routine!r}")
