"""Traced scalars, their derivatives, values and text."""

from redmax.trace.differentiate import gradient, jacobian, jvp, vjp
from redmax.trace.evaluate import evaluate_numeric, near_use, reachable, substitute
from redmax.trace.scalar import Graph, Scalar, Value, is_traced
from redmax.trace.show import expression, listing
from redmax.trace.span import Span
from redmax.trace.table import Table, TableInput, locate

__all__ = [
    "Graph", "Scalar", "Span", "Table", "TableInput", "Value", "evaluate_numeric", "expression", "gradient", "is_traced", "jacobian",
    "jvp", "listing", "locate", "near_use", "reachable", "substitute", "vjp",
]  # fmt: skip
