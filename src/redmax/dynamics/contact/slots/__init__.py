"""Contact with fixed ground in batches, worlds side by side: points and rows in slots that all worlds have, and the stages of a step."""
