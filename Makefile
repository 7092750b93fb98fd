# make demo: anonymize the bundled example.  make test: the whole suite.  Both create what they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint docs clean

SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/shoal/_core/*)

# What users get, and what developers need on top. Either installs the package once, editable.
$(VENV)/.core: $(SOURCES)
	$(call install,.[charts])
$(VENV)/.dev: $(SOURCES)
	$(call install,.[dev])
	touch $(VENV)/.core

define install
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '$(1)'
	touch $@
endef

demo: $(VENV)/.core
	mkdir -p demo
	$(BIN)/shoal anonymize examples/discharges.csv --plan examples/discharges.toml -o demo/release.csv \
		--report demo/report.html
	@echo 'Open demo/report.html: what the release promises, gives away and keeps.'

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs:
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/zensical build --strict

clean:
	rm -rf $(VENV) build dist demo site
