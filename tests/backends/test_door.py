"""Arrays that are not what a plan declares reach no compiled code: an error names them, what they are and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from redmax.backends.base import Door
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.hosted import Hosted
from redmax.errors import RedmaxError
from redmax.program.function import function_plan

PLAN = function_plan("twice x and y", {"x": 2, "y": 1}, {"z": 3}, lambda x, y: [[2.0 * x[0], 2.0 * x[1], 2.0 * y[0]]])
RUNNERS = [Interpreter, Executable, Hosted]


def arrays(dtype: str = "float64") -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Three worlds, of which each has its x and all share y."""
    return [np.arange(6.0).astype(dtype).reshape(3, 2), np.full(1, 7.0, dtype)], [np.zeros((1, 3, 3), dtype)]


@pytest.mark.parametrize("kind", RUNNERS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_arrays_as_declared_pass(kind: Any, dtype: str) -> None:
    inputs, outputs = arrays(dtype)
    assert kind(PLAN, dtype).run(inputs, outputs, 3) == 0
    assert outputs[0][0].tolist() == [[0, 2, 14], [4, 6, 14], [8, 10, 14]]


@pytest.mark.parametrize("kind", RUNNERS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_arrays_of_another_type_are_refused(kind: Any, dtype: str) -> None:
    other = {"float64": "float32", "float32": "float64"}[dtype]
    for wrong in (0, 1):
        given = [*arrays(dtype)]
        given[wrong] = arrays(other)[wrong]
        with pytest.raises(RedmaxError, match=f"'twice x and y' takes {dtype} arrays .* Got .*{other}"):
            kind(PLAN, dtype).run(*given, 3)
    inputs, outputs = arrays()
    with pytest.raises(RedmaxError, match="x int64"):
        kind(PLAN).run([inputs[0].astype(int), inputs[1]], outputs, 3)


@pytest.mark.parametrize("kind", RUNNERS)
def test_arrays_of_another_size_are_refused(kind: Any) -> None:
    (x, y), (z,) = arrays()
    runner = kind(PLAN)
    for inputs, outputs, worlds in (
        ([x, y], [z], 4),  # a world more than there are
        ([x[:, :1].copy(), y], [z], 3),
        ([x, np.zeros(2)], [z], 3),
        ([x, y], [z[..., :2].copy()], 3),
        ([x, y], [z[0]], 3),
        ([x], [z], 3),
        ([x, y], [], 3),
    ):
        with pytest.raises(RedmaxError, match=r"'twice x and y' takes .* Got"):
            runner.run(inputs, outputs, worlds)


def test_compiled_code_steps_through_arrays_by_itself() -> None:
    (x, y), (z,) = arrays()
    for inputs, outputs in (([np.asfortranarray(x), y], [z]), ([x, y], [np.zeros((1, 3, 6))[..., ::2]])):
        with pytest.raises(RedmaxError, match="not by rows"):
            Executable(PLAN).run(inputs, outputs, 3)
    z.flags.writeable = False
    with pytest.raises(RedmaxError, match="cannot be written"):
        Executable(PLAN).run([x, y], [z], 3)


def test_arrays_after_others_that_passed_are_checked_again() -> None:
    runner, (inputs, outputs) = Executable(PLAN), arrays()
    x, y, z = *inputs, *outputs
    for lanes in (1, None):
        assert runner.run(inputs, outputs, 3, lanes=lanes) == 0
        for wrong_inputs, wrong_outputs, worlds in (
            ([x.reshape(2, 3), y], [z], 3),
            ([x, y], [z.reshape(1, 9, 1)], 3),
            ([x.view(np.int64), y], [z], 3),
            ([x, y], [z.view(np.int64)], 3),
            ([np.asfortranarray(x), y], [z], 3),
            ([x, y], [z], 2),
            ([x, y, z], [], 3),
        ):
            with pytest.raises(RedmaxError, match=r"'twice x and y' takes .* Got"):
                runner.run(wrong_inputs, wrong_outputs, worlds, lanes=lanes)
        z.flags.writeable = False
        with pytest.raises(RedmaxError, match="cannot be written"):
            runner.run(inputs, outputs, 3, lanes=lanes)
        z.flags.writeable = True


def test_what_is_stepped_through_may_change_from_run_to_run() -> None:
    runner, (x, y), _ = Executable(PLAN), *arrays()
    each, fixed = np.array([[7.0], [8.0], [9.0]]), np.array([5.0, 6.0])
    fixed.flags.writeable = False
    for _ in range(2):
        for given, found in (
            ([x, y], [[0, 2, 14], [4, 6, 14], [8, 10, 14]]),
            ([x, each], [[0, 2, 14], [4, 6, 16], [8, 10, 18]]),
            ([fixed, each], [[10, 12, 14], [10, 12, 16], [10, 12, 18]]),
        ):
            z = np.zeros((1, 3, 3))
            assert runner.run(given, [z], 3, lanes=1) == 0
            assert z[0].tolist() == found


@pytest.mark.parametrize("kind", RUNNERS)
def test_a_bound_call_reads_and_writes_the_arrays_of_its_caller(kind: Any) -> None:
    runner = kind(PLAN)
    with pytest.raises(RedmaxError, match="x float32"):
        runner.bind([np.zeros(2, "float32"), np.zeros(1)], [np.zeros(3)])()
    x, y, z = np.array([1.0, 2.0]), np.ones(1), np.zeros(3)
    in_order, by_name = runner.bind([x, y], [z]), runner.bind({"y": y, "x": x}, {"z": z})
    for call in (in_order, by_name):
        for x[0] in (1.0, 7.0, np.nan):
            z[:] = 0.0
            assert call() == int(np.isnan(x[0]))
            np.testing.assert_array_equal(z, [2 * x[0], 4, 2])


@pytest.mark.parametrize("kind", RUNNERS)
def test_arrays_may_be_given_by_name(kind: Any) -> None:
    (x, y), (z,) = arrays()
    runner = kind(PLAN)
    assert runner.run({"y": y, "x": x}, {"z": z}, 3) == 0
    assert z[0].tolist() == [[0, 2, 14], [4, 6, 14], [8, 10, 14]]
    for inputs, outputs in (({"x": x}, {"z": z}), ({"x": x, "y": y, "more": y}, [z]), ([x, y], {"out": z})):
        with pytest.raises(RedmaxError, match=r"'twice x and y' takes arrays named .*\. Got"):
            runner.run(inputs, outputs, 3)


def test_the_error_names_tangents_too() -> None:
    from redmax.program.tangent import tangent

    (x, y), (z,) = arrays()
    with pytest.raises(RedmaxError, match=r"Got x float64 .*, y float64 .*, tangent of x float32 .*, tangent of y float64"):
        Interpreter(tangent(PLAN)).run([x, y, x.astype("float32"), y], [z, z], 3)


def test_the_error_names_each_array() -> None:
    (x, y), outputs = arrays()
    with pytest.raises(RedmaxError) as caught:
        Door(PLAN, np.dtype("float64")).check([x.astype("float32"), y], outputs, 3)
    expected = "Program 'twice x and y' takes float64 arrays (3, n) or (n,), by rows. Got x float32 (3, 2) (n = 2), y float64 (1,) (n = 1)."
    assert str(caught.value) == expected
