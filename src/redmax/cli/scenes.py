"""`redmax scenes`: what there is to run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from redmax.cli.console import say
from redmax.cli.examples import with_examples
from redmax.cli.options import Debug
from redmax.errors import RedmaxError

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from redmax.scenes import Entry

NARROW, PIPE = 110, 160  # columns: below the first the table has two columns; the second is for those who read a pipe

Words = Annotated[
    list[str] | None, typer.Argument(metavar="WORD", help="Only scenes with these words in what is listed.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", metavar="", help="Print the catalogue as JSON.")]


@with_examples(
    ("redmax scenes", "all of them"),
    ("redmax scenes muscles", "those with muscles"),
    ("redmax scenes spline surface", "with both words"),
    ("redmax scenes redmax-diff --json", "for programs"),
)
def scenes(words: Words = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """List the catalogue: name, reference id, title and the features that each scene shows."""
    entries = chosen(words or [])
    if as_json:
        say(json.dumps([entry.facts() for entry in entries], indent=2))
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPE)
    console.print(narrow(entries) if console.width < NARROW else wide(entries))


def chosen(words: Sequence[str]) -> list[Entry]:
    """The entries in which every word is found."""
    from redmax.scenes import CATALOGUE

    found = [entry for entry in CATALOGUE if all(word.casefold() in text_of(entry) for word in words)]
    if not found:
        known = sorted({w for entry in CATALOGUE for w in (entry.name, *entry.features, *text_of(entry).replace(",", "").split())})
        near = [match for word in words for match in get_close_matches(word.casefold(), known, 2)]
        meant = f"Did you mean {' or '.join(map(repr, near))}?" if near else "`redmax scenes` lists all."
        raise RedmaxError(f"No scene has {' and '.join(map(repr, words))} in its name, title or features. {meant}")
    return found


def text_of(entry: Entry) -> str:
    return ", ".join((entry.name, entry.reference, entry.title, *entry.features)).casefold()


def wide(entries: Sequence[Entry]) -> Table:
    table = plain_table("name", "reference", "title", "features")
    for entry in entries:
        table.add_row(*cells(entry.name, entry.reference, entry.title, ", ".join(entry.features)))
    return table


def narrow(entries: Sequence[Entry]) -> Table:
    """In two columns, the second with a line for the title and one or more for the features."""
    from rich.text import Text

    table = plain_table("name", "what it shows")
    for entry in entries:
        name = Text.assemble(entry.name, (f"\n{entry.reference}" if entry.reference else "", "dim"))
        table.add_row(name, Text.assemble(entry.title, (f"\n{', '.join(entry.features)}", "dim")))
    return table


def plain_table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column in ("name", "reference"), style="cyan" if column == "name" else "")
    return table


def cells(*texts: str) -> list[Text]:
    """Text as it stands: brackets in it are no markup."""
    from rich.text import Text

    return [Text(text) for text in texts]
