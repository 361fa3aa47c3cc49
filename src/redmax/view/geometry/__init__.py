"""Shapes of what is looked at, as plain arrays: made here once, drawn by pictures, the live page and, as views, the offline page."""
