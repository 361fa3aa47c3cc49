"""Without the optional packages everything that needs none of them works, and the rest says what to install."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

PACKAGES = ("viser", "matplotlib", "pandas", "imageio_ffmpeg", "PIL", "trimesh", "meshio")
BLOCKED = f"import sys; sys.modules.update(dict.fromkeys({PACKAGES}))\n"
SHORT = ("helix", "--duration", "0.2")


def test_a_process_without_these_packages_does_all_else(programs, tmp_path):
    """Through pipes, where there is no bar and no colour either."""
    run, export, alone, asked = programs(
        ["run", *SHORT, "--html", "a.html", "--out", "a.h5", "--json", "a.json"],
        ["export", "a.h5", "--csv", "a.csv", "--png", "a.png", "--size", "96x60"],
        ["run", *SHORT, "--json", "-"],
        ["run", *SHORT, "--plot", "b.png", "--mp4", "b.mp4", "--view", "--html", "b.html", "--json", "b.json"],
        before=BLOCKED,
    )
    assert (run[0], run[2]) == (0, "")
    assert "pip install 'redmax[view,plot,video]' adds a live page (--view), plots (--plot), films (--mp4)" in run[1]
    assert "\x1b" not in run[1]
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert json.loads((tmp_path / "a.json").read_text())["scene"] == "helix"
    assert export == (0, "Wrote a.png.\nWrote a.csv.\n", "")
    assert (alone[0], alone[2]) == (0, "")
    assert json.loads(alone[1])["scene"] == "helix"  # nothing else is on standard output
    assert asked[0] == 2
    assert asked[2].splitlines() == [
        "Error: --plot needs the package matplotlib: pip install 'redmax[plot]'.",
        "Error: --mp4 needs the package imageio-ffmpeg: pip install 'redmax[video]'.",
        "Error: --view needs the package viser: pip install 'redmax[view]'.",
    ]
    assert "energy plot  not made: --plot needs the package matplotlib" in asked[1]
    assert {p.name for p in tmp_path.glob("b.*")} == {"b.html", "b.json"}
    assert json.loads((tmp_path / "b.json").read_text())["t"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("plot", "helix"), "plot"),
        (("view", "helix"), "view"),
        (("export", "helix", "--mp4", "a.mp4"), "video"),
        (("export", "helix", "--gif", "a.gif"), "video"),
    ],
)
def test_commands_that_need_a_package_say_so_before_they_run(redmax, monkeypatch, words, extra):
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    simulating = importlib.import_module("redmax.run.simulate")  # which commands import when they run
    monkeypatch.setattr(simulating, "simulate", lambda *a, **b: pytest.fail("ran although it is for nothing"))
    status, out, err = redmax(*words)
    assert (status, out) == (2, "")
    assert f"pip install 'redmax[{extra}]'" in err
    assert err.count("\n") == 1


@pytest.fixture
def small_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("REDMAX_CACHE_DIR", str(tmp_path / "nowhere"))


@pytest.mark.usefixtures("small_cache")
def test_info_says_what_to_install(redmax, monkeypatch):
    there = redmax("info")[1]
    assert "missing" not in there
    monkeypatch.setitem(sys.modules, "viser", None)
    assert "missing; pip install 'redmax[view]' adds a live page" in redmax("info")[1]
    assert json.loads(redmax("info", "--json")[1])["extras"]["view"] is None


@pytest.mark.usefixtures("small_cache")
def test_info_tells_what_this_machine_is(redmax, monkeypatch, tmp_path):
    import numpy

    import redmax as rm
    from redmax.backends.llvm.target import host

    monkeypatch.setenv("REDMAX_THREADS", "3")
    facts = json.loads(redmax("info", "--json")[1])
    assert (facts["redmax"], facts["packages"]["numpy"]) == (rm.__version__, numpy.__version__)
    assert facts["cpu"]["lanes"] == host().doubles
    assert facts["cpu"]["threads"] == 3
    assert facts["cache"] == {"folder": str(tmp_path / "nowhere"), "parts": 0, "bytes": 0}
    assert not (tmp_path / "nowhere").exists()
    assert "3 threads" in redmax("info")[1]


@pytest.mark.usefixtures("small_cache")
def test_info_names_the_gpus_that_the_driver_lists(redmax, monkeypatch, tmp_path):
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho 'NVIDIA H200, 143771 MiB'\n")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert json.loads(redmax("info", "--json")[1])["gpu"] == ["NVIDIA H200, 143771 MiB"]
    driver.write_text("#!/bin/sh\nexit 9\n")
    assert "GPU       none" in redmax("info")[1]
