"""Without the optional packages everything that needs none of them works, and the rest says what to install."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PACKAGES = ("viser", "matplotlib", "pandas", "imageio_ffmpeg", "PIL", "trimesh", "meshio")
BLOCKED = f"import sys; sys.modules.update(dict.fromkeys({PACKAGES}))\nfrom redmax.cli import main\nsys.exit(main(sys.argv[1:]))"
SHORT = ("helix", "--duration", "0.2")


@pytest.fixture
def bare(environment, tmp_path):
    """The program where these packages cannot be imported."""
    options = {"env": environment, "cwd": tmp_path, "capture_output": True, "text": True, "timeout": 120}
    return lambda *words: subprocess.run([sys.executable, "-c", BLOCKED, *words], check=False, **options)


def test_a_run_goes_well_and_says_what_would_show_more(bare, tmp_path):
    done = bare("run", *SHORT, "--html", "a.html", "--out", "a.h5", "--json", "a.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "pip install 'redmax[view,plot,video]' adds a live page (--view), plots (--plot), films (--mp4)" in done.stdout
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert json.loads((tmp_path / "a.json").read_text())["scene"] == "helix"
    done = bare("export", "a.h5", "--csv", "a.csv", "--png", "a.png", "--size", "96x60")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Wrote a.png.\nWrote a.csv.\n", "")


def test_json_is_alone_on_standard_output(bare):
    done = bare("run", *SHORT, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["scene"] == "helix"


def test_what_needs_a_package_is_named_and_all_else_is_done(bare, tmp_path):
    done = bare("run", *SHORT, "--plot", "a.png", "--mp4", "a.mp4", "--view", "--html", "a.html", "--json", "a.json")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Error: --plot needs the package matplotlib: pip install 'redmax[plot]'.",
        "Error: --mp4 needs the package imageio-ffmpeg: pip install 'redmax[video]'.",
        "Error: --view needs the package viser: pip install 'redmax[view]'.",
    ]
    assert "energy plot  not made: --plot needs the package matplotlib" in done.stdout
    assert {p.name for p in tmp_path.iterdir()} == {"a.html", "a.json"}
    assert json.loads((tmp_path / "a.json").read_text())["t"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("plot", "helix"), "plot"),
        (("view", "helix"), "view"),
        (("export", "helix", "--mp4", "a.mp4"), "video"),
        (("export", "helix", "--gif", "a.gif"), "plot"),
    ],
)
def test_commands_that_need_a_package_say_so_before_they_run(redmax, monkeypatch, words, extra):
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sys.modules["redmax.run.simulate"], "simulate", lambda *a, **b: pytest.fail("ran although it is for nothing"))
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
