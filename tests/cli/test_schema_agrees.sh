#!/bin/sh
# All inputs that ship fit their schema, and for every key the schema accepts and refuses what the
# reader does.
#
#   usage: test_schema_agrees.sh TEST_CONFIG_KEYS
set -u

# Another python3 than the first may have them.
IFS=:
for python in $PATH none; do
    [ "$python" = none ] || python=$python/python3
    "$python" -c 'import jsonschema, yaml; jsonschema.Draft202012Validator' 2>/dev/null && break
done
unset IFS
if [ "$python" = none ]; then
    echo "skipped: needs the Debian packages python3-jsonschema (4.0 or later) and python3-yaml"
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/cases"
"$ORRERY_BIN" schema platform >"$work/platform.json" &&
    "$ORRERY_BIN" schema workload >"$work/workload.json" &&
    "$1" "$work/cases" || exit 1
"$python" "$ORRERY_SOURCE_DIR/tests/cli/schema/check.py" "$work/platform.json" \
    "$work/workload.json" "$ORRERY_SOURCE_DIR/inputs" "$work/cases"
