"""What cannot be traced says so: on which line of the user's code, and what to write instead."""

# ruff: noqa: PLW0108  (the lambdas are the user's lines)
from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from redmax.errors import RedmaxError, TraceError
from redmax.trace import Graph

HERE = Path(__file__)


def branch(x):
    if x > 0:  # the line of `branch`
        return x
    return -x


MISTAKES = {
    "if": (branch, "if x > 0:  # the line of `branch`", "where"),
    "while": (lambda x: [x for _ in range(3) if x < 1], "if x < 1]", "where"),
    "and": (lambda x: x > 0 and x < 1, "x > 0 and x < 1", "& | ~"),
    "chained comparison": (lambda x: 0 < x < 1, "0 < x < 1", "& | ~"),
    "min": (lambda x: min(x, 1.0), "min(x, 1.0)", "minimum"),
    "max": (lambda x: max(x, 1.0), "max(x, 1.0)", "maximum"),
    "float": (lambda x: float(x), "float(x)", "redmax.math"),
    "int": (lambda x: [1, 2][x], "[1, 2][x]", "redmax.math"),
    "round": (lambda x: round(x), "round(x)", "floor"),
    "math.sin": (lambda x: math.sin(x), "math.sin(x)", "NumPy's or redmax.math's"),
    "float array": (lambda x: np.array([x, 1.0], float), "np.array([x, 1.0], float)", "redmax.math"),
    "np.cbrt": (lambda x: np.cbrt(x), "np.cbrt(x)", "the functions of redmax.math"),
    "np.cbrt of an array": (
        lambda x: np.cbrt(np.array([x, x])),
        "np.cbrt(np.array([x, x]))",
        "the functions of redmax.math",
    ),
    "np.where": (lambda x: np.where(x < 0, x, 1.0), "np.where(x < 0, x, 1.0)", "redmax.math.where"),
    "np.maximum": (lambda x: np.maximum(x, 0.0), "np.maximum(x, 0.0)", "maximum"),
    "< of an array": (lambda x: np.array([x, x], object) < 0, "np.array([x, x], object) < 0", "redmax.math"),
    "text": (lambda x: x + "1", 'x + "1"', "a number"),
    "complex": (lambda x: x * 1j, "x * 1j", "a number"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_names_the_line_and_the_remedy(name):
    f, code, remedy = MISTAKES[name]
    with pytest.raises(TraceError) as caught:
        f(Graph().input("q", 0))
    message = str(caught.value)
    lines = [i for i, line in enumerate(HERE.read_text().splitlines(), 1) if code in line]
    assert any(f"{HERE}:{i}" in message for i in lines), message
    assert code in message
    assert remedy in message


def test_a_trace_error_is_a_redmax_error_and_a_type_error():
    assert issubclass(TraceError, RedmaxError)
    assert issubclass(TraceError, TypeError)


def test_an_unknown_attribute_is_an_attribute_error():
    x = Graph().input("q", 0)
    assert not hasattr(x, "shape")
    with pytest.raises(AttributeError, match="no attribute 'magnitude'"):
        _ = x.magnitude
