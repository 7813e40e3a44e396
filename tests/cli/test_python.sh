#!/bin/sh
# The Python package on the library of this build: python/tests under pytest, that of Debian (python3-pytest) or another.
# Skipped without pytest. NumPy, pandas and matplotlib are tested where they are there.
set -u

library=$ORRERY_BUILD_DIR/lib/liborrery.so
python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import sys, pytest; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && python=$one && break
done
if [ -z "$python" ]; then
    echo "skipped: no Python of 3.9 or later with pytest (python3-pytest)"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ORRERY_LIBRARY="$library" PYTHONDONTWRITEBYTECODE=1 HOME="$work" MPLCONFIGDIR="$work"

# A library with a sanitizer needs its runtime before all others; what an interpreter keeps until its end is no leak.
preload=
if nm -D "$library" | grep -q ' U __asan_init'; then
    preload=$(cc -print-file-name=libasan.so)
    [ -f "$preload" ] || exit 77
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
fi
cd "$ORRERY_SOURCE_DIR" || exit 1
LD_PRELOAD="$preload" exec "$python" -m pytest -q -p no:cacheprovider --basetemp="$work/pytest" python/tests
