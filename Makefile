# A thin front for CMake. `make help` lists what there is.
.DEFAULT_GOAL := build
.PHONY: help run build python test test-long test-hostile test-arm64 test-bare test-compilers bench asan clang fuzz install format format-check layers page page-core docs deps clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 30
HOSTILE_SECONDS ?= 3600
SUITES ?= bookworm trixie
CTEST = ctest -j $(JOBS) --no-tests=error

help:
	@echo "make run           build cradle and show an example (installs missing packages first)"
	@echo "make test          build and pass everything: gcc, AddressSanitizer, clang, layers, format, installation"
	@echo "make               build only; the program is build/cradle"
	@echo "make python        build and test the Python module; build/python is a folder to import from (docs/python.md)"
	@echo "make test-long     the long campaigns on top"
	@echo "make test-hostile  attack the readers (libFuzzer, HOSTILE_SECONDS=$(HOSTILE_SECONDS) each), fail every request for memory and every"
	@echo "                   change of the disk, kill runs, run for long; ten minutes of it are part of test-long"
	@echo "make test-arm64    base to impact cross-compiled for 64-bit ARM, under QEMU; part of test-long"
	@echo "make test-bare     all that a new user does, in minimal systems of Debian (root): SUITES=\"$(SUITES)\""
	@echo "make test-compilers  by every GCC and clang that those systems have, warnings as errors (root)"
	@echo "make bench         measure all, beside MuJoCo, Siconos, ODE, Bullet and DART; make bench run|tree|lcp|...: one table"
	@echo "make asan          build and test with AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "make clang         build with clang"
	@echo "make fuzz          fuzz the readers, FUZZ_SECONDS=$(FUZZ_SECONDS) each"
	@echo "make install       install to PREFIX=$(PREFIX) (DESTDIR is honoured)"
	@echo "make format        format the sources; format-check only looks"
	@echo "make layers        check that every layer knows only those beneath it, that no bare number decides, and names"
	@echo "make page          bundle viewer/src into viewer/page.html, the page that the program writes (node, npm)"
	@echo "make page-core     the program as WebAssembly for the page (emscripten), then the page"
	@echo "make docs          build the documentation as a site in build/docs; pictures and the program in the README anew"
	@echo "make deps          install missing packages; tools/deps --check only reports"
	@echo "make clean         remove everything built"

# $(call build,preset,targets): configure quietly, build. Warnings are errors in CI only (CI=true): a user's compiler may be
# newer than ours.
strict := $(if $(CI),-DCRADLE_WERROR=ON)
build = cmake --preset $(1) $(strict) >/dev/null && cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))

deps:
	@tools/deps
build:
	@tools/deps core
	@$(call build,release)
# The words behind `bench` are names of benchmarks, not targets: make bench run
benchmarks := $(if $(filter bench,$(firstword $(MAKECMDGOALS))),$(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS)))
ifneq ($(benchmarks),)
$(eval $(benchmarks):;@:)
else
run:
	@tools/deps core
	@$(call build,release,cradle)
	@echo "A walker sets its foot A down while foot B rests on the floor. What then? cradle asks every impact law, side by side:"
	@echo
	@build/cradle impact @compass-gait
	@echo
	@echo "Next: build/cradle example                  the other built-in examples"
	@echo "      build/cradle info FILE.xml            what is in an MJCF or URDF file of yours"
	@echo "      build/cradle dynamics @compass-gait   the equation of motion and the contact problem behind it"
endif
python:
	@tools/deps core python
	@$(call build,release,cradle cradle_python)
	@$(CTEST) --preset release -R '^python[.]' -LE long
test: deps
	@tools/deps python || echo "make test: the tests of the Python module are skipped, its packages cannot be had" >&2
	@tools/viewer-modules || [ $$? = 77 ]
	@$(call build,release)
	@$(CTEST) --preset release -LE long
	@$(call build,asan)
	@$(CTEST) --preset asan -LE long
	@$(call build,clang)
	@echo "make test: all passed (gcc, asan + ubsan, clang)"
test-long: deps
	@tools/deps cross package
	@$(call build,release)
	@$(CTEST) --preset release -L long
	@$(call build,fuzz)
	@tools/fuzz 60
	@$(MAKE) --no-print-directory test-arm64
# A night: HOSTILE_SECONDS for each reader, FAULTS values of k for each command (0: every one), SOAK_STEPS steps.
FAULTS ?= 0
SOAK_STEPS ?= 10000000
test-hostile: deps
	@$(call build,release)
	@$(CTEST) --preset release -R '^(io.hdf5_attacks|io.trace|cli.interrupt|cli.recover|cli.files)$$'
	@tests/faults/campaign $(CURDIR)/build/cradle $(CURDIR)/build/tests/libcradle_faults.so $(CURDIR) $(FAULTS)
	@tests/faults/soak $(CURDIR)/build/cradle $(CURDIR) $(SOAK_STEPS)
	@$(call build,fuzz)
	@tools/fuzz $(HOSTILE_SECONDS)
test-arm64:
	@tools/deps cross
	@tools/sysroot; status=$$?; [ $$status != 77 ] || exit 0; \
	  [ $$status = 0 ] && $(call build,arm64) && $(CTEST) --preset arm64
test-bare:
	@tools/deps bare
	@failed=; for suite in $(SUITES); do tools/bare $$suite || failed=yes; done; [ -z "$$failed" ]
test-compilers:
	@tools/deps bare
	@failed=; for suite in $(SUITES); do tools/bare --compilers $$suite || failed=yes; done; [ -z "$$failed" ]
bench:
	@tools/deps core bench peer
	@$(call build,release)
	@for program in $(if $(benchmarks),$(benchmarks:%=build/bench/bench_%),build/bench/bench_*); do \
	  [ -x $$program ] || { echo "make bench: there is no $$program" >&2; exit 1; }; \
	  echo "== $$program"; $$program || exit 1; done
asan: deps
	@$(call build,asan)
	@$(CTEST) --preset asan -LE long
clang: deps
	@$(call build,clang)
fuzz: deps
	@$(call build,fuzz)
	@tools/fuzz $(FUZZ_SECONDS)
install:
	@tools/deps core
	@$(call build,release,cradle manual cradle_shared cradle_static)
	@cmake --install build --prefix $(PREFIX)
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig
	@[ -n "$(DESTDIR)" ] || tools/say-paths $(PREFIX) $$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' build/CMakeCache.txt)
format: deps
	@tools/format
format-check: deps
	@tools/format --check
layers:
	@tools/check-layers
	@tools/check-literals
	@tools/check-names
page:
	@tools/viewer-page
page-core:
	@tools/deps page
	@tools/viewer-core
	@tools/viewer-page
docs:
	@tools/deps core test docs
	@$(call build,release,cradle) >/dev/null
	@tools/update-docs
	@tools/build-docs
	@echo "open build/docs/index.html"
clean:
	@rm -rf build build-core build-arm64 build-sysroot build-debug build-clang build-asan build-fuzz
