"""Scene files on the command line: `new`, `check`, `run --set`."""

from __future__ import annotations

import json
import math

import pytest

import redmax as rm
from redmax import io as redmax_io

PENDULUM = """\
redmax: 1
parameters: {mass: 1.0, length: 2.0, angle: 0.5}
bodies:
  - {name: bob, shape: {Sphere: {radius: 0.1, mass: mass}}, joint: {Revolute: {axis: y}}, com: [length, 0, 0], q: angle}
run: {duration: 0.1, dt: 0.01, integrator: rk4, every: 5}
"""


@pytest.fixture
def pendulum(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    return "pendulum.yaml"


def energy_of(redmax, *arguments):
    status, out, err = redmax("run", *arguments, "--json", "-")
    assert (status, err) == (0, "")
    return json.loads(out)["energy"]["initial_potential"]


def test_set_gives_parameters_other_values(redmax, pendulum):
    """A point at an angle q about y hangs at z = -l sin(q): V = -m g l sin(q)."""
    settings = {"mass": ("3", 3.0), "length": ("2*sqrt(2)", 2 * math.sqrt(2)), "angle": ("-pi/4", -math.pi / 4)}
    words = [word for name, (text, _) in settings.items() for word in ("--set", f"{name}={text}")]
    m, length, q = (value for _, value in settings.values())
    assert energy_of(redmax, pendulum, *words) == pytest.approx(-m * 9.81 * length * math.sin(q))
    assert energy_of(redmax, pendulum, "--set", "mass = 2") == pytest.approx(2 * energy_of(redmax, pendulum))


def test_the_file_is_read_once(redmax, pendulum, monkeypatch):
    """A large one takes a while, and somebody may be writing another meanwhile."""
    load, read = redmax_io.load, []
    monkeypatch.setattr(redmax_io, "load", lambda *given, **more: read.append(given) or load(*given, **more))
    assert redmax("run", pendulum, "--duration", "0.1")[0] == 0
    assert len(read) == 1


def test_the_file_says_how_it_is_run(redmax, pendulum, tmp_path):
    redmax("run", pendulum, "--out", "a.h5")
    run = rm.load(tmp_path / "a.h5")
    assert (run.integrator, float(run.t[1])) == ("rk4", pytest.approx(0.05))
    assert len(run.t) == 3


TOUCHING = """redmax: 1
bodies:
  - {name: box, shape: {Cuboid: {size: [0.2, 0.2, 0.2]}}, joint: Free3D, at: [0, 0, 0.1], qdot: [1, 0, 0, 0, 0, 0], contact: 0.5}
obstacles: [{name: ground, shape: Plane, contact: 0.5}]
run: {duration: 0.04, dt: 0.002, friction: convex, friction_sides: %d}
"""


def test_what_touches_is_run_by_implicit_steps_as_simulate_has_it(redmax, tmp_path):
    (tmp_path / "box.yaml").write_text(TOUCHING % 4)
    status, out, err = redmax("run", "box.yaml", "--json", "-")
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert told["integrator"] == "implicit"
    expected = rm.simulate(redmax_io.load(tmp_path / "box.yaml"), progress=False)
    assert (expected.integrator, expected.settings["friction"], expected.settings["friction_sides"]) == ("implicit", "convex", 4)
    assert told["q"] == expected.q[-1].tolist()
    (tmp_path / "box.yaml").write_text(TOUCHING % 2)
    status, _, err = redmax("run", "box.yaml")
    assert status == 2
    assert "box.yaml:5: friction_sides must be 0, or a whole number from 3 to 64. Got 2." in err


WRONG = {
    "name": (["--set", "masss=1"], "--set masss: the file 'pendulum.yaml' has no parameter 'masss'. Did you mean 'mass'?"),
    "no value": (["--set", "mass"], "--set takes a name and a value, such as --set mass=2. Got 'mass'."),
    "empty value": (["--set", "mass="], "--set takes a name and a value"),
    "no name": (["--set", "=2"], "--set takes a name and a value"),
    "text": (["--set", "mass=heavy"], "there is no 'heavy' here. Without parameters an expression is of numbers, pi and functions."),
    "code": (["--set", "mass=__import__('os')"], "--set"),
    "infinite": (["--set", "mass=1e999"], "--set mass=1e999: '1e999' has a number that is too large."),
    "division": (["--set", "mass=1/0"], "division by zero"),
    "twice": (["--set", "mass=1", "--set", "mass=2"], "--set gives 'mass' twice"),
    "of the wrong sign": (["--set", "mass=-1"], "pendulum.yaml:4:"),
    "over itself": (["--json", "pendulum.yaml"], "--json names the file that is read"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings_are_one_sentence_and_status_2(redmax, pendulum, tmp_path, case):
    arguments, message = WRONG[case]
    status, out, err = redmax("run", pendulum, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert (tmp_path / pendulum).read_text() == PENDULUM


def test_scenes_of_the_catalogue_have_no_parameters_and_say_what_to_do(redmax, tmp_path):
    status, _, err = redmax("run", "helix", "--set", "mass=2")
    assert status == 2
    advice = err.split("; ")[1].split(" writes")[0].split()
    assert redmax(*advice[1:])[0] == 0
    assert redmax("check", advice[-1])[0] == 0


def test_new_writes_a_starter_that_is_right_and_runs(redmax, tmp_path):
    status, out, err = redmax("new", "mine.yaml")
    assert (status, out, err) == (0, "Wrote mine.yaml. Run it with: redmax run mine.yaml\n", "")
    assert (tmp_path / "mine.yaml").read_text().startswith("#")
    status, out, err = redmax("check", "mine.yaml")
    assert (status, out, err) == (0, "mine.yaml: ok, 4 bodies, 2 forces\n", "")
    assert redmax("run", "mine.yaml", "--duration", "0.1")[0] == 0


def test_new_overwrites_only_when_told_to(redmax, tmp_path):
    (tmp_path / "mine.yaml").write_text("precious")
    status, _, err = redmax("new", "mine.yaml")
    assert status == 2
    assert "--force" in err
    assert (tmp_path / "mine.yaml").read_text() == "precious"
    assert redmax("new", "mine.yaml", "--force")[0] == 0
    assert (tmp_path / "mine.yaml").read_text() != "precious"


@pytest.mark.parametrize("name", ["redmax:14", "redmax-diff:3", "helix"])
def test_a_scene_of_the_catalogue_as_a_file_runs_as_it_does(redmax, name):
    assert redmax("new", "--from", name, "copy.yaml")[0] == 0
    first, second = (json.loads(redmax("run", scene, "--json", "-")[1]) for scene in (name, "copy.yaml"))
    for key in ("q", "qdot", "dt", "t", "integrator", "dynamics", "steps"):
        assert first[key] == second[key], key


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.json"], "'a.json' ends in '.json', expected .yaml or .yml."),
        (["a"], "'a' has no ending, expected .yaml or .yml."),
        (["."], "'.' is a folder"),
        (["no/a.yaml"], "there is no folder 'no'"),
        (["--from", "helics", "a.yaml"], "Did you mean 'helix'?"),
    ],
)
def test_new_says_what_is_wrong_with_its_arguments(redmax, tmp_path, arguments, message):
    status, out, err = redmax("new", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_check_says_every_mistake_of_every_file(redmax, pendulum, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bad.yaml").write_text(PENDULUM.replace("Sphere", "Spere").replace("rk4", "rk5").replace("com:", "comm:"))
    status, out, err = redmax("check", pendulum, "sub/bad.yaml", "missing.yaml")
    assert status == 2
    assert out == "pendulum.yaml: ok, 1 body, 0 forces\n"
    lines = err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["sub/bad.yaml:4", "sub/bad.yaml:4", "sub/bad.yaml:5", "missing.yaml:1"]
    for word in ("'Sphere'", "'com'", "'rk4'"):
        assert word in err


def test_check_takes_other_values(redmax, pendulum):
    assert redmax("check", pendulum, "--set", "mass=2")[0] == 0
    status, _, err = redmax("check", pendulum, "--set", "mass=-2")
    assert status == 2
    assert err.startswith("pendulum.yaml:4: ")


def test_check_prints_the_schema(redmax):
    status, out, err = redmax("check", "--schema")
    assert (status, err) == (0, "")
    assert "bodies" in json.loads(out)["properties"]
    assert redmax("check")[0] == redmax("check", "--schema", "a.yaml")[0] == 2


@pytest.mark.parametrize("command", ["run", "view", "check"])
@pytest.mark.parametrize("name", ["x" * 300 + ".yaml", "x" * 300 + ".h5", "x" * 300])
def test_a_name_that_no_file_can_have_is_wrong_input(redmax, command, name):
    status, out, err = redmax(command, name)
    assert (status, out) == (2, "")
    assert "bytes, more than 255" in " ".join(err.split())


@pytest.mark.parametrize("value", ["1/0", "10**400", "log(0)", "1" + "0" * 400, "5 % 0"])
def test_settings_without_a_value_are_wrong_input(redmax, pendulum, value):
    status, out, err = redmax("run", pendulum, "--set", f"mass={value}")
    assert (status, out) == (2, "")
    assert err.startswith("Error: --set mass=")


def test_a_run_longer_than_memory_is_wrong_input(redmax, pendulum):
    status, out, err = redmax("run", pendulum, "--duration", "1e12", "--dt", "0.1")
    assert (status, out) == (2, "")
    assert "of memory" in err


TURNING = """redmax: 1
bodies:
  - {name: base, shape: {Cuboid: {size: [0.3, 0.2, 0.1], mass: 1}}, joint: {Free: {coordinates: dual-quaternion}}, qdot: [1, 2, 3, 0, 0, 1]}
  - {name: arm, parent: base, at: [0.15, 0, 0], com: [0, 0, -0.2], shape: {Cuboid: {size: [0.1, 0.1, 0.4], mass: 1}},
     joint: {Spherical: {coordinates: matrix}}}
run: {dt: 0.002, duration: 0.02, %s}
"""


@pytest.mark.parametrize(
    ("said", "words", "others", "expected"),
    [
        ("integrator: generalized-alpha", (), {}, ("generalized-alpha", "maximal", "SE3", 2)),
        ("integrator: generalized-alpha, group: SO3xR3, index: 3", (), {}, ("generalized-alpha", "maximal", "SO3xR3", 3)),
        ("integrator: mk4, group: SE3", (), {}, ("mk4", "maximal", "SE3", None)),
        ("integrator: mk4", ("--group", "SO3xR3"), {"group": "SO3xR3"}, ("mk4", "maximal", "SO3xR3", None)),
        ("integrator: generalized-alpha, index: 1", ("--integrator", "implicit"), {"integrator": "implicit"},
         ("implicit", "recursive", None, None)),
        ("integrator: mk4, group: SE3", ("--integrator", "rk4"), {"integrator": "rk4"}, ("rk4", "recursive", None, None)),
        ("integrator: rk4", ("--integrator", "generalized-alpha"), {"integrator": "generalized-alpha"},
         ("generalized-alpha", "maximal", "SE3", 2)),
    ],
)  # fmt: skip
def test_a_file_that_leaves_dynamics_out_is_run_as_simulate_has_it(redmax, tmp_path, said, words, others, expected):
    """Bodies that move by themselves ask for dynamics of their own, also where only the file's section `run` says so."""
    (tmp_path / "turning.yaml").write_text(TURNING % said)
    status, out, err = redmax("run", "turning.yaml", *words, "--json", "-", "--out", "turning.h5")
    assert (status, err) == (0, "")
    alone, run = rm.simulate(str(tmp_path / "turning.yaml"), progress=False, **others), rm.load(tmp_path / "turning.h5")
    for one in (alone, run):
        assert (one.integrator, one.dynamics, one.settings["group"], one.settings["index"]) == expected
    assert json.loads(out)["q"] == alone.q[-1].tolist()
