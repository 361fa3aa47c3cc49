"""The bridge to PyTorch, by PyTorch's own checks."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import redmax as rm
from bridges.bars import NAMES, run_of_bars, state, two_bars, values
from redmax.bridges import torch as bridge

SCENE = two_bars(stiffness=3.0)
FORWARD, DYNAMICS = bridge.forward_dynamics(SCENE), rm.Dynamics(SCENE)
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "bridges.md"


def tensors(seed: int, *lead: int) -> list[torch.Tensor]:
    return [torch.tensor(x, requires_grad=True) for x in state(seed, *lead)]


def test_values_are_those_of_the_library():
    (q, qdot, tau), arrays = tensors(1, 5), state(1, 5)
    assert np.array_equal(FORWARD(q, qdot, tau).detach(), DYNAMICS.forward(*arrays))
    assert np.array_equal(FORWARD(q[0], qdot[0]).detach(), DYNAMICS.forward(arrays[0][0], arrays[1][0]))
    f, other = bridge.forward_dynamics(SCENE, NAMES), rm.Dynamics(SCENE, parameters=values())
    assert np.allclose(f(q, qdot, tau, parameters=values()).detach(), other.forward(*arrays), rtol=1e-13)


@pytest.mark.parametrize("made", ["forward", "inverse", "step"])
def test_gradcheck_and_gradgradcheck(made):
    """First and second derivatives, backwards and forwards, by state, torques and parameters."""
    names = ["upper.mass", "gravity"]
    f = {
        "forward": lambda: bridge.forward_dynamics(SCENE, names),
        "inverse": lambda: bridge.inverse_dynamics(SCENE, names),
        "step": lambda: bridge.step(SCENE, 0.05, "implicit", parameters=names),
    }[made]()
    own = [torch.tensor(values()[name], requires_grad=True) for name in names]
    inputs = (*tensors(2), *own)

    def called(q, qdot, third, *given):
        return f(q, qdot, third, parameters=dict(zip(names, given, strict=True)))

    assert gradcheck(called, inputs, check_forward_ad=True)
    assert gradgradcheck(called, inputs, check_fwd_over_rev=True, check_rev_over_rev=True)


def test_batches_and_what_they_share():
    q, qdot, tau = tensors(3, 4)
    shared = tensors(4)[1]
    assert gradcheck(FORWARD, (q, shared, tau), check_forward_ad=True)
    assert gradcheck(torch.vmap(FORWARD, (0, None, 0)), (q, shared, tau))
    grid = torch.vmap(lambda x: torch.vmap(lambda v: FORWARD(x, v, shared))(qdot))(q)
    arrays = [x.detach().numpy() for x in (q, qdot, shared)]
    assert np.allclose(grid.detach(), DYNAMICS.forward(arrays[0][:, None], arrays[1][None], arrays[2]), rtol=1e-13)


def test_functional_transforms():
    q, qdot, tau = (x.detach() for x in tensors(5))
    for n in range(3):
        back, ahead = torch.func.jacrev(FORWARD, n)(q, qdot, tau), torch.func.jacfwd(FORWARD, n)(q, qdot, tau)
        assert torch.allclose(back, ahead, rtol=1e-12, atol=1e-12)
    assert np.allclose(torch.func.jacrev(FORWARD, 2)(q, qdot, tau), DYNAMICS.inverse_inertia(q.numpy()), rtol=1e-12)
    hessian = torch.func.hessian(lambda x: FORWARD(x, qdot, tau).sum())(q)
    assert torch.allclose(hessian, hessian.T, rtol=1e-12)


def test_a_rollout_is_a_run_of_the_library():
    f, (q, qdot, _) = bridge.step(SCENE, 1e-3, "rk4"), state(6)
    controls = torch.tensor(np.random.default_rng(7).normal(size=(20, 3)), requires_grad=True)
    x = torch.tensor(q), torch.tensor(qdot)
    for tau in controls:
        x = f(*x, tau)
    run = rm.simulate(
        SCENE, 0.02, 1e-3, integrator="rk4", initial=rm.State(0.0, q, qdot), controls=controls.detach().numpy()
    )
    assert np.allclose(x[0].detach(), run.q[-1], rtol=1e-13)
    x[0].sum().backward()
    assert controls.grad is not None
    assert (controls.grad != 0).any(dim=1)[:-1].all()


def test_an_objective_of_a_run():
    f = bridge.objective(run_of_bars())
    qdot, mass = tensors(10)[1], torch.tensor(1.2, dtype=torch.float64, requires_grad=True)
    tau = torch.tensor(np.random.default_rng(11).normal(size=(10, 3)), requires_grad=True)
    assert gradcheck(lambda u, v, m: f(tau=u, qdot=v, parameters={"upper.mass": m}), (tau, qdot, mass))
    assert f(tau=torch.stack([tau, 2 * tau])).shape == (2,)


def test_memory_is_shared():
    """What NumPy sees of a tensor is read where it lies: nothing is copied on the way in or out."""
    f, read = bridge.forward_dynamics(SCENE), []
    q, qdot, tau = (x.detach() for x in tensors(8, 3))
    f(q, qdot, tau)
    (call,) = f.function.calls.values()
    before = call.run
    call.run = lambda operands, results, worlds: (read.append([x.ctypes.data for x in operands]), before(operands, results, worlds))
    f(q, qdot, tau)
    assert read == [[x.data_ptr() for x in (q, qdot, tau)]]


def test_floats_of_32_bits():
    q, qdot, tau = (x.detach().float() for x in tensors(1))
    f = bridge.forward_dynamics(SCENE, dtype="float32")
    assert f(q, qdot, tau).dtype == torch.float32
    assert np.allclose(f(q, qdot, tau), DYNAMICS.forward(*state(1)), rtol=1e-4)
    q.requires_grad_()
    FORWARD(q, qdot, tau).sum().backward()  # computed in doubles
    assert q.grad is not None
    assert q.grad.dtype == torch.float32


def test_wrong_calls_are_said():
    q, qdot, tau = tensors(1)
    with pytest.raises(rm.SceneError, match=r"qdot must have shape \(\.\.\., 3\) for this model. Got \(2,\)."):
        FORWARD(q, qdot[:2], tau)
    with pytest.raises(rm.RedmaxError, match="runs on the CPU, and q is on meta"):
        FORWARD(q.to("meta"), qdot, tau)


def test_the_page_runs():
    """What it says of PyTorch."""
    (block,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})
