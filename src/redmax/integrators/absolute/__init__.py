"""Bodies in absolute coordinates, each on its own group: method.py says what its steps are."""
