"""Every Python block of the README and of the pages in docs/ runs, every `redmax` command in them too, and links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from unittest.mock import patch

import pytest

from redmax.backends.base import BACKENDS
from redmax.cli import main
from redmax.view import plot_style
from redmax.view.picture import film, pictures
from redmax.view.picture.pictures import checked_size

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_CODE = [page for page in PAGES if page.parent.name != "api" and page.stem not in ("gallery", "scenes")]
BLOCK = re.compile(r"^(?:```|<!-- )(python|console|test)\n(.*?)^(?:```|-->)$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@patch.dict(BACKENDS)  # a page may add one, for as long as it is read
@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_blocks_run(page, tmp_path, monkeypatch):
    """In the order of the page, in one folder: what Python saves, the next command may load. Pictures, films and plots are made small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plot_style, "DPI", 40)
    for module in (pictures, film):
        monkeypatch.setattr(module, "checked_size", lambda size: checked_size(size) and (96, 60))
    text = page.read_text("utf-8")
    namespace = {"__name__": page.stem}
    blocks = list(BLOCK.finditer(text))
    assert blocks, "a page without an example"
    for block in blocks:
        line = text[: block.start(2)].count("\n")
        if block[1] in ("python", "test"):  # a comment with a test is for nobody to see
            exec(compile("\n" * line + block[2], str(page), "exec"), namespace)  # errors name the line of the page
        else:
            for command in re.findall(r"^\$ redmax (.*)$", block[2], re.MULTILINE):
                assert main(shlex.split(command, comments=True)) == 0, command


@pytest.mark.parametrize("field", ["graphics", "robotics", "biomechanics", "engineering"])
def test_walkthroughs_take_less_than_forty_lines(field):
    """From nothing to a result worth showing, which the page shows."""
    text = (ROOT / "docs" / "walkthroughs" / f"{field}.md").read_text("utf-8")
    first = next(BLOCK.finditer(text))
    assert first[2].count("\n") < 40
    assert "![" in text[first.end() :]


def test_links_lead_somewhere():
    for page in PAGES:
        for target in LINK.findall(page.read_text("utf-8")):
            assert "://" in target or (page.parent / target).exists(), (name_of(page), target)


def test_the_readme_names_what_there_is():
    text = (ROOT / "README.md").read_text("utf-8")
    for command in ("make run", "make test", "make bench"):
        assert command in text
        assert re.search(rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
