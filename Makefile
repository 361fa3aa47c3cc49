# run: install into .venv and simulate the default scene.  test: lint, types, tests.  bench: compare with other engines.  docs: the site, build/docs/index.html.
# long: all tests in their long forms: random mechanisms by the dozen, every combination, runs of many steps, code as users run it.
# torch: the bridge to PyTorch, whose package is half a gigabyte.
# robots: the robots of example-robot-data (131 MB) against Pinocchio and MuJoCo.
# attack: what strangers' files, pages and kills may try, for half an hour, on this machine alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt
PYTEST := MPLBACKEND=Agg $(BIN)/python -m pytest
INPUTS := pyproject.toml constraints.txt
# Compiled bytecode is kept, whatever the machine says: tests start many processes, and each would compile the package's source again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test types tests pages long torch robots bench attack docs clean

run: $(VENV)/.stamp-plot
	mkdir -p out
	$(BIN)/redmax run --html out/redmax.html --plot out/energy.png

test: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(MAKE) -j 2 types tests
	$(MAKE) pages

# The types are looked at beside the tests, which leave a core idle now and then; either may fail. Room for young objects saves a tenth.
types: $(VENV)/.stamp-test
	NODE_OPTIONS=--max-semi-space-size=128 $(BIN)/pyright src

# Two at a time on two cores, as each worker traces and collects for itself. Assertions are read as they stand, which takes each worker
# half of the time that it needs to collect; what fails is run again with all that pytest finds out about it.
tests: $(VENV)/.stamp-test
	$(PYTEST) -n 2 --dist worksteal --ignore=tests/browser --assert=plain \
		|| { $(PYTEST) --last-failed --last-failed-no-failures=none --ignore=tests/browser; exit 1; }

pages: $(VENV)/.stamp-test
	$(PYTEST) -n 2 --dist worksteal tests/browser

long: $(VENV)/.stamp-test
	REDMAX_LONG_TESTS=1 $(PYTEST) -n 2 --dist worksteal -m "" --ignore=tests/browser

torch: $(VENV)/.stamp-torch-test
	REDMAX_TORCH=1 $(PYTEST) tests/with_torch

robots: $(VENV)/.stamp-robots
	REDMAX_ROBOTS=1 $(PYTEST) -n 2 --dist worksteal tests/robots

bench: $(VENV)/.stamp-bench
	$(BIN)/python -m benchmarks

attack: $(VENV)/.stamp-test
	$(BIN)/python -m attack

docs: $(VENV)/.stamp-docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp per extra: pip runs again only when the declared dependencies or the pins change.
$(VENV)/.stamp-%: $(INPUTS) | $(BIN)/python
	$(PIP) -e '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) out build dist .pytest_cache .ruff_cache .hypothesis .benchmarks
	find src tests benchmarks attack -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
