"""What a scene or a run has that not everything goes with, in words: what the rules of combinations.py look for."""

from __future__ import annotations

import numpy as np

from redmax.dynamics.choose import couples
from redmax.integrators import METHODS
from redmax.model.model import Model
from redmax.run.options import RunOptions

FULLY_IMPLICIT = tuple(name for name, method in METHODS.items() if method.runner is not None)  # those that solve the reduced equations
FIXED_STEPS = tuple(name for name, method in METHODS.items() if method.program is not None and not method.adaptive)
BODY_NUMBERS = ("mass", "inertia", "com")


def exactly_stiff(model: Model, options: RunOptions) -> str:
    found = next((f for f in model.forces if f.implicit and f.stiffness_kind == "exact"), None) if model.soft else None
    return f"{found.label} with stiffness_kind='exact' beside deformables" if found else ""


def massless(model: Model, options: RunOptions) -> str:
    found = next((link.name for link in model.links if not link.shape.mass > 0), None)
    return f"a body without mass ({found!r})" if found is not None else ""


def following(model: Model, options: RunOptions) -> str:
    found = next((f for f in model.forces if f.joints and not f.on_coordinates), None)
    return f"a force ({found.label}) that follows the coordinates of joint {found.joints[0].joint!r}" if found else ""


def rates_apart(model: Model, options: RunOptions) -> object:
    """Whether each rate has a tolerance of its own."""
    return np.ndim(options.atol or 0.0)


def dense(model: Model, options: RunOptions) -> object:
    """Whether the reduced system has rows, or forces in implicit steps: such systems are dense."""
    stiff = options.integrator is not None and METHODS[options.integrator].implicit and bool(model.acting)
    return not model.soft and (bool(model.constraints or model.rubbing) or model.map is not None or stiff)


def pushing(model: Model, options: RunOptions) -> str:
    found = next((c.label for c in model.constraints if c.one_sided and not c.compliant), None)
    return f"a constraint that only pushes ({found})" if found else ""


def limited(model: Model, options: RunOptions) -> str:
    found = next((c.label for c in model.constraints if c.limited), None)
    return f"a constraint with limited force ({found})" if found else ""


def limited_pushing(model: Model, options: RunOptions) -> str:
    found = next((c.label for c in model.constraints if c.limited and c.one_sided), None)
    return f"a constraint that only pushes, with limited force ({found})" if found else ""


def compliant(model: Model, options: RunOptions) -> str:
    found = next((c.label for c in model.constraints if c.compliant), None)
    return f"a constraint with compliance ({found})" if found else ""


def shaped(model: Model, options: RunOptions) -> str:
    """Parameters of what contact knows as constants: the shapes of bodies, and their masses, by which they give way."""
    touching = {s.body for s in model.contact_shapes} if model.parameters and model.touches else set()
    own = [p for p in model.parameters if p.place in touching and (p.path[:1] == ("shape",) or p.what.split(".")[0] in BODY_NUMBERS)]
    return f"the parameter {own[0].name!r} of a body that touches others" if own else ""


def pulling(model: Model, options: RunOptions) -> str:
    """Forces that couple joints in implicit steps, through which impulses of contact would act too; or that are not symmetric there."""
    couple = [f for f in model.forces if f.implicit and (len(f.bodies) > 1 or f.on_coordinates or f.stiffness_kind == "exact")]
    return f"contact beside a force between bodies ({couple[0].label})" if couple and model.touches else ""


def rubbing(model: Model, options: RunOptions) -> str:
    return f"friction in a joint ({model.rubbing[0].label})" if model.rubbing else ""


def rubbing_beside(model: Model, options: RunOptions) -> str:
    """What friction in joints cannot be solved with."""
    others = {"constraints": model.constraints, "a map of coordinates": model.map is not None, "deformables": model.soft}
    others |= {"contact": model.touches}
    found = next((name for name, there in others.items() if there), "") if model.rubbing else ""
    return f"{rubbing(model, options)} beside {found}" if found else ""


def rubbing_coupled(model: Model, options: RunOptions) -> str:
    return f"{rubbing(model, options)} beside forces between bodies" if model.rubbing and couples(model) else ""


def open_ended(model: Model, options: RunOptions) -> bool:
    """Whether there is nothing that a step could end on."""
    opening = options.dynamics == "maximal" and options.integrator in FIXED_STEPS
    return options.integrator not in FULLY_IMPLICIT and not model.constraints and not opening
