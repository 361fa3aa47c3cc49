"""Small files that ask for much: each a function of a number that says how much. What reading one takes must stay small for any number.

BOMBS has them all, by name: `files(name, n)` gives the texts by file name, of which SCENE is to be read.
"""

from bombs import expressions, functions, names, registry, several_files, shapes, text, things
from bombs.registry import BOMBS, SCENE, files

__all__ = ["BOMBS", "SCENE", "expressions", "files", "functions", "names", "registry", "several_files", "shapes", "text", "things"]
