"""Who made a result file: versions, machine, time."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "llvmlite", "h5py")


def provenance(dtype: str) -> dict[str, Any]:
    """By the names of the file's attributes."""
    import platform
    from datetime import UTC, datetime

    import h5py

    from redmax.backends.llvm.target import host

    found: dict[str, Any] = {"redmax_version": this_version(), "python_version": platform.python_version()}
    found |= {f"{name}_version": installed(name) for name in PACKAGES}
    found |= {"hdf5_version": h5py.version.hdf5_version, "platform": platform.platform(), "cpu": host().cpu, "lanes": host().lanes(dtype)}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    writer = {"writer_host": os.uname().nodename, "writer_pid": os.getpid(), "writer_began": began(os.getpid())}
    return found | {"created": now, **writer}


def began(pid: int) -> str:
    """When a process began, which tells it from later ones with its number; empty where the system does not say (proc(5), starttime)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def this_version() -> str:
    return str(sys.modules["redmax"].__version__)


def installed(name: str) -> str:
    if name in sys.modules:  # which is quicker than to look for the package
        return str(getattr(sys.modules[name], "__version__", "unknown"))
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
