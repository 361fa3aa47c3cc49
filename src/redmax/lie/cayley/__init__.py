"""The Cayley map of both groups, `cayley.so3` and `cayley.se3`: as exp to second order, but rational, without sine and cosine."""

from redmax.lie.cayley import se3, so3

__all__ = ["se3", "so3"]
