"""Compiled code between processes: nothing is compiled twice, damage and races do no harm, memory stays small."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import redmax as rm
from redmax.backends.llvm import engine
from redmax.backends.llvm.cache import decode
from redmax.backends.llvm.target import host
from redmax.program import group as group_module
from redmax.program.known_kernels import KnownKernels
from redmax.program.plan import rows_of

NOBODY = 65534
AS_NOBODY = f"""
import os, concurrent.futures.thread
import llvmlite.binding, numpy.random
import redmax.backends.llvm.executable, redmax.run.simulate
redmax.backends.llvm.engine.source_key()  # read now: that user may not be able to
os.setegid({NOBODY})
os.seteuid({NOBODY})
"""

MODEL = """
import sys, warnings
import numpy as np
import redmax as rm
from redmax.backends.llvm.engine import library
scene = rm.Scene()
parent = None
for i in range(2):
    at = (0.3, 0, 0) if i else None
    parent = scene.add_body(rm.Cuboid((0.3, 0.1, 0.2)), joint=rm.Revolute("y"), parent=parent, at=at, com=(0.15, 0, 0), stiffness=2.0)
model = scene.model()
dyn = rm.Dynamics(model)
q, qdot, tau = np.random.default_rng(0).normal(size=(3, 10, model.nv))
results = [dyn.forward(q[0], qdot[0], tau[0]), dyn.forward(q, qdot, tau), dyn.inverse(q, qdot, tau)]
results += [rm.simulate(model, 0.1, initial=rm.State(0.0, 0.1 * q[0], qdot[0]), integrator="rk4").q]
print(library().compiled)
print(np.concatenate([r.ravel() for r in results]).tobytes().hex())
"""


@dataclass(frozen=True)
class Report:
    """What a process says: kernels compiled, numbers to the bit, complaints."""

    compiled: int
    numbers: str
    errors: str


def environment(cache: Path | str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "REDMAX_CACHE_DIR": str(cache)}


def start(cache: Path | str, before: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", before + MODEL]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(cache))


def finish(process: subprocess.Popen[str]) -> Report:
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    compiled, numbers = out.split()
    return Report(int(compiled), numbers, errors)


@pytest.fixture(scope="module")
def filled() -> Iterator[tuple[Path, Report]]:
    """A folder that two processes have filled at once, and the report of one of them."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "new" / "cache"
        reports = [finish(p) for p in (start(folder), start(folder))]
        assert [r.numbers for r in reports] == [reports[0].numbers] * 2
        assert [r.errors for r in reports] == [""] * 2
        assert [p for p in folder.iterdir() if p.suffix != ".rmo"] == []
        yield folder, Report(len(entries(folder)), reports[0].numbers, "")


def entries(folder: Path, code: bool = True) -> list[Path]:
    """The entries that hold object code, or those that do not."""
    return sorted(p for p in folder.glob("*.rmo") if bool(decode(p.stem, p.read_bytes())[0]) == code)


def copied(folder: Path, to: Path) -> Path:
    to.mkdir(mode=0o700, parents=True)
    for path in folder.glob("*.rmo"):
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_the_second_process_compiles_nothing_and_gives_the_same_bits(filled):
    folder, first = filled
    assert first.compiled > 5
    second = finish(start(folder))
    assert second.compiled == 0
    assert second.numbers == first.numbers
    assert second.errors == ""


def test_damaged_entries_are_compiled_again(filled, tmp_path):
    """One cut short, one with a flipped bit in its code, one empty, one missing; and none of what only tells sizes is there."""
    folder = copied(filled[0], tmp_path / "cache")
    chosen = entries(folder)[:: max(1, len(entries(folder)) // 4)][:4]
    originals = [path.read_bytes() for path in chosen]
    flipped = bytearray(originals[1])
    flipped[-100] ^= 1
    chosen[0].write_bytes(originals[0][:-7])
    chosen[1].write_bytes(flipped)
    chosen[2].write_bytes(b"")
    chosen[3].unlink()
    for path in entries(filled[0], code=False):
        (folder / path.name).unlink()
    report = finish(start(folder))
    assert report.compiled == 4
    assert report.numbers == filled[1].numbers
    assert [len(path.read_bytes()) for path in chosen] == [len(data) for data in originals]
    assert [path.name for path in entries(folder)] == [path.name for path in entries(filled[0])]  # of which each can be decoded


def test_a_folder_that_cannot_be_written_to(filled):
    """As an ordinary user, for whom permissions hold: what is there is used, the rest is compiled, and said once."""
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        folder = copied(filled[0], Path(base) / "cache")
        missing = entries(folder)[:3]
        for path in missing:
            path.unlink()
        before = ""
        if os.geteuid() == 0:
            before = AS_NOBODY
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        folder.chmod(0o500)
        report = finish(start(folder, before))
        folder.chmod(0o700)
        assert report.compiled == len(missing)
        assert report.numbers == filled[1].numbers
        assert report.errors.count("cannot be kept") == 1
        assert len(entries(folder)) == filled[1].compiled - len(missing)


def test_another_number_of_lanes_has_code_of_its_own(filled, tmp_path, monkeypatch):
    folder = copied(filled[0], tmp_path / "cache")
    monkeypatch.setenv("REDMAX_LANES", "2" if host().doubles != 2 else "4")
    report = finish(start(folder))
    assert report.compiled == filled[1].compiled
    assert len(entries(folder)) == 2 * filled[1].compiled


FORK = """
import os, signal
import numpy as np
import redmax as rm
from redmax.backends.llvm import threads
threads.HANDING_OVER = 0.0  # however short the work is
scene = rm.Scene()
scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.5, 0, 0))
dyn = rm.Dynamics(scene.model())
q = np.random.default_rng(0).normal(size=(100, 1))
before = dyn.forward(q, q)
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if (dyn.forward(q, q) == before).all() else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    """Those of the parent's pool do not come with it; a batch must not wait for them."""
    monkeypatch.setenv("REDMAX_THREADS", "2")
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, env=environment(""), check=True)
    assert int(done.stdout) == 0


def test_every_file_that_a_kernel_is_traced_through_is_in_the_hash_of_the_source(monkeypatch):
    """Otherwise a changed equation would meet old object code."""
    hashed = {str(p) for p in engine.PACKAGE.rglob("*.py") if p.relative_to(engine.PACKAGE).parts[0] not in engine.BESIDE}
    scene, met = rm.Scene(), set()
    plain = rm.Fixed(), rm.Universal(), rm.Planar(), rm.Translational(), rm.Spherical(), rm.Free(), rm.Free3D()
    for joint in (rm.Revolute("y"), rm.Prismatic("x"), *plain):
        scene.add_body(rm.Cuboid((0.3, 0.1, 0.2)), joint=joint, stiffness=1.0)
    groups = {row.group for row in rows_of(rm.Simulation(scene, integrator="euler", backend="interpret").plan.blocks)}
    monkeypatch.setattr(group_module, "KNOWN", KnownKernels())  # nothing was traced before
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: met.add(frame.f_code.co_filename))
    for group in groups:
        _ = type(group)(group.recursion, group.signature, group.fields, group.parked).kernels
    sys.setprofile(before)
    inside = {p for p in met if p.startswith(str(engine.PACKAGE))}
    assert len(inside) > 10
    assert inside <= hashed


def test_a_changed_source_changes_the_key_of_every_kernel(tmp_path):
    copy = tmp_path / "redmax"
    shutil.copytree(engine.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def key() -> str:
        engine.source_key.cache_clear()
        return engine.source_key(copy)

    first = key()
    assert first == engine.source_key()  # wherever it lies
    for name in ("lie/three.py", "components/data_and_structure.py", "model/signatures.py", "constraints/coordinate_map.py"):
        before = key()
        (copy / name).write_text((copy / name).read_text() + "\n")
        assert key() != before, name
    before = key()
    (copy / "cli" / "app.py").write_text("")
    assert key() == before


MEMORY = """
import numpy as np
import redmax as rm

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 2**20

scene, parent = rm.Scene(), None
for i in range(20):
    at = (1, 0, 0) if i else None
    parent = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("zy"[i % 2]), parent=parent, at=at, com=(0.5, 0, 0))
dyn = rm.Dynamics(scene.model())
q, qdot, tau = np.random.default_rng(0).uniform(-1, 1, (3, 100_000, 20))
dyn.forward(q[:100], qdot[:100], tau[:100])
before = peak()
result = dyn.forward(q, qdot, tau)
print(peak() - before - result.nbytes / 2**30)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from Linux's /proc")
def test_a_large_batch_needs_little_more_than_its_arrays(filled):
    """100,000 states of a chain of 20: beyond inputs and outputs less than 0.2 GiB (2 GiB for a million)."""
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, env=environment(filled[0]), check=True)
    assert float(done.stdout) < 0.2
