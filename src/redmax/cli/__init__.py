"""The command line: `redmax run`, `redmax scenes` and the others, each in a file of its name.

Exit status: 0, 1 for a run that failed, 2 for wrong input, 130 when interrupted. Errors are one sentence on standard error.
"""

from redmax.cli.app import app, main
from redmax.cli.complain import complain
from redmax.cli.methods import can_do, choose_methods

__all__ = ["app", "can_do", "choose_methods", "complain", "main"]
