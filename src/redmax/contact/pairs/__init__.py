"""Where two shapes meet: one routine for each pair of kinds, all of one form (table.py)."""
