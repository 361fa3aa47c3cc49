"""The house in order: no file too long to be read at once, nothing written twice."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "redmax"
LONGEST, TWICE = 300, 11  # lines of a file; lines that stand twice


def test_no_file_is_longer_than_300_lines():
    lengths = {path.relative_to(SOURCE).as_posix(): len(path.read_text().splitlines()) for path in SOURCE.rglob("*.py")}
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_no_block_of_more_than_ten_lines_stands_twice():
    """Lines of code, without those that are empty, imports and the names that an import lists."""
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        lines = [(n, text) for n, raw in enumerate(path.read_text().splitlines(), 1) if (text := raw.strip()) and is_code(text)]
        for i in range(len(lines) - TWICE + 1):
            block = lines[i : i + TWICE]
            places[tuple(text for _, text in block)].append(f"{path.relative_to(SOURCE)}:{block[0][0]}")
    assert [found for found in places.values() if len(found) > 1] == []


def is_code(text: str) -> bool:
    return not text.startswith(("import ", "from ", "#")) and not text.rstrip(",").isidentifier() and text not in ("(", ")", "]", "}")


def test_the_formulations_have_files_of_the_same_names():
    """So that a diff teaches the difference."""
    for folder in ("recursive", "redmax", "maximal", "soft"):
        found = {path.name for path in (SOURCE / "dynamics" / folder).iterdir()}
        assert {"joints.py", "forces.py", "solve.py", "system.py"} <= found, folder
