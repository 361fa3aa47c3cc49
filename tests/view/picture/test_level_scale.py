"""Pictures of muscles have a scale of their colours, with a name; others, and those without marks, have none."""

from __future__ import annotations

import numpy as np
import pytest

from muscles.test_histories import elbow
from redmax.view.initial import initial_run
from redmax.view.picture import pixels
from redmax.view.picture.level_scale import scale, with_scale
from redmax.view.picture.theme import theme
from redmax.view.stage import stage_of


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_bar_goes_from_the_colour_of_0_to_that_of_1(name):
    grey = np.full((400, 640, 3), 128, np.uint8)
    picture = with_scale(grey.copy(), theme(name))
    changed = (picture != grey).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert rows.min() > 350
    assert columns.max() < 0.3 * 640
    cover, bar, share = scale(5.5)
    for end, colour in zip((0.1, 0.9), theme(name).level_ends, strict=True):
        row, column = np.argwhere(bar & (cover == 1) & (np.abs(share - end) < 0.05))[0]
        found = picture[400 - 9 - cover.shape[0] + row, 9 + column] / 255
        assert np.abs(found - colour).max() < 0.2


def test_it_is_left_out_where_there_is_no_room_and_covers_what_is_clear():
    small = np.full((30, 40, 3), 128, np.uint8)
    assert (with_scale(small.copy(), theme("light")) == 128).all()
    clear = with_scale(np.zeros((400, 640, 4), np.uint8), theme("light"))
    assert clear[..., 3].max() == 255
    assert (clear[:300] == 0).all()


def test_pictures_of_muscles_have_it():
    seen = stage_of(initial_run(elbow()))
    corner = np.s_[-40:, :120]
    with_it, without = (pixels(seen, size=(320, 200), marks=marks)[corner].astype(int) for marks in (True, False))
    blue = (with_it[..., 2] - with_it[..., 0]) - (without[..., 2] - without[..., 0])
    assert blue.max() > 60
