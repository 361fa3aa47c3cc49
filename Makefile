# run: install into .venv and simulate the default scene.  test: lint, types, tests.  bench: compare with other engines.  docs: the site, build/docs/index.html.
# attack: what strangers' files, pages and kills may try, for half an hour, on this machine alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt
INPUTS := pyproject.toml constraints.txt

.PHONY: run test bench attack docs clean

run: $(VENV)/.stamp-plot
	mkdir -p out
	$(BIN)/redmax run --html out/redmax.html --plot out/energy.png

test: $(VENV)/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/pyright src
	MPLBACKEND=Agg $(BIN)/python -m pytest -n 2

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
