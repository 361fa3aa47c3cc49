"""Twists and wrenches of every kind: by their definitions, there and back, with the same power."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from lie.tracing import by_trace, same_in_batches
from redmax.lie import Ad, convert_twist, convert_wrench, se3, so3
from redmax.lie.twists import KINDS, TwistKind

E = se3.exp(np.array([0.7, -1.1, 0.4, 2.0, -1.0, 0.5]))
R, p = E[:3, :3], E[:3, 3]
V, F = np.random.default_rng(4).normal(size=(2, 6))


def test_kinds_by_their_definitions():
    Edot = E @ se3.bracket(V)  # V is the body twist
    omega, pdot = so3.unbracket(Edot[:3, :3] @ R.T), Edot[:3, 3]
    expected: dict[TwistKind, Any] = {"body": V, "hybrid": [*omega, *pdot], "mixed": [*(R.T @ omega), *pdot]}
    expected["spatial"] = se3.unbracket(Edot @ np.linalg.inv(E))
    for kind, twist in expected.items():
        assert_allclose(convert_twist(V, E, "body", kind), twist, atol=1e-14)
    assert_allclose(convert_twist(V, E, "body", "spatial"), Ad(E) @ V, atol=1e-14)


def test_wrenches_by_their_definitions():
    torque, force = F[:3], F[3:]  # at the frame's origin, in its axes
    expected: dict[TwistKind, Any] = {"body": F, "hybrid": [*(R @ torque), *(R @ force)], "mixed": [*torque, *(R @ force)],
                "spatial": [*(R @ torque + np.cross(p, R @ force)), *(R @ force)]}  # fmt: skip
    for kind, wrench in expected.items():
        assert_allclose(convert_wrench(F, E, "body", kind), wrench, atol=1e-14)


@pytest.mark.parametrize(("given", "kind"), list(product(KINDS, KINDS)))
def test_there_and_back_with_the_same_power(given, kind):
    u, f = convert_twist(V, E, given, kind), convert_wrench(F, E, given, kind)
    assert_allclose(convert_twist(u, E, kind, given), V, atol=1e-14)
    assert_allclose(convert_wrench(f, E, kind, given), F, atol=1e-14)
    assert u @ f == pytest.approx(V @ F, abs=1e-13)
    assert_allclose(by_trace(lambda x: convert_twist(x, E, given, kind), V), u, atol=1e-14)
    same_in_batches(lambda x: convert_wrench(x, E, given, kind), np.stack([V, F]), 1)


def test_what_is_no_kind_is_refused():
    with pytest.raises(rm.SceneError, match=r"convert_twist: kind is 'world'\. Valid: 'body'"):
        convert_twist(V, E, "body", "world")  # type: ignore[arg-type]
    with pytest.raises(rm.SceneError, match="six numbers"):
        convert_wrench(V[:5], E, "body", "spatial")
