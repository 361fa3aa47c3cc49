"""A rule of what goes together in a run: the table of them is run/combinations.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redmax.model.model import Model
from redmax.run.options import VALID, RunOptions
from redmax.run.valid import OneOf

When = Callable[[Model, RunOptions], object]  # what is there, in words or just something true; else nothing


@dataclass(frozen=True)
class Rule:
    """Where `when` finds something, `option` must be one of `valid`.

    feature: what it is about, in words, unless `when` has better ones; advice: what else to do; scene: whether it is the scene's
    """

    feature: str
    when: When
    option: str
    valid: tuple[str, ...]
    advice: str = ""
    scene: bool = True

    def broken(self, model: Model, options: RunOptions) -> str | None:
        """The sentence, where a run breaks it. What the library may choose is never wrong."""
        value = getattr(options, self.option)
        if value is None or value in self.valid:
            return None
        found = self.when(model, options)
        if not found:
            return None
        what = found if isinstance(found, str) else self.feature
        begin = f"The scene has {what}: that" if self.scene else f"{what[0].upper()}{what[1:]}"
        return f"{begin} {self.asks()}. Got {self.option}={value!r}.{' ' * bool(self.advice)}{self.advice}"

    def asks(self) -> str:
        """What it asks for, in words: "goes with dynamics 'redmax' only"."""
        if not self.valid:
            return f"goes with no {self.option}"
        every = VALID[self.option]
        left_out = [name for name in every.names if name not in self.valid] if isinstance(every, OneOf) else []
        if len(left_out) < len(self.valid):
            return f"does not go with {self.option} {either(left_out)}"
        return f"goes with {self.option} {either(self.valid)} only"


def either(names: tuple[str, ...] | list[str]) -> str:
    *most, last = map(repr, names)
    return f"{', '.join(most)} or {last}" if most else last
