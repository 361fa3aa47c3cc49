"""The page is served on this machine only unless more is asked for, on the port asked for or the next free one, and is quiet about it."""

import socket
import sys
import urllib.request

import pytest

import redmax as rm
from redmax.errors import RedmaxError
from redmax.view.live.address import HOST, bound
from redmax.view.live.server import start
from view.live.scenes import pendulum


def test_a_port_in_use_gives_way_to_the_next_free_one(capfd):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        site = start(port, "a title")
        try:
            assert port < site.server.get_port() < port + 200
            with urllib.request.urlopen(site.url, timeout=10) as answer:
                assert answer.status == 200
            with pytest.raises(OSError), socket.create_connection(("127.0.0.2", site.server.get_port()), timeout=2):
                pass
        finally:
            site.stop()
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_nobody_can_ask_for_a_tunnel_to_the_outside(monkeypatch):
    import viser._tunnel

    monkeypatch.setattr(viser._tunnel.ViserTunnel, "__init__", lambda *args, **options: pytest.fail("a tunnel was opened"))
    site = start(0, "a title")
    try:
        assert site.server.request_share_url() is None
    finally:
        site.stop()


@pytest.mark.parametrize("port", [-1, 65536, "8080", 80.5, True])
def test_a_wrong_port_is_named(port):
    with pytest.raises(RedmaxError, match="port must be a whole number from 0"):
        bound(HOST, port)


@pytest.mark.parametrize("host", ["", " ", None, 7, "192.0.2.1", "no such name.invalid", "a" * 300, "x\0y"])
def test_a_wrong_host_is_named(host):
    with pytest.raises(RedmaxError, match="host must be an address or a name of this machine"):
        bound(host, 0)


def test_asked_for_more_than_this_machine_it_says_what_that_means(capfd):
    viewer = pendulum().view(port=0, open_browser=False, block=False, host="0.0.0.0")
    try:
        port = viewer.server.get_port()
        with socket.create_connection(("127.0.0.2", port), timeout=2):
            pass
        with urllib.request.urlopen(viewer.url, timeout=10) as answer:
            assert answer.status == 200
    finally:
        viewer.stop()
    said = capfd.readouterr().err
    assert f"http://{socket.gethostname()}:{port}/{viewer.site.door.token}/" in said
    assert "whoever has this address can watch and steer" in said
    assert f"ssh -L {port}:127.0.0.1:{port}" in said


def test_a_wrong_host_leaves_no_server_behind():
    run = rm.simulate(pendulum(), 0.1, 0.01)
    with pytest.raises(RedmaxError, match=r"'192\.0\.2\.1'"):
        run.view(port=0, open_browser=False, block=False, host="192.0.2.1")


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(RedmaxError, match=r"needs the package viser: pip install 'redmax\[view\]'"):
        start(0, "a title")
