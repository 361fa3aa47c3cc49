"""Islands of trees that touch each other: what goes on in one is nothing to another, so that each ends its own iterations.

They follow from the order in which trees are eliminated: each tree is of the island of those that its elimination reaches, and what
reaches none is the last of an island of its own.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole
from redmax.solvers.contact.columns import DU, TREE_A

CONTACTS, TREES, ISLANDS = 0, 1, 2  # of `live`: how many contacts and trees go on, and how many islands there are


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
def list_awake(
    C: Matrix, count: Whole, order: Vector, number: Vector, island: Vector, awake: Vector, listed: Vector, turns: Vector, live: Vector
) -> None:
    """The contacts and, in their order, the trees of islands that go on; others do not move."""
    contacts, trees = 0.0, 0.0
    for c in range(count):
        if awake[whole(island[whole(C[c, TREE_A])])] > 0.5:
            listed[whole(contacts)] = float(c)
            contacts += 1.0
        else:
            C[c, DU] = 0.0
            C[c, DU + 1] = 0.0
            C[c, DU + 2] = 0.0
    for n in range(whole(number[0])):
        if awake[whole(island[whole(order[n])])] > 0.5:
            turns[whole(trees)] = order[n]
            trees += 1.0
    live[CONTACTS] = contacts
    live[TREES] = trees
