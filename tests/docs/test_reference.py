"""The API reference has every public name, once, and each has a docstring that reads well on the site."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest
from docutils.core import publish_doctree
from docutils.utils import Reporter

import redmax as rm
from redmax.integrators import METHODS

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = "".join(page.read_text("utf-8") for page in (DOCS / "api").glob("*.md"))
ENTRIES = re.findall(r"^\.\. auto\w+:: ([\w.]+)(?:\(\))?$", REFERENCE, re.MULTILINE)


def extension(name: str):
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_there_once_and_has_a_docstring():
    for name in rm.__all__:
        assert ENTRIES.count(f"redmax.{name}") == 1, name
        value = getattr(rm, name)
        assert (vars(value).get("__doc__") if isinstance(value, type) else value.__doc__ or "").strip(), name


def test_no_name_is_there_twice():
    assert sorted(ENTRIES) == sorted(set(ENTRIES))


def test_every_integrator_and_dynamics_is_named():
    page = (DOCS / "api" / "simulate.md").read_text("utf-8")
    assert set(re.findall(r'^\| `"([\w-]+)"`', page, re.MULTILINE)) == {*METHODS, "recursive", "redmax", "maximal"}


def definitions(text: str) -> dict[str, str]:
    """The translated docstring as docutils reads it: names and their meanings, paragraphs under ""."""
    lines = extension("docstrings").translated(text.splitlines())
    tree = publish_doctree(
        "\n".join(lines), settings_overrides={"report_level": Reporter.WARNING_LEVEL, "halt_level": Reporter.WARNING_LEVEL}
    )
    found = {item.children[0].astext(): item.children[-1].astext() for item in tree.findall(lambda n: n.tagname == "definition_list_item")}
    return found | {"": " | ".join(child.astext() for child in tree.children if child.tagname == "paragraph")}


def test_names_of_a_docstring_become_definitions():
    text = 'Does |x| and *y for `z_`.\n\na, b: numbers (m);  c: "on",\n    or off\nd: a_ thing\nThe rest, which is: text.'
    assert definitions(text) == {
        "": "Does |x| and *y for z_. | The rest, which is: text.",
        "a, b": "numbers (m)",
        "c": '"on", or off',
        "d": "a_ thing",
    }


def test_every_docstring_can_be_read():
    for name in rm.__all__:
        value = getattr(rm, name)
        definitions(inspect.cleandoc(value.__doc__))


def test_formulas_that_cannot_be_shown_are_errors():
    mathml = extension("mathml").mathml
    assert '<mover accent="true"><mi>q</mi>' in mathml(r"\dot q", "inline")
    assert "<mi>Ad</mi>" in mathml(r"\mathrm{Ad}\, x", "inline")
    with pytest.raises(Exception, match="aligned"):
        mathml(r"\begin{aligned} a &= b \end{aligned}", "block")
