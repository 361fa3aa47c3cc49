"""Files that are wrong, each in its own way: the commands say what, in which file and line, end with status 2, and do so soon.

The first line of a file of `broken/` says what to expect: the line (and the file, if it is another one) and words of the sentence.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from random_examples import LONG
from redmax.cli import main
from redmax.io import check

FOLDER = Path(__file__).parent / "broken"
FILES = sorted(FOLDER.glob("*.yaml"))
LIMIT = 2.0  # s of this process, so that others do not count


def expected(path: Path) -> tuple[str, int, str]:
    """(file, line, words)."""
    found = re.fullmatch(r"# (?:([\w/.-]+):)?(\d+): (.+)", path.read_text(encoding="utf-8").splitlines()[0])
    assert found, path
    return found[1] or path.name, int(found[2]), found[3]


def said(path: Path, capsys) -> list[str]:
    """The sentences of `redmax run`, one for each mistake; that of one mistake follows on its head."""
    gc.disable()  # what other tests hold is not searched for garbage at this file's expense
    started = time.process_time()
    status = main(["run", str(path)])
    took = time.process_time() - started
    gc.enable()
    out = capsys.readouterr()
    assert (status, out.out) == (2, ""), (path.name, out)
    assert took < LIMIT, path.name
    assert "Traceback" not in out.err, path.name
    assert "inside redmax" not in out.err, path.name
    head, *lines = out.err.strip().splitlines()
    return [line.strip() for line in lines] or [head.partition(" mistake: ")[2]]


def test_a_broken_file_is_said_to_be(capsys):
    """In the same words by `check` from Python, by `redmax run`, and by one process of `redmax check` that is given them all."""
    command = [sys.executable, "-m", "redmax", "check", *(path.name for path in FILES)]
    checking = subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sentences: list[str] = []
    for path in FILES:
        file, line, words = expected(path)
        started = time.process_time()
        problems = check(path)
        assert time.process_time() - started < LIMIT, path.name
        found = [str(p) for p in problems]
        assert any((p.file, p.line) == (file, line) and words in p.message for p in problems), (path.name, found)
        assert len(found) <= 2, found  # one mistake, which may leave a second behind
        for p in problems:
            assert p.message.endswith((".", "?")), p.message
            assert not re.search(r"(Type|Value|Index|Key|Attribute)Error|object at 0x|\.\.$", p.message.replace("...", "")), p.message
        sentences += found
        if LONG or path in FILES[::10]:  # `run` says what the check says: reading its own options takes it longer than the file
            assert said(path, capsys) == found
    out, errors = checking.communicate(timeout=300)
    assert (checking.returncode, out) == (2, "")
    assert errors.splitlines() == sentences


def test_there_are_many_of_them_and_their_parts_alone_are_fine():
    assert len(FILES) >= 300
    assert len({tuple(expected(f)[2:]) for f in FILES}) > 150


GENERATED = {
    "empty": (b"", 1, "empty"),
    "spaces": (b"   \n\n  ", 1, "empty"),
    "binary": (bytes(range(256)) * 40, 2, "UTF-8"),
    "latin-1": ("redmax: 1\ntitle: Fl\u00fcgel\n".encode("latin-1"), 2, "UTF-8"),
    "utf-16": ("redmax: 1\n".encode("utf-16"), 1, "UTF-8"),
    "utf-32": ("redmax: 1\n".encode("utf-32-le"), 1, "not"),
    "half-a-character": (b"redmax: 1\ntitle: \xe2\x82\n", 2, "UTF-8"),
    "null-bytes": (b"redmax: 1\ntitle: a\x00b\n", 2, "not YAML"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(100), 1, "UTF-8"),
    "gzip": (b"\x1f\x8b\x08" + bytes(100), 1, "UTF-8"),
    "100-megabytes": (None, 1, "bytes"),
    "30-megabytes-of-one-word": (b"redmax: 1\n" + b"x" * 30_000_000 + b": 1\n", 2, ""),
    "30-megabytes-of-dashes": (b"redmax: 1\ntitle:\n" + b"- 1\n" * 7_500_000, 57_140, "items"),
    "many-brackets": (b"redmax: 1\ntitle: " + b"[" * 1_000_000, 2, "levels"),
    "many-questions": (b"redmax: 1\n" + b"? " * 100_000, 2, "levels"),
    "deep-indent": (b"".join(b" " * i + b"a:\n" for i in range(2000)), 41, "levels"),
    "alias-bomb": (
        b"a: &a [x, x, x, x, x, x, x, x, x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b", ".join([b"*%c" % (97 + i)] * 9)) for i in range(12)),
        6,
        "items",
    ),
    "wide-aliases": (b"redmax: 1\nx: &a [1, 2, 3, 4]\ny: [" + b"*a, " * 100_000 + b"1]\n", 3, "items"),
    "long-number": (b"redmax: 1\ngravity: [0, 0, " + b"9" * 1_000_000 + b"]\n", 2, "characters"),
    "long-expression": (b"redmax: 1\ngravity: [0, 0, " + b"1 + " * 100_000 + b"1]\n", 2, "characters"),
    "long-list": (b"redmax: 1\ngravity: [" + b"0, " * 90_000 + b"0]\n", 2, "gravity"),
    "many-parameters": (b"redmax: 1\nparameters:\n" + b"".join(b"  p%d: q%d\n" % (i, i) for i in range(20_000)), 3, "no 'q0' here"),
    "many-mistakes": (b"redmax: 1\nbodies:\n" + b"  - {shape: {Spere: {radius: 1}}}\n" * 10_000, 3, "Did you mean 'Sphere'"),
    "many-operations": (
        b"redmax: 1\nfunctions:\n  f:\n    arguments: {t: []}\n    returns: 0\n    operations: |\n" + b"      input t 0\n" * 60_000,
        7,
        "operations",
    ),
    "many-documents": (b"redmax: 1\n" + b"---\nredmax: 1\n" * 50_000, 2, "documents"),
    "many-anchors": (b"redmax: 1\nx: [" + b"".join(b"&a%d 1, " % i for i in range(40_000)) + b"1]\n", 2, "has no 'x'"),
    "many-duplicates": (b"redmax: 1\n" * 20_000, 2, "twice"),
    "form-feed": (b"redmax: 1\ntitle: a\x0cb\n", 2, "not YAML"),
    "lone-surrogate": (b"redmax: 1\ntitle: \xed\xa0\x80\n", 2, "UTF-8"),
    "endless-quote": (b"redmax: 1\ntitle: '" + b"a\n" * 200_000, 2, "not YAML"),
}


@pytest.mark.parametrize("name", GENERATED)
def test_a_file_that_is_hard_to_read_is_said_to_be(name, tmp_path, capsys):
    content, line, words = GENERATED[name]
    path = tmp_path / f"{name}.yaml"
    if content is None:
        with path.open("wb") as file:
            file.truncate(100 * 2**20)  # takes no room
    else:
        path.write_bytes(content)
    found = said(path, capsys)
    place = f"{path.name}:{line}: " if name not in ("endless-quote",) else f"{path.name}:"
    assert any(x.startswith(place) and words in x for x in found), found[:3]
    assert all(len(x) < 600 for x in found)


def test_a_file_that_is_no_file_is_said_to_be(tmp_path, capsys):
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "gone.yaml").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe.yaml")  # that nobody writes to
    (tmp_path / "result.yaml").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    for name in ("folder", "loop", "gone", "pipe", "absent", "result"):
        path = tmp_path / f"{name}.yaml"
        assert [(p.file, p.line) for p in check(path)] == [(path.name, 1)]
        assert main(["run", str(path)]) == 2
        assert path.name in capsys.readouterr().err


def test_links_do_not_lead_out_of_the_folder(tmp_path, capsys):
    inside = tmp_path / "scenes"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text("bodies:\n  - {shape: {Sphere: {radius: 1}}}\n")
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (inside / "up").symlink_to(tmp_path)
    for name in ("link.yaml", "up/secret.yaml"):
        (inside / "top.yaml").write_text(f"redmax: 1\ninclude: [{name}]\n")
        assert "there is no file" in said(inside / "top.yaml", capsys)[0]


def test_files_that_include_each_other_are_said_to(tmp_path, capsys):
    for a, b in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{a}.yaml").write_text(f"redmax: 1\ninclude: [{b}.yaml]\n")
    assert said(tmp_path / "a.yaml", capsys) == [
        "c.yaml:2: 'a.yaml' includes itself: a.yaml -> b.yaml -> c.yaml -> a.yaml. Leave one of these out."
    ]
    for i in range(12):
        (tmp_path / f"n{i}.yaml").write_text(f"redmax: 1\ninclude: [n{i + 1}.yaml]\n")
    assert "one file too many" in said(tmp_path / "n0.yaml", capsys)[0]
    (tmp_path / "leaf.yaml").write_text("title: x\n")
    (tmp_path / "wide.yaml").write_text("redmax: 1\ninclude: [" + "leaf.yaml, " * 500 + "leaf.yaml]\n")
    assert "one file too many" in said(tmp_path / "wide.yaml", capsys)[0]
