#!/bin/sh
# Jobs of profiles of torch.profiler alone: own ones worked out by hand, wrong ones refused, and recorded ones, where they
# are, equal to those of execution traces.
set -u

command -v python3 >/dev/null || exit 77
profiles=$ORRERY_SOURCE_DIR/tests/cli/profiles.py
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
python3 "$profiles" convert || failures=1
[ ! -d "$ORRERY_SHARED/data/pytorch" ] || python3 "$profiles" both || failures=1
exit $failures
