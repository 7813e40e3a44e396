#!/bin/sh
# The binary interface of the last release is the list in abi.txt. A line that is gone or changed breaks programs that were
# compiled with it: that takes another minor version (before 1.0), in the name of the shared library as well.
#
#   usage: test_abi.sh [--update]     --update: lists the interface of the headers, before a release
set -u

here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 "$here/../../python/generate_abi.py" --abi >"$work/abi" || exit 1
if [ "${1:-}" = --update ]; then
    cp "$work/abi" "$here/abi.txt"
    exit 0
fi

version=$(sed -n 's/^#define ORRERY_VERSION "\(.*\)"$/\1/p' "$here/../../include/orrery/orrery.h")
LC_ALL=C sort "$here/abi.txt" >"$work/old"
LC_ALL=C sort "$work/abi" >"$work/new"
LC_ALL=C comm -23 "$work/old" "$work/new" >"$work/gone"
released=$(git -C "$here" tag -l "v${version%.*}.*" 2>/dev/null)
if [ -s "$work/gone" ] && [ -n "$released" ] && [ "$(head -n 1 "$work/abi")" = "$(head -n 1 "$here/abi.txt")" ]; then
    echo "gone or changed since a release of ${version%.*}, which breaks programs that were compiled with it:"
    cat "$work/gone"
    exit 1
fi
echo "binary interface of $version: $(wc -l <"$work/abi") lines; $(LC_ALL=C comm -13 "$work/old" "$work/new" | wc -l) that tests/cli/abi.txt has not yet"
