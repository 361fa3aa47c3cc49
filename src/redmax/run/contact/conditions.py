"""What the rules on what goes together look for in scenes in which something touches (run/combinations.py): each in words, or nothing."""

from __future__ import annotations

from redmax.dynamics.choose import couples
from redmax.model.model import Model
from redmax.run.options import RunOptions

MOST_PAIRS = 200  # of shapes, in steps of `adaptive`


def shaped(model: Model, options: RunOptions) -> str:
    """Parameters of what contact knows as constants: the sizes of shapes."""
    touching = {s.body for s in model.contact_shapes} if model.parameters else set()
    own = [p for p in model.parameters if p.place in touching and p.path[:1] == ("shape",)]
    return f"the parameter {own[0].name!r} of a body that touches others" if own else ""


def not_hard_and_few(model: Model, options: RunOptions) -> str:
    """What `adaptive` cannot do of contact."""
    soft = [s.owner for s in model.contact_shapes if s.material.compliance > 0] if not model.soft else []
    soft += [" and ".join(sorted(map(str, pair))) for pair, m in model.contact_laws.items() if m.compliance > 0]
    turning = "contact with torsional or rolling friction" if model.turning else ""
    asked = [f"contact between {a.owner!r} ({a.kind}) and {b.owner!r} ({b.kind})" for a, b in model.asked_pairs[:1]]
    pairs = len(model.contact_pairs)
    many = f"contact of {pairs} pairs of shapes, more than {MOST_PAIRS}," if pairs > MOST_PAIRS else ""
    held = f"contact beside a constraint ({model.constraints[0].label})" if model.constraints else ""
    held = held or ("contact beside a map of coordinates" if model.map is not None else "")
    return held or turning or (f"contact with compliance ({soft[0]!r})" if soft else "") or "".join(asked) or many


def located(model: Model, options: RunOptions) -> str:
    """Whether impacts are located, in words."""
    return "contact in steps of 'adaptive'" if options.integrator == "adaptive" else ""


def pulling(model: Model, options: RunOptions) -> str:
    """Forces that are not symmetric in implicit steps: contact makes something least, which there is not then."""
    exact = [f for f in model.forces if f.implicit and f.stiffness_kind == "exact"]
    return f"contact beside {exact[0].label} with stiffness_kind='exact'" if exact and not model.soft else ""


def mapped_beside(model: Model, options: RunOptions) -> str:
    """What contact through a map does not hold yet."""
    found = model.constraints[0].label if model.constraints else "torsional or rolling friction" if model.turning else ""
    return f"contact and {found} beside a map of coordinates" if found and model.map is not None else ""


def sided(model: Model, options: RunOptions) -> str:
    """Whether cones of friction have sides, in words."""
    return f"friction of cones with sides (friction_sides={options.friction_sides})" if options.friction_sides else ""


def in_turns(model: Model, options: RunOptions) -> str:
    """Friction by the methods of before, in words."""
    return sided(model, options) or ("friction in turns (friction='staggered')" if options.friction == "staggered" else "")


def beside_turns(model: Model, options: RunOptions) -> str:
    """What these methods do not know of."""
    held = f"a constraint ({model.constraints[0].label})" if model.constraints else "a map of coordinates" if model.map is not None else ""
    others = held or "deformables" * bool(model.soft) or "torsional or rolling friction" * model.turning
    between = "forces between bodies, in implicit steps," if options.integrator in (None, "implicit") and couples(model) else ""
    return f"{in_turns(model, options)} beside {others or between}" if in_turns(model, options) and (others or between) else ""
