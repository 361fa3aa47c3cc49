"""A hundred thousand steps of twenty links go forth and back in 200 MB, torques and their slopes among them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LIMIT = 200e6  # bytes
RUN = """
import re, sys
import numpy as np
import redmax as rm

def most():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

N, dt, model = int(sys.argv[2]), 1e-4, rm.Dynamics("chain-20").model
tau = np.zeros((N, model.nv))
def made(steps):
    cost = lambda now: now.q @ now.q
    running = lambda now: now.qdot @ now.qdot + now.tau @ now.tau
    return rm.gradient(model, cost, steps * dt, dt, running=running, by=["q", "qdot", "tau"], integrator=sys.argv[1])
made(10)(tau=tau[:10])
g, before = made(N), most()
found = g(tau=tau)
assert found.by["tau"].shape == tau.shape and np.abs(found.by["tau"][N // 2]).max() > 0
print(most() - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux's /proc")
@pytest.mark.parametrize("integrator", ["forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2"])
def test_a_hundred_thousand_steps(integrator):
    found = subprocess.run([sys.executable, "-c", RUN, integrator, "100000"], capture_output=True, text=True, check=False, timeout=600)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < LIMIT
