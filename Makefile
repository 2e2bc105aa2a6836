# The caller's python3 makes .venv; another one: make PYTHON=python3.13 test
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
# Among all cores.
SHARED := -n auto --dist worksteal --durations 10

.PHONY: help install train test test-oldest test-plugins check bench

help:
	@echo "make train   train Fearless for four players, about three minutes"
	@echo "make test    linter, types and all tests"
	@echo "make test-oldest test the environments with the oldest libraries they promise to work with"
	@echo "make test-plugins [LIB='rllib torchrl'] run the recipe of every library, or of these, in its own environment"
	@echo "make check   the same with the quick tests only"
	@echo "make bench   measure the speed of everything"
	@echo "make install only make .venv"

install: $(INSTALLED)

train: $(INSTALLED)
	$(BIN)/followsuit train fearless --players 4 --minutes 3

test: $(INSTALLED) lint
	$(BIN)/pytest $(SHARED)

# Outside the project's own environment, which has the newest.
test-oldest: constraints-oldest.txt
	test -x .venv/oldest/bin/pip || $(PYTHON) -m venv .venv/oldest
	.venv/oldest/bin/pip install --quiet --disable-pip-version-check -e . pytest hypothesis -c constraints-oldest.txt
	.venv/oldest/bin/python -m pytest tests/test_aec.py tests/test_tables.py tests/test_seat.py tests/test_parallel.py

# Each library in an environment of its own, .plugins/NAME.
test-plugins:
	$(PYTHON) tests/plugins/run_recipes.py $(LIB)

check: $(INSTALLED) lint
	$(BIN)/pytest $(SHARED) -m "not slow"

bench: $(INSTALLED)
	$(BIN)/followsuit bench --peers

.PHONY: lint
lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/basedpyright

# Done again when a dependency changes. The link lets type checkers and editors find `followsuit`, which is this folder.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "followsuit needs Python 3.11 or newer, this is " \
		+ sys.version.split()[0] + "; name another one: make PYTHON=python3.12 …")'
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[train,app,report,test]' -c constraints.txt
	mkdir -p .types && ln -sfn .. .types/followsuit
	touch $@
