"""The page and its socket belong to who has the address: no other page, no stranger's name and nobody without the token gets anything."""

import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

import redmax as rm
from redmax.errors import RedmaxError
from redmax.view.live import Viewer
from redmax.view.live.address import bound
from redmax.view.live.memory import Memory
from redmax.view.live.server import start
from redmax.view.live.source import Finished
from view.live.scenes import pendulum
from view.live.strangers import heard, knock


@pytest.fixture(scope="module")
def viewer():
    made = Viewer(Finished.of(rm.simulate(pendulum(), 0.1, 0.01)), port=0, memory=Memory(None))
    yield made
    made.stop()


STRANGERS = {
    "no token": {"path": "/"},
    "another token": {"path": "/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/"},
    "half a token": {"path": "half"},
    "a token that is no text": {"path": "/%ff%00/"},
    "another page": {"origin": "http://example.org"},
    "another port of this machine": {"origin": "http://127.0.0.1:1"},
    "a page without a place": {"origin": "null"},
    "a name that leads here": {"host": "rebound.example.org"},
    "a name that begins like ours": {"host": "127.0.0.1.example.org"},
}


@pytest.mark.parametrize("who", STRANGERS)
def test_a_stranger_gets_no_frame(viewer, who):
    asked = dict(STRANGERS[who])
    if asked.get("path") == "half":
        asked["path"] = urlsplit(viewer.url).path[:12]
    with pytest.raises(InvalidStatus) as refused:
        knock(viewer.url, **asked).recv(timeout=5)
    assert refused.value.response.status_code == 403


def test_who_has_the_address_hears_of_the_scene_as_often_as_they_come(viewer):
    for origin in (None, f"http://{urlsplit(viewer.url).netloc}"):
        with knock(viewer.url, origin=origin) as opened:
            assert any("Time (s)" in str(message) for message in heard(opened))


def test_a_tunnel_may_end_at_another_port(viewer):
    with knock(viewer.url, host="localhost:9", origin="http://localhost:9") as opened:
        assert heard(opened)


def test_two_servers_do_not_share_their_token(viewer):
    site = start(0, "another")
    try:
        with pytest.raises(InvalidStatus):
            knock(site.url, path=urlsplit(viewer.url).path)
    finally:
        site.stop()


def fetched(url: str, **headers: str):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_the_page_says_nothing_without_its_token_but_where_that_is(viewer):
    status, headers, text = fetched(viewer.site.door.address.url)
    assert (status, headers["Content-Type"]) == (403, "text/plain; charset=utf-8")
    assert "Open the whole address that redmax printed" in text
    assert "no name of the machine" in fetched(viewer.url, Host="example.org")[2]
    assert "asked by another page" in fetched(viewer.url, Origin="http://example.org")[2]
    assert fetched(viewer.url + "%2e%2e/index.html")[0] == 404


def test_the_page_keeps_its_address_to_itself(viewer):
    status, headers, text = fetched(viewer.url)
    assert (status, "<html" in text) == (200, True)
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert viewer.site.door.token not in text


def test_the_command_line_of_a_browser_leads_in_once(viewer):
    url = viewer.site.door.one_time_url()
    assert viewer.site.door.token not in url
    status, _, text = fetched(url)
    assert (status, "<html" in text) == (200, True)
    assert fetched(url)[0] == 403
    viewer.site.door.tickets["late"] = 0.0
    assert fetched(f"{viewer.site.door.address.url}/once/late")[0] == 403


def test_a_viser_that_cannot_be_guarded_is_not_used(monkeypatch):
    import viser

    class Other(viser.ViserServer):
        def __init__(self, host, port, **options):
            super().__init__(host=str(host), port=port, **options)

    monkeypatch.setattr(viser, "ViserServer", Other)
    with pytest.raises(RedmaxError, match="cannot be kept to its user with viser"):
        start(0, "a title")


@pytest.mark.parametrize(
    ("name", "loopback", "anywhere"),
    [
        ("127.0.0.1", True, True),
        ("localhost", True, True),
        ("::1", True, True),
        ("192.168.1.7", False, True),
        ("example.org", False, False),
        ("box", False, True),
        ("box.local", False, True),
        ("box.example.org", False, False),
    ],
)
def test_which_names_are_this_machine_s_own(monkeypatch, name, loopback, anywhere):
    monkeypatch.setattr("socket.gethostname", lambda: "Box")
    for host, expected in (("127.0.0.1", loopback), ("0.0.0.0", anywhere)):
        address = bound(host, 0)
        with address.socket:
            assert address.goes_by(name) is expected
