"""Contact with fixed ground of worlds side by side: each point that may touch has a slot of its own, which is open where it does not."""
