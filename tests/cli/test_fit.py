"""`redmax fit`: from a file of poses to a scene that runs, a page, and numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import yaml

import redmax as rm
from redmax.view import plot_style

FLEXION = np.linspace(0, 2.0, 7)
POSES = np.array([rm.pose(rm.rotation_about("y", a) @ rm.rotation_about("x", 0.1 * a), (0.02 * a, 0, -0.01 * a)) for a in FLEXION])


@pytest.fixture
def knee(tmp_path):
    """Written before the command runs in the same folder."""
    rm.write_poses(tmp_path / "knee.csv", POSES, FLEXION, name="flexion")
    return tmp_path


def noisy(count):
    rng = np.random.default_rng(0)
    u = np.linspace(0, 2.0, count)
    E = np.array([rm.BasisCurve.through(POSES, FLEXION).transform([q]) for q in u], float)
    return E @ rm.lie.se3.exp(0.005 * rng.normal(size=(count, 6))), u


def test_a_scene_whose_joint_meets_the_poses_and_runs(redmax, knee):
    status, out, err = redmax("fit", "knee.csv", "--out", "knee.yaml")
    assert (status, err) == (0, "")
    assert re.search(r"joint +7 control frames, order 4, flexion from 0 to 2\n", out)
    joint = rm.Scene.load("knee.yaml").links[0].joint
    for q, E in zip(FLEXION, POSES):
        assert np.abs(np.asarray(joint.transform([q]), float) - E).max() < 1e-11
    rows = yaml.safe_load((knee / "knee.yaml").read_text())["bodies"][0]["joint"]["SplineCurve"]["frames"]
    assert np.shape(rows) == (7, 6)
    lines = [line for line in (knee / "knee.yaml").read_text().splitlines() if re.match(r"\s+- \[[^]]*\]$", line)]
    assert len(lines) == 7  # one for each frame
    assert redmax("run", "knee.yaml", "--duration", "0.1")[::2] == (0, "")


def test_a_row_that_is_edited_by_hand_is_the_frame(redmax, knee):
    redmax("fit", "knee.csv", "--out", "knee.yaml")
    text = (knee / "knee.yaml").read_text()
    first = re.search(r"\n( +- \[)[^]]*\]", text)
    (knee / "knee.yaml").write_text(text.replace(first[0], f"\n{first[1]}0.1, 0.2, 0.3, 0, 0.5, 0]", 1))
    joint = rm.Scene.load("knee.yaml").links[0].joint
    assert np.array_equal(joint.transform([0.0]), rm.pose(rm.rotation_about("y", 0.5), (0.1, 0.2, 0.3)))


def test_two_poses_at_one_parameter_are_named_by_their_lines(redmax, tmp_path):
    """The curve passes between them; with frames that are fewer it does so anyway. Twice the same pose is no contradiction."""
    again = np.array([0, 1, 2, 3, 3, 4, 5, 6])
    rm.write_poses(tmp_path / "same.csv", POSES[again], FLEXION[again], name="flexion")
    assert redmax("fit", "same.csv")[::2] == (0, "")
    rm.write_poses(tmp_path / "two.csv", POSES, FLEXION[[0, 1, 2, 2, 4, 5, 6]], name="flexion")
    status, out, err = redmax("fit", "two.csv")
    assert (status, "6 control frames" in out) == (0, True)
    said = "Warning: line 4 and line 5 have the same flexion, 0.666667, and the curve passes between their poses. Leave one of them out"
    assert said in " ".join(err.split())
    assert redmax("fit", "two.csv", "--frames", "4")[::2] == (0, "")


def test_too_few_poses_are_said_with_what_to_write(redmax, tmp_path):
    rm.write_poses(tmp_path / "few.csv", POSES[::3], FLEXION[::3], name="flexion")
    status, out, err = redmax("fit", "few.csv")
    said = " ".join(err.split())
    assert (status, out) == (2, "")
    assert "There are poses at 3 different values of flexion, and a curve has 4 control frames or more." in said
    assert "say --frames 4 --smoothing 1e-3" in said
    assert redmax("fit", "few.csv", "--frames", "4", "--smoothing", "1e-3")[::2] == (0, "")


def test_numbers_on_standard_output_and_in_a_file(redmax, tmp_path):
    E, u = noisy(60)
    rm.write_poses(tmp_path / "walk.npz", E, u)
    status, out, err = redmax("fit", "walk.npz", "--frames", "6", "--json", "-")
    assert (status, err) == (0, "")
    found = json.loads(out)
    fit = rm.fit_curve(E, u, frames=6)
    assert found["angle_rms"] == pytest.approx(fit.angle, rel=1e-9)
    assert np.allclose(found["frames"], rm.frame_rows(fit.frames), atol=1e-9)
    assert (found["poses"], found["order"], found["converged"], len(found["residuals"])) == (60, 4, True, 60)
    for options in (["--loss", "huber:0.01"], ["--smoothing", "1e-5"]):
        assert redmax("fit", "walk.npz", "--json", "a.json", *options)[::2] == (0, "")
        other = json.loads((tmp_path / "a.json").read_text())
        assert other["objective"] != found["objective"]
        assert len(other["frames"]) == 12


def test_a_page_with_plots_that_needs_no_network(redmax, knee):
    (knee / "knee.csv").rename(knee / "<b>.csv")
    assert redmax("fit", "<b>.csv", "--report", "knee.html")[::2] == (0, "")
    page = (knee / "knee.html").read_text()
    assert page.count("data:image/png;base64,") == 5
    assert not re.search(r"(?:src|href)=.?https?:", page)
    assert "flexion from 0 to 2" in page
    assert "<b>" not in page  # nor is what files are called
    assert "&lt;b&gt;.csv" in page


def test_a_surface_of_two_parameters(redmax, tmp_path):
    """As rm.fit_surface finds it, in a scene that runs, a page and numbers with the names of its parameters."""
    rng = np.random.default_rng(0)
    u = rng.uniform(-0.5, 0.5, (90, 2))
    E = rm.lie.se3.exp(np.stack([u[:, 0], u[:, 1], 0 * u[:, 0], 0.1 * u[:, 1], 0.02 * u[:, 0] * u[:, 1], 0 * u[:, 0]], axis=1))
    values = np.hstack([u, E[:, :3, 3], rm.lie.so3.log(E[:, :3, :3])])
    np.savetxt(tmp_path / "blade.csv", values, delimiter=",", header="lift,turn,x,y,z,rx,ry,rz", comments="", fmt="%.17g")
    both = ["--parameter", "lift", "--parameter", "turn"]
    files = ["--out", "a.yaml", "--report", "a.html", "--json", "a.json"]
    status, out, _ = redmax("fit", "blade.csv", *both, "--grid", "5,4", "--metric", "0.1", *files)
    assert status == 0
    assert "TwistSurface of 5 x 4 control values" in out
    assert re.search(r"lift from -0\.\d+ to 0\.\d+; turn from", out)
    fit = rm.fit_surface(E, u, grid=(5, 4), metric=0.1)
    joint, found = rm.Scene.load("a.yaml").links[0].joint, json.loads((tmp_path / "a.json").read_text())
    assert np.allclose(joint.pose(u), fit.joint.pose(u), atol=1e-12)
    assert np.allclose(found["values"], fit.values, atol=1e-9)
    assert (found["coordinates"], found["poses"], found["converged"]) == (["lift", "turn"], 90, True)
    assert "<th>lift</th><th>turn</th>" in (tmp_path / "a.html").read_text()
    for options, sentence in (([], "Say --grid 6,6 for a surface"), (["--grid", "5"], "is '5', expected 2 numbers, one for each of lift"),
                              (["--grid", "5,4", "--frames", "5"], "--frames is of")):  # fmt: skip
        said = redmax("fit", "blade.csv", *both, *options)[2]
        assert sentence in " ".join(said.split())


@pytest.mark.parametrize(("options", "sentence"), [
    (["none.csv"], "There is no file 'none.csv'"),
    (["knee.csv", "--out", "knee.csv"], "--out names the file that is read"),
    (["knee.csv", "--out", "knee.h5"], "--out: 'knee.h5' ends in '.h5', expected .yaml, .yml"),
    (["knee.csv", "--out", "no/knee.yaml"], "there is no folder 'no'"),
    (["knee.csv", "--loss", "huber"], "--loss is 'huber', expected huber, cauchy, tukey with a scale"),
    (["knee.csv", "--smoothing", "much"], "--smoothing is 'much', expected a number, cross-validation or l-curve"),
    (["knee.csv", "--parameter", "flex"], "There is no column 'flex'. Did you mean 'flexion'?"),
    (["knee.csv", "--lengths", "inch"], "lengths is 'inch'. Valid: 'm', 'cm', 'mm'"),
    (["knee.csv", "--frames", "3"], "expected"),
])  # fmt: skip
def test_wrong_input_is_a_sentence_and_status_2(redmax, knee, options, sentence):
    status, out, err = redmax("fit", *options)
    assert (status, out) == (2, "")
    assert sentence in " ".join(err.split())


def test_a_report_of_python_and_single_plots(tmp_path, monkeypatch):
    monkeypatch.setattr(plot_style, "DPI", 40)
    E, u = noisy(40)
    E[3] = np.nan
    E[5, :3, 3] = np.nan
    fit = rm.fit_curve(E, u, frames=6)
    rm.fit_report(fit, E, tmp_path / "a.pdf", what="screws")
    smooth = rm.fit_curve(E, u, frames=6, smoothing=1e-3)
    rm.fit_report(smooth, E, tmp_path / "b.svg", what="curvature")
    rm.fit_report(smooth, E, tmp_path / "a.svg", what="curvature", before=fit)
    assert (tmp_path / "a.svg").stat().st_size > (tmp_path / "b.svg").stat().st_size
    for call, sentence in (
        (lambda: rm.fit_report(fit, E, tmp_path / "a.png"), "what is '', expected one of motion"),
        (lambda: rm.fit_report(fit, E, tmp_path / "a.txt"), "expected .html, .png"),
        (lambda: rm.fit_report(fit, E[:9], tmp_path / "a.html"), "expected the 40 poses that were fitted"),
        (lambda: rm.fit_report(fit, E, tmp_path / "a.html", before=E), "before is an array"),
        (lambda: rm.fit_report(None, E, tmp_path / "a.html"), "expected what fit_curve returns"),
    ):
        with pytest.raises(rm.RedmaxError, match=re.escape(sentence)):
            call()


def test_screw_axes_of_a_helix_are_its_axis():
    from redmax.view.screw_axes import screw_axes

    F = rm.lie.se3.exp([0.3, -0.2, 0.5, 1.0, 2.0, 0.5])
    helix = rm.lie.screw([0, 0, 1], [0.4, 0.1, 0], 0.05)
    E = F @ rm.lie.se3.exp(np.linspace(0, 3, 7)[:, None] * helix) @ rm.pose(np.eye(3), (0.2, 0.3, 0.1))
    S = np.tile(rm.lie.Ad(rm.lie.inverse(rm.pose(np.eye(3), (0.2, 0.3, 0.1)))) @ helix, (7, 1))
    found = screw_axes(E, S)
    assert np.allclose(found.direction, F[:3, 2])
    assert np.allclose(found.pitch, 0.05)
    local = (found.point - F[:3, 3]) @ F[:3, :3]
    assert np.allclose(local[:, :2], [0.4, 0.1])
