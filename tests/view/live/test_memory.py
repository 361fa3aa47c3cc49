"""What the viewer remembers survives the program, and a file that is not what was written is as good as none."""

import json
import os

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from redmax.view.live.look import Viewpoint
from redmax.view.live.memory import LARGEST, MOST, Memory, as_view, default_memory

values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


def test_theme_and_cameras_come_back(tmp_path):
    path = tmp_path / "new" / "viewer.json"
    memory = Memory(path)
    memory.dark = True
    memory.keep_camera("arm", Viewpoint(np.array([1.0, 2.0, 3.0]), np.zeros(3)))
    memory.keep_camera("leg", Viewpoint(np.array([4.0, 5.0, 6.0]), np.ones(3)))
    memory.keep_camera("arm", None)
    again = Memory(path)
    assert again.dark
    assert again.camera("arm") is None
    view = again.camera("leg")
    assert view is not None
    np.testing.assert_array_equal([view.position, view.look_at], [[4, 5, 6], [1, 1, 1]])
    assert [p.name for p in path.parent.iterdir()] == ["viewer.json"]  # nothing half written is left


def test_the_scenes_looked_at_last_are_kept(tmp_path):
    memory = Memory(tmp_path / "viewer.json")
    view = Viewpoint(np.ones(3), np.zeros(3))
    for i in range(MOST + 5):
        memory.keep_camera(str(i), view)
        memory.keep_camera("0", view)
    assert len(memory.kept["cameras"]) == MOST
    assert memory.camera("0") is not None
    assert memory.camera("1") is None
    assert memory.camera(str(MOST + 4)) is not None


@given(values)
def test_a_file_that_is_not_as_expected_counts_as_forgotten(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("memory") / "viewer.json"
    path.write_text(json.dumps({"dark": value, "cameras": {"arm": value}}))
    memory = Memory(path)
    assert memory.dark is (value is True)
    view = memory.camera("arm")
    assert view is None or np.isfinite([view.position, view.look_at]).all()
    path.write_text(json.dumps(value))
    Memory(path).keep_camera("arm", Viewpoint(np.ones(3), np.zeros(3)))
    assert Memory(path).camera("arm") is not None


def test_half_a_file_and_a_folder_that_cannot_be_written_do_no_harm(tmp_path):
    path = tmp_path / "viewer.json"
    path.write_text('{"dark": tr')
    assert not Memory(path).dark
    blocked = Memory(path / "below a file" / "viewer.json")
    blocked.dark = True
    assert blocked.dark  # until the program ends


def test_a_long_title_does_not_make_it_forget_the_rest(tmp_path):
    path, view = tmp_path / "viewer.json", Viewpoint(np.ones(3), np.zeros(3))
    memory = Memory(path)
    memory.dark = True
    memory.keep_camera("arm", view)
    memory.keep_camera("x" * LARGEST, view)
    again = Memory(path)
    assert again.dark
    assert again.camera("arm") is not None
    assert again.camera("x" * LARGEST) is not None


def test_what_was_not_written_by_it_goes_when_it_is_written_again(tmp_path):
    path = tmp_path / "viewer.json"
    path.write_text(
        json.dumps({"junk": [1], "dark": 7, "cameras": {"a": "b", "c": [[1, 2, 3], [0, 0, 10**400]], "d": [[1, 2, 3], [0, 0, 1e200]]}})
    )
    memory = Memory(path)
    assert [memory.camera(name) for name in "acd"] == [None] * 3
    memory.keep_camera("arm", Viewpoint(np.ones(3), np.zeros(3)))
    assert json.loads(path.read_text()) == {"dark": False, "cameras": {"arm": [[1, 1, 1], [0, 0, 0]]}}


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "viewer.json")
    assert not Memory(tmp_path / "viewer.json").dark


def test_a_camera_looks_somewhere():
    assert as_view([[1, 2, 3], [1, 2, 3]]) is None
    assert as_view([[1, 2, float("nan")], [0, 0, 0]]) is None
    assert as_view([[1, 2, 3], [0, 0, 0]]) is not None


def test_it_lies_beside_the_compiled_code(tmp_path, monkeypatch):
    monkeypatch.setenv("REDMAX_CACHE_DIR", str(tmp_path))
    assert default_memory().path == tmp_path / "viewer.json"
    monkeypatch.setenv("REDMAX_CACHE_DIR", "")
    assert default_memory().path is None
