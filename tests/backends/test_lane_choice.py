"""How many numbers lie side by side: LLVM's types, what the user may ask for, and that wide vectors stay whole."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest

from redmax.backends.llvm.target import constant, element_of, host, ir_type, lanes_of, suffix, target_machine
from redmax.errors import RedmaxError


def test_types_and_constants():
    assert ir_type("double", 1) == "double"
    assert (element_of("<16 x float>"), lanes_of("<16 x float>"), suffix("<16 x float>")) == ("float", 16, "v16f32")
    assert (element_of("double"), lanes_of("double"), suffix("double")) == ("double", 1, "f64")
    assert constant(1.0, "double") == "0x3FF0000000000000"
    assert constant(0.1, "<4 x float>") == "splat (float 0x3FB99999A0000000)"
    assert constant(-1, "<2 x i64>") == "splat (i64 -1)"


@pytest.mark.parametrize(("text", "doubles", "floats"), [("1", 1, 1), ("2", 2, 4), ("4", 4, 8), ("8", 8, 16)])
def test_lanes_can_be_forced(monkeypatch, text, doubles, floats):
    monkeypatch.setenv("REDMAX_LANES", text)
    assert (host().lanes(np.float64), host().lanes("float32")) == (doubles, floats)
    monkeypatch.delenv("REDMAX_LANES")
    assert host().lanes(float) in (2, 4, 8)


@pytest.mark.parametrize("text", ["3", "0", "16", "-1", "two", "1.0"])
def test_other_lanes_are_refused(monkeypatch, text):
    monkeypatch.setenv("REDMAX_LANES", text)
    with pytest.raises(RedmaxError, match="expected 1, 2, 4 or 8"):
        host()


def test_wide_vectors_stay_whole():
    """On a CPU with 512-bit registers an addition of 8 doubles is one instruction."""
    if host().lanes(float) != 8:
        pytest.skip("no AVX-512 here")
    ty = "<8 x double>"
    module = llvm.parse_assembly(f"define {ty} @f({ty} %x) {{\n%y = fadd {ty} %x, %x\nret {ty} %y\n}}")
    assert "zmm" in target_machine().emit_assembly(module)
