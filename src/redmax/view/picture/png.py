"""PNG files, written with the standard library (Portable Network Graphics, ISO/IEC 15948)."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The file of a picture (height, width, 3) of red, green and blue, or (height, width, 4) with the opacity."""
    height, width, parts = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 6 if parts == 4 else 2, 0, 0, 0)  # 8 bits, colours, not interlaced
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(filtered(pixels), 6)) + chunk(b"IEND", b"")


def filtered(pixels: NDArray[np.uint8]) -> bytes:
    """Rows as differences from the row above (filter type 2), which are mostly zero in smooth pictures."""
    height, width, parts = pixels.shape
    rows = pixels.reshape(height, parts * width)
    marked = np.full((height, parts * width + 1), 2, np.uint8)
    marked[:, 1:] = rows
    marked[1:, 1:] -= rows[:-1]
    return marked.tobytes()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
