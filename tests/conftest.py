"""Hypothesis runs the same examples every time, without a clock: a failure is a failure for everyone."""

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci")
