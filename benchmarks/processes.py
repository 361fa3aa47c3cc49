"""Fresh Python processes, as a user starts them: with byte code that an earlier process left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]


class Processes:
    """folder: where they keep their byte code, so that the figures depend on nobody's settings or earlier runs."""

    def __init__(self, folder: str) -> None:
        self.environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def output(self, *arguments: str, **variables: str) -> str:
        """What `python ARGUMENTS` prints."""
        command, environment = [sys.executable, *arguments], {**self.environment, **variables}
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


@contextmanager
def processes() -> Iterator[Processes]:
    with TemporaryDirectory() as folder:
        yield Processes(folder)
