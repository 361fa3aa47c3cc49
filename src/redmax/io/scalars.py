"""What a plain word of a file is: nothing, a truth value, a whole number, a number, or text. Numbers are Python's: 1e-3 is one."""

from __future__ import annotations

import re
from typing import Any

WORDS = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
    ".inf": float("inf"),
    "-.inf": -float("inf"),
    ".nan": float("nan"),
}
WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,4})?")


def scalar(word: str) -> Any:
    """The value of a plain word."""
    if word in WORDS:
        return WORDS[word]
    if len(word) > 400:
        return word
    if WHOLE.fullmatch(word):
        return int(word)
    return float(word) if NUMBER.fullmatch(word) else word
