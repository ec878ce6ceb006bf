# Everything one does with this repository. `make help` lists it.

SHELL := /bin/bash
.DEFAULT_GOAL := help

DATA ?= data
LISTEN ?= 127.0.0.1:7420
# Tests that drive a process use the program that users get; the tests of the libraries (`swift test`) are a debug build.
CONFIGURATION ?= release
HEDDLE := .build/$(CONFIGURATION)/heddle
PYTHON := .venv/bin/python
# Tests from outside mostly wait, so more of them run at once than there are cores.
WORKERS ?= 4
# Not empty: everything is built already. SwiftPM runs one build at a time, so targets that run side by side must not build.
BUILT ?=
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# Debian packages by what needs them.
PACKAGES_BUILD := libprotobuf-c-dev libsqlite3-dev libnghttp2-dev pkg-config
PACKAGES_TEST := protobuf-compiler libprotobuf-dev protobuf-c-compiler python3 python3-venv strace openssl gcc libc6-dev
PACKAGES_CAPTURE := tshark tcpdump
PACKAGES_DEPLOY := systemd strace openssl
PACKAGES_PACKAGING := debhelper dpkg-dev fakeroot binutils umoci
PACKAGES_PACKAGING_TEST := lintian debootstrap man-db groff
PACKAGES_BENCH := gcc g++ libc6-dev pkg-config valgrind redis-server postgresql libgrpc++-dev libprotobuf-dev \
  protobuf-compiler-grpc golang-go golang-google-grpc-dev golang-goprotobuf-dev golang-google-protobuf-dev \
  protoc-gen-go-1-3

PACKAGES_BENCH_CLIENTS := pkg-config libgrpc++-dev protobuf-compiler-grpc golang-google-grpc-dev golang-goprotobuf-dev libgrpc-java \
  libnetty-java libperfmark-java

# Clients of the doors: compilers and libraries of gRPC in C++ and Go; the other clients are in scripts/requirements-doors.txt.
PACKAGES_DOORS := g++ pkg-config curl libgrpc++-dev libprotobuf-dev golang-go golang-google-grpc-dev golang-goprotobuf-dev \
  golang-google-protobuf-dev

.PHONY: help
help: ## List every target with a line.
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

# ---- Dependencies

.PHONY: setup
setup: ## Install what building needs (Debian packages; Swift 6.3 must be there).
	@command -v swift >/dev/null || { echo "Swift 6.3 is needed: https://www.swift.org/install/linux/"; exit 1; }
	@scripts/install-packages $(PACKAGES_BUILD)

.PHONY: setup-test
setup-test: setup .venv/ready ## Install what tests, code generation and the demonstration need.
	@scripts/install-packages $(PACKAGES_TEST)
	@scripts/install-packages $(PACKAGES_CAPTURE)

.venv/ready: scripts/requirements.txt
	@scripts/install-packages $(PACKAGES_TEST)
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	touch $@

.venv/doors: .venv/ready scripts/requirements-doors.txt
	@scripts/install-packages $(PACKAGES_DOORS)
	.venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-doors.txt
	touch $@

# The clients in C++ and Go are built here: beside a build, tests that are about time would judge the machine.
.PHONY: setup-doors
setup-doors: setup-test .venv/doors ## Install the clients of `make doors` (gRPC for C++ and Go through apt, others from PyPI) and build those in C++ and Go.
	@scripts/install-packages $(PACKAGES_DOORS)
	$(PYTHON) Tests/doors/prepare.py

# Languages with a client of their own, and the examples; each has a script `test`, and its needs in packages.txt and requirements.txt.
CLIENTS := python javascript go rust java cpp swift examples
CLIENTS_PYTHON := $(CURDIR)/.venv-clients/bin/python

.PHONY: setup-clients
setup-clients: setup .venv-clients/ready ## Install what the clients of other languages and their conformance suite need.
	@scripts/install-packages $(sort $(shell cat $(CLIENTS:%=clients/%/packages.txt)))
	@clients/go/setup
	@clients/rust/setup

.venv-clients/ready: conformance/requirements.txt $(CLIENTS:%=clients/%/requirements.txt) clients/python/pyproject.toml
	@scripts/install-packages $(PACKAGES_TEST)
	python3 -m venv .venv-clients
	.venv-clients/bin/pip install --quiet --disable-pip-version-check $(foreach file,$(filter %.txt,$^),-r $(file))
	.venv-clients/bin/pip install --quiet --disable-pip-version-check -e clients/python
	touch $@

# ---- Build and run

.PHONY: build
build: setup $(if $(BUILT),,compile) ## Build the program (CONFIGURATION=release or debug).

.PHONY: compile
compile: setup
	swift build -c $(CONFIGURATION) --product heddle

.PHONY: compile-tests
compile-tests: setup
	swift build --build-tests

.PHONY: compile-tools
compile-tools: setup
	swift build -c release --product simulator
	swift build -c release --product differential
	swift build -c release --product conformance-driver
	swift build -c release --product quickstart
	swift build --product simulator

.PHONY: run
run: build ## Install, build and serve on 127.0.0.1:7420 (DATA=folder LISTEN=host:port).
	exec .build/release/heddle serve --data $(DATA) --listen $(LISTEN)

# Statically linked: the packages need no Swift. SwiftPM would build everything anew in the usual folder.
PACKAGED := .build-package/release/heddle
PACKAGED_FLAGS := --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now --scratch-path .build-package

.PHONY: package
package: setup ## Build the Debian package and the OCI image into .build/packages (a clean build: ten minutes).
	@scripts/install-packages $(PACKAGES_PACKAGING)
	swift build -c release $(PACKAGED_FLAGS) --product heddle
	rm -rf .build/packages
	deploy/package/debian $(PACKAGED) .build/packages
	python3 deploy/oci/build.py $(PACKAGED) .build/packages

.PHONY: install-completion
install-completion: build ## Print how to complete `heddle` in your shell.
	@echo "bash: $(HEDDLE) --generate-completion-script bash > /etc/bash_completion.d/heddle"
	@echo "zsh:  $(HEDDLE) --generate-completion-script zsh > ~/.zfunc/_heddle"

# ---- Tests

# Runs targets side by side, each lane in order; the logs are in .build/NAME. Builds come before: beside a build, tests
# that are about time would judge the machine.
LANES = BUILT=1 $(PYTHON) scripts/lanes.py

.PHONY: test
test: setup-test build compile-tests ## Install, build and run every test: those of the libraries beside those from outside.
	$(LANES) --name test "test-swift" "test-python"

# A long log is often kept only in part: name the failed tests at its end.
FAILED_TESTS_LAST = { grep -a '✘' .build/swift-test.log | tail -15; exit 1; }

.PHONY: test-swift
test-swift: setup-test $(if $(BUILT),,compile-tests) ## Run the tests of the libraries.
	@mkdir -p .build
	# Tests that wait for timeouts run by themselves: beside long computations they would wait for a core.
	set -o pipefail; swift test --skip-build --skip HeddleModelsTests 2>&1 | tee .build/swift-test.log || $(FAILED_TESTS_LAST)
	set -o pipefail; swift test --skip-build --filter HeddleModelsTests 2>&1 | tee -a .build/swift-test.log || $(FAILED_TESTS_LAST)

.PHONY: test-python
test-python: setup-test build ## Run the tests from outside: sessions, agents, providers, restarts (WORKERS=4 ONLY=name).
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest -n $(WORKERS) --dist worksteal --junitxml=.build/junit.xml \
	  $(if $(ONLY),-k "$(ONLY)") Tests/integration

.PHONY: test-python-debug
test-python-debug: ## The same, and the rows of attacks, against a debug build, which also checks for overlapping accesses (campaign).
	$(MAKE) --no-print-directory test-python CONFIGURATION=debug
	$(MAKE) --no-print-directory attacks CONFIGURATION=debug

.PHONY: test-package
test-package: setup-test build ## Build a package that uses HeddleClient, by path and by git URL, and run it (campaign).
	$(PYTHON) clients/swift/quickstart/check.py --heddle $(HEDDLE)

.PHONY: test-deploy
test-deploy: setup-test build ## Test deploy/: systemd and a kubelet are played, Envoy checks its files, meshes' files fit the ports (`mesh` has the rest).
	@scripts/install-packages $(PACKAGES_DEPLOY)
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest --ignore-glob='*/test_envoy_*' Tests/deploy

.PHONY: test-packages
test-packages: setup-test package ## Run lintian, make both packages again, install in a debootstrap, run the image (root; campaign).
	@scripts/install-packages $(PACKAGES_PACKAGING_TEST)
	$(SUDO) env HEDDLE_PACKAGES=$(abspath .build/packages) HEDDLE_PACKAGED=$(abspath $(PACKAGED)) \
	  $(PYTHON) -m pytest Tests/deploy/test_packages.py

.PHONY: demo
demo: setup-test build ## Start, import, run, kill -9 in the middle of a turn, restart, compare.
	$(PYTHON) clients/python/demo.py --heddle $(HEDDLE) --samples Tests/Fixtures/codex-rollouts

.PHONY: attacks
attacks: setup-test build ## Drive the rows of docs/attacks.md over sockets (about three minutes; ONLY=F1,S).
	$(PYTHON) Tests/attacks --heddle $(HEDDLE) --self-test
	$(PYTHON) Tests/attacks --heddle $(HEDDLE) $(if $(ONLY),--only $(ONLY))

.PHONY: attacks-full
attacks-full: setup-test build ## The same in the sizes of the page, against a release build (some hours; ONLY=F1,S).
	$(PYTHON) Tests/attacks --heddle .build/release/heddle --full $(if $(ONLY),--only $(ONLY))

.PHONY: mesh
mesh: setup-test build ## The stories of a mesh alone: Envoy before two servers, frames on layer 4, gRPC on layer 7 (ARGS="-k cancel").
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) Tests/deploy/mesh.py $(ARGS)

.PHONY: test-clients
test-clients: setup-clients build ## Run the tests of all clients side by side, and the conformance suite.
	$(LANES) --name clients "$(patsubst %,test-client-%,$(filter-out cpp,$(CLIENTS)))" "test-client-cpp"
	@$(MAKE) --no-print-directory conformance

.PHONY: $(CLIENTS:%=test-client-%)
$(CLIENTS:%=test-client-%): test-client-%:
	HEDDLE_BIN=$(abspath $(HEDDLE)) PYTHON=$(CLIENTS_PYTHON) clients/$*/test

.PHONY: guides
guides: setup-clients build ## Run the programs of docs/guides, which must print what their pages say.
	$(CLIENTS_PYTHON) scripts/guides.py --heddle $(HEDDLE)

.venv-docs/ready: scripts/requirements-docs.txt
	@scripts/install-packages python3 python3-venv
	python3 -m venv .venv-docs
	.venv-docs/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-docs.txt
	touch $@

.PHONY: docs
docs: .venv-docs/ready build ## Build the documentation site in .build/site and check its links (ARGS=--serve shows it on port 8000).
	.venv-docs/bin/python scripts/site.py $(ARGS)

.PHONY: conformance
conformance: setup-clients ## Run the conformance suite against the clients; all of them write docs/conformance.md (CLIENT=python, CASE=resume).
	$(CLIENTS_PYTHON) conformance $(if $(CLIENT),--client $(CLIENT)) $(if $(CASE),--case $(CASE))
	@$(if $(CLIENT)$(CASE),true,git diff --exit-code --stat -- docs/conformance.md)

.PHONY: conformance-live
conformance-live: setup-clients build ## Run TURNS=1000 turns by each client through a proxy that cuts, over kills and drains, plain and by TLS (ten minutes).
	$(CLIENTS_PYTHON) conformance/live.py --heddle $(abspath $(HEDDLE)) --turns $(or $(TURNS),1000) $(if $(CLIENT),--client $(CLIENT))
	$(CLIENTS_PYTHON) conformance/live.py --heddle $(abspath $(HEDDLE)) --turns $(or $(TURNS),1000) $(if $(CLIENT),--client $(CLIENT)) --tls

.PHONY: conformance-versions
conformance-versions: setup-clients ## Run the suite with the oldest and the newest protobuf that the Python client takes (a minute; campaign).
	PYTHON=$(CLIENTS_PYTHON) clients/python/versions

.PHONY: conformance-bites
conformance-bites: setup-clients ## Plant fifteen bugs in the Python client; fails unless the suite finds each (two minutes).
	$(CLIENTS_PYTHON) conformance/plants.py

.PHONY: doors
doors: setup-doors build ## Drive the doors for gRPC and HTTP with clients of others: grpcio, Go, C++, grpcurl, buf, connectrpc, curl (CLIENT=go,cpp DOORS=grpc).
	$(PYTHON) Tests/doors --heddle $(HEDDLE) $(if $(CLIENT),--client $(CLIENT)) $(if $(DOORS),--doors $(DOORS))

.PHONY: rollovers
rollovers: setup-doors build ## Count the calls that clients lose when the gRPC door replaces their connections (a minute; ARGS="--seconds 60").
	$(PYTHON) Tests/doors/rollovers.py --heddle $(HEDDLE) $(ARGS)

.PHONY: h2spec
h2spec: setup-doors build ## Check the gRPC door's HTTP/2 with h2spec, whose source is at SOURCE=folder (by hand).
	@scripts/install-packages golang-go golang-golang-x-net-dev golang-github-spf13-cobra-dev golang-github-fatih-color-dev
	$(PYTHON) Tests/doors/h2spec.py --heddle $(HEDDLE) --source $(SOURCE)

.PHONY: many
many: setup-test build ## Ten thousand connections, two thousand slow ones, floods, in full size (about ten minutes; CASE=idle,slow).
	$(PYTHON) Tests/many --self-test
	$(PYTHON) Tests/many --heddle .build/release/heddle --full $(if $(CASE),--case $(CASE))

.PHONY: many-quick
many-quick: setup-test build ## The same in small sizes (two minutes; CASE=idle,slow).
	$(PYTHON) Tests/many --self-test
	$(PYTHON) Tests/many --heddle $(HEDDLE) $(if $(CASE),--case $(CASE))

.PHONY: rules
rules: setup-test build ## Print every rule with the tests that quote it and their results.
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) scripts/rules.py

.PHONY: rules-tested
rules-tested: ## The same from the results of the last `make test`.
	$(PYTHON) scripts/rules.py --swift-log .build/swift-test.log --junit .build/junit.xml

.PHONY: soak-rules
soak-rules: setup-test ## Run 100,000 random threads against the rules (about three minutes; SEQUENCES=n).
	HEDDLE_SEQUENCES=$(or $(SEQUENCES),100000) swift test --filter RulePropertyTests

.PHONY: soak-rules-wire
soak-rules-wire: setup-test build ## Run 2,000 random sequences over the wire, restarts included (about four minutes).
	HEDDLE_WIRE_SEQUENCES=2000 HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest Tests/integration/test_rules_property.py

.PHONY: soak-model
soak-model: setup-test build ## Draw EXAMPLES=1000 sequences of several clients, restarts and kill -9 (Hypothesis; half an hour).
	HEDDLE_MODEL_SOAK=1 HEDDLE_MODEL_EXAMPLES=$(or $(EXAMPLES),1000) HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) -m pytest Tests/integration/test_model.py

.PHONY: model-bites
model-bites: setup-test build ## Show that the model-based test finds planted mistakes, and how soon (ONLY=name).
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) Tests/integration/model_plants.py

FAULT_SHIM := .build/crash/fault.so
$(FAULT_SHIM): Tests/crash/fault.c
	@scripts/install-packages gcc libc6-dev
	@mkdir -p $(@D)
	cc -O2 -Wall -Wextra -Werror -shared -fPIC -o $@ $< -ldl -lpthread

CRASH = HEDDLE_BIN=$(abspath $(HEDDLE)) HEDDLE_FAULT_SHIM=$(abspath $(FAULT_SHIM)) $(PYTHON) Tests/crash/crash.py

.PHONY: crash
crash: setup-test build $(FAULT_SHIM) ## Kill, starve and cut off the real process; compare what is stored (five minutes; ARGS="--case kill").
	$(CRASH) $(ARGS)

.PHONY: crash-full
crash-full: setup-test build $(FAULT_SHIM) ## The same at every call, every place, N=500 kills (hours; JOBS=n ARGS="--case power").
	$(CRASH) --full --kills $(or $(N),500) --jobs $(or $(JOBS),1) $(ARGS)

.PHONY: simulate
simulate: setup $(if $(BUILT),,compile-tools) ## Simulate SEEDS=2000 runs with faults, find every planted bug, compare debug and release.
	scripts/simulate .build/release/simulator .build/debug/simulator $(or $(SEEDS),2000)

.PHONY: simulate-full
simulate-full: ## The same with SEEDS=10000 that CI does not try (campaign).
	FIRST_SEED=$(or $(FIRST_SEED),2001) $(MAKE) --no-print-directory simulate SEEDS=$(or $(SEEDS),10000)

.PHONY: differential
differential: setup-test $(if $(BUILT),,compile-tools) ## Compare our decoder with Google's on COUNT=100000 mutated messages (SEED=n).
	$(PYTHON) Tests/differential --decoder .build/release/differential --self-test
	$(PYTHON) Tests/differential --decoder .build/release/differential --count $(or $(COUNT),100000) --seed $(or $(SEED),1)
	$(PYTHON) Tests/differential/json_forms.py --decoder .build/release/differential --seed $(or $(SEED),1)

.PHONY: differential-full
differential-full: ## The same with COUNT=1000000 messages of SEED=2 (campaign).
	$(MAKE) --no-print-directory differential COUNT=$(or $(COUNT),1000000) SEED=$(or $(SEED),2)

# Fuzzed code is built apart, with libFuzzer and address sanitizer in all of it.
FUZZ_BUILD = swift build --package-path Fuzz --scratch-path .build-fuzz -c release --sanitize=fuzzer --sanitize=address
FUZZ = $(PYTHON) Fuzz/fuzz.py $(if $(TARGET),--target $(TARGET)) --seed $(or $(SEED),1)

.PHONY: fuzz-build
fuzz-build: setup
	$(FUZZ_BUILD) --product heddle-fuzz

.PHONY: fuzz
fuzz: setup-test fuzz-build ## Replay the corpora under address sanitizer, then fuzz each target for SECONDS=60 (TARGET=frames,jwt).
	$(FUZZ) --seconds $(or $(SECONDS),60) run

.PHONY: fuzz-long
fuzz-long: setup-test fuzz-build ## The same for HOURS=4 each, with another seed each time.
	$(FUZZ) --seed $$((RANDOM + 1)) --seconds $$(($(or $(HOURS),4) * 3600)) run

.PHONY: fuzz-self-test
fuzz-self-test: setup-test fuzz-build ## Each target finds the bug that is planted for it (SECONDS=60 at most).
	$(FUZZ) --seconds $(or $(SECONDS),60) self-test

.PHONY: fuzz-coverage
fuzz-coverage: setup-test ## Which regions of the parsing code the corpora reach; fails below 95 % (ARGS=--list).
	swift build --scratch-path .build-coverage --product fuzz-replay -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
	$(FUZZ) coverage .build-coverage/debug $(ARGS)

.PHONY: fuzz-corpora
fuzz-corpora: setup-test build fuzz-build ## Make seeds anew; keep of them and of what fuzzing made what adds coverage.
	rm -rf .build-fuzz/seeds
	HEDDLE_BIN=$(abspath $(HEDDLE)) $(PYTHON) Fuzz/seeds.py .build-fuzz/seeds
	$(FUZZ) corpora .build-fuzz/seeds

.PHONY: sanitize
sanitize: sanitize-undefined sanitize-address sanitize-thread ## All sanitizers (an hour and a half on two cores).

.PHONY: sanitize-undefined
sanitize-undefined: setup-test ## C, protobuf-c included, under address and undefined-behaviour sanitizers (under a minute).
	@scripts/install-packages gcc libc6-dev
	PYTHON=$(PYTHON) scripts/sanitize undefined

.PHONY: sanitize-address
sanitize-address: setup-test ## Libraries, simulator and server under the address sanitizer (STEPS="build swift").
	@scripts/install-packages gcc libc6-dev
	PYTHON=$(PYTHON) STEPS="$(STEPS)" scripts/sanitize address

.PHONY: sanitize-thread
sanitize-thread: setup-test ## Libraries and server under the thread sanitizer.
	PYTHON=$(PYTHON) STEPS="$(STEPS)" scripts/sanitize thread

.PHONY: coverage
coverage: setup-test $(FAULT_SHIM) ## Regions of core, protocol and store that all tests together reach; others are in docs/coverage.md.
	PYTHON=$(PYTHON) STEPS="$(STEPS)" FAULT_SHIM=$(FAULT_SHIM) scripts/coverage

.PHONY: setup-bench
setup-bench: ## Install what measuring needs: a C compiler, callgrind, and the peers.
	@scripts/install-packages $(PACKAGES_BENCH)

.PHONY: bench
bench: setup-test setup-bench build ## Measure beside C servers, Redis, gRPC and PostgreSQL (ten minutes; ARGS="--rounds 3").
	$(PYTHON) Benchmarks/bench.py --heddle .build/release/heddle --json .build/bench/bench.json $(ARGS)

.PHONY: bench-counts
bench-counts: setup-test setup-bench build ## Count instructions and allocations per request (ten minutes; ONLY=row PROFILES=folder).
	$(PYTHON) Benchmarks/counts.py --heddle .build/release/heddle --json .build/bench/counts.json \
	  $(if $(ONLY),--only "$(ONLY)") $(if $(PROFILES),--profiles $(PROFILES)) $(ARGS)

.PHONY: bench-clients
bench-clients: setup-clients build ## Measure the CPU of each client beside gRPC's client of its language (ten minutes; ARGS="--only go,rust --rounds 1").
	@scripts/install-packages $(PACKAGES_BENCH_CLIENTS)
	.venv-clients/bin/pip install --quiet --disable-pip-version-check 'grpcio>=1.60'
	$(CLIENTS_PYTHON) Benchmarks/clients.py --heddle .build/release/heddle --json .build/bench/clients.json $(ARGS)

.PHONY: bench-short
bench-short: setup-test build ## Fail when a ratio to the C server of the same run is worse than a generous bound.
	@scripts/install-packages gcc libc6-dev
	$(PYTHON) Benchmarks/bench.py --heddle .build/release/heddle --short

.PHONY: growth
growth: setup-test setup-bench build ## Measure growth with threads, turns, subscribers, connections (half an hour; ARGS="--short").
	$(PYTHON) Benchmarks/growth.py --heddle .build/release/heddle $(ARGS)

# ---- Checks, each with its fix

.PHONY: check
check: check-format check-generated check-imports check-laws ## Run every check.

.PHONY: check-format
check-format: ## The formatter has nothing to say.
	swift format lint --strict --recursive --parallel Package.swift Sources Tests clients/swift Simulator Fuzz/Package.swift Fuzz/Entries Fuzz/Replay Fuzz/Sources

.PHONY: fix-format
fix-format: ## Let the formatter decide.
	swift format --in-place --recursive --parallel Package.swift Sources Tests clients/swift Simulator Fuzz/Package.swift Fuzz/Entries Fuzz/Replay Fuzz/Sources

.PHONY: check-generated
check-generated: setup-test ## The generated files match the schema, and the schema keeps its rules.
	$(PYTHON) codegen/test_schema.py
	$(MAKE) --no-print-directory generate
	@git diff --exit-code --stat -- Sources/CHeddleProtocol Sources/HeddleCore/Generated Sources/HeddleProtocol/Generated Sources/HeddleGRPC/Generated Sources/HeddleClient/Generated tools docs clients \
	  && [ -z "$$(git status --porcelain -- Sources/CHeddleProtocol Sources/HeddleCore/Generated Sources/HeddleProtocol/Generated Sources/HeddleGRPC/Generated Sources/HeddleClient/Generated tools clients)" ] \
	  || { echo "generated files differ from the schema: run make fix-generated and commit"; exit 1; }

.PHONY: fix-generated
fix-generated: generate ## The same as generate.

.PHONY: generate
generate: setup-test ## Make C, Swift, the dissector and docs anew from proto/.
	$(PYTHON) codegen/generate.py

.PHONY: check-imports
check-imports: setup-test ## Targets import what Package.swift and ARCHITECTURE.md allow, nothing they merely reach.
	$(PYTHON) scripts/check_imports.py

.PHONY: fix-imports
fix-imports: setup-test ## Say for each wrong import which line of Package.swift or which import has to change.
	$(PYTHON) scripts/check_imports.py --explain

.PHONY: check-laws
check-laws: setup-test ## The core stays pure; files stay short; nothing traps on a peer's bytes; comments name their subject; rule numbers their owner.
	$(PYTHON) scripts/test_rule_numbers.py
	$(PYTHON) scripts/check_laws.py

.PHONY: fix-laws
fix-laws: setup-test ## Say for each broken law what to do instead; lower scripts/clauses.txt and rule_numbers.txt to the counts.
	$(PYTHON) scripts/check_laws.py --explain

# Counts for a reader, not a check: goals may be missed while the house is being changed.
.PHONY: house
house: setup-test ## Count lines, circles of files, wide types, callbacks, unsafe confinements, by target, with goals (CIRCLE=target names a circle's files).
	$(PYTHON) scripts/house.py $(CIRCLE)

# ---- All of CI, and what is too long for it

.PHONY: ci
# Ten times the random sequences over the wire that `make test` runs, and that a wrong rule needs at most to be found.
ci: export HEDDLE_WIRE_SEQUENCES ?= 1500
ci: setup-test setup-doors setup-clients check test compile-tools ## Everything that CI runs (half an hour on two cores).
	$(LANES) --name ci "simulate differential sanitize-undefined many-quick" "attacks demo test-deploy" "crash doors mesh"
	$(MAKE) --no-print-directory test-clients guides docs BUILT=1
	$(MAKE) --no-print-directory rules-tested
	$(MAKE) --no-print-directory bench-short BUILT=1

CAMPAIGNS ?= conformance-live conformance-bites conformance-versions test-python-debug test-package test-packages simulate-full differential-full fuzz fuzz-self-test fuzz-coverage many crash-full sanitize \
  soak-rules soak-rules-wire soak-model model-bites coverage attacks-full

.PHONY: campaigns
campaigns: setup-test ## Everything that is too long for CI, one after the other (many hours; CAMPAIGNS="fuzz many").
	$(PYTHON) scripts/lanes.py --name campaigns --keep-going "$(CAMPAIGNS)"
