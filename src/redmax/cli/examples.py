"""The help of a command, and the examples that it ends with: what to type, and what comes of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def examples(*lines: tuple[str, str]) -> str:
    """Lines of (command, what it does), in two columns and in rich's markup."""
    width = max(len(command) for command, _ in lines)
    shown = [f"  [cyan]{escaped(command)}[/]{' ' * (width - len(command))}  [dim]{escaped(about)}[/]" for command, about in lines]
    return "\n".join(["[bold]Examples[/]", *shown])


def with_examples(*lines: tuple[str, str]) -> Callable[[Callable[..., Any]], Any]:
    """Mark a command with the examples that its help ends with."""

    def mark(command: Any) -> Any:
        command.examples = examples(*lines)
        return command

    return mark


def escaped(text: str) -> str:
    """Brackets that are no markup."""
    return text.replace("[", r"\[")


def unwrapped(command: Callable[..., Any]) -> str:
    """The docstring of a command, a line for each paragraph: the terminal knows best where to break it."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
