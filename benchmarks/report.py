"""Rows of figures, as a table on the terminal, a page of Markdown, and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FILE_WIDTH = 200  # where the output is not a terminal
HEAD = ("figure", "case", "redmax", "peer", "its time", "redmax / peer", "faster", "target", "met", "agrees to", "note")


@dataclass(frozen=True)
class Target:
    """A bound on a row: `seconds` on redmax's time, `ratio` on redmax / peer, `faster` on peer / redmax (at least)."""

    seconds: float | None = None
    ratio: float | None = None
    faster: float | None = None

    def __str__(self) -> str:
        if self.seconds is not None:
            return f"<= {duration(self.seconds)}"
        return f"<= {self.ratio:g}" if self.ratio is not None else f">= {self.faster:g} x"

    def met(self, row: Row) -> bool:
        if self.seconds is not None:
            return row.redmax is not None and row.redmax <= self.seconds
        if row.ratio is None:
            return False
        return row.ratio <= self.ratio if self.ratio is not None else row.ratio * (self.faster or 0) <= 1


@dataclass(frozen=True)
class Row:
    """redmax, peer_time: best seconds; ratio: median of redmax / peer over interleaved turns; agreement: how much the results differ."""

    figure: str
    case: str
    redmax: float | None
    peer: str = ""
    peer_time: float | None = None
    ratio: float | None = None
    target: Target | None = None
    agreement: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        return "" if self.target is None else "met" if self.target.met(self) else "MISSED"

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            self.figure,
            self.case,
            duration(self.redmax),
            self.peer,
            duration(self.peer_time),
            figures(self.ratio),
            f"{figures(1 / self.ratio)} x" if self.ratio and not self.peer.startswith("redmax") else "",
            str(self.target or ""),
            self.verdict,
            f"{self.agreement:.0e}" if self.agreement is not None else "",
            self.note,
        )

    @property
    def entry(self) -> dict[str, object]:
        return {**vars(self), "target": str(self.target) if self.target else None, "met": self.verdict == "met" if self.target else None}


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{figures(seconds / scale)} {unit}"
    return f"{figures(seconds * 1e9)} ns"


def figures(x: float | None) -> str:
    """Three significant ones, never in powers of ten."""
    if x is None:
        return ""
    return f"{x:.0f}" if x >= 100 else f"{x:#.3g}".rstrip(".") if x >= 0.001 else f"{x:.6f}"


def caption(machine: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in machine.items())


def summary(rows: Sequence[Row]) -> str:
    judged = [r for r in rows if r.target]
    missed = [f"{r.figure}, {r.case}" for r in judged if r.verdict != "met"]
    return f"{len(judged) - len(missed)} of {len(judged)} targets met." + (f" Missed: {'; '.join(missed)}." if missed else "")


def show(rows: Sequence[Row], machine: dict[str, str]) -> None:
    """The table on the terminal; plain text where rich is not installed."""
    print(caption(machine))
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(plain([HEAD, *(r.cells for r in rows)]))
    else:
        table = Table(pad_edge=False)
        for name in HEAD:
            table.add_column(name, justify="left" if name in ("figure", "case", "peer", "note") else "right", overflow="fold")
        for i, row in enumerate(rows):
            style = {"met": "green", "MISSED": "bold red", "": ""}[row.verdict]
            last = i + 1 == len(rows) or rows[i + 1].figure != row.figure
            table.add_row(*row.cells, style=style, end_section=last)
        console = Console()
        (console if console.is_terminal else Console(width=FILE_WIDTH)).print(table)
    print(summary(rows))


def plain(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)


def write(rows: Sequence[Row], machine: dict[str, str], out: Path) -> list[Path]:
    """Markdown at `out`, and the same as JSON beside it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = [HEAD, ["---"] * len(HEAD), *(r.cells for r in rows)]
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    out.write_text(f"# Benchmarks\n\n{caption(machine)}\n\n{table}\n\n{summary(rows)}\n")
    data = out.with_suffix(".json")
    data.write_text(json.dumps({"machine": machine, "rows": [r.entry for r in rows]}, indent=1) + "\n")
    return [out, data]
