"""What tests of files share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redmax.io.save import scene_data
from redmax.io.yaml_text import dumped
from redmax.scenes import Entry


@pytest.fixture(scope="session")
def saved() -> Callable[[Entry], str]:
    """The text of a catalogue scene as it is saved, made once."""
    texts: dict[str, str] = {}

    def text(entry: Entry) -> str:
        if entry.name not in texts:
            texts[entry.name] = dumped(scene_data(entry.scene()))
        return texts[entry.name]

    return text
