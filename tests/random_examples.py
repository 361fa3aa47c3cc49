"""How many random examples a property is tried on: few by `make test`, many by `make long`; fewer still where each is a mechanism to trace.

Every kind of joint in every place of a tree is among the fixed cases of the same files; random trees look for what nobody thought of.
"""

from __future__ import annotations

import os

from hypothesis import settings

LONG = os.environ.get("REDMAX_LONG_TESTS", "") not in ("", "0")


def examples(few: int, many: int) -> settings:
    """As a decorator: the property is tried on so many examples."""
    return settings(max_examples=many if LONG else few)
