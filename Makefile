# Every target works on a machine with Go alone; what more a target can use, it names when it is missing.
GO      ?= go
MODULES := . ./gen/... ./tools/...
HEADERS := .headers
TARGETS := linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

## For everybody

.PHONY: demo
demo: ## what this machine has: libraries, driver versions, devices
	@$(GO) run ./examples/gpuinfo

.PHONY: test
test: ## all tests that this machine can run
	$(GO) test ./... ./gen/... ./tools/...

.PHONY: bench
bench: ## cost of a call beside the same call through cgo and through purego (needs gcc)
	cd tools/callbench && $(GO) test -run '^$$' -bench . -benchmem -count $(or $(COUNT),6) .

## For a new CUDA or ROCm release

.PHONY: headers
headers: ## fetch the vendors' headers that tools/pins.toml names
	cd tools && $(GO) run ./fetch headers -dir ../$(HEADERS)

.PHONY: specs
specs: ## extract specs/*.json from the fetched headers
	$(GO) run ./gen merge -api cuda -dir $(HEADERS)/cuda -o specs/cuda.json
	$(GO) run ./gen merge -api hip -dir $(HEADERS)/hip -o specs/hip.json

.PHONY: generate
generate: ## make cudrv and hip from the specs
	$(GO) generate ./...
