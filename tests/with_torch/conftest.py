"""PyTorch's checks: a stage of its own, `make torch`, as its package is half a gigabyte."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("REDMAX_TORCH") else ["test_*.py"]
