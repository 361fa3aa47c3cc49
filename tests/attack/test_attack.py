"""A small part of the attack: strangers' files, what is written when processes are killed, and strangers at the live page."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack.crafted import WAYS
from attack.parent import Tally, supervise
from attack.results import CRAFTED

from random_examples import LONG

SECONDS = 600.0  # on the wall; in all they take some seconds of one core


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


def attacked(part: str, numbers, cache: Path, keep: Path, seed: int = 0) -> Tally:
    tally = supervise(part, numbers, seed, SECONDS, 1, keep, cache, quick=True)
    assert tally.done == tally.wanted
    assert [f"{h['index']}: {h['kind']}: {h['what']}" for h in tally.holes] == []
    return tally


def test_functions_of_scene_files(cache, tmp_path):
    tally = attacked("traces", range(12), cache, tmp_path)
    assert tally.outcomes["refused"] > 2
    assert tally.outcomes["agreed"] > 2


def test_mutated_and_hostile_scene_files(cache, tmp_path):
    tally = attacked("scenes", range(14), cache, tmp_path, seed=4)  # whose runs are short
    assert tally.outcomes["refused"] > 3
    assert tally.outcomes["agreed"] > 2  # compiled and interpreted


def test_corrupted_and_crafted_result_files(cache, tmp_path):
    corrupted = [i for i in range(16) if i % CRAFTED != CRAFTED - 1]
    crafted = [CRAFTED * (k + 1) - 1 for k in range(0, len(WAYS), 1 if LONG else 3)]
    tally = attacked("results", [*corrupted, *crafted], cache, tmp_path)
    assert tally.outcomes["refused"] > 5
    assert tally.outcomes["crafted, refused"] > (15 if LONG else 5)


def test_random_calls(cache, tmp_path):
    tally = attacked("calls", range(30), cache, tmp_path)
    assert tally.outcomes["refused"] > 15


def test_kills_while_files_are_written(cache, tmp_path):
    tally = attacked("kills", range(6), cache, tmp_path)
    assert len(tally.outcomes) > 4  # kinds of files, and ways to end


def test_spoiled_entries_of_the_cache(cache, tmp_path):
    attacked("cache", range(4), cache, tmp_path)


def test_strangers_at_the_live_page_and_names_full_of_markup(cache, tmp_path):
    tally = attacked("pages", range(16), cache, tmp_path)
    assert {"stranger", "messages", "names"} <= set(tally.outcomes)


def test_what_an_attempt_does_wrong_is_found(cache, tmp_path):
    tally = supervise("attack_faulty.faulty", range(8), 0, SECONDS, 1, tmp_path, cache)
    found = {hole["index"]: hole["kind"] for hole in tally.holes}
    assert found == {0: "crash", 1: "traceback", 2: "memory", 3: "outside", 4: "outside", 5: "text", 6: "outside"}
    assert tally.outcomes["fine"] == 1
    kept = sorted(p.name for p in tmp_path.iterdir())
    assert "attack_faulty.faulty-0-0.txt" in kept  # the input, and the command that tries it again
