"""`import redmax` brings nothing along: its names come when they are asked for, and type checkers, editors and users see them all."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import redmax as rm

SOURCE = Path(rm.__file__)


def stated() -> dict[str, str]:
    """The module of each name, as the imports for type checkers say; a module of the package is its own."""
    block = next(node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If))
    found = [(a.name, n.module or "") for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names]
    return {name: f"redmax.{name}" if module == "redmax" else module for name, module in found}


def in_a_new_process(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parents[1])}
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_public_name_is_what_type_checkers_are_told():
    homes = stated()
    assert sorted(homes) == sorted(rm.__all__)
    for name, module in homes.items():
        found = import_module(module)
        wanted = found if module == f"redmax.{name}" else getattr(found, name)
        assert getattr(rm, name) is wanted
        assert rm.asked_for(name) is wanted  # also where an import of a module has not set it already


def test_the_import_brings_neither_numpy_nor_other_modules():
    """Those that take long: NumPy, and 300 modules of the package, come with the first name that needs them."""
    code = "import sys, redmax as rm; a = set(sys.modules); rm.errors; b = set(sys.modules); print(len(a)); print(*a); print(*b)"
    count, first, second = in_a_new_process(code).splitlines()
    assert int(count) < 120
    assert [name for name in first.split() if name.startswith(("redmax.", "numpy", "scipy", "llvmlite"))] == []
    assert "redmax.model.scene" not in second.split()


def test_a_scene_needs_no_dynamics_and_a_run_no_files():
    code = "import sys, redmax as rm; rm.Scene; rm.Cuboid; print(*sys.modules); rm.simulate; print(*sys.modules)"
    scene, run = (set(line.split()) for line in in_a_new_process(code).splitlines())
    assert not {"redmax.dynamics.dynamics", "redmax.run.simulate", "redmax.io", "scipy", "llvmlite"} & scene
    assert not {"redmax.io", "redmax.results", "redmax.scenes", "scipy", "llvmlite", "h5py", "yaml", "pydantic", "matplotlib"} & run


def test_modules_are_themselves_also_where_a_family_has_one_of_the_same_name():
    """redmax.curves, not redmax.muscles.curves, whichever is asked for first."""
    for name in ("curves", "muscles"):
        assert in_a_new_process(f"import redmax as rm; print(rm.{name}.__name__)").strip() == f"redmax.{name}"


def test_a_star_import_has_all_names():
    assert in_a_new_process("from redmax import *; import redmax; print(all(n in globals() for n in redmax.__all__))").strip() == "True"


def test_all_names_are_offered_by_completion():
    assert {*rm.__all__, "__version__"} <= set(dir(rm))


def test_modules_of_the_package_are_its_attributes():
    for name in ("io", "scenes", "errors", "run", "curves", "muscles"):
        assert rm.asked_for(name) is import_module(f"redmax.{name}")


@pytest.mark.parametrize("name", ["Cubiod", "scnees", "no_such_thing", "_private"])
def test_a_name_that_is_not_there_is_an_attribute_error_with_those_that_are_near(name):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as error:
        getattr(rm, name)
    assert ("Did you mean 'Cuboid'" in str(error.value)) == (name == "Cubiod")
    assert not hasattr(rm, name)


@pytest.mark.long
@pytest.mark.parametrize("module", sorted(set(stated().values())))
def test_each_module_may_be_the_first(module):
    """No order of imports is the only one that works."""
    in_a_new_process(f"import {module}")
