"""In which order trees that touch are eliminated: by least degree, done anew only when other trees touch each other than before."""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot, whole
from redmax.solvers.contact.columns import TREE_A, TREE_B
from redmax.solvers.contact.tree_blocks import MISSING


@routine
def order_trees(
    C: Matrix, count: Whole, N: Matrix, before: Matrix, at: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector,
    number: Vector, sizes: Vector, widths: Vector, used: Vector, always: Wholes, one: Wholes, two: Wholes, room: Whole,
    trees: Whole, pairs: Whole,
) -> None:  # fmt: skip
    """Which trees touch which, N (with their own in the diagonal), and, where that has changed, the order and the place of all blocks.

    order: the trees that touch something, `number` of them; later: of each, those that its elimination reaches, `degree` of them
    used: how much room blocks take; more than `room` ends the run; one, two: pairs of trees that forces couple
    """
    for i in range(trees):
        N[i, 0:trees] = 0.0
        N[i, i] = float(always[i])  # trees that constraints hold, or forces couple
    for k in range(pairs):
        N[one[k], two[k]] = 1.0
        N[two[k], one[k]] = 1.0
    for c in range(count):
        a, b = whole(C[c, TREE_A]), whole(C[c, TREE_B])
        N[a, a] = 1.0
        if C[c, TREE_B] > MISSING + 0.5:
            N[b, b] = 1.0
            N[a, b] = 1.0
            N[b, a] = 1.0
    changed = 0.0
    for i in range(trees):
        changed += dot(N[i, 0:trees] - before[i, 0:trees], N[i, 0:trees] - before[i, 0:trees])
    if changed > 0.0:
        for i in range(trees):
            before[i, 0:trees] = N[i, 0:trees]
        eliminate_pattern(N, later, order, place, degree, number, trees)
        used[0] = 0.0
        for n in range(whole(number[0])):
            i = whole(order[n])
            at[i, i] = used[0]
            used[0] += sizes[i] * widths[i]
            for m in range(whole(degree[i])):
                j = whole(later[i, m])
                at[i, j] = used[0]
                used[0] += sizes[i] * widths[j]
        if used[0] > float(room):
            number[0] = 0.0
            used[1] = 1.0


@routine
def eliminate_pattern(N: Matrix, later: Matrix, order: Vector, place: Vector, degree: Vector, number: Vector, trees: Whole) -> None:
    """The order of least degree; N gets what elimination fills in. place: of each tree in the order, behind all until it is there."""
    number[0] = 0.0
    for i in range(trees):
        place[i] = float(trees)
        degree[i] = 0.0
        if N[i, i] > 0.0:
            for j in range(trees):
                degree[i] += N[i, j]
            degree[i] -= 1.0
    left = 0.0
    for i in range(trees):
        left += N[i, i]
    while left > 0.0:
        least = float(trees) + 1.0
        k = 0
        for i in range(trees):
            if N[i, i] > 0.0 and place[i] > float(trees) - 0.5 and degree[i] < least:
                least = degree[i]
                k = i
        place[k] = number[0]
        order[whole(number[0])] = float(k)
        number[0] += 1.0
        left -= 1.0
        m = 0.0
        for i in range(trees):
            if N[k, i] > 0.0 and place[i] > float(trees) - 0.5:
                later[k, whole(m)] = float(i)
                m += 1.0
        degree[k] = m
        for i in range(whole(m)):
            x = whole(later[k, i])
            degree[x] -= 1.0
            for j in range(whole(m)):
                y = whole(later[k, j])
                if N[x, y] < 0.5:
                    N[x, y] = 1.0
                    degree[x] += 1.0
