"""Text from elsewhere, shown: names and titles from files are characters to read, never orders to a terminal.

A name may hold the escape that clears a screen, or the mark that turns the text behind it around. What a terminal would obey, or could not
show, is written as Python does in a string: \\x1b, \\u202e, \\ud800.
"""

from __future__ import annotations

JOINERS = "\u200c\u200d"  # within words of several scripts, and within emoji
LINES = "\n\t"


def printable(text: str, keep: str = LINES) -> str:
    """The text without control characters, marks of direction, and halves of characters. keep: characters that may stay all the same."""
    return text if text.isprintable() else "".join(c if is_shown(c) or c in keep else escaped(c) for c in text)


def one_line(text: str) -> str:
    """As `printable`, with line breaks written out too."""
    return printable(text, "")


def is_shown(character: str) -> bool:
    return character.isprintable() or character in JOINERS or is_space(character)


def is_space(character: str) -> bool:
    """Spaces of any width, but no line breaks."""
    from unicodedata import category

    return category(character) == "Zs"


def escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
