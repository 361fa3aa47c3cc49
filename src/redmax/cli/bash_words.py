"""Completion in bash, which takes words apart at colons and equal signs: "redmax:1" comes as three words, of which it replaces the last.

The words are put together before the commands complete them, and what bash keeps is taken off what they offer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from shlex import quote, split

MARKS = ":="  # of those in COMP_WORDBREAKS that words of ours hold


def completes_in_bash() -> bool:
    """Whether a shell asks for words, instead of a person for a command."""
    return os.environ.get("_REDMAX_COMPLETE") == "complete_bash"


def in_bash(program: Callable[[], object], say: Callable[[str], None]) -> None:
    """Let the program complete the words of the environment, as a person typed them."""
    words, place, kept = joined(os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", "0"))
    os.environ |= {"COMP_WORDS": words, "COMP_CWORD": place}
    offered = StringIO()
    try:
        with redirect_stdout(offered):
            program()
    finally:
        for word in filter(None, offered.getvalue().splitlines()):
            say(word.removeprefix(kept))


def joined(words: str, place: str) -> tuple[str, str, str]:
    """(words, place of the one being typed, how much of that bash keeps), with words put together again."""
    try:
        parts, at = split(words), int(place)
    except ValueError:  # a quote that is still open
        return words, place, ""
    parts += [""] * (at + 1 - len(parts))
    found = parts[:1]
    for before, part in pairwise(parts[: at + 1]):
        mark, after = part in tuple(MARKS), before in tuple(MARKS)
        if (mark or after) and len(found) > 1:
            found[-1] += part
        else:
            found.append(part)
    typed = found[-1]
    cut = max(typed.rfind(mark) for mark in MARKS) + 1
    return " ".join(quote(word) if word else "" for word in found), str(len(found) - 1), typed[:cut] if len(found) <= at else ""
