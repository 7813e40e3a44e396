#!/bin/sh
# A sample of bench/out_of_memory.py: commands one of whose allocations fails end as without, or with status 1 and "out of
# memory", without output and files.
set -u

shim=$ORRERY_BUILD_DIR/lib/fail_allocation.so
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 0; }
[ -f "$shim" ] || { echo "skipped: there is no $shim"; exit 0; }
# Sanitizers have an allocator of their own, which ends the process itself.
if nm -D "$ORRERY_BIN" 2>/dev/null | grep -q ' __asan_init\| __tsan_init'; then
    echo "skipped: the command has another allocator"
    exit 0
fi
ORRERY_FAIL_ALLOCATION=$shim
export ORRERY_FAIL_ALLOCATION
"$ORRERY_SOURCE_DIR/bench/out_of_memory.py" --at-most 8 --jobs 2 --verbose
