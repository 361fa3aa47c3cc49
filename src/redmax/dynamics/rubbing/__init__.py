"""Joints that rub in a step: bilateral staggered projections, alone and beside constraints and contact."""
