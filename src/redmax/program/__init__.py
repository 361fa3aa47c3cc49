"""Programs: sweeps over relations, traced into kernels and laid out as plans that a backend runs (docs/core.md)."""
