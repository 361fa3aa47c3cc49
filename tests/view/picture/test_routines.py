"""The routines that draw pictures: run by Python, statement by statement, they say what the compiled ones say."""

from dataclasses import replace

import numpy as np
import pytest

from redmax.view import DrawingView
from redmax.view.picture import compiled
from redmax.view.picture.compiled import Memory
from view.picture.stages import RED, ball, box, stage

SIZE = (16, 16)


@pytest.mark.parametrize("clear", [None, "transparent"])
def test_a_small_picture_is_the_same_interpreted(monkeypatch, clear):
    from redmax.view.picture.pictures import painter

    glass = replace(box((0.9, 0.2, 0.3), (0.1, 1.2, 1.2), "#2040d0"), opacity=0.4)
    y, z = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 4), indexing="ij")
    sheet = DrawingView("sheet", np.stack([0.6 + 0.2 * y, y, z], axis=-1), np.eye(4)[None])
    shown = stage([ball((0, 0, 0.4), 0.8, RED, bands=6), box((0.5, 1, -1), (1, 1, 0.3), "#20a040"), glass], drawings=[sheet])
    found = painter(shown, size=SIZE, camera=(-50, 30), background=clear)
    object.__setattr__(found.sight.lamp, "pixels", 64)
    fast = found.paint(0.0)

    def interpreted(self: Memory, routine, *given):
        words = [self.word(kind, value) for kind, value in zip(routine.parameters.values(), given, strict=True)]
        routine.call(self.array, routine.row(*words))

    monkeypatch.setattr(compiled.Memory, "call", interpreted)
    slow = found.paint(0.0)
    assert (np.abs(fast.astype(int) - slow) > 2).mean() < 0.01  # where rounding decides which of two triangles is in front
