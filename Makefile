# A thin front for CMake: `make help` lists what there is.
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)

deps:
	@tools/deps
build: deps
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS)
test: build
	@ctest --preset release -j $(JOBS)
.PHONY: deps build test
