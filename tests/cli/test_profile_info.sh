#!/bin/sh
# Profiles of torch.profiler alone, from the GPU's view: own ones worked out by hand, wrong ones refused with the file
# and what to do, and the recorded ones, where they are, against merged intervals.
set -u

command -v python3 >/dev/null || exit 77
profiles=$ORRERY_SOURCE_DIR/tests/cli/profiles.py
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
python3 "$profiles" info || failures=1
[ ! -d "$ORRERY_SHARED/data/pytorch" ] || python3 "$profiles" recorded || failures=1
exit $failures
