"""No message of a page ends a simulation: what is wrong is answered on that page or dropped, and time and the other pages go on."""

import time
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import redmax as rm
from redmax.view.live import watch
from redmax.view.live.memory import Memory
from redmax.view.live.messages import LARGEST, PER_SECOND, Listener
from view.live.scenes import make
from view.live.strangers import CAMERA, change, heard, knock, page, say

QUIET = {"port": 0, "open_browser": False, "block": False}


@pytest.fixture(autouse=True)
def own_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("redmax.view.live.viewer.default_memory", lambda: Memory(tmp_path / "viewer.json"))


@pytest.fixture
def viewer(tmp_path):
    made = watch(make, {"length": 0.6}, duration=60.0, dt=0.01, integrator="rk4", out=tmp_path / "run.h5", **QUIET)
    yield made
    made.stop()


def until(condition, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def goes_on(viewer, source) -> bool:
    """Whether this simulation is computed further."""
    count = viewer.recording.count
    until(lambda: viewer.recording.count > count)
    return viewer.source is source and viewer.error is None and viewer.thread.is_alive()


def control(viewer, label: str) -> str:
    """The id of a control, as a page is told it."""
    found = viewer.server.gui._gui_input_handle_from_uuid
    return next(uuid for uuid, handle in found.items() if handle.label == label)


def test_a_value_that_a_control_does_not_have_is_answered_on_the_page(viewer, monkeypatch):
    monkeypatch.setattr("redmax.view.live.messages.ANSWERS", 0.0)
    source = viewer.source
    with page(viewer.url) as mine:
        until(viewer.server.get_clients)
        wrong = {
            "Speed": ("17×", "Speed must be one of 1/16×"),
            "Time (s)": (1e9, "Time (s) must be a number from 0 to 60. Got 1000000000.0."),
            "Loop": ("yes", "Loop must be on or off. Got 'yes'."),
            "gravity x y z": ([0.0, float("nan"), 0.0], "gravity x y z must be 3 finite numbers"),
            "dt (s)": (float("inf"), "dt (s) must be a finite number. Got inf."),
            "length": ("x" * 9999, "length must be a finite number. Got 'xxx"),
        }
        for label, (value, sentence) in wrong.items():
            say(mine, change(control(viewer, label), value))
            heard(mine, sentence)
        assert goes_on(viewer, source)
    assert viewer.controls.speed.value == "1×"
    assert viewer.panel.dt.value == 0.01


def test_a_setup_that_cannot_be_is_answered_and_the_run_and_its_file_go_on(viewer, tmp_path):
    source = viewer.source
    until(lambda: viewer.recording.count > 10)
    with page(viewer.url) as mine:
        until(viewer.server.get_clients)
        for label, value, sentence in [
            ("duration (s)", 1e13, "samples of this run would take 16 PB of memory"),
            ("duration (s)", -1.0, "duration must be a positive number"),
            ("duration (s)", 1e300, "A run has at most 9.0e+15 steps"),
            ("dt (s)", -0.5, "dt must be a positive number"),
            ("length", 0.0, "Cuboid: size is (0.0, 0.1, 0.1), expected"),
        ]:
            say(mine, change(control(viewer, label), value))
            say(mine, change(control(viewer, "Restart"), True))
            heard(mine, sentence)
            say(mine, change(control(viewer, label), {"duration (s)": 60.0, "dt (s)": 0.01, "length": 0.6}[label]))
        assert goes_on(viewer, source)
    viewer.stop()
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5").q, viewer.trajectory().q)
    assert len(viewer.trajectory()) > 10


def test_a_restart_that_breaks_off_at_once_leaves_the_run_and_its_file(tmp_path):
    def springy(parameters):
        scene = rm.Scene()
        scene.add_body(
            rm.Cuboid((0.5, 0.05, 0.05)), joint=rm.Prismatic("x"), name="bar", q=0.1, rest=0.0, stiffness=10.0 ** parameters["exponent"]
        )
        return scene

    viewer = watch(springy, {"exponent": 2.0}, duration=60.0, dt=0.01, integrator="rk4", out=tmp_path / "run.h5", **QUIET)
    source = viewer.source
    with page(viewer.url) as mine:
        until(viewer.server.get_clients)
        viewer.begin(replace(viewer.panel.values(), parameters={"exponent": 300.0}))
        heard(mine, "broke off")
        assert goes_on(viewer, source)
    viewer.stop()
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5").q, viewer.trajectory().q)


def test_a_file_that_cannot_be_written_is_told_and_written_in_the_end(viewer, tmp_path, monkeypatch):
    from redmax.errors import RedmaxError
    from redmax.view.live.result_file import ResultFile

    write = ResultFile.write
    with page(viewer.url) as mine:
        heard(mine)
        while not viewer.server.get_clients():  # it is told once, to those who are there
            time.sleep(0.01)
        monkeypatch.setattr("redmax.view.live.result_file.PAUSE", 0.0)
        monkeypatch.setattr(ResultFile, "write", lambda self, last=False: (_ for _ in ()).throw(RedmaxError("No space.")))
        heard(mine, "No space. The simulation goes on")
        assert goes_on(viewer, viewer.source)
    monkeypatch.setattr(ResultFile, "write", write)
    viewer.stop()
    np.testing.assert_array_equal(rm.load(tmp_path / "run.h5").q, viewer.trajectory().q)


def packed(**message) -> bytes:
    return msgspec.msgpack.encode(message)


MALFORMED = [
    b"",
    b"\xc1",
    b"\xff" * 100,
    b"\x93\x01\x02",
    b"\xdd\xff\xff\xff\xff",  # an array of 4 billion
    b"\x91" * 5000,  # one in the other
    "text",
    packed(),
    packed(type="NoSuchMessage"),
    packed(type=["GuiUpdateMessage"]),
    packed(type="GuiUpdateMessage"),
    packed(type="GuiUpdateMessage", uuid=7, updates={"value": 1}),
    packed(type="GuiUpdateMessage", uuid="no such", updates={"value": 1}),
    packed(type="GuiUpdateMessage", uuid="no such", updates={"value": 1}, further=1),
    packed(type="CommandTriggerMessage", uuid="x" * 60_000),
    packed(type="RunJavascriptMessage", source="alert(1)"),
    packed(type="ShareUrlRequest"),
    packed(type="GuiFormDirtyMessage", uuid="x"),
    packed(
        type="FileTransferStartUpload", source_component_uuid="x", transfer_uuid="y", filename="z", mime_type="", part_count=1, size_bytes=1
    ),
    packed(**CAMERA | {"position": [float("nan"), 0, 0]}),
    packed(**CAMERA | {"position": [1e300, 0, 0]}),
    packed(**CAMERA | {"position": CAMERA["look_at"]}),
    packed(**CAMERA | {"position": [1, 2]}),
    packed(**CAMERA | {"image_height": 10**15}),
    packed(type="SceneNodeClickMessage", name="/bodies/0", owner=""),
]


def test_what_is_malformed_is_dropped_and_the_page_stays_open(viewer, capfd):
    source = viewer.source
    with page(viewer.url) as mine, page(viewer.url) as other:
        until(lambda: len(viewer.server.get_clients()) == 2)
        begin = viewer.cameras.begin
        for message in MALFORMED:
            say(mine, message)
        for label in ("Speed", "Restart", "Time (s)"):
            for name, value in (("update_cb", []), ("removed", True), ("props", 1), ("no_such", 1), ("value", None), ("value", {"a": 1})):
                say(mine, change(control(viewer, label), value, name))
        heard(mine, "The page sent something that the viewer does not understand")
        for opened in (mine, other):  # are heard still
            say(opened, change(control(viewer, "Speed"), "4×"))
            until(lambda: viewer.playback.speed == 4.0)
            viewer.ask(lambda orders: orders.speed(1.0))
            say(opened, change(control(viewer, "Speed"), "1×"))
            until(lambda: viewer.controls.speed.value == "1×")
        assert goes_on(viewer, source)
        assert viewer.cameras.begin is begin
    assert (capfd.readouterr().err) == ""


def test_a_giant_message_closes_its_own_page_only(viewer):
    with page(viewer.url) as mine, page(viewer.url) as other:
        say(mine, b"\x00" * (LARGEST + 1))
        with pytest.raises(ConnectionClosed) as closed:
            heard(mine, "never said")
        assert closed.value.rcvd.code == 1009
        until(lambda: len(viewer.server.get_clients()) == 1)
        say(other, change(control(viewer, "Speed"), "4×"))
        until(lambda: viewer.playback.speed == 4.0)


def test_a_flood_waits_while_time_and_others_go_on(viewer, monkeypatch):
    source, heard_of, wrong = viewer.source, [], Listener.wrong
    monkeypatch.setattr(Listener, "wrong", lambda self, raw: (heard_of.append(raw), wrong(self, raw))[1])
    monkeypatch.setattr("redmax.view.live.messages.BURST", 20)
    with page(viewer.url) as mine, page(viewer.url) as other:
        until(lambda: len(viewer.server.get_clients()) == 2)
        began, loop = time.monotonic(), control(viewer, "Loop")
        for k in range(200):
            say(mine, change(loop, k % 2 == 0))
        say(other, change(control(viewer, "Speed"), "4×"))
        until(lambda: viewer.playback.speed == 4.0)
        assert goes_on(viewer, source)
        count, elapsed = len(heard_of), time.monotonic() - began
    assert 20 <= count < 30 + PER_SECOND * elapsed


def test_pages_that_vanish_in_the_middle_do_no_harm(viewer):
    source = viewer.source
    for part in (b"", b"GET / HT", b"\x16\x03\x01\x00"):
        knocked = knock(viewer.url)
        knocked.socket.sendall(part)
        knocked.socket.close()
    for _ in range(5):
        opened = page(viewer.url)
        opened.socket.close()
    until(lambda: not viewer.server.get_clients())
    assert goes_on(viewer, source)


def test_a_body_that_is_there_no_more_is_none(viewer):
    viewer.orders.give(lambda orders: orders.select(99))
    viewer.orders.give(lambda orders: orders.nothing_of_the_kind())
    assert goes_on(viewer, viewer.source)
    assert viewer.selection.body is None
