# `make` lists what can be made. Everything runs with Go alone, but for the tests
# of the DynamoDB store, which also need Java and npm, and those of the public
# pages, which need Chromium and npm: see README.md.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# How long each fuzz target runs: make fuzz FUZZTIME=1m
FUZZTIME ?= 3s
# How many seeds the simulation runs in a soak, and from which on: make soak N=100000 FROM=5000
N ?= 20000
FROM ?= 2500
# How long each fuzz target runs in a soak
SOAKFUZZ ?= 2m
# What to benchmark: make bench BENCH=Settle
BENCH ?= .

.PHONY: help demo build auditor functions check test unit lint fuzz api soak bench latency scale cover clean

# Without symbols and DWARF, which are a third of a program.
stripped = -ldflags '-s -w'

help: ## list the targets
	@grep -Eh '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-9s  %s\n", $$1, $$2 }'

demo: ## play a studio day on this machine, settle it and check the money
	@printf 'building, which takes a minute the first time ' >&2
	@{ while sleep 1; do printf . >&2; done; } & dots=$$!; trap 'kill $$dots' EXIT; go build $(stripped) -o bin/tally ./cmd/tally; echo >&2
	@bin/tally demo --keep build/demo

build: ## build bin/tally
	go build $(stripped) -o bin/tally ./cmd/tally

auditor: ## build bin/auditor/tally, which has what bookmakers and auditors need, without AWS and its emulator
	go build $(stripped) -tags auditor -o bin/auditor/tally ./cmd/tally

include functions/build.mk

check: ## a minute's check while working: format, vet, tests that need Go alone
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [[ -z $$unformatted ]] || { printf 'not formatted (gofmt -w fixes it):\n%s\n' "$$unformatted"; exit 1; }
	go vet ./...
	@go test -short -json ./... | go run ./internal/testreport -short

test: lint unit fuzz api ## install what the tests need and run everything: lint, tests, short fuzzing

# The rules are pure and have no goroutines: the race detector would only slow them down
# tenfold, as it would the exploration, the model of AWS, the studio and the schemas against their reader.
alone = $(shell go list ./lib/rulebook/... ./internal/exploration ./internal/bench/scale ./internal/studio ./lib/draw/schema | grep -v /replay$$)
# Packages with tests that are left out with the race detector (//go:build !race), for the
# same reason, or are then smaller: they run both ways. Both runs go on side by side: the one
# with the race detector ends with tests that wait for processes more than they work.
both = ./internal/simulation ./lib/archive ./lib/archive/sequencer ./lib/archive/verify
# Many tests wait for processes, more than one core is worth of each.
parallel = -p $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

unit: tools ## run the tests, with the race detector where it has a part; a skipped test is a failure
	@( go test -p 2 -timeout 60m -json $(alone) $(both) | go run ./internal/testreport ) & alone=$$!; \
	race=$$(scripts/race); go test $$race $(parallel) -timeout 40m -json $(filter-out $(alone),$(shell go list ./...)) | go run ./internal/testreport && raced=0 || raced=$$?; \
	wait $$alone && exit $$raced

lint: ## gofmt, go vet, staticcheck, deadcode, cfn-lint, SAM's translator, checkov, govulncheck
	@scripts/lint

fuzz: ## run each fuzz target for FUZZTIME
	@scripts/fuzz $(FUZZTIME)

api: ## fuzz the API over HTTP, with schemathesis: half a minute; EXAMPLES=500 for longer
	@scripts/schemathesis || { status=$$?; [[ $$status -eq 75 && -z "$${CI-}" ]]; }

soak: tools ## hours of what make test does in minutes: N seeds of the simulation from FROM on, large explorations, long fuzzing, long requests of the API
	go test -timeout 0 ./internal/simulation -seeds $(N) -from $(FROM) -v -run 'TestSeeds'
	go test -timeout 0 ./internal/exploration -large -v -run 'TestScopes'
	@scripts/fuzz $(SOAKFUZZ)
	@EXAMPLES=500 scripts/schemathesis

bench: tools ## run the benchmarks that match BENCH
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 1h ./...

latency: ## measure how soon after a result its report can be read, by game and by what closed betting: a quarter of an hour
	go run ./internal/bench/latency

scale: ## run the functions on models of AWS at a billion bets a day, and write what came of it into docs/scale.md: some minutes
	go run ./internal/bench/scale -write docs/scale.md

cover: ## write the test coverage to build/cover.html
	@mkdir -p build
	go test -coverpkg=./... -coverprofile=build/cover.out ./...
	go tool cover -html=build/cover.out -o build/cover.html
	@go tool cover -func=build/cover.out | tail -n 1

clean: ## remove what was built
	rm -rf bin build

# What the tests need beside Go modules.
.PHONY: tools
tools:
	@if [ -x scripts/dynamodb-local ]; then scripts/dynamodb-local >/dev/null; fi
	@scripts/chromium >/dev/null # and axe-core, for internal/browsertest
	@scripts/boto3 >/dev/null # for docs/examples
