"""Entries of a cache, for its tests."""

from __future__ import annotations

import hashlib
from pathlib import Path

META = {"entry": "f", "sizes": [1, 2, 3], "nested": {"a": 0.1, "b": None}}


def key(name: object) -> str:
    return hashlib.sha256(str(name).encode()).hexdigest()


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())
