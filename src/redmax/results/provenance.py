"""Who made a result file: versions, machine, time."""

from __future__ import annotations

import os
import sys
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
    return found | {"created": now, "writer_host": os.uname().nodename, "writer_pid": os.getpid()}


def this_version() -> str:
    return str(sys.modules["redmax"].__version__)


def installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
