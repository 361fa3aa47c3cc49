"""Kernels longer than any mechanism's, as a function in a file may be: the same numbers, from code that LLVM translates in time."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from backends.compiled_kernels import compile_kernels, dtype_of, reference
from redmax.backends.llvm import elementary, emit, engine, module
from redmax.backends.llvm.target import lanes_of, target_machine
from redmax.program.kernel import RECORD, Kernel, Store
from redmax.trace import Graph
from redmax.trace.logic import stumpff

TYPES = ("double", "<4 x double>", "float", "<4 x float>")


def many(count: int) -> Kernel:
    """Sines, cosines and Stumpff functions of as many arguments, which lie near and far."""
    x = Graph().input(RECORD, 0)
    values = []
    for i in range(count):
        y = x * (1.0 + i) + 1e5 * (i % 2)
        values += [np.sin(y), np.cos(y), stumpff(2, y * y * 1e-9), stumpff(5, y * y * 1e-9)]
    return Kernel("many", tuple(Store(RECORD, 1 + i, v) for i, v in enumerate(values)))


@pytest.mark.parametrize("ty", TYPES)
def test_functions_that_are_called_have_the_bits_of_those_written_inline(ty, monkeypatch):
    kernel = many(3)
    memory = {RECORD: np.zeros((1 + len(kernel.stores), lanes_of(ty)), dtype_of(ty))}
    memory[RECORD][0] = np.linspace(-0.7, 0.9, lanes_of(ty)) if lanes_of(ty) > 1 else 0.3
    inline = compile_kernels({"many": kernel}, ty)("many", memory)[RECORD]
    monkeypatch.setattr(emit, "INLINE", 2)
    text = module.module_text([("many", kernel)], ty)
    assert [text.count(f"}} @{name}.") for name in ("sincos", "stumpff")] == [4, 4]  # a definition, and a call for each argument
    called = compile_kernels({"many": kernel}, ty)("many", memory)[RECORD]
    np.testing.assert_array_equal(called, inline)
    np.testing.assert_allclose(called, reference(kernel, memory)[RECORD], rtol=0, atol=3e-16 if "double" in ty else 2e-2)


def test_few_are_written_inline_and_many_are_called():
    few, too_many = (module.module_text([("k", many(n))], "double") for n in (elementary.INLINE // 2 - 1, elementary.INLINE))
    assert "@sincos" not in few
    assert len(too_many) < len(few)


def test_a_function_of_thousands_of_operations():
    """Its block is cut; the motion is that of the interpreter."""

    def long_torque(t, q, qdot):
        x = q[0]
        for i in range(4000):
            x = np.sin(x + 0.1) if i % 10 == 0 else 0.99 * x * x - 0.3 * qdot[0]
        return [x]

    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Revolute("y"), com=(0.3, 0, 0), torque=long_torque, q=0.4)
    model = scene.model()
    runs = [rm.simulate(model, 0.03, 0.01, integrator="rk4", backend=backend) for backend in ("llvm", "interpret")]
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, rtol=1e-12)


def test_what_is_very_long_is_only_translated(monkeypatch):
    levels = []
    monkeypatch.setattr(engine, "emitter", lambda target, soon: levels.append(soon) or target_machine(soon))
    text = module.module_text([("k", many(1))], "double")
    engine.compile_one(text)
    engine.compile_one(text + "\n;" + engine.VERY_LONG * " ")
    assert levels == [False, True]
