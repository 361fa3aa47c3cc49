"""The report of a fitted surface: a page with facts, plots and the poses that are furthest off."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

import redmax as rm
from design.surface_samples import known_joint, noisy, places
from redmax.view.surface_fit_plots import ShownSurface, furthest


def fitted(dof: int) -> tuple[rm.SurfaceFit, np.ndarray]:
    rng = np.random.default_rng(dof)
    joint = known_joint(rng, "twists", (4,) * dof, (4,) * dof, (False,) * dof)
    q = places(rng, 12 * 4**dof, dof)
    poses = noisy(rng, joint.pose(q), 0.01)
    poses[3] = np.nan
    poses[7] = noisy(rng, poses[7:8], 0.3)[0]
    return rm.fit_surface(poses, q, grid=(4,) * dof), poses


@pytest.mark.parametrize("dof", [1, 3])
def test_a_page_says_what_was_fitted_and_shows_it(tmp_path, dof):
    fit, poses = fitted(dof)
    rm.fit_report(fit, poses, tmp_path / "a.html", title="Blade <1>", name="blade")
    page = (tmp_path / "a.html").read_text()
    assert "Blade &lt;1&gt;" in page
    assert f"{len(poses)}, 1 of them missing" in page
    assert " x ".join(["4"] * dof) + " control values" in page
    assert fit.reason in page
    assert page.count("data:image/png") == 3
    names = ["blade"] if dof == 1 else [f"blade[{i}]" for i in range(dof)]
    page, log = page.split("<h2>Iterations</h2>")
    assert log.count("<tr>") == len(fit.log) + 2
    assert f"<td>{fit.log[0].objective:.9g}</td>" in log
    heads = re.findall(r"<th>([^<]*)</th>", page)
    assert heads[-dof - 3 :] == ["pose", *names, "angle (°)", "distance (mm)"]


def test_the_pose_that_is_furthest_off_comes_first():
    fit, poses = fitted(2)
    first = furthest(ShownSurface(fit, poses, ("u", "v")))[0]
    assert first[0] == 7
    np.testing.assert_allclose(first[1:3], fit.parameters[7])
    assert first[3] == pytest.approx(np.degrees(np.linalg.norm(fit.residuals[7, :3])))


def test_one_plot_is_a_picture(tmp_path):
    fit, poses = fitted(2)
    rm.fit_report(fit, poses, tmp_path / "a.png", what="coordinates")
    colours = np.unique(np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).reshape(-1, 3), axis=0)
    assert len(colours) > 100
    with pytest.raises(rm.SceneError, match="what is 'screws', expected one of motion, coordinates, residuals"):
        rm.fit_report(fit, poses, tmp_path / "a.png", what="screws")
