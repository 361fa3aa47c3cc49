"""Islands of trees that touch each other: what goes on in one is nothing to another, so that each ends its own iterations.

They follow from the order in which trees are eliminated: each tree is of the island of those that its elimination reaches, and what
reaches none is the last of an island of its own.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole
from redmax.solvers.contact.columns import ASLEEP, DU, ISLAND

TREES, ISLANDS = 0, 1  # of `live`: how many trees go on, and how many islands there are


@routine
def number_islands(order: Vector, number: Vector, later: Matrix, degree: Vector, island: Vector, live: Vector) -> None:
    """island: of each tree that touches something."""
    live[ISLANDS] = 0.0
    for n in reversed(range(whole(number[0]))):
        k = whole(order[n])
        if degree[k] > 0.5:
            island[k] = island[whole(later[k, 0])]
        else:
            island[k] = live[ISLANDS]
            live[ISLANDS] += 1.0


@routine
def list_awake(C: Matrix, count: Whole, order: Vector, number: Vector, island: Vector, awake: Vector, turns: Vector, live: Vector) -> None:
    """Which contacts go on, and which trees, in their order; others do not move."""
    for c in range(count):
        row = C[c]
        row[ASLEEP] = 1.0 - awake[whole(row[ISLAND])]
        if row[ASLEEP] > 0.5:
            row[DU] = 0.0
            row[DU + 1] = 0.0
            row[DU + 2] = 0.0
    trees = 0.0
    for n in range(whole(number[0])):
        if awake[whole(island[whole(order[n])])] > 0.5:
            turns[whole(trees)] = order[n]
            trees += 1.0
    live[TREES] = trees
