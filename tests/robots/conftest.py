"""Robots as their makers describe them: a stage of its own, `make robots`, as their files are 131 MB.

At the end there are tables: the largest disagreement with Pinocchio and with MuJoCo of each robot, over all states.
"""

from __future__ import annotations

import os

import pytest

collect_ignore_glob = [] if os.environ.get("REDMAX_ROBOTS") else ["test_*.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tests note what they found as (engine, (robot, {what: disagreement}))."""
    reports = [r for outcome in ("passed", "failed") for r in terminalreporter.stats.get(outcome, []) if r.when == "call"]
    noted = [note for r in reports for note in r.user_properties]
    for engine in dict.fromkeys(engine for engine, _ in noted):
        rows = {robot: numbers for name, (robot, numbers) in noted if name == engine}
        columns = list(dict.fromkeys(what for numbers in rows.values() for what in numbers))
        width = max(map(len, rows))
        terminalreporter.section(f"largest disagreement with {engine}")
        terminalreporter.write_line(" " * width + "".join(f"{what[:13]:>14}" for what in columns))
        for robot, numbers in sorted(rows.items()):
            cells = [f"{numbers[what]:14.1e}" if what in numbers else f"{'-':>14}" for what in columns]
            terminalreporter.write_line(f"{robot:<{width}}" + "".join(cells))
