"""The machine a run is on: one core of it, its name, and what is installed. Imports nothing that starts threads."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ONE_THREAD = ("REDMAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PACKAGES = ("numpy", "llvmlite", "pin", "mujoco")


def use_one_core(core: str = "") -> str:
    """Keep this process and its children on one core ("" the last allowed, a number, or "all"); says what was done."""
    for name in ONE_THREAD:
        os.environ[name] = "1"
    if core == "all" or not hasattr(os, "sched_setaffinity"):
        return "one thread, not tied to a core"
    allowed = os.sched_getaffinity(0)
    chosen = int(core) if core else max(allowed)
    if chosen not in allowed:
        raise SystemExit(f"--core is {chosen}, expected one of {sorted(allowed)}, or 'all'.")
    os.sched_setaffinity(0, {chosen})
    return f"one thread on core {chosen} of {os.cpu_count()}"


def cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def load() -> str:
    """How many processes wanted to run in the last minute: beyond the number of cores, figures are not to be trusted."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores" if hasattr(os, "getloadavg") else "unknown"


def describe(core: str) -> dict[str, str]:
    """What the figures depend on. To be asked for before the run, which is a load itself."""
    import redmax
    from redmax.backends.llvm.target import host

    return {
        "CPU": f"{cpu_name()} ({host().cpu})",
        "lanes": f"{host().doubles} doubles",
        "run on": core,
        "load before": load(),
        "Python": sys.version.split()[0],
        "redmax": redmax.__version__,
        **{p: installed(p) for p in PACKAGES},
    }
