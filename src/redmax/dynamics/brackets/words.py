"""Derivatives of products, by the rule of Leibniz: a word says which derivations act, the first letter first.

Letters stand for derivations D_0, D_1, ... along directions of the velocities, or all of them for d/dt. Their order does not matter where
directions commute, as those of coordinates do; of body twists of a joint on a group it does.

An adjoint X = Ad(E^-1) that moves with the twist nu = (E^-1 D E) obeys D X = -ad(nu) X, so that (Mueller and Terze, Eqs. 70, 75 and 80)

    D (X f) = X (D f) - ad(nu) X f,      D (Q f) = Q (D f + ad(V) f)   of the inverse, Q = Ad(E) of a frame with the twist V,

and all derivatives of X f are brackets of what is known of f and nu, with no matrix differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeAlias

Word: TypeAlias = tuple[int, ...]
Derived: TypeAlias = Mapping[Word, Any]  # by the word of the derivations that have acted; () of the thing itself


def along(order: int) -> Word:
    """The word of as many derivations, each its own."""
    return tuple(range(order))


def in_time(order: int) -> Word:
    """The word of d/dt, as often."""
    return (0,) * order


@lru_cache(maxsize=256)
def splits(word: Word) -> tuple[tuple[Word, Word], ...]:
    """All ways to deal the letters of a word to two factors."""
    if not word:
        return (((), ()),)
    first, rest = word[:1], splits(word[1:])
    return tuple([(first + a, b) for a, b in rest] + [(a, first + b) for a, b in rest])


@lru_cache(maxsize=256)
def parts(word: Word) -> tuple[Word, ...]:
    """What is left of a word without some of its letters, the shortest first; () is the first of them."""
    return tuple(sorted({a for a, _ in splits(word)}, key=lambda w: (len(w), w)))


def carried(word: Word, through: Callable[[Any], Any], bracket: Callable[[Any, Any], Any], nu: Derived, f: Derived) -> dict[Word, Any]:
    """All derivatives of X f, for the parts of a word. through: X of something; nu: of w the derivatives w[1:] of the twist of D_w[0]."""

    @cache
    def derived(outer: Word, inner: Word) -> Any:
        """D_outer (X D_inner f)."""
        if not outer:
            return through(f[inner])
        first, rest = outer[:1], outer[1:]
        total = derived(rest, inner + first)
        for a, b in splits(rest):
            total = total - bracket(nu[first + a], derived(b, inner))
        return total

    return {w: derived(w, ()) for w in parts(word)}


def moved(word: Word, through: Callable[[Any], Any], bracket: Callable[[Any, Any], Any], V: Derived, f: Derived) -> dict[Word, Any]:
    """All derivatives of Q f, for the parts of a word. through: Q of something; V: of w the derivatives w[1:] of the twist of D_w[0]."""

    def derived(outer: Word, f: Derived) -> Any:
        if not outer:
            return through(f[()])
        first, rest = outer[:1], outer[1:]
        return derived(rest, {w: f[first + w] + sum(bracket(V[first + a], f[b]) for a, b in splits(w)) for w in parts(rest)})

    return {w: derived(w, f) for w in parts(word)}
