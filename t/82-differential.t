#!/bin/sh
# A short run of t/differential.py with a seed of its own, printed; `make test-differential` is the long one.
exec python3 "$(dirname "$0")/differential.py" --count 500
