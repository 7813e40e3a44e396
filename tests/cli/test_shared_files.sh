#!/bin/sh
# Public files, logs and traces as their owners have them: ../shared/cases/files/index.jsonl, as it says.
set -u
cases=${ORRERY_SHARED-}/cases/files
if [ ! -f "$cases/index.jsonl" ] || ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: no shared cases, or no python3"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp -R "$cases" "$scratch/files" && chmod -R u+w "$scratch/files" && mkdir "$scratch/bin" || exit 1

# Traces of STAGE: attributes of its own, and without a value.
for trace in "$ORRERY_SHARED"/cases/stage_traces/*.et; do
    "$ORRERY_BIN" trace check "$trace" >"$scratch/out" 2>&1 || {
        echo "FAILED: $(cat "$scratch/out")"
        exit 1
    }
done
ln -s "$ORRERY_BIN" "$scratch/bin/orrery"
PATH=$scratch/bin:$PATH ORRERY_INPUTS=$ORRERY_SOURCE_DIR/inputs python3 "$ORRERY_SOURCE_DIR/tests/cli/shared_files.py" "$scratch/files"
