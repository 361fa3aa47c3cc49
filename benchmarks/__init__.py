"""Speed, measured against Pinocchio and MuJoCo in the same run: `python -m benchmarks`."""
