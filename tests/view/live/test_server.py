"""The page is served on this machine only, on the port asked for or the next free one, and says nothing by itself."""

import socket
import sys
import urllib.request

import pytest

from redmax.errors import RedmaxError
from redmax.view.live.server import HOST, free_port, start, stop, url_of


def test_a_port_in_use_gives_way_to_the_next_free_one(capfd):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) > port
        server = start(port, "a title")
        try:
            url = url_of(server)
            assert port < server.get_port() < port + 200
            with urllib.request.urlopen(url, timeout=10) as answer:
                assert answer.status == 200
            with pytest.raises(OSError), socket.create_connection(("127.0.0.2", server.get_port()), timeout=2):
                pass
        finally:
            stop(server)
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_nobody_can_ask_for_a_tunnel_to_the_outside(monkeypatch):
    import viser._tunnel

    monkeypatch.setattr(viser._tunnel.ViserTunnel, "__init__", lambda *args, **options: pytest.fail("a tunnel was opened"))
    server = start(0, "a title")
    try:
        assert server.request_share_url() is None
    finally:
        stop(server)


@pytest.mark.parametrize("port", [-1, 65536, "8080", 80.5, True])
def test_a_wrong_port_is_named(port):
    with pytest.raises(RedmaxError, match="port must be a whole number from 0"):
        free_port(port)


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(RedmaxError, match=r"needs the package viser: pip install 'redmax\[view\]'"):
        start(0, "a title")
