# A thin layer: CMake builds, scripts/ does the rest. `make help` lists the targets.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PLUMB_BUILD_DIR ?= build

.PHONY: help demo install python test asan bench bench-lineup bench-portfolio bench-states bench-weak bench-roundup bench-hitting bench-record bench-table1 bench-limo bench-cliffs bench-python bench-etcd bench-reports bench-scale bench-all lint tsan coverage soak approve site package clean build

help:
	@echo "make demo     install what is needed, build, find the bug in a queue, explain a bad history"
	@echo "make install  build and install: PREFIX=FOLDER (by default /usr/local); DESTDIR=FOLDER is put before it, for packagers"
	@echo "make python   the package of Python, in build/python: put that folder on PYTHONPATH"
	@echo "make test     install what is needed, build, run every test: under 20 minutes on 2 cores the first time"
	@echo "make asan     the tests again with clang, AddressSanitizer and UBSan, and the fuzzers for a few seconds"
	@echo "make bench    build and run the benchmarks"
	@echo "make bench-lineup   only the evaluation of the Line-Up paper (PLUMB_LINEUP_SCENARIOS per class, by default 100)"
	@echo "make bench-weak     only libraries under the C++ memory model, orders weakened one at a time, and what judging costs"
	@echo "make bench-roundup  only the tables on relaxed structures"
	@echo "make bench-hitting  only the tables on hitting families"
	@echo "make bench-record   only what recording costs, and a run of 100 million operations (PLUMB_RECORD_OPERATIONS)"
	@echo "make bench-table1   only Table 1 of the first paper, on recorded sets, and what recording costs"
	@echo "make bench-limo     only LiMo's plots, of recorded stacks and queues"
	@echo "make bench-cliffs   only repeated values beside FPTLin, and where a check does not end (PLUMB_CLIFFS_SECONDS; PLUMB_CLIFFS_QUICK=1)"
	@echo "make bench-python   only what the package of Python costs"
	@echo "make bench-etcd     only a cluster of etcd under load: operations per second, what judging them costs (PLUMB_ETCD_SECONDS)"
	@echo "make bench-reports  only reports of etcd's robustness tests, by the number of clients (REPORTS: folders of such)"
	@echo "make bench-scale    only shards and ranks beside one process, what a journal costs, and a simulation of more cores"
	@echo "make bench-all      all of them, one after another: everything in benchmarks/RESULTS.md"
	@echo "make lint     clang-format, include layers, clang-tidy"
	@echo "make tsan     what plumb itself does in parallel, under ThreadSanitizer"
	@echo "make coverage which lines the tests execute: a table, and pages in build/coverage/report"
	@echo "make soak     long random tests and fuzzing (PLUMB_SOAK_MINUTES, by default 30)"
	@echo "make approve  accept the current output of the command as correct (tests/golden, docs/cli.md, docs/api.md)"
	@echo "make site     the documentation as a web site, in build/site"
	@echo "make package  Debian packages: plumb, plumb-mpi, python3-plumb, in build/release/package"
	@echo "make clean    remove build/"

# A build that has tests keeps them; a first `make demo` does without.
build:
	@scripts/install-deps build
	@test -f build/build.ninja || cmake --preset release -DPLUMB_BUILD_TESTS=OFF
	@cmake --build build -j $(JOBS) --target plumb_command

demo: build
	@cmake --build build -j $(JOBS) --target queue_test repaired_queue_test aba_stack ring_queue
	@scripts/demo

# PREFIX may begin with a tilde that the shell did not expand.
install:
	@scripts/install-deps build
	@test -f $(PLUMB_BUILD_DIR)/build.ninja || cmake --preset release -B $(PLUMB_BUILD_DIR) -DPLUMB_BUILD_TESTS=OFF
	@cmake -B $(PLUMB_BUILD_DIR) -DCMAKE_INSTALL_PREFIX="$(abspath $(patsubst ~%,$(HOME)%,$(PREFIX)))" >/dev/null
	@cmake --build $(PLUMB_BUILD_DIR) -j $(JOBS) --target plumb_installed
	@DESTDIR="$(DESTDIR)" cmake --install $(PLUMB_BUILD_DIR)

python:
	@scripts/install-deps python
	@test -f build/build.ninja || cmake --preset release -DPLUMB_BUILD_TESTS=OFF
	@cmake -B build -DPLUMB_BUILD_PYTHON=ON >/dev/null
	@cmake --build build -j $(JOBS) --target plumb_python

test:
	@scripts/test

asan:
	@scripts/test deps asan_build asan_tests fuzz

bench: build
	@scripts/install-deps test
	@if test -x benchmarks/run; then benchmarks/run; else echo "bench: benchmarks/run is missing" >&2; exit 1; fi

bench-lineup:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target examples/subjects/all
	@benchmarks/lineup.py --scenarios $${PLUMB_LINEUP_SCENARIOS:-100}

bench-weak:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target examples/subjects/all
	@benchmarks/weak.py

bench-states:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON -DPLUMB_BUILD_BENCHMARKS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target bench_states examples/subjects/all
	@benchmarks/states.py

bench-portfolio:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target examples/subjects/all
	@benchmarks/portfolio.py build --write benchmarks/RESULTS.md

bench-roundup: build
	@benchmarks/roundup.py

bench-hitting: build
	@benchmarks/hitting.py

bench-record: build
	@scripts/install-deps test
	@benchmarks/record.py

bench-table1: build
	@scripts/install-deps test
	@benchmarks/table1.py

bench-limo: build
	@scripts/install-deps test
	@benchmarks/limo.py

bench-python: build python
	@benchmarks/python.py

bench-etcd: build python
	@scripts/install-deps test
	@benchmarks/etcd.py

bench-reports: build
	@benchmarks/etcd_reports.py $(REPORTS)

bench-scale: build
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target repaired_queue_test plumb_mpi
	@benchmarks/scale.py

bench-cliffs: build
	@benchmarks/cliffs.py

# `bench` writes the page; the other targets write their parts of it.
bench-all:
	@$(MAKE) --no-print-directory bench
	@$(MAKE) --no-print-directory bench-lineup
	@$(MAKE) --no-print-directory bench-portfolio
	@$(MAKE) --no-print-directory bench-states
	@$(MAKE) --no-print-directory bench-weak
	@$(MAKE) --no-print-directory bench-roundup
	@$(MAKE) --no-print-directory bench-hitting
	@$(MAKE) --no-print-directory bench-record
	@$(MAKE) --no-print-directory bench-table1
	@$(MAKE) --no-print-directory bench-limo
	@$(MAKE) --no-print-directory bench-cliffs
	@$(MAKE) --no-print-directory bench-python
	@$(MAKE) --no-print-directory bench-etcd
	@$(MAKE) --no-print-directory bench-reports
	@$(MAKE) --no-print-directory bench-scale

lint:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS)
	@scripts/lint

tsan:
	@scripts/test deps tsan

coverage:
	@scripts/coverage

soak:
	@scripts/soak

approve:
	@scripts/install-deps test
	@cmake --preset release -DPLUMB_BUILD_TESTS=ON >/dev/null
	@cmake --build build -j $(JOBS) --target plumb_command test_cli test_explore_wrong queue_test repaired_queue_test channel_test
	@PLUMB_APPROVE=1 build/tests/test_cli --gtest_filter='*Golden*'
	@PLUMB_APPROVE=1 build/tests/test_explore_wrong --gtest_filter='*Golden*'
	@scripts/api-reference

site:
	@command -v mkdocs >/dev/null || scripts/install-deps site
	@mkdocs build --quiet --strict

package:
	@scripts/install-deps python
	@cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DPLUMB_BUILD_TESTS=OFF -DPLUMB_BUILD_EXAMPLES=OFF -DPLUMB_BUILD_PYTHON=ON -DPython3_EXECUTABLE=/usr/bin/python3
	@cmake --build build/release -j $(JOBS)
	@cd build/release && cpack
	@ls -l build/release/package/*.deb

clean:
	rm -rf build
