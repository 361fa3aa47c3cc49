"""How much memory there is, so that what cannot fit is refused with a sentence before it is allocated, not ended by the system.

The least of what the system has free, what a container may use (cgroup, version 2 and 1), and what the process may have (ulimit -v).
"""

from __future__ import annotations

from pathlib import Path

from redmax.errors import SceneError

SMALL = 64 * 2**20  # bytes for which nobody asks: there is room, or nothing works
GROUPS = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")


def check_room(size: int, what: str, instead: str, owner: str = "", argument: str = "") -> None:
    """Raise unless so many bytes are free. what: needs them; instead: what to do, a sentence; owner, argument: whose it is, and which."""
    if size <= SMALL:
        return
    free = available()
    if free is not None and size > free:
        sentence = f"{what} would take {readable(size)} of memory, but {readable(free)} are free. {instead}"
        raise SceneError(sentence, owner=owner, argument=argument)


def available() -> int | None:
    """Bytes that can still be had, or None where the system does not say."""
    found = [size for size in (of_system(), of_group(), of_process()) if size is not None]
    return max(min(found), 0) if found else None


def of_system() -> int | None:
    for line in lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def of_group() -> int | None:
    """What is left of the limit of a container."""
    for limit, used in GROUPS:
        numbers = [lines(f"/sys/fs/cgroup/{name}") for name in (limit, used)]
        if all(len(n) == 1 and n[0].isdecimal() for n in numbers):
            return int(numbers[0][0]) - int(numbers[1][0])
    return None


def of_process() -> int | None:
    """What is left of the address space that the process may have."""
    try:
        import resource
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    size = lines("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not size:
        return None
    return limit - int(size[0].split()[0]) * resource.getpagesize()


def lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def readable(size: int) -> str:
    """3.2 GB, of bytes."""
    power = 0
    while size >= 1000 ** (power + 1) and power < len(UNITS) - 1:
        power += 1
    return f"{size / 1000**power:.3g} {UNITS[power]}"
