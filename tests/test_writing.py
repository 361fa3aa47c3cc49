"""Whatever ends the writing of a file, the one that was there stays; and drafts neither follow links nor stay behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from full_disk import full_disk
from redmax import writing
from redmax.writing import Draft, beside, whole_file, write_text

OLD = "what a person wrote"
SOFT = {"density": 800.0, "youngs": 1e5, "poisson": 0.3}


def pendulum():
    scene = rm.Scene(title="A pendulum")
    scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Revolute("y"), com=(1, 0, 0), name="bob")
    return scene


def soft():
    return rm.Tetrahedra.box((1, 1, 1), (1, 1, 1), **SOFT)


@pytest.fixture(scope="module")
def run():
    found = rm.simulate(pendulum(), 0.1, 0.01)
    found.html("/dev/null")  # which compiles what it needs
    return found


WRITERS = {
    "scene.yaml": lambda run, path: pendulum().save(path),
    "page.html": lambda run, path: run.html(path),
    "table.csv": lambda run, path: run.to_csv(path),
    "plot.svg": lambda run, path: run.plot(path),
    "picture.png": lambda run, path: run.picture(path, size=(32, 32)),
    "picture.webp": lambda run, path: run.picture(path, size=(32, 32)),
    "film.mp4": lambda run, path: run.film(path, size=(32, 32), fps=10),
    "film.gif": lambda run, path: run.film(path, size=(32, 32), fps=10),
    "mesh.tet": lambda run, path: soft().save(path),
    "mesh.ele": lambda run, path: soft().save(path),
    "mesh.vtk": lambda run, path: soft().save(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_no_draft(run, tmp_path, name):
    path = tmp_path / name
    path.write_text(OLD)
    with full_disk(), pytest.raises(rm.RedmaxError, match=r"annot write .*" + path.stem) as caught:
        WRITERS[name](run, path)
    assert ".redmax-draft" not in str(caught.value)
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == [name]
    WRITERS[name](run, path)
    assert path.read_bytes() != OLD.encode()
    assert not [left for left in os.listdir(tmp_path) if "draft" in left]


def killed(folder, code):
    """A process that kills itself where the code says so."""
    text = f"import os, signal, sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n{textwrap.dedent(code)}"
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_a_kill_leaves_the_old_file_and_the_next_run_clears_the_draft_away(run, tmp_path):
    (tmp_path / "table.csv").write_text(OLD)
    killed(
        tmp_path,
        """
        from redmax.results import tables
        from test_writing import pendulum, rm
        run, rows, tables.BLOCK = rm.simulate(pendulum(), 0.1, 0.01), tables.rows, 5
        tables.rows = lambda block, what: rows(block, what) if block.t[0] == 0 else os.kill(os.getpid(), signal.SIGKILL)
        run.to_csv("table.csv")
        """,
    )
    assert (tmp_path / "table.csv").read_text() == OLD
    assert len(os.listdir(tmp_path)) == 2
    pendulum().save(tmp_path / "scene.yaml")
    assert sorted(os.listdir(tmp_path)) == ["scene.yaml", "table.csv"]


def test_only_drafts_that_nobody_writes_are_cleared_away(tmp_path, monkeypatch):
    alive, left = Draft(tmp_path / "a.csv"), Draft(tmp_path / "a.csv")
    monkeypatch.setattr(writing, "CLEARED", set())  # as of another process
    left.release()  # as a kill does
    token = "0123456789abcdef"
    link, folder, other = (tmp_path / f".{name}.{token}.redmax-draft" for name in "lfo")
    (tmp_path / "precious").write_text(OLD)
    link.symlink_to("precious")
    folder.mkdir()
    other.with_suffix(".backup").write_text(OLD)
    os.mkfifo(other)
    before = set(os.listdir(tmp_path))
    write_text(tmp_path / "b.csv", "b")
    assert set(os.listdir(tmp_path)) == before - {left.path.name} | {"b.csv"}
    alive.keep()
    assert (tmp_path / "a.csv").exists()


def test_names_of_drafts_cannot_be_guessed_and_none_is_created_over_a_link(tmp_path, monkeypatch):
    names = set()
    for _ in range(20):
        with Draft(tmp_path / "a.csv") as draft:
            names.add(draft.path.name)
    assert len(names) == 20
    monkeypatch.setattr(writing, "token", lambda: "0123456789abcdef")
    (tmp_path / "victim").write_text(OLD)
    (tmp_path / ".a.csv.0123456789abcdef.redmax-draft.csv").symlink_to("victim")
    with pytest.raises(rm.RedmaxError, match="File exists"):
        write_text(tmp_path / "a.csv", "new")
    assert (tmp_path / "victim").read_text() == OLD


def test_an_exception_while_writing_leaves_what_was_there(tmp_path):
    def half(error):
        with whole_file(tmp_path / "a") as file:
            file.write(b"half")
            raise error

    write_text(tmp_path / "a", OLD)
    for error in (KeyboardInterrupt, ZeroDivisionError):
        with pytest.raises(error):
            half(error)
    assert (tmp_path / "a").read_text() == OLD
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "1.yaml").write_text(OLD)
    (tmp_path / "latest.yaml").symlink_to("runs/1.yaml")
    (tmp_path / "next.yaml").symlink_to("runs/2.yaml")
    for name in ("latest.yaml", "next.yaml"):
        pendulum().save(tmp_path / name)
        assert (tmp_path / name).is_symlink()
    assert sorted(os.listdir(tmp_path / "runs")) == ["1.yaml", "2.yaml"]
    assert (tmp_path / "runs" / "1.yaml").read_text() == (tmp_path / "runs" / "2.yaml").read_text() != OLD
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(rm.RedmaxError, match="Too many levels of symbolic links"):
        pendulum().save(tmp_path / "loop.yaml")


def test_permissions_are_those_of_the_file_that_is_replaced_or_what_the_user_gives_new_ones(tmp_path):
    secret, new = tmp_path / "secret.csv", tmp_path / "new.csv"
    secret.write_text(OLD)
    secret.chmod(0o640)
    before = os.umask(0o027)
    try:
        with beside(secret) as draft:
            assert draft.stat().st_mode & 0o777 & ~0o640 == 0  # others see it no more than before
            draft.write_text("new")
        write_text(new, "new")
        secret_before = secret.stat().st_mode
        secret.chmod(0o606)
        write_text(secret, "newer")
    finally:
        os.umask(before)
    assert (secret_before & 0o777, secret.stat().st_mode & 0o777, new.stat().st_mode & 0o777) == (0o640, 0o606, 0o640)


def test_a_file_that_is_protected_from_writing_is_not_replaced(tmp_path, monkeypatch):
    write_text(tmp_path / "a", OLD)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # which is never so for root
    with pytest.raises(rm.RedmaxError, match="Permission denied"):
        write_text(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == OLD


def test_names_as_long_as_the_system_has_them_can_be_written(tmp_path):
    for name in ("n" * 255, "ü" * 127, "a." + "s" * 253):
        write_text(tmp_path / name, name)
        assert (tmp_path / name).read_text() == name
    with pytest.raises(rm.RedmaxError, match="256 bytes, more than 255"):
        write_text(tmp_path / ("n" * 256), "")


@pytest.mark.parametrize("path", [3, None, "a\0b", "\ud800.yaml"])
def test_what_is_no_path_is_a_sentence(path):
    with pytest.raises(rm.RedmaxError, match="named by a path"):
        pendulum().save(path)


def test_half_a_character_is_a_sentence_and_loses_nothing(tmp_path):
    write_text(tmp_path / "a.html", OLD)
    with pytest.raises(rm.RedmaxError, match=r"'\\ud800' is in its text"):
        write_text(tmp_path / "a.html", "\ud800")
    assert (tmp_path / "a.html").read_text() == OLD


def test_pipes_and_devices_are_written_to_as_they_are(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_text(tmp_path / "pipe", "through")
    reader.join()
    assert read == ["through"]
    write_text("/dev/null", "away")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(rm.RedmaxError, match="'/dev/full': No space left on device"):
        write_text("/dev/full", "x" * 10)


def test_standard_output_that_is_a_file_stays_that_file(tmp_path):
    """It is neither replaced nor cut off: what was and will be printed belongs before and behind it."""
    code = "from redmax.writing import write_text; print('one'); write_text('/dev/stdout', 'two\\n'); print('three')"
    with (tmp_path / "out").open("a") as out:
        out.write("zero\n")
        out.flush()
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=60)
    assert (tmp_path / "out").read_text() == "zero\none\ntwo\nthree\n"


def test_two_who_write_one_file_leave_one_of_both(tmp_path):
    texts = ["a" * 100_000, "b" * 100_000]
    threads = [threading.Thread(target=lambda text=text: [write_text(tmp_path / "x", text) for _ in range(20)]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_text() in texts
    assert os.listdir(tmp_path) == ["x"]


def test_a_mesh_of_several_files_is_as_meshio_writes_it(tmp_path):
    soft().save(tmp_path / "a.xdmf")
    again = rm.Tetrahedra.from_file(tmp_path / "a.xdmf", **SOFT)
    np.testing.assert_array_equal(again.nodes, soft().nodes)
    assert sorted(os.listdir(tmp_path)) == ["a.h5", "a.xdmf"]
