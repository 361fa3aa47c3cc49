"""Ctrl-C acts within half a second wherever a run is, keeps what was computed, and leaves everything fit for the next run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import redmax as rm
from redmax.backends.llvm import engine
from redmax.backends.llvm.threads import Halted, together
from redmax.scenes import find

# One process for all cases: a thread sends it SIGINT and notes the processor time, which goes on while compiled code does.
CHILD = """
import json, os, signal, threading, time
import numpy as np
import redmax as rm
from redmax.scenes import find

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background of a shell has not
model, noted, found = find("double-pendulum").scene().model(), [], {}

def press_ctrl_c_after(seconds):
    "Of processor time: on a busy machine a moment of the clock may pass without a step."
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        time.sleep(0.002)
    noted.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

def soon(seconds):
    threading.Thread(target=press_ctrl_c_after, args=(seconds,)).start()

class Begun:
    "A progress that has Ctrl-C pressed a moment after all is compiled."
    begun = False
    def __call__(self, t, end):
        pass
    def energy(self, kinetic, potential):
        if not self.begun:  # once: a second one would be pressed in the next run
            self.begun = True
            soon(0.05)

def interrupted(name, what):
    "What the error holds; notes how much processor time passed from the signal to the error."
    noted.clear()
    try:
        what()
    except KeyboardInterrupt as error:
        found[name] = time.process_time() - noted[0]
        return getattr(error, "trajectory", None)

def simulate(name, **options):
    return interrupted(name, lambda: rm.simulate(model, progress=Begun(), **options))


def worlds(count):
    q = np.random.default_rng(0).uniform(-1, 1, (count, 2))
    return rm.State(0.0, q, 0 * q)

one_sample = dict(duration=1e5, dt=1e-3, every=10**8)
for case in ("rk4 alone", "rk4 batch", "euler batch", "implicit alone", "adaptive alone", "adaptive batch", "bdf1 alone", "bdf1 batch"):
    integrator, how = case.split()
    run = simulate(case, integrator=integrator, initial=worlds(2000) if how == "batch" else None, **one_sample)
    assert len(run.t) == 1 and not run.complete
for dynamics in ("redmax", "maximal"):
    simulate(dynamics, integrator="rk4", dynamics=dynamics, **one_sample)
os.environ["REDMAX_THREADS"] = "3"
simulate("threads", integrator="rk4", initial=worlds(2000), **one_sample)
simulate("threads adaptive", initial=worlds(50), **one_sample)
os.environ["REDMAX_THREADS"] = "1"

# The samples before the signal are those of the run: two that were interrupted at different times agree.
parts = [simulate(f"far samples {k}", duration=1e6, dt=1.0) for k in range(2)]
short, long = sorted((p.q for p in parts), key=len)
found["samples"] = len(short), len(long), bool(np.array_equal(short, long[: len(short)]))

# A simulation stays where it was, and goes on as if nothing had been.
sim, fresh = (rm.Simulation(model, dt=1e-3, integrator="rk4") for _ in range(2))
before = sim.step(10)
def far():
    soon(0.15)
    sim.advance(10**8, np.zeros(2), *sim.room(1))
interrupted("steps", far)
found["unmoved"] = bool(np.array_equal(sim.state.q, before.q) and sim.state.t == before.t)
found["goes on"] = bool(np.array_equal(sim.step(10).q, fresh.step(20).q))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "REDMAX_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ctrl_c_acts_within_half_a_second_of_processor_time(found):
    """In the middle of one sample that would take minutes; with several threads, all of which stop."""
    took = {case: seconds for case, seconds in found.items() if isinstance(seconds, float)}
    assert {"rk4 alone", "bdf1 batch", "redmax", "maximal", "threads", "threads adaptive", "far samples 0", "steps"} <= set(took)
    for case, seconds in took.items():
        assert seconds < 0.5, case


def test_samples_before_ctrl_c_are_kept_to_the_last_bit(found):
    """Also those of the portion that was cut: a run of 50 and more samples is computed a thousand at a time."""
    shorter, longer, same = found["samples"]
    assert 1 < shorter <= longer < 1e6
    assert shorter % 1000 or longer % 1000
    assert same


def test_a_simulation_is_where_it_was_and_goes_on(found):
    assert found["unmoved"]
    assert found["goes on"]


def test_a_pause_changes_no_bit(monkeypatch):
    """Calls of compiled code as short as they can be, against one long call: steps of any kind, forces between bodies, batches."""
    from redmax.backends.llvm import executable

    def runs():
        q = np.random.default_rng(1).uniform(-1, 1, (11, 2))
        start = rm.State(0.0, q, 0 * q)
        pendulum, coupled = find("double-pendulum").scene(), find("point-springs").scene()
        cases = [(pendulum, "rk4", start), (pendulum, "adaptive", start), (coupled, "implicit", None), (coupled, "rk4", None)]
        found = [rm.simulate(scene, 0.2, 0.01, integrator=name, initial=initial).q for scene, name, initial in cases]
        return [*found, rm.Dynamics(pendulum.model()).forward(q, q, q)]

    calls = []
    whole = executable.Workspace.go_on
    monkeypatch.setattr(executable, "SECONDS", 1e-12)  # no time at all: each call gets the smallest budget
    monkeypatch.setattr(executable.Workspace, "go_on", lambda self, halt: calls.append(self) or whole(self, halt))
    paused = runs()
    assert min(w.lowered.budget for w in calls) == executable.SMALLEST
    monkeypatch.undo()
    for short, long in zip(paused, runs(), strict=True):
        np.testing.assert_array_equal(short, long)


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_ctrl_c_while_threads_begin_leaves_none_at_work(monkeypatch, moment):
    """One that went on would write into the caller's arrays, and let the process end only with its run: the cause of a test that hung."""
    submit, calls, at_work = ThreadPoolExecutor.submit, [], set()

    def interrupted(pool, *work):
        calls.append(submit(pool, *work))
        if len(calls) == moment:
            raise KeyboardInterrupt
        return calls[-1]

    def work(start, stop, halt):
        at_work.add(start)
        given_up = halt.wait(20.0)
        at_work.discard(start)
        assert given_up
        raise Halted

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        together(work, [0, 10, 20, 30])
    assert not at_work
    assert all(isinstance(call.exception(5.0), Halted) for call in calls)


def test_ctrl_c_while_compiling_waits_for_no_more_modules(monkeypatch):
    started = []

    def compile_one(text):
        started.append(text)
        if len(started) == 2:
            raise KeyboardInterrupt
        return b""

    monkeypatch.setattr(engine, "compile_one", compile_one)
    with pytest.raises(KeyboardInterrupt):
        engine.compile_all([str(k) for k in range(2000)])
    assert len(started) < 2000


def test_a_large_module_is_not_compiled_by_the_thread_that_hears_of_ctrl_c(monkeypatch):
    from threading import get_ident

    monkeypatch.setattr(engine, "compile_one", lambda text: get_ident())
    assert engine.compile_all(["x" * engine.LONG]) != [get_ident()]
    assert engine.compile_all(["x"]) == [get_ident()]
