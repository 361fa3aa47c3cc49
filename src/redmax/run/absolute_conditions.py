"""What goes with bodies in absolute coordinates, each on a group of its own: rules of the table in run/combinations.py."""

from __future__ import annotations

from dataclasses import replace

from redmax.constraints.carried import Carrying
from redmax.integrators import METHODS
from redmax.integrators.absolute.frame import FRAMES
from redmax.integrators.absolute.group import GROUPS
from redmax.integrators.absolute.method import RHO
from redmax.integrators.lie import ALONG_GROUPS
from redmax.model.model import Model
from redmax.run.options import Rule, RunOptions

ABSOLUTE = tuple(name for name, method in METHODS.items() if method.absolute is not None)
ON_GROUPS = (*ABSOLUTE, *(method.name for method in ALONG_GROUPS))
OTHERS = tuple(name for name in METHODS if name not in ABSOLUTE)


def beyond_bodies(model: Model, options: RunOptions) -> str:
    """What is more than rigid bodies, joints, forces and constraints."""
    if model.map is not None or model.soft:
        return "deformables" if model.soft else "a map of coordinates"
    called = next((c.label for c in model.constraints if c.carries and not isinstance(c, Carrying)), None)
    return f"a prescribed twist whose function cannot be traced ({called})" if called is not None else ""


OF_ABSOLUTE = (
    Rule(
        "a map of coordinates, deformables, or a prescribed twist whose function cannot be traced", beyond_bodies, "integrator", OTHERS,
        "Take 'bdf2' or 'adaptive'.",
    ),
    Rule(
        "any choice of dynamics but 'maximal', where bodies move by themselves,", lambda m, o: o.dynamics not in (None, "maximal"),
        "integrator", OTHERS, "Take dynamics='maximal', or leave it out.", scene=False,
    ),
    Rule("an integrator other than 'generalized-alpha'", lambda m, o: o.integrator not in (None, *ABSOLUTE), "index", (), "Leave it out.",
         scene=False),
    Rule("an integrator other than 'generalized-alpha'", lambda m, o: o.integrator not in (None, *ABSOLUTE), "rho", (), "Leave it out.",
         scene=False),
    *(Rule("an integrator that does not go along groups", lambda m, o: o.integrator not in (None, *ON_GROUPS), option, (), "Leave it out.",
           scene=False) for option in ("group", "frame")),
    *(Rule(
        "any choice of dynamics but 'maximal', where bodies move by themselves,", lambda m, o: o.dynamics not in (None, "maximal"), option,
        (), f"Take dynamics='maximal', or leave {option} out.", scene=False,
    ) for option in ("group", "frame")),
    Rule(
        "a step of generalized-alpha of index 3 or 2, which ends on the constraints by itself,",
        lambda m, o: m.constraints and o.integrator in ABSOLUTE and o.index != 1, "stabilisation", ("auto", "baumgarte"), "Leave it out.",
        scene=False,
    ),
)  # fmt: skip


def chosen_form(options: RunOptions) -> RunOptions:
    """With the group, the index, rho and the frame, where they are left to the library."""
    index, rho = options.index or 2, RHO if options.rho is None else options.rho
    frame = options.frame or FRAMES[0]
    return replace(options, group=options.group or GROUPS[0], index=index, rho=rho, frame=frame)
