#!/bin/sh
# Measured training steps against simulated ones: bench/steps.sh TABLE.csv [--csv FILE] [--command ID] [--jobs N]. bench/steps.py has the rest.
set -eu
exec python3 "$(dirname "$0")/steps.py" "$@"
