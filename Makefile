# SPDX-License-Identifier: GPL-2.0-only
#
# `make figures` and `make test` set up what they need by themselves; `make help` lists all targets.

SHELL := /bin/bash
# Thousands of processes start here. Each module is compiled by the first that imports it, whatever the machine says.
export PYTHONDONTWRITEBYTECODE :=
PYTHON ?= $(firstword $(foreach version,3.11 3.12 3.13,$(shell python$(version) -c 'print("python$(version)")' 2>/dev/null)))
VENV := .venv
LOCK := requirements
BIN := $(VENV)/bin
CONFIG ?= configs/quick.yaml
STUDY := $(basename $(notdir $(CONFIG)))
RESULTS := results/$(STUDY)
VARIANTS := $(filter-out baseline,$(basename $(notdir $(wildcard configs/sensitivity/*.yaml))))
READINGS := $(filter-out base,$(basename $(notdir $(wildcard configs/readings/*.yaml))))
# What studies have in common is run once: of those on this machine.
REUSE = $(addprefix --reuse ,$(patsubst %/runs,%,$(wildcard results/thesis/runs results/responsive/runs)))
CPP_FILES := $(shell find cpp tests/cpp -name '*.cc' -o -name '*.h')
BENCHMARK_FILES := $(wildcard benchmarks/*/*.cc)
CPP_TESTS := build/tests
# As pyproject.toml says.
PACKAGE = build/$(shell $(BIN)/python -c 'import sys; print(sys.implementation.cache_tag)')
BENCHMARKS := build/benchmarks

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# All by version and hash, and what comes as source is built isolated. A file has all that its packages need, but tools.txt.
LOCKED = $(BIN)/pip install --quiet --no-compile --require-hashes --build-constraint $(LOCK)/build.txt --requirement $(LOCK)

# What our C++ is built with.
$(VENV)/tools: $(LOCK)/pip.txt $(LOCK)/build.txt $(LOCK)/tools.txt
	@$(or $(PYTHON),false) -m ensurepip --version >/dev/null || \
	    { echo "No Python 3.11, 3.12 or 3.13 with venv found; name one: make PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --requirement $(LOCK)/pip.txt
	$(LOCKED)/tools.txt --no-deps
	touch $@

# What we run with comes while our own package is built; the second build of it finds all that the first has compiled.
$(VENV)/packages: $(VENV)/tools $(LOCK)/run.txt pyproject.toml CMakeLists.txt cpp/CMakeLists.txt $(wildcard cmake/*) $(CPP_FILES)
	@echo 'Compiling the C++; meanwhile: $(LOCKED)/run.txt'
	@$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheels . & \
	    $(LOCKED)/run.txt; packages=$$?; wait $$! && exit $$packages
	touch $@

$(VENV)/installed: $(VENV)/packages
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	$(BIN)/pip check
	touch $@

# What we develop with.
$(VENV)/ready: $(VENV)/tools $(LOCK)/all.txt
	$(LOCKED)/all.txt
	touch $@

.PHONY: setup
setup: $(VENV)/installed $(VENV)/ready ## Make the virtual environment and build the package into it

.PHONY: lock
lock: $(VENV)/ready ## Renew what is locked in requirements/: the newest versions that pyproject.toml allows
	$(BIN)/python $(LOCK)/lock.py

.PHONY: figures
figures: $(VENV)/installed ## Run CONFIG (configs/quick.yaml), aggregate, draw: results/quick/figures and report.md
	$(BIN)/mftpubsub sweep $(CONFIG) --out $(RESULTS)
	$(call publish,$(RESULTS))
	@echo "See $(RESULTS)/report.md and $(RESULTS)/figures/"

# Tables, figures and report of a study that was run.
define publish
	$(BIN)/mftpubsub ingest $(1)
	$(BIN)/mftpubsub figures $(1)
	$(BIN)/mftpubsub report $(1)
endef

.PHONY: docs
docs: setup ## Build the documentation: build/site/index.html
	$(BIN)/python docs/pages.py
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet --jobs auto docs build/site

.PHONY: evaluation
evaluation: setup ## Make all of the thesis's evaluation: the four targets below (hours)
	$(MAKE) thesis
	$(MAKE) responsive
	$(MAKE) readings
	$(MAKE) sensitivity

.PHONY: thesis
thesis: setup ## Run the evaluation under the thesis's own reading, every protocol: results/thesis
	set -e; for part in thesis aodv manet; do \
	    $(BIN)/mftpubsub sweep configs/evaluation/$$part.yaml --out results/thesis; \
	done
	$(call publish,results/thesis)

.PHONY: responsive
responsive: setup ## The same with heartbeats each second, as a user would deploy it: results/responsive
	set -e; for part in responsive aodv; do \
	    $(BIN)/mftpubsub sweep configs/evaluation/$$part.yaml --out results/responsive $(REUSE); \
	done
	$(call publish,results/responsive)

.PHONY: readings
readings: setup ## Run MFT-PubSub under every reading of what the thesis leaves open, beside results/thesis: results/readings
	set -e; for reading in $(READINGS); do \
	    $(BIN)/mftpubsub sweep configs/readings/$$reading.yaml --out results/readings/$$reading $(REUSE); \
	    $(BIN)/mftpubsub ingest results/readings/$$reading; \
	done
	$(BIN)/mftpubsub readings results/thesis results/readings

.PHONY: sensitivity
sensitivity: setup ## Run what configs/sensitivity varies; what it changes goes into results/thesis
	set -e; for variant in $(VARIANTS); do \
	    $(BIN)/mftpubsub sweep configs/sensitivity/$$variant.yaml --out results/sensitivity/$$variant $(REUSE); \
	    $(BIN)/mftpubsub ingest results/sensitivity/$$variant; \
	done
	$(BIN)/mftpubsub sensitivity results/thesis results/sensitivity
	$(BIN)/mftpubsub report results/thesis

.PHONY: cugola
cugola: setup ## Run the evaluation of Cugola et al., figures 12 to 29: results/cugola (ten minutes of CPU time)
	$(BIN)/mftpubsub cugola configs/cugola.yaml --out results/cugola

.PHONY: gaddah
gaddah: setup ## Run the hand-off study of Gaddah and Kunz: results/gaddah (some 45 minutes of processor time)
	$(BIN)/mftpubsub handoff sweep configs/gaddah.yaml --out results/gaddah
	$(BIN)/mftpubsub handoff tables results/gaddah
	$(BIN)/mftpubsub handoff report results/gaddah

.PHONY: mesh
mesh: setup ## Run mft-mesh and what it is measured against: results/mesh, results/interest (half an hour of CPU time)
	set -e; for study in mesh interest; do \
	    for config in configs/$$study.yaml configs/$$study-*.yaml; do \
	        $(BIN)/mftpubsub sweep $$config --out results/$$study; \
	    done; \
	    $(BIN)/mftpubsub ingest results/$$study; \
	    $(BIN)/mftpubsub figures results/$$study; \
	    $(BIN)/mftpubsub report results/$$study; \
	done

# What this code gives as it is published stands beside what is run anew; `verify` makes a sample of it again.
.PHONY: best
best: setup ## Run every protocol at its best, beside those that are published: results/best (half an hour of CPU time)
	$(BIN)/mftpubsub sweep configs/best.yaml --out results/best $(REUSE)
	$(BIN)/mftpubsub ingest results/best
	$(BIN)/mftpubsub verify results/responsive --only protocol=mft-pubsub-r,aodv,aodv-tuned,aodv-tuned-best --only config=C2,C4,C8,C16
	$(BIN)/mftpubsub join results/best results/responsive --only protocol=mft-pubsub-r,aodv,aodv-tuned,aodv-tuned-best
	$(BIN)/mftpubsub verify results/thesis --only protocol=olsr-tuned,dsdv --only config=C2,C4,C8
	$(BIN)/mftpubsub join results/best results/thesis --only protocol=olsr-tuned,dsdv
	$(BIN)/mftpubsub figures results/best
	$(BIN)/mftpubsub report results/best

.PHONY: radios
radios: setup ## Run the thesis's networks on the CC2420, 802.15.4 and Wi-Fi: results/radios (12 minutes of processor time up to C8, 20 for C16 and C32; C16 on Wi-Fi takes longer)
	set -e; for part in {sizes,slow}{,-acked,-ip} large{,-acked,-wifi}; do \
	    $(BIN)/mftpubsub sweep configs/radios/$$part.yaml --out results/radios; \
	done
	$(call publish,results/radios)
	$(BIN)/mftpubsub sweep configs/radios/acks.yaml --out results/radios-acks --reuse results/radios
	$(call publish,results/radios-acks)
	set -e; for part in density{,-acked,-ip}; do \
	    $(BIN)/mftpubsub sweep configs/radios/$$part.yaml --out results/radios-density --reuse results/radios; \
	done
	$(call publish,results/radios-density)

.PHONY: viewer
viewer: ## Build the page of `mftpubsub view` from python/viewer (needs node; what it gives is in git)
	cd python/viewer && npm ci && npm run build

# Lanes run beside each other, each with its output as a whole when it ends.
LANES := $(MAKE) --no-print-directory -j3 --output-sync=target
# tests/python/dealing.py says which tests stay together.
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder --numprocesses

.PHONY: test
test: setup ## Run the tests and checks that each change passes
	$(LANES) test-python test-cpp lint docs

.PHONY: thorough
thorough: setup ## Run what `make test` leaves out: C++ tests under sanitizers, fuzzers, tests of Python marked so
	$(LANES) thorough-python thorough-cpp

.PHONY: quick
quick: setup ## Run what takes a minute: C++ tests, tests of Python that are quick and need no Spark or browser
	$(LANES) test-cpp quick-python

.PHONY: check
check: setup ## Before a push: lint, tidy and quick
	$(LANES) lint tidy test-cpp quick-python

.PHONY: test-python
test-python: setup ## Run the Python tests, of which some wait
	$(PYTEST) $(shell expr $$(nproc) + 1) -m "not (long or thorough)"

.PHONY: thorough-python
thorough-python: setup
	$(PYTEST) $(shell expr $$(nproc) + 1) -m "thorough and not long"

.PHONY: quick-python
quick-python: setup
	$(PYTEST) $(shell nproc) -m "not (long or thorough or slow or spark or browser or programs)"

# A build of C++ tests in a folder, with options of its own. Ninja cannot share make's jobs, and would say so.
define build-tests
	cmake -S . -B $(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython3_EXECUTABLE=$(abspath $(BIN))/python \
	    -DMFTPUBSUB_BUILD_TESTS=ON $(2) >/dev/null
	env --unset=MAKEFLAGS cmake --build $(1) --target $(3)
endef
# Where freed memory came from takes a quarter of the time to note; a suite that is run by hand tells it.
CTEST := ASAN_OPTIONS=malloc_context_size=1 ctest --output-on-failure --parallel $(shell nproc)

# Where the package was built: all but the tests themselves is compiled.
.PHONY: test-cpp
test-cpp: setup ## Run the C++ tests, with the library that is installed
	$(call build-tests,$(PACKAGE),,suites)
	$(CTEST) --test-dir $(PACKAGE) --exclude-regex fuzz

.PHONY: thorough-cpp
thorough-cpp: setup ## Run the C++ tests and fuzzers, a Debug build under AddressSanitizer and UBSan that takes warnings for errors
	$(call build-tests,$(CPP_TESTS),-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-Og -g1" -DMFTPUBSUB_SANITIZE=ON -DMFTPUBSUB_WARNINGS=ON,suites fuzzers)
	$(CTEST) --test-dir $(CPP_TESTS)

.PHONY: digests
digests: setup ## Renew what tests/traces remembers of runs, and say which changed: when they are meant to
	$(BIN)/python tests/traces/digests.py

.PHONY: mutants
mutants: setup ## Break the C++ line by line, and see which suites notice (docs/contributing/mutants.md; half an hour)
	$(BIN)/python tests/mutants/mutants.py

.PHONY: benchmarks
benchmarks: setup ## Measure speed and memory: benchmarks/README.md says what, and how each is run alone
	cmake -S . -B $(BENCHMARKS) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCMAKE_BUILD_TYPE=Release \
	    -DPython3_EXECUTABLE=$(abspath $(BIN))/python -DMFTPUBSUB_BUILD_BENCHMARKS=ON >/dev/null
	cmake --build $(BENCHMARKS)
	for name in start radio scale protocols protocols_scale matching tracing sweep pipeline hooks own_protocol reconfiguration; do $(BIN)/python benchmarks/$$name.py || exit 1; done

.PHONY: lint
lint: setup ## Check formatting and types
	$(BIN)/ruff format --check cmake python requirements tests docs benchmarks results
	$(BIN)/ruff check cmake python requirements tests docs benchmarks results
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	@echo clang-format of $(words $(CPP_FILES) $(BENCHMARK_FILES)) files
	@$(BIN)/clang-format --dry-run --Werror $(CPP_FILES) $(BENCHMARK_FILES)

# Against what files are new; all of them: make tidy SINCE=
SINCE ?= $(shell git merge-base HEAD origin/main 2>/dev/null)
TIDY_FILES = $(filter cpp/%.cc,$(if $(SINCE),$(shell git diff --name-only --diff-filter=d $(SINCE) -- cpp),$(CPP_FILES)))

.PHONY: tidy
tidy: setup ## Look with clang-tidy (.clang-tidy) at the C++ files that differ from origin/main
	@echo clang-tidy of $(words $(TIDY_FILES)) files
	@$(if $(TIDY_FILES),cmake -S . -B build/tidy -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DMFTPUBSUB_TOGETHER=OFF \
	    -DPython3_EXECUTABLE=$(abspath $(BIN))/python >/dev/null && \
	    $(BIN)/clang-tidy --quiet -p build/tidy $(TIDY_FILES))

.PHONY: format
format: $(VENV)/ready ## Format the sources
	$(BIN)/ruff format cmake python requirements tests docs benchmarks results
	$(BIN)/ruff check --fix cmake python requirements tests docs benchmarks results
	$(BIN)/clang-format -i $(CPP_FILES) $(BENCHMARK_FILES)

.PHONY: clean
clean: ## Remove what was built (results stay)
	rm -rf build $(VENV)
