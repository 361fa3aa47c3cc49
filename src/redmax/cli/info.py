"""`redmax info`: what this installation is, and what it runs on; or what a result file holds."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from redmax.cli import completion
from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.extras import EXTRAS
from redmax.cli.options import Debug

CORE = ("numpy", "scipy", "llvmlite", "h5py", "pydantic", "PyYAML", "typer", "rich")
AsJson = Annotated[bool, typer.Option("--json", metavar="", help="Print it as JSON.")]


ResultFile = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]", help="A result file (run --out), to show what it holds.", show_default=False, autocompletion=completion.results
    ),
]


@with_examples(
    ("redmax info", "versions, CPU, cache, GPU"),
    ("redmax info --json", "for programs and bug reports"),
    ("redmax info arm.h5", "what a result file holds"),
)
def info(file: ResultFile = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """Show versions, optional packages, the CPU and its lanes, the cache, and GPUs; or what a result file holds."""
    if file is not None:
        from redmax.cli.result_info import tell_of_result

        tell_of_result(file, as_json)
        return
    facts = gathered()
    if as_json:
        say(json.dumps(facts, indent=2))
        return
    rows = {
        "redmax": f"{facts['redmax']}, Python {facts['python']}, {facts['system']}",
        "packages": ", ".join(f"{name} {version or 'missing'}" for name, version in facts["packages"].items()),
        **{f"[{name}]": extra_line(name, version) for name, version in facts["extras"].items()},
        "CPU": f"{facts['cpu']['name']}; {facts['cpu']['lanes']} doubles side by side, {counted_threads(facts['cpu']['threads'])}",
        "cache": cache_line(facts["cache"]),
        "GPU": f"{', '.join(facts['gpu'])}; not used yet" if facts["gpu"] else "none",
    }
    say("\n".join(f"{label:<10}{text}" for label, text in rows.items()))


def gathered() -> dict[str, Any]:
    from redmax import __version__
    from redmax.backends.llvm.target import host
    from redmax.backends.llvm.threads import threads

    return {
        "redmax": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": {name: version_of(name) for name in CORE},
        "extras": {name: version_of(extra.package) or "installed" if extra.installed else None for name, extra in EXTRAS.items()},
        "cpu": {"name": cpu_name(), "lanes": host().doubles, "threads": threads()},
        "cache": cache_facts(),
        "gpu": gpus(),
    }


def version_of(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def cpu_name() -> str:
    """As the system calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine() or "unknown"


def cache_facts() -> dict[str, Any]:
    from redmax.backends.llvm.cache import SUFFIX, default_folder

    folder = default_folder()
    sizes: list[int] = []
    with suppress(OSError), os.scandir(folder or os.devnull) as files:  # of which there may be hundreds of thousands
        sizes += [file.stat().st_size for file in files if file.name.endswith(SUFFIX)]
    return {"folder": str(folder) if folder else None, "parts": len(sizes), "bytes": sum(sizes)}


def gpus() -> list[str]:
    """Names of NVIDIA GPUs, as their driver lists them."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    query = [command, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def extra_line(name: str, version: str | None) -> str:
    extra = EXTRAS[name]
    return f"{extra.package} {version}" if version else f"missing; {extra.install} adds {extra.adds}"


def cache_line(facts: Mapping[str, Any]) -> str:
    if facts["folder"] is None:
        return "in memory only"
    return f"{facts['folder']}: {facts['parts']:,} compiled parts, {facts['bytes'] / 2**20:.1f} MB"


def counted_threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"
