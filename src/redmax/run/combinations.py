"""What goes together: which dynamics, integrator, solver, stabilisation and dtype a scene with certain features can be run with.

One table, `RULES`. `simulate` and `Simulation` refuse what breaks a rule, the command line and the live page choose by it, scene files are
checked against it, and the documentation prints it (`table`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from redmax.constraints.base import Constraint
from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.errors import RedmaxError
from redmax.integrators import METHODS
from redmax.integrators.bdf_methods import LARGEST
from redmax.integrators.lie import ALONG_GROUPS
from redmax.model.model import Model
from redmax.run.absolute_conditions import ABSOLUTE, OF_ABSOLUTE, chosen_form
from redmax.run.contact.conditions import MOST_PAIRS, beside_turns, located, mapped_beside, not_hard_and_few, pulling, shaped, sided
from redmax.run.lone_bodies import BODIES, OF_BODIES_ALONE, OF_TREES
from redmax.run.options import Rule, RunOptions, When
from redmax.run.rubbing_conditions import rubbing, rubbing_beside, rubbing_coupled

INTEGRATORS, USUAL = tuple(METHODS), RunOptions()
FULLY_IMPLICIT = tuple(name for name, m in METHODS.items() if m.runner is not None and m.implicit)  # that solve the reduced equations
FIXED_STEPS = tuple(name for name, method in METHODS.items() if method.program is not None and not method.adaptive)
WITHOUT_BDF = tuple(name for name in INTEGRATORS if name not in FULLY_IMPLICIT)
OF_ANY_SCENE = tuple(name for name in OF_TREES if name != "variational")  # that take more than trees of joints


def exactly_stiff(model: Model, options: RunOptions) -> str:
    found = next((f for f in model.forces if f.implicit and f.stiffness_kind == "exact"), None) if model.soft else None
    return f"{found.label} with stiffness_kind='exact' beside deformables" if found else ""


def placed_by_joints(options: RunOptions) -> bool:
    """Whether bodies in absolute coordinates are where joints put them (integrators/absolute/place.py), so that what these say is known,
    and none need have a mass of its own."""
    return options.integrator in ABSOLUTE and options.index != 1


def massless(model: Model, options: RunOptions) -> str:
    """A body that does not move by itself."""
    found = None if placed_by_joints(options) else next((link.name for link in model.links if not link.shape.mass > 0), None)
    return f"a body without mass ({found!r})" if found is not None else ""


def following(model: Model, options: RunOptions) -> str:
    """A force that knows of coordinates of joints, which bodies by themselves have none of."""
    found = None if placed_by_joints(options) else next((f for f in model.forces if f.joints and not f.on_coordinates), None)
    return f"a force ({found.label}) that follows the coordinates of joint {found.joints[0].joint!r}" if found else ""


def rates_apart(model: Model, options: RunOptions) -> object:
    """Whether each rate has a tolerance of its own."""
    return np.ndim(options.atol or 0.0)


def dense(model: Model, options: RunOptions) -> object:
    """Whether the reduced system has rows, or forces in implicit steps: such systems are dense."""
    stiff = options.integrator is not None and METHODS[options.integrator].implicit and bool(model.acting)
    return not model.soft and (bool(model.constraints or model.rubbing) or model.map is not None or stiff)


def constraint_that(words: str, is_one: Callable[[Constraint], object]) -> Callable[[Model, RunOptions], str]:
    """The first constraint of a kind, in words."""

    def found(model: Model, options: RunOptions) -> str:
        label = next((c.label for c in model.constraints if is_one(c)), None)
        return f"a constraint {words} ({label})" if label else ""

    return found


pushing = constraint_that("that only pushes", lambda c: c.one_sided and not c.compliant)
limited = constraint_that("with limited force", lambda c: c.limited)
limited_pushing = constraint_that("that only pushes, with limited force", lambda c: c.limited and c.one_sided)
compliant = constraint_that("with compliance", lambda c: c.compliant)


def soft_limited(model: Model, options: RunOptions) -> str:
    found = limited(model, options) if model.touches and model.soft else ""
    return f"contact beside deformables, and {found}" if found else ""


def open_ended(model: Model, options: RunOptions) -> bool:
    """Whether there is nothing that a step could end on."""
    opening = options.dynamics == "maximal" and (options.integrator in FIXED_STEPS or options.index == 1)
    return options.integrator not in FULLY_IMPLICIT and not model.constraints and not opening


def asks_accelerations(options: RunOptions) -> bool:
    """Whether steps of fixed length have rows of accelerations and nothing else, unless something is added: the equations of index 1."""
    return options.integrator in ("rk4", *(m.name for m in ALONG_GROUPS)) or (options.integrator in ABSOLUTE and options.index == 1)


def beyond_trees(model: Model, options: RunOptions) -> str:
    """What is more than joints in a tree."""
    if model.constraints:
        return f"a constraint ({model.constraints[0].label})"
    return "a map of coordinates" if model.map is not None else "deformables" * bool(model.soft)


def touching(when: When) -> When:
    """The same, of scenes in which something touches."""
    return lambda model, options: model.touches and when(model, options)


def rubs(when: When) -> When:
    """The same, of scenes in which a joint rubs."""
    return lambda model, options: model.rubbing and when(model, options)


RULES: tuple[Rule, ...] = (
    Rule(
        "contact", lambda m, o: m.touches, "integrator", ("euler", "implicit", "adaptive"),
        "Take 'implicit', which is the usual one with contact, or 'euler'; or 'adaptive' for few contacts.",
    ),
    Rule("contact", lambda m, o: m.touches, "dynamics", ("recursive", "redmax")),
    Rule(
        "contact beside a force with stiffness_kind='exact', in implicit steps", touching(pulling), "integrator", ("euler", "adaptive"),
        "Take 'euler' or 'adaptive', or leave stiffness_kind out.",
    ),
    Rule(
        f"contact that is not hard, beside constraints or a map, of meshes, or of more than {MOST_PAIRS} pairs of shapes",
        touching(not_hard_and_few),
        "integrator", ("euler", "implicit"), "Take 'implicit', or 'euler': 'adaptive' is for few contacts, which are hard.",
    ),
    Rule(
        "contact in steps of 'adaptive'", touching(located), "dtype", ("float64",), "Take 'float64', or integrator 'implicit'.", scene=False
    ),
    Rule("contact in steps of 'adaptive'", touching(located), "friction", ("exact",), "Leave it out.", scene=False),
    Rule("friction of cones with sides", touching(sided), "friction", ("convex", "staggered"),
         "Take 'convex' or 'staggered', or leave sides out.", scene=False),
    Rule(
        "friction in turns, or of cones with sides, beside constraints, a map, deformables, torsional or rolling friction, or forces "
        "between bodies in implicit steps", touching(beside_turns), "dynamics", (), "Take friction 'exact' or 'convex' with round cones.",
        scene=False,
    ),
    Rule(
        "contact beside deformables", lambda m, o: m.touches and m.soft, "integrator", ("implicit",),
        "Take 'implicit', which solves for nodes and contacts together.",
    ),
    Rule(
        "contact and a constraint with limited force beside deformables", soft_limited, "dynamics", (),
        "Leave force_limits out, or contact.",
    ),
    Rule("contact beside deformables", lambda m, o: m.touches and m.soft, "solver", ("auto", "direct"), "Leave it out."),
    Rule(
        "contact, and constraints or torsional or rolling friction, beside a map of coordinates", touching(mapped_beside), "dynamics", (),
        "Leave one of them out.",
    ),
    Rule(
        "a parameter for the shape of a body that touches others", touching(shaped), "dynamics", (),
        "Make a scene for each of its values.",
    ),
    Rule(
        "a constraint that only pushes, without compliance", pushing, "integrator", ("euler", "implicit", "adaptive", "bdf1", "bdf2"),
        "Take 'implicit', 'euler', 'adaptive', 'bdf1' or 'bdf2', or give it compliance.",
    ),
    Rule(
        "a constraint with limited force", limited, "integrator", ("euler", "implicit", "adaptive", "bdf1", "bdf2"),
        "Take 'implicit', 'euler', 'adaptive', 'bdf1' or 'bdf2'.",
    ),
    Rule("a constraint that only pushes, with limited force", limited_pushing, "integrator", ("euler", "implicit", "adaptive")),
    Rule(
        "a constraint with limited force beside a map of coordinates",
        lambda m, o: f"{limited(m, o)} beside a map of coordinates" if limited(m, o) and m.map is not None else "", "dynamics", (),
    ),
    Rule("friction in a joint", rubs(rubbing), "integrator", ("implicit",), "Take 'implicit'."),
    Rule("friction in a joint", rubs(rubbing), "dynamics", ("recursive", "redmax")),
    Rule("friction in a joint beside forces between bodies", rubs(rubbing_coupled), "dynamics", ("redmax",)),
    Rule(
        "friction in a joint beside a map of coordinates, deformables, a constraint with limited force, or contact and forces between "
        "bodies; by contact='unilateral' or 'single' beside constraints, contact, a universal joint or one that does not rub, 'single' "
        "also beside discs; by external='maximal' beside contact or a constraint of coordinates",
        rubs(rubbing_beside), "dynamics", (), "Leave it out, or solve for friction as usual.",
    ),
    Rule(
        "constraints, a map of coordinates or deformables", beyond_trees, "integrator", OF_ANY_SCENE,
        "Take 'bdf2', or 'adaptive' where nothing is stiff: the others are of trees of joints, or of single bodies.",
    ),
    *OF_BODIES_ALONE,
    Rule(
        f"a step of 'variational', {', '.join(map(repr, BODIES))}",
        lambda m, o: f"a step of {o.integrator!r}" if o.integrator in ("variational", *BODIES) else "",
        "dynamics", ("recursive",), "Leave it out.", scene=False,
    ),
    *OF_ABSOLUTE,
    Rule("a map of coordinates", lambda m, o: m.map is not None, "dynamics", ("redmax",)),
    Rule("deformables", lambda m, o: m.soft, "dynamics", ("recursive", "redmax")),
    Rule("deformables beside a map of coordinates", lambda m, o: m.soft and m.map is not None, "dynamics", ()),
    Rule("a force with stiffness_kind='exact' beside deformables", exactly_stiff, "dynamics", (), "Leave stiffness_kind out."),
    Rule(
        "deformables without elements, on which nothing acts", lambda m, o: m.soft and not m.acting, "integrator",
        tuple(name for name in OF_ANY_SCENE if name != "implicit"), "Give them elements.",
    ),
    Rule(f"more than {LARGEST} coordinates", lambda m, o: m.nv > LARGEST, "integrator", WITHOUT_BDF),
    Rule(
        f"deformables with more than {LARGEST} coordinates, in steps other than implicit ones",
        lambda m, o: m.soft and m.nv > LARGEST and o.integrator not in (None, "implicit"), "dynamics", ("recursive",),
        "The system of redmax dynamics would be dense.",
    ),
    Rule(
        "a body without mass, unless joints place it ('generalized-alpha' of index 3 or 2),", massless, "dynamics", ("recursive", "redmax"),
    ),
    Rule(
        "a force that follows the coordinates of a joint, unless these place bodies", following, "dynamics", ("recursive", "redmax"),
    ),
    Rule("atol for each rate", rates_apart, "dynamics", ("recursive", "redmax"), "Give one number.", scene=False),
    Rule(
        "atol for each rate of a scene with a map of coordinates", lambda m, o: m.map is not None and rates_apart(m, o), "dynamics", (),
        "Give one number.", scene=False,
    ),
    Rule(
        "any dynamics but 'redmax', without deformables,", lambda m, o: o.dynamics != "redmax" and not m.soft, "solver", ("auto",),
        "Leave it out.", scene=False,
    ),
    Rule("a map, a constraint, or implicit steps with forces", dense, "solver", ("auto", "direct"), "Leave it out.", scene=False),
    Rule(
        "any dynamics but 'maximal', or an integrator without fixed steps, where there are no constraints,", open_ended, "stabilisation",
        ("auto", "baumgarte"), scene=False,
    ),
    Rule(
        "a step that ends on constraints or joints, or asks them for velocities,", lambda m, o: o.integrator and not asks_accelerations(o),
        "stabilisation", ("auto", "baumgarte", "project"), "Leave it out.", scene=False,
    ),
    Rule(
        "a step of bdf1 or bdf2, which ends on the constraints by itself,", lambda m, o: o.integrator in FULLY_IMPLICIT, "stabilisation",
        ("auto", "baumgarte"), "Leave it out.", scene=False,
    ),
)  # fmt: skip


def broken(model: Model, options: RunOptions) -> Iterator[tuple[str, str]]:
    """(option, sentence) for each rule that the options break for this model."""
    for rule in RULES:
        said = rule.broken(model, options)
        if said is not None:
            yield rule.option, said


def allowed(model: Model, options: RunOptions) -> bool:
    """Whether a scene can be run so."""
    return next(broken(model, options), None) is None


def chosen(model: Model, options: RunOptions) -> RunOptions:
    """The options, checked, with what was left to the library. Raises where they do not go together, or not with the scene."""
    options = filled(model, options.checked())
    for _, said in broken(model, options):
        raise RedmaxError(said)
    return options


def filled(model: Model, options: RunOptions) -> RunOptions:
    """With what was left to the library: the fastest dynamics that can do the scene; adaptive steps unless it asks for implicit ones."""
    bounded = pushing(model, options) or limited(model, options) or compliant(model, options)
    stepped = model.soft or model.touches or model.rubbing or bounded
    usual = "implicit" if stepped else "adaptive"
    integrator = options.integrator or usual
    options = replace(options, integrator=integrator, dynamics=options.dynamics or usual_dynamics(model, options, integrator))
    options = chosen_form(options) if METHODS[integrator].absolute is not None else options
    return replace(options, stabilisation=stabilised(model, options)) if options.stabilisation == "auto" else options


def stabilised(model: Model, options: RunOptions) -> str:
    """What "auto" stands for: projection after each step of `adaptive`; of fixed steps "auto" is one of its own (row_upkeep.py)."""
    if not model.constraints:
        return "baumgarte"
    return "project" if METHODS[str(options.integrator)].adaptive else "auto"


def usual_dynamics(model: Model, options: RunOptions = USUAL, integrator: str | None = None) -> str:
    """The fastest that can do what the scene asks for, and go with an integrator that is."""
    asked = RunOptions(integrator=integrator, group=options.group, frame=options.frame)
    fitting = [name for name in DYNAMICS if allowed(model, replace(asked, dynamics=name))]
    fitting = fitting or [name for name in DYNAMICS if allowed(model, RunOptions(dynamics=name))]
    return fitting[0] if fitting else DYNAMICS[0]


def table() -> str:
    """The rules as a table in Markdown, for the documentation."""
    rows = [f"| {rule.feature.strip(',')} | {rule.option} | {', '.join(f'`{v}`' for v in rule.valid) or 'none'} |" for rule in RULES]
    return "\n".join(["| A scene or run with | takes as | only |", "| --- | --- | --- |", *rows])
