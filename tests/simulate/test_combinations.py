"""One table says what goes together: what it allows runs, what it forbids is refused in its words, and everybody reads it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from redmax.constraints.distance import Distance
from redmax.dynamics.choose import NAMES as DYNAMICS
from redmax.integrators import METHODS
from redmax.results.layout import SETTINGS
from redmax.run.combinations import RULES, allowed, chosen, filled, table
from redmax.run.options import VALID, RunOptions


def arm(massless: bool = False) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=0.3)
    middle = scene.add_body(rm.MassProperties(0.0, np.zeros((3, 3))), parent=upper, at=(0.3, 0, 0)) if massless else upper
    lower = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), parent=middle, joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0), q=0.4)
    return scene, [upper, lower]


def mapped() -> rm.Scene:
    scene, _ = arm()
    scene.set_map(lambda q: [q[0], 4 * q[0] / 3], coordinates=1, q=0.3)
    return scene


def twisted(read: Callable[[float], float] = lambda t: t) -> rm.Scene:
    scene, bodies = arm()
    scene.prescribe_twist(bodies[1], 1, lambda t, R: [0.1 * read(t)], lambda t, R: [0.1])
    return scene


def sprung() -> rm.Scene:
    scene, bodies = arm()
    scene.add_force(rm.SpringDamper(bodies[0].point(0.1, 0, 0), bodies[1].point(0.1, 0, 0), stiffness=50, damping=1))
    return scene


def following() -> rm.Scene:
    scene, bodies = arm()
    path = [(0, 0, 1), rm.MovingPoint(bodies[0], lambda q: (0.1 + 0.01 * q, 0, 0.02), joint=bodies[1])]
    scene.add_force(rm.Cable(path, stiffness=10.0, rest=0.1))
    return scene


def rubbing(scene: rm.Scene) -> rm.Scene:
    """With friction in its last joint."""
    scene.add_force(rm.JointFriction(scene.links[-1].name, 0.2, radius=0.02, height=0.05))
    return scene


def constrained(**options: float) -> rm.Scene:
    scene, bodies = arm()
    scene.add_constraint(Distance(bodies[1].point(0.1, 0, 0), (0, 0, 1), **options))
    return scene


def soft(tied: bool = False, elements: bool = True) -> rm.Scene:
    scene, bodies = arm()
    chain = rm.SpringChain((0.0, 0.0, -0.5), (0.3, 0.0, -0.5), count=3, mass=0.1, stiffness=50.0 if elements else 0.0)
    if tied:
        chain = chain.tie(bodies[1], [0])
    scene.add_deformable(chain)
    return scene


def touching() -> rm.Scene:
    scene, _ = arm()
    scene.add_ground(-0.2)
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), contact=True, name="ball")
    return scene


def touching_beside() -> list[rm.Scene]:
    """Contact beside what it does not go with."""
    mapped, soft, sprung = touching(), touching(), touching()
    first, second = (sprung.find(link.name) for link in sprung.links[:2])
    sprung.add_force(rm.SpringDamper(first, second, stiffness=10.0, stiffness_kind="exact"))
    mapped.set_map(np.eye(5), q=[0.3, 0.4, 0, 0, 0])
    mapped.add_constraint(Distance(mapped.find("ball"), (0, 0, 1)))
    soft.add_deformable(rm.SpringChain((0.0, 0.0, -0.5), (0.3, 0.0, -0.5), count=3, mass=0.1, stiffness=50.0))
    held = soft_touching()
    held.add_constraint(Distance(held.find("ball"), (0, 0, 1), force_limits=5.0))
    giving = touching()
    giving.set_contact("ball", "ground", rm.ContactMaterial(compliance=1e-3))
    return [mapped, soft, sprung, held, giving]


def soft_touching() -> rm.Scene:
    """Nodes over the ground, beside a body that touches it."""
    scene = touching()
    chain = rm.SpringChain((1.0, 0.0, -0.1), (1.3, 0.0, -0.1), count=3, mass=0.1, stiffness=50.0, name="chain")
    scene.add_deformable(chain.touching(radius=0.1))
    return scene


def rubbing_beside() -> list[rm.Scene]:
    """What friction in joints does not go with: a map; normals that only push beside a constraint; joints left out beside contact."""
    apart, through, without = rubbing(constrained()), rubbing(mapped()), touching()
    without.add_force(rm.JointFriction(without.links[0].name, 0.2, radius=0.02, height=0.05))
    apart.set_staggering(contact="unilateral")
    without.set_staggering(external="maximal")
    return [apart, through, without]


SCENES = {
    "plain": lambda: arm()[0],
    "massless": lambda: arm(massless=True)[0],
    "mapped": mapped,
    "twisted": twisted,
    "called": lambda: twisted(float),
    "sprung": sprung,
    "following": following,
    "rubbing": lambda: rubbing(arm()[0]),
    "rubbing and sprung": lambda: rubbing(sprung()),
    "soft": soft,
    "tied": lambda: soft(tied=True),
    "constrained": constrained,
    "compliant": lambda: constrained(compliance=1e-3),
    "limited": lambda: constrained(force_limits=5.0),
    "touching": touching,
    "soft and touching": soft_touching,
}


PLAIN = RunOptions().solver, RunOptions().stabilisation
PLAIN_OR_NOT = ({}, {"solver": "direct"}, {"solver": "cg"}, {"stabilisation": "project"}, {"atol": [1e-9]})


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SCENES)
def test_what_the_table_allows_runs_and_what_it_forbids_is_refused_in_its_words(name, all_of_them):
    """Each feature with each dynamics and with each integrator is run by test_every_combination too; all three at once by `make long`."""
    model = SCENES[name]().model()
    ran = 0
    cases = [RunOptions(1e-4, 1e-4, i, d) for d, i in itertools.product(DYNAMICS, METHODS)]
    cases += [RunOptions(1e-4, 1e-4, i, d, solver=s) for d, i, s in itertools.product(DYNAMICS, ("rk4", "implicit"), ("direct", "cg"))]
    cases += [RunOptions(1e-4, 1e-4, i, d, stabilisation="project") for d, i in itertools.product(DYNAMICS, ("euler", "adaptive"))]
    cases += [RunOptions(1e-4, 1e-4, i, d, stabilisation="none") for d, i in itertools.product(DYNAMICS, ("rk4", "mk2", "implicit"))]
    for options in cases:
        given = options.of_simulation() | {"duration": options.duration}
        if allowed(model, options):
            if not all_of_them and name not in ("massless", "following") and (options.solver, options.stabilisation) == PLAIN:
                continue
            assert np.isfinite(rm.simulate(model, **given | {"backend": "interpret"}).q).all(), options
            ran += 1
        else:
            with pytest.raises(rm.RedmaxError, match=r"(goes with|does not go with) .*\. Got "):
                rm.simulate(model, **given)
    assert ran >= 1


def test_what_is_left_to_the_library_goes_with_the_scene():
    for name, make in SCENES.items():
        model = make().model()
        options = chosen(model, RunOptions())
        assert options == filled(model, RunOptions())
        assert (options.dynamics, options.integrator) == (
            "redmax" if name in ("mapped", "rubbing and sprung") else "recursive",
            "implicit"
            if name in ("soft", "tied", "compliant", "limited", "touching", "soft and touching", "rubbing", "rubbing and sprung")
            else "adaptive",
        )


OTHERS = (
    {"dtype": "float32"}, {"friction": "staggered"}, {"friction_sides": 4}, {"group": "SE3"}, {"group": "SE3-right"}, {"index": 2},
    {"rho": 0.5}, {"frame": "body"}, {"index": 1, "frame": "joint"}, {"stabilisation": "none"},
)  # fmt: skip


def test_every_rule_is_needed():
    """Each is broken by some scene with some options while no other is."""
    models = [make().model() for make in SCENES.values()]
    models += [free_nodes().model(), arm()[0].model().with_parameters(["body1.mass"]), rubbing(constrained(force_limits=5.0)).model()]
    models += [scene.model() for scene in rubbing_beside()]
    models += [*[scene.model() for scene in touching_beside()], touching().model().with_parameters(["ball.radius"])]
    models += [ball(**more).model() for more in ({"motion": lambda t: [1, 0, 0, 0]}, {"damping": 0.1}, {"stiffness": 1.0})]
    alone = set()
    for model, dynamics, integrator in itertools.product(models, (None, *DYNAMICS), (None, *METHODS)):
        for more in (*PLAIN_OR_NOT, *OTHERS):
            options = RunOptions(dynamics=dynamics, integrator=integrator, **more)
            found = [r.feature for r in RULES if r.broken(model, options)]
            if len(found) == 1:
                alone.add(found[0])
    unseen = {rule.feature for rule in RULES} - alone
    # those need scenes of several features at once, or very large ones
    assert unseen <= {
        "deformables beside a map of coordinates", "deformables beside prescribed twists", "more than 5000 coordinates",
        "deformables with more than 5000 coordinates, in steps other than implicit ones",
        "a force with stiffness_kind='exact' beside deformables",
        "constraints beside deformables", "constraints beside a prescribed twist whose function cannot be traced",
        "a constraint that only pushes, without compliance", "a constraint that only pushes, with limited force",
        "a constraint with limited force beside a map of coordinates",
    }  # fmt: skip


def test_a_large_deformable_is_not_made_a_dense_system():
    """Which took gigabytes, and half a minute that no Ctrl-C could end."""
    scene = rm.Scene()
    scene.add_deformable(rm.SpringChain((0, 0, 0), (1, 0, 0), count=2000, mass=1.0, stiffness=10.0))
    model = scene.model()
    assert not allowed(model, RunOptions(integrator="rk4", dynamics="redmax"))
    assert allowed(model, RunOptions(integrator="rk4", dynamics="recursive"))
    assert allowed(model, RunOptions(integrator="implicit", dynamics="redmax"))


def ball(**more) -> rm.Scene:
    """A body by itself, on an element of a group."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=rm.Spherical("quaternion"), **more)
    return scene


def free_nodes() -> rm.Scene:
    scene = rm.Scene()
    scene.add_deformable(rm.Deformable([(0, 0, 0), (1, 0, 0)], [1.0, 1.0], ()))
    return scene


def test_arguments_files_and_results_have_the_options_and_their_defaults():
    """The signatures that editors show are written out; they say what RunOptions says."""
    wanted = {name: getattr(RunOptions(), name) for name in VALID}
    for function, without in ((rm.simulate, ()), (rm.Simulation.__init__, ("duration", "every"))):
        parameters = inspect.signature(function).parameters
        assert {n: parameters[n].default for n in wanted if n not in without} == {n: d for n, d in wanted.items() if n not in without}
    run = rm.simulate(arm()[0], 0.01)
    assert set(run.settings) == set(SETTINGS) == {*wanted, "controller"} - {"dt", "integrator", "dynamics"}


def test_the_documentation_has_the_table():
    text = (Path(__file__).parents[2] / "docs" / "simulation.md").read_text()
    assert table() in text
