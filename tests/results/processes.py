"""Processes of their own, which may be killed."""

import os
import subprocess
import sys
import textwrap
import time


def script(text, folder, **facts):
    """A process of its own."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = textwrap.dedent(text).format(tests=tests, **facts)
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, process, seconds=60):
    """Until something holds, while a process goes on."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
