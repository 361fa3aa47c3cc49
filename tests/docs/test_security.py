"""The numbers on the page about security are those of the code, and the attack does as much as the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from attack import calls, kills, results, scenes
from redmax.io import budget, document, expressions, running, source, traces, valid_trace
from redmax.view.live import address, messages

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8").split())


@pytest.mark.parametrize(
    "said",
    [
        f"| levels of nesting | {source.DEPTH} |",
        f"| included files | {document.FILES}, {document.LEVELS} deep |",
        f"| characters of an expression | {expressions.LENGTH:,} |",
        f"| operations of one function | {traces.MOST:,} |",
        f"| numbers in the arguments and parameters of one function | {valid_trace.NUMBERS:,} |",
        f"| steps that its section `run` asks for | {running.MOST_STEPS:,} |",
        f"`{budget.VARIABLE}=10`",
        f"listens at {address.HOST}",
        f"above {messages.LARGEST // 2**10} KiB",
        f"more than {messages.PER_SECOND} a second",
        f"{scenes.COUNT:,} mutated scene files",
        f"{results.COUNT - results.COUNT // results.CRAFTED:,} corrupted and {results.COUNT // results.CRAFTED} crafted result files",
        f"{calls.COUNT:,} random calls",
        f"{kills.COUNT:,} kills",
    ],
)
def test_a_number_is_that_of_the_code(said):
    assert said in PAGE


def test_the_budget_keeps_what_the_page_promises():
    """Prices are of an ordinary core: there is room for a slower one."""
    assert budget.WORK * 2 <= 2_000_000  # microseconds
    assert budget.MEMORY < 500 * 10**6
