# make demo: anonymize the bundled example.  make test: style, types and the suite.  Both create what they need in .venv.
# make nightly: what takes longer than to wait for: exhaustive grids, growth of work, sanitizers, other builds, fuzzing.
# make docs: the documentation site, in build/site; open build/site/index.html.
# make sanitize: the tests of the kernels under address and undefined-behaviour sanitizers.
# make fuzz: random tables, streams, files, plans, states, reports and command lines against independent judges, for FUZZ_MINUTES from FUZZ_SEED on.
# make mutants: one-line faults in what judges a release; prints those that no test notices and tests/mutants/explained.toml does not explain.
# make portable: the tests of the kernels by Clang and libc++, without AVX, and without what only some compilers have.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test nightly fuzz mutants sanitize portable clang baseline standard lint bytecode docs clean

# The suite starts thousands of processes: whoever has switched bytecode off would parse every library again in each.
unexport PYTHONDONTWRITEBYTECODE

SOURCES := pyproject.toml CMakeLists.txt $(shell find src/shoal/_core -type f)

# What users get, and what developers need on top. Either installs the package once, editable. Python's bytecode is made
# when a module is first loaded: few of all those that are installed ever are.
$(VENV)/.core: $(SOURCES)
	$(call install,.[charts])
$(VENV)/.dev: $(SOURCES)
	$(call install,.[dev])
	touch $(VENV)/.core $(VENV)/.docs
$(VENV)/.docs: $(SOURCES)
	$(call install,.[docs])
	touch $(VENV)/.core

define install
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable '$(1)'
	touch $@
endef

demo: $(VENV)/.core
	mkdir -p demo
	$(BIN)/shoal anonymize examples/discharges.csv --plan examples/discharges.toml -o demo/release.csv \
		--report demo/report.html
	@echo
	@echo 'The same table, had k counted rows instead of patients: the patients in a class, at least and on average:'
	$(BIN)/shoal anonymize examples/discharges.csv --plan examples/discharges.toml --subject record -o demo/rows.csv --quiet
	$(BIN)/shoal measure examples/discharges.csv demo/rows.csv --plan examples/discharges.toml -m k_min,k_prime
	@echo 'Open demo/report.html: what the release promises, gives away and keeps.'

# Four workers for two processors: many tests wait for processes of their own. Orders are random, by a seed in the header:
# make test SEED=NUMBER repeats one.
SEED ?= default
PYTEST := $(BIN)/python -m pytest --randomly-seed=$(SEED)
test: $(VENV)/.dev
	$(MAKE) --jobs 2 --output-sync lint bytecode
	$(PYTEST) -n 4

# Every worker loads every test: that they are compiled once, and beside the type check, saves each of them half a minute.
bytecode: $(VENV)/.dev
	@mkdir -p build
	@$(BIN)/python -m pytest --collect-only --quiet --quiet > build/collected.txt || { tail -n 50 build/collected.txt; exit 1; }

nightly: $(VENV)/.dev
	$(PYTEST) -n 2 -m nightly
	$(MAKE) sanitize
	$(MAKE) portable
	$(MAKE) fuzz

# Prints each seed in trouble with the command that repeats it. Another FUZZ_SEED, far from the last, tries other inputs.
FUZZ_MINUTES ?= 120
FUZZ_SEED ?= 1000
FUZZ_TARGETS ?=
fuzz: $(VENV)/.dev
	cd tests && $(CURDIR)/$(BIN)/python -m fuzz --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED) $(FUZZ_TARGETS)

# In a copy of the tree, whose environment does not have the package as it is installed: faults are put into the copy. What was noticed is
# not tried again unless its function changes, or build/mutants is gone. MUTANTS takes fewer names, for example 'shoal.constrain.*'.
MUTANTS ?= shoal.*
MUTATED := build/mutants
mutants: $(VENV)/.dev
	mkdir -p $(MUTATED)
	cp -Rp pyproject.toml README.md CONTRIBUTING.md mkdocs.yml src tests docs examples benchmarks $(MUTATED)
	$(PYTHON) -m venv --without-pip $(MUTATED)/venv
	cp $$($(BIN)/python -c 'from shoal import _core; print(_core.__file__)') $(MUTATED)/src/shoal
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > \
		$$($(MUTATED)/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/all_but_shoal.pth
	cd $(MUTATED) && venv/bin/python tests/mutants $(MUTANTS)

# In a build and an environment of their own, by GCC. The interpreter itself is not sanitized: so the sanitizers' libraries
# are loaded before it starts, what it never frees is not called a leak, and it asks for each of its objects by
# itself, so that a step beyond one is seen. Not part of `make test`: to compile the sanitized kernels takes minutes.
SANITIZED := build/sanitize
KERNEL_TESTS ?= tests/_core tests/partitioners tests/protect tests/constrain tests/measures tests/steer tests/contracts \
	tests/files/test_csv_kernel.py tests/fuzz/test_snapshots.py tests/fuzz/test_hostile_inputs.py tests/fuzz/test_refinements.py \
	tests/refinement/test_joined_lists.py tests/refinement/test_move_costs.py tests/refinement/test_pricing.py tests/refinement/test_refine.py \
	$(wildcard tests/stream/engine/test_*.py)
$(SANITIZED)/.built: $(SOURCES)
	test -d $(SANITIZED)/venv || $(PYTHON) -m venv $(SANITIZED)/venv
	CXX=$(CXX) $(SANITIZED)/venv/bin/python -m pip install --quiet --editable '.[dev]' --config-settings=build-dir=$(SANITIZED)/core \
		--config-settings=cmake.build-type=Debug --config-settings=cmake.define.SHOAL_SANITIZE=ON
	touch $@

sanitize: $(SANITIZED)/.built
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(SANITIZED)/venv/bin/python -m pytest -n 2 --capture=sys $(KERNEL_TESTS)

# Other builds of the kernels, under the tests of the kernels. Only the kernels are built: all else is that of .venv.
# Clang and libc++ are Debian's packages clang, libc++-dev and libc++abi-dev.
portable: clang baseline standard

clang: build/clang/.built
	$(call test_kernels,clang)
build/clang/.built: $(SOURCES) | $(VENV)/.dev
	@command -v clang++ > /dev/null || { echo 'make portable needs clang++ and libc++ (Debian: apt-get install clang libc++-dev libc++abi-dev)'; exit 1; }
	$(call build_kernels,clang,clang++,CMAKE_CXX_FLAGS=-stdlib=libc++)

baseline: build/baseline/.built
	$(call test_kernels,baseline)
build/baseline/.built: $(SOURCES) | $(VENV)/.dev
	$(call build_kernels,baseline,$(CXX),SHOAL_BASELINE=ON)

standard: build/standard/.built
	$(call test_kernels,standard)
build/standard/.built: $(SOURCES) | $(VENV)/.dev
	$(call build_kernels,standard,$(CXX),SHOAL_PORTABLE=ON)

define build_kernels
	CXX=$(2) $(BIN)/python -m pip wheel --quiet --no-deps . --wheel-dir build/$(1) \
		--config-settings=build-dir=build/$(1)/core --config-settings=cmake.define.$(3) \
		--config-settings=cmake.define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON --config-settings=cmake.define.CMAKE_UNITY_BUILD=OFF
	touch $@
endef
define test_kernels
	PYTHONPATH=benchmarks/another_core SHOAL_CORE=$$(ls $(CURDIR)/build/$(1)/core/_core*.so) \
		$(BIN)/python -m pytest -n 2 $(KERNEL_TESTS)
endef

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs
	$(BIN)/python docs/make_site.py

clean:
	rm -rf $(VENV) build dist demo
