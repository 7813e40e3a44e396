#!/bin/sh
# The binary interface of the library is the list in abi.txt. A line that is gone or changed breaks programs that were
# compiled with it: that takes another minor version (before 1.0). New lines are added by --update.
#
#   usage: test_abi.sh [--update]
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

if [ "$(head -n 1 "$work/abi")" = "$(head -n 1 "$here/abi.txt")" ]; then
    LC_ALL=C sort "$here/abi.txt" >"$work/old"
    LC_ALL=C sort "$work/abi" >"$work/new"
    LC_ALL=C comm -23 "$work/old" "$work/new" >"$work/gone"
    if [ -s "$work/gone" ]; then
        echo "tests/cli/abi.txt: gone or changed, which breaks programs of this minor version:"
        cat "$work/gone"
        echo "if the version was not released yet, or has changed: tests/cli/test_abi.sh --update"
        exit 1
    fi
fi
if ! diff "$here/abi.txt" "$work/abi" >"$work/diff"; then
    echo "tests/cli/abi.txt: not the headers'; tests/cli/test_abi.sh --update adds:"
    cat "$work/diff"
    exit 1
fi
echo "binary interface: $(wc -l <"$work/abi") lines, as listed"
