"""Every error this library raises on purpose, and how its sentence quotes a value; catch `RedmaxError` for all of them."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterable, Sized
from difflib import get_close_matches
from itertools import islice
from types import TracebackType
from typing import Any

import numpy as np

from redmax.text import printable

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
WRAPPED = (PACKAGE, contextlib.__file__, "<string>")  # what stands between a user and our code: managers, and what dataclasses write
SHOWN = 16  # numbers of an array that a sentence shows
LENGTH = 160  # characters of a value in a sentence
LONGEST, MOST, LETTERS = 60, 5_000, 10_000  # of a name, names, and letters against letters, that are compared to find what was meant


def made_again(kind: type[BaseException], arguments: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    """An error as it was, whatever its constructor takes: what unpickling calls."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class Phrase(str):
    """Words of a sentence that stand for a name: "cells along x" for the argument cells, "Joint 'hinge'" for the joint hinge."""

    name: str

    def __new__(cls, words: str, name: str) -> Phrase:
        self = super().__new__(cls, words)
        self.name = name
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.name


def called(kind: str, name: str) -> Phrase:
    """What sentences call something that has a name in its scene: Body 'arm'."""
    return Phrase(f"{kind} {name!r}", str(name))


def name_in(words: str) -> str:
    """What words stand for."""
    return words.name or str(words) if isinstance(words, Phrase) else words


class RedmaxError(Exception):
    """Base of all errors of this library. Its sentence may quote a file, and is safe to print.

    What the sentence is about, as far as it is one thing, so that others need not understand English; each a text, empty if not known:
    owner: who was given it, a class such as Cuboid or the name of something in a scene; argument: its name, as the constructor has it;
    got: what was given, as the sentence quotes it; expected: what is valid
    """

    owner: str = ""
    argument: str = ""
    got: str = ""
    expected: str = ""

    def __init__(self, *sentence: Any, owner: str = "", argument: str = "", got: str = "", expected: str = "") -> None:
        super().__init__(*sentence)
        parts = {"owner": name_in(owner), "argument": name_in(argument), "got": got, "expected": expected}
        self.__dict__.update({part: words for part, words in parts.items() if words})

    def __reduce__(self) -> Any:
        return made_again, (type(self), self.args, self.__dict__.copy())

    def __str__(self) -> str:
        return printable(super().__str__())


class SceneError(RedmaxError, ValueError):
    """Something given to a scene is not valid: a dimension, a mass, a name, a combination."""


class RedmaxWarning(UserWarning):
    """Something that works, but probably not as meant."""

    def __str__(self) -> str:
        return printable(super().__str__())


def warn(sentence: str) -> None:
    """A RedmaxWarning at the line of the user's own code from which the library was called, however deep it noticed."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(WRAPPED):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, RedmaxWarning, stacklevel=level)


class SimulationError(RedmaxError, RuntimeError):
    """A run could not go on. reason: what happened; trajectory: what was computed until then (or None)."""

    trajectory: Any

    def __init__(self, reason: str, trajectory: Any = None) -> None:
        kept = ""
        if trajectory is not None:
            kept = f" What was computed until then, {samples_in_words(len(trajectory))}, is in the error's trajectory."
        super().__init__(reason + kept)
        self.reason, self.trajectory = reason, trajectory

    def __reduce__(self) -> Any:
        """With the trajectory, if its scene has a text: another process is told what happened in any case."""
        try:
            if self.trajectory is not None:
                self.trajectory.__reduce__()
        except RedmaxError:
            return made_again, (type(self), (self.reason,), self.__dict__ | {"trajectory": None})
        return super().__reduce__()


def samples_in_words(count: int) -> str:
    """How many there are."""
    return f"{count:,} sample{'s' * (count != 1)}"


class Interrupted(KeyboardInterrupt):
    """A run was interrupted from outside, as by Ctrl-C; `trajectory` holds what was computed until then."""

    def __init__(self, trajectory: Any) -> None:
        super().__init__(f"interrupted at t = {trajectory.t[-1]:g} s; what was computed until then is in the error's trajectory")
        self.trajectory = trajectory

    def __reduce__(self) -> Any:
        return made_again, (type(self), self.args, self.__dict__.copy())


class About:
    """Within it, errors that do not know their owner or their argument are told: those of what a constructor calls for an argument."""

    def __init__(self, owner: str, argument: str = "") -> None:
        self.parts = {"owner": name_in(owner), "argument": name_in(argument)}

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if isinstance(error, RedmaxError):
            tell(error, **self.parts)


def tell(error: RedmaxError, owner: str, argument: str = "") -> RedmaxError:
    """The error, told its owner and its argument where it does not know them."""
    parts = {"owner": name_in(owner), "argument": name_in(argument)}
    error.__dict__.update({part: name for part, name in parts.items() if name and not getattr(error, part)})
    return error


def wrong(owner: str, argument: str, got: Any, expected: str, but: str = "") -> SceneError:
    """The error of one argument that is not what it should be: the sentence, and its parts. but: what is wrong with it, after a comma."""
    said = brief(got)
    parts = {"owner": owner, "argument": argument, "got": said, "expected": expected}
    return SceneError(f"{owner}: {argument} is {said}{but}, expected {expected}.", **parts)


class NoInertia(SceneError):
    """A degree of freedom that moves no inertia, found while tracing: it has no equation of motion."""

    def __init__(self, who: str = "A degree of freedom") -> None:
        fix = "Give what it moves mass away from its axis, or remove it"
        owner = who if isinstance(who, Phrase) else ""
        super().__init__(f"{who} moves no inertia, so that it has no equation of motion. {fix}.", owner=owner)


class TraceError(RedmaxError, TypeError):
    """A function cannot be traced: for example an `if` on a traced value."""


class NoValue(TraceError, ArithmeticError):
    """Constants of a traced function have no value: 1/0, log(0). why: without the line that asks for it."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}.")
        self.where, self.why = where, why


def brief(value: Any) -> str:
    """The value in a sentence: short arrays whole, long ones by their shape, anything else as its repr, cut."""
    try:
        text = " ".join(quoted(value).split())
    except Exception:  # too many digits for Python to write, or a repr that raises
        text = f"a whole number of {value.bit_length()} bits" if isinstance(value, int) else f"an object of type {type(value).__name__}"
    return text if len(text) <= LENGTH else text[: LENGTH - 3] + "..."


def quoted(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()  # -1.0, not np.float64(-1.0)
    if isinstance(value, list | tuple) and any(isinstance(x, np.ndarray) for x in value) and len({np.shape(x) for x in value}) == 1:
        value = np.array(value)
    if isinstance(value, np.ndarray):
        return repr(value.tolist()) if value.size <= SHOWN else f"an array of shape {value.shape}"
    if isinstance(value, str | bytes | list | tuple):
        value = cut(value)
    elif isinstance(value, Sized) and len(value) > LENGTH:  # its repr may take longer than all else
        return f"a {type(value).__name__} of {len(value)}"
    return repr(value)


def cut(value: Any, deep: int = 2) -> Any:
    """No more of texts and lists, and of those within, than a sentence has room for."""
    if isinstance(value, str | bytes | list | tuple) and len(value) > LENGTH:
        value = value[:LENGTH]
    return type(value)(cut(x, deep - 1) for x in value) if deep and type(value) in (list, tuple) else value


def near_names(name: object, known: Iterable[str]) -> list[str]:
    """Up to three names that look like this one. Of very many, or very long ones, only some are compared: that would take long."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST:
        return []
    n = len(name)
    alike = [w for w in islice(known, MOST) if 3 * n <= 7 * len(w) and 3 * len(w) <= 7 * n]  # others are too short or too long to be near
    most = LETTERS // n**2 + 1
    if len(alike) > most:
        alike = [w for w in alike if w[0] == name[0] or w[-1] == name[-1]][:most]
    return get_close_matches(name, alike, 3)


def unknown(what: str, name: str, known: list[str]) -> str:
    """The sentence for a name that is not there, with near ones."""
    near = near_names(name, known)
    if near:
        return f"There is no {what} {brief(name)}. Did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(known) - 20} more" if len(known) > 20 else ""
    there = f"Known: {', '.join(map(repr, known[:20]))}{more}." if known else f"There is no {what} yet."
    return f"There is no {what} {brief(name)}. {there}"
