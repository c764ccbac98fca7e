# Everything that CI or a newcomer runs. `make demo` and `make test` need nothing but
# Python >= 3.11 and a Rust toolchain; they make their own virtual environment.

PYTHON ?= python3
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
EXTRAS ?= dev,local,mcp
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test build lint types rust-test pytest test-endurance torture test-long bench format reference clean check-tools

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

demo: build ## remember real text and recall it
	$(BIN)/realmemory demo

test: build rust-test lint types pytest ## everything that CI runs

check-tools:
	@command -v $(PYTHON) >/dev/null || { echo "Python >= 3.11 is needed; install it or call: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$$($(PYTHON) --version) is too old: Python >= 3.11 is needed; call: make PYTHON=python3.11"; exit 1; }
	@cargo --version >/dev/null || { echo "No Rust toolchain found: install one from https://rustup.rs (cargo must be on the PATH); where rustup is there already, run: rustup default stable"; exit 1; }

$(BIN)/python: | check-tools
	$(PYTHON) -m venv $(VENV)

# pip is asked again only when the dependencies change; the crate is rebuilt when its sources do.
$(VENV)/.dependencies: Makefile pyproject.toml tests/encoding/requirements.txt | $(BIN)/python
	$(PIP) install "maturin>=1.9,<2"
	$(PIP) install $$($(BIN)/python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; print(' '.join(repr(d) for d in p['dependencies'] + [d for e in '$(EXTRAS)'.split(',') for d in p['optional-dependencies'][e]]))" | sed "s/'//g")
	$(PIP) install --no-deps --require-hashes --requirement tests/encoding/requirements.txt
	touch $@

RUST_SOURCES := $(shell find rust/engine rust/bindings -name '*.rs' -o -name 'Cargo.toml') Cargo.toml
$(VENV)/.built: $(VENV)/.dependencies $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	touch $@

build: check-tools $(VENV)/.built ## virtual environment, dependencies, compiled engine

rust-test: check-tools
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	cargo check --manifest-path benches/kernels/Cargo.toml --benches --quiet
	cargo test --package realmemory-engine --quiet

lint: build
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: build
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest realmemory._native --ignore-missing-stub

# The tests are independent of one another; most of their time is spent waiting for processes.
JOBS ?= 2
pytest: build
	$(BIN)/python -m pytest -m "not long" --numprocesses $(JOBS) --dist worksteal

test-long: build ## the long property and fault tests
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest --timeout 3600

# A thousand rounds each for ten seeds; PROCESSES at most use one memory at once.
ROUNDS ?= 1000
PROCESSES ?= 4
torture: build ## 10,000 rounds of kills, full disks and wrong clocks; about an hour
	for seed in 1 2 3 4 5 6 7 8 9 10; do \
	  $(BIN)/realmemory torture --rounds $(ROUNDS) --processes $(PROCESSES) --seed $$seed || exit 1; \
	done

test-endurance: torture ## the torture, and 32 processes on one memory
	REALMEMORY_TEST_PROCESSES=32 $(BIN)/python -m pytest --timeout 3600 tests/concurrency/test_memory_processes.py

PEERS = $(BIN)/python benches/peers.py --markdown benches/RESULTS.md
bench: bench-extra ## speed beside peers, of the whole API and of the kernels; appends its figures to benches/RESULTS.md
	$(PEERS) --n 1000 10000 100000 --k 10 1 100 --batches --plot benches/peers.svg
	$(PEERS) --n 50000 --queries 40 --data anisotropic --peers numpy faiss_flat
	$(PEERS) --n 50000 --queries 40 --data random --peers numpy faiss_flat
	$(PEERS) --n 50000 --queries 40 --data equal --peers numpy faiss_flat
	$(BIN)/python benches/startup.py --markdown benches/RESULTS.md
	$(MAKE) bench-speed bench-kernels

bench-extra: build
	$(PIP) install $$($(BIN)/python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; print(' '.join(d.split('>')[0] for d in p['optional-dependencies']['bench']))")

bench-large: bench-extra ## a million rows beside peers, one thread and two; needs 8 GB
	$(PEERS) --n 1000000 --queries 30 --peers numpy faiss_flat
	OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 $(PEERS) --n 1000000 --queries 30 --peers numpy faiss_flat

bench-speed: bench-extra ## remember, recall, sleep and open through the public API
	$(BIN)/python -m pytest benches/speed --benchmark-columns=min,median,ops --benchmark-sort=name

format: build ## format Rust and Python sources
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

reference: build ## write COMMANDS.md from the commands
	$(BIN)/python -m realmemory.cli.reference > COMMANDS.md

clean: ## remove everything that was built
	rm -rf $(VENV) target dist

.PHONY: bench-kernels
bench-kernels: check-tools ## criterion benchmarks of the kernels
	cargo bench --manifest-path benches/kernels/Cargo.toml

# Works with a stable toolchain, which ships the run-time library of the sanitizer.
.PHONY: sanitize
sanitize: check-tools ## the engine's tests under AddressSanitizer
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize \
	  cargo test --package realmemory-engine --target $(HOST)

# Works with a stable toolchain: libFuzzer only needs the coverage pass, not the sanitizers.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares
HOST = $(shell rustc -vV | sed -n 's/host: //p')
.PHONY: fuzz
fuzz: check-tools ## fuzz the readers and the text analysis, FUZZ_SECONDS each
	cd rust/fuzz && RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --release --target $(HOST)
	for path in rust/fuzz/fuzz_targets/*.rs; do \
	  target=$$(basename $$path .rs); mkdir -p rust/fuzz/corpus/$$target rust/fuzz/artifacts; \
	  rust/fuzz/target/$(HOST)/release/$$target rust/fuzz/corpus/$$target -max_len=1024 \
	    -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=rust/fuzz/artifacts/ || exit 1; \
	done
