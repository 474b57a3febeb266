# SPDX-License-Identifier: Apache-2.0
# make demo and make test are all that a fresh machine needs; make help lists the rest.
PRESET ?= release
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
CXX_FILES = $(shell git ls-files -co --exclude-standard '*.cc' '*.h')

.PHONY: help setup build wheel demo check test soak coverage mutants valgrind reproduce docs bench format format-check lint types clean

help:
	@echo "make demo    build the command, learn from made-up data and from a photograph, and draw it (demo/demo.png)"
	@echo "make check   after a change: format, quick unit tests and a smoke test of each command (seconds)"
	@echo "make test    build and run all tests (PRESET=release, dev, or with sanitizers asan, tsan)"
	@echo "make valgrind  run most unit tests in valgrind"
	@echo "make soak    a thousand random fits in one process, then eight at once: size, files and results stay (minutes)"
	@echo "make coverage  which lines of src/ the tests run (fails below 92 %; build-coverage/coverage.html)"
	@echo "make mutants  advisory: break the library on purpose, function by function, and see that tests notice (about an hour)"
	@echo "make reproduce  run the paper's experiments and ours, with pictures (reproduced/; FULL=1: the paper's sizes, days)"
	@echo "make docs    the documentation as a site, in build/site; links that lead nowhere are errors"
	@echo "make bench   time the engine, NumPy and the peers (bench/results; about twenty minutes, on an idle machine)"
	@echo "make wheel   pack the Python package, with the libraries it needs, into dist/"
	@echo "make build   build only"
	@echo "make setup   install what the build needs"
	@echo "make format  clang-format all sources"
	@echo "make format-check  whether all sources are formatted"
	@echo "make lint    clang-format and clang-tidy, as checks (SINCE=REV: at most 20 of the files that changed since REV)"
	@echo "make types   check the Python package's types against its examples, by mypy and pyright"
	@echo "make clean   remove everything that was built"

setup:
	@scripts/setup

build: setup
	@scripts/build $(PRESET)

wheel: setup
	@scripts/build release
	@scripts/wheel

demo:
	@scripts/setup demo
	@scripts/build $(PRESET) orthodict_cli
	@scripts/demo $(BUILD)/orthodict demo

check:
	@scripts/check

test: build
	@$(if $(filter release,$(PRESET)),scripts/wheel)
	@ctest --preset $(PRESET) -j $$(nproc)

valgrind:
	@scripts/setup valgrind
	@scripts/valgrind

soak: setup
	@scripts/soak

coverage:
	@scripts/coverage

mutants:
	@scripts/mutate

reproduce: build
	@BUILD=$(BUILD) scripts/reproduce $(OUTPUT)

docs:
	@scripts/setup demo
	@scripts/build release orthodict_cli
	@scripts/docs

bench:
	@scripts/setup bench
	@scripts/build release
	@scripts/bench

format:
	clang-format -i $(CXX_FILES)

format-check:
	@scripts/setup check
	@test -n "$(CXX_FILES)"
	@clang-format --dry-run -Werror $(CXX_FILES)

lint:
	@scripts/setup lint
	@scripts/lint $(if $(SINCE),--since $(SINCE),$(CXX_FILES))

types:
	@scripts/setup
	@scripts/types

clean:
	rm -rf build build-dev build-asan build-asan-input build-tsan build-coverage build-mutants demo bench/results dist .venv report/node_modules
