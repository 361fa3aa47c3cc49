"""Whether a curve of frames goes on where one piece ends and the next begins, with the same pose and twist, and never stands still."""

from __future__ import annotations

import numpy as np

from redmax.errors import SceneError
from redmax.joints.followed import followed
from redmax.lie import se3

LOOKED_AT = 9  # places on each piece, with its ends
JUMP = 1e-7  # of poses and of twists, as parts of the largest ones
STILL = 1e-9


def check_joined(owner: str, frames: np.ndarray, cumulative: np.ndarray, widths: np.ndarray, stride: int, cyclic: bool) -> None:
    """Raise unless pieces meet with the same pose and S, and S is not zero.

    cumulative: (pieces, k - 1, k) the functions B~ of each piece, as polynomials of how far from its beginning q is; widths: of pieces
    """
    pieces, k = len(cumulative), cumulative.shape[2]
    rows = (np.arange(pieces)[:, None] * stride + np.arange(k)) % len(frames)
    E, S, _ = followed(frames[rows], cumulative, widths[:, None] * np.linspace(0, 1, LOOKED_AT))
    ends = np.arange(pieces if cyclic else pieces - 1)
    after = (ends + 1) % pieces
    apart = np.abs(se3.log(se3.inverse(E[ends, -1]) @ E[after, 0])).max(axis=1)
    speed = np.linalg.norm(S, axis=-1)
    if not speed.max() > 0 or (speed < STILL * speed.max()).any():
        j, i = np.unravel_index(int(np.argmin(speed)), speed.shape)
        where = f"on piece {j}, {i / (LOOKED_AT - 1):g} of the way along it, nothing moves: S is singular there"
        raise SceneError(f"{owner}: {where}. Put the frames of this piece further apart.", owner=owner, argument="frames")
    size = max(1e-3, float(np.abs(se3.log(se3.inverse(E[:, 0]) @ E[:, -1])).max()))
    if len(ends) and apart.max() > JUMP * size:
        i = int(np.argmax(apart))
        where = f"piece {ends[i]} ends {apart[i]:.3g} (rad or m) away from where piece {after[i]} begins"
        raise SceneError(f"{owner}: {where}. A basis whose pieces meet, and its stride, are needed.", owner=owner, argument="basis")
    turn = np.abs(S[ends, -1] - S[after, 0]).max(axis=1)
    if len(ends) and turn.max() > JUMP * np.abs(S).max():
        i = int(np.argmax(turn))
        where = f"from piece {ends[i]} to piece {after[i]} S jumps by {turn[i]:.3g} (of at most {np.abs(S).max():.3g})"
        fix = "Turn and move the frames next to where they meet so that the curve goes on as it came, in as much of q; or leave breaks out"
        raise SceneError(f"{owner}: {where}, which takes an impulse to pass. {fix}.", owner=owner, argument="frames")
