"""Arrays as compact text: base64 of little-endian numbers, poses as position and quaternion, small numbers in few bytes."""

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.lie import to_quaternion


def encode(array: ArrayLike, dtype: str) -> str:
    """Base64 of `array` in row-major order; dtype such as "<f4"."""
    return base64.b64encode(np.ascontiguousarray(array, dtype).tobytes()).decode("ascii")


def short_bytes(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Whole numbers (n,) in one byte each from -64 to 63, in two from -8192 to 8191, and so on: seven bits a byte, the lowest first, and
    a high bit on all bytes but the last; the lowest bit of the number so written is its sign."""
    rest = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    columns, used = [], [np.ones(len(rest), bool)]
    while used[-1].any():
        more = rest > 127
        columns.append((rest & 127).astype(np.uint8) | (more.astype(np.uint8) << 7))
        used.append(more)
        rest = rest >> np.uint64(7)
    return np.stack(columns, axis=1)[np.stack(used[:-1], axis=1)]


def corners(faces: ArrayLike) -> str:
    """Vertex numbers (m, 3) as their differences, which are small in most meshes: about a byte and a half each."""
    return encode(short_bytes(np.diff(np.asarray(faces, np.int64).ravel(), prepend=0)), "u1")


def pose_rows(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Poses (T, 4, 4) as rows (T, 7): x, y, z, then a quaternion w, x, y, z that never jumps to its negative."""
    return np.hstack([poses[:, :3, 3], continuous(to_quaternion(poses[:, :3, :3]))])


def continuous(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same rotations, with signs chosen so that neighbours are on the same half sphere."""
    flips = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
    return q * np.cumprod(np.concatenate([[1.0], flips]))[:, None]
