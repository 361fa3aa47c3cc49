"""The library's sets of curves by name."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from redmax.arguments import brief
from redmax.errors import SceneError
from redmax.muscles.curves import degroote_fregly, millard, redmax
from redmax.muscles.curves.base import Curves

NAMES = ("redmax", "millard", "degroote-fregly")


def curves_of(owner: str, given: object) -> Curves:
    """The curves that a user means: one of NAMES, or curves of the user's own."""
    if isinstance(given, Curves):
        return given
    if isinstance(given, str) and given in NAMES:
        return curves_by_name(given)
    near = get_close_matches(given, NAMES, 1) if isinstance(given, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise SceneError(
        f"{owner}: curves is {brief(given)}, expected one of {', '.join(map(repr, NAMES))}, or redmax.muscles.Curves.{hint}",
        owner=owner,
        argument="curves",
    )


@cache
def curves_by_name(name: str) -> Curves:
    if name == "degroote-fregly":
        f = degroote_fregly
        return Curves(f.active_length, f.velocity, f.passive_length, f.passive_energy, name)
    family = {"redmax": redmax, "millard": millard}[name]
    passive = family.passive_length()
    return Curves(family.active_length(), family.velocity(), passive, passive.antiderivative(), name)
