"""What the docstring of each geometric integrator states: its formula, how a run starts, and to what Newton's method solves."""

from __future__ import annotations

import importlib
import re

import pytest

from redmax.integrators import METHODS
from redmax.integrators.absolute import index_1, lagrangian_step
from redmax.integrators.absolute import program as absolute
from redmax.integrators.bodies import OF_BODIES, newton
from redmax.integrators.lie import ALONG_GROUPS
from redmax.integrators.variational import program as variational

ONE_FILE = {m.name: m.name.replace("-", "_") for m in (*ALONG_GROUPS, *OF_BODIES)}
FILES = {
    **{m.name: f"lie.{ONE_FILE[m.name]}" for m in ALONG_GROUPS},
    **{m.name: f"bodies.{ONE_FILE[m.name]}" for m in OF_BODIES},
    "generalized-alpha": "absolute.method",
    "variational": "variational.method",
}
SOLVED = ("generalized-alpha", "variational", "rattle", "energy-momentum")  # by Newton's method


def stated(name: str) -> str:
    return str(importlib.import_module(f"redmax.integrators.{FILES[name]}").__doc__)


@pytest.mark.parametrize("name", FILES)
def test_a_docstring_states_formula_order_and_start(name):
    """An equation for where the step ends, indented; the order; and what there is besides q and qdot at the start."""
    text = stated(name)
    formulas = [line for line in text.splitlines() if line.startswith("    ") and ("=" in line or "<-" in line)]
    assert formulas, text
    assert re.search(r"\b(q1|q_k\+1|p_k\+1|R_1|R|pi_1) *(=|<-)", "\n".join(formulas)), text
    order = METHODS[name].order
    words = {2: "of order 2|order 2", 3: "of order 3|third-order", 4: "of order 4|order 4"}[order]
    assert re.search(words, " ".join(text.split())), text
    assert re.search(r"nothing to start with but the state|\bStart: |At the start ", " ".join(text.split())), text


@pytest.mark.parametrize("name", FILES)
def test_a_docstring_states_to_what_newtons_method_solves(name):
    text = " ".join(stated(name).split())
    if name in SOLVED:
        assert "Newton's method" in text
        assert "1e-14" in text
    else:
        assert "no Newton iterations" in text


def test_the_tolerance_is_what_docstrings_state():
    """1e-14 of what is left; of bodies by themselves the square of a step that is shorter than 1e-8."""
    for module in (absolute, variational, lagrangian_step, index_1):
        assert module.TOLERANCE == 1e-14
    assert absolute.LEFT <= 1e-14
    assert newton.NEAR**2 <= 1e-14
