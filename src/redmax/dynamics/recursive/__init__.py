"""Recursive dynamics in O(n): articulated bodies, from the leaves to the root and back."""
