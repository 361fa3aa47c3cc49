"""Compiled programs through llvmlite."""
