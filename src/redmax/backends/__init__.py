"""Ways to run a plan: `interpret` with NumPy, `llvm` compiled."""
