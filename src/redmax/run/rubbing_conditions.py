"""What of friction in joints, where there is some, decides how a scene can be run: see run/combinations.py."""

from __future__ import annotations

from collections.abc import Callable

from redmax.dynamics.choose import couples
from redmax.model.model import Model
from redmax.run.options import RunOptions


def rubbing(model: Model, options: RunOptions) -> str:
    return f"friction in a joint ({model.rubbing[0].label})"


BESIDE_PUSHING: dict[str, Callable[[Model], object]] = {  # where normals only push, and nothing but points holds bodies together
    "constraints": lambda m: m.constraints, "contact": lambda m: m.touches,
    "a universal joint": lambda m: any(r.frame == "cross" for r in m.rubbings),
    "a joint that does not rub": lambda m: len(m.rubbing_at) < len(m.links),
}  # fmt: skip
RUBBING_WITHOUT: dict[tuple[str, str], Callable[[Model], object]] = {  # how it is solved for, and beside what it cannot be
    ("", "a map of coordinates"): lambda m: m.map is not None, ("", "deformables"): lambda m: m.soft,
    ("", "a constraint with limited force"): lambda m: any(c.limited for c in m.constraints),
    ("", "contact and forces between bodies"): lambda m: m.touches and couples(m),
    **{(f"contact={how!r}", what): is_there for how in ("unilateral", "single") for what, is_there in BESIDE_PUSHING.items()},
    ("contact='single'", "a disc (sides=None)"): lambda m: any(p.discs for r in m.rubbings for p in r.parts),
    ("external='maximal'", "contact"): lambda m: m.touches,
    ("external='maximal'", "a constraint of coordinates"): lambda m: any(c.joints for c in m.constraints),
}  # fmt: skip


def rubbing_beside(model: Model, options: RunOptions) -> str:
    """What friction in joints cannot be solved with."""
    cannot = [k for k, is_there in RUBBING_WITHOUT.items() if k[0] in repr(model.staggering) and is_there(model)]
    return f"{rubbing(model, options)}{cannot[0][0] and f' by {cannot[0][0]}'} beside {cannot[0][1]}" if cannot else ""


def rubbing_coupled(model: Model, options: RunOptions) -> str:
    there = couples(model) and not model.touches
    return f"{rubbing(model, options)} beside forces between bodies" if there else ""
