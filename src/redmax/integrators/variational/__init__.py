"""Variational steps of trees: method.py says what they are."""
