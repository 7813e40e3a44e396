#!/bin/bash
# All figures of SiP-ML's strategies with all their points (examples/sip_ml/run.sh), which takes minutes: compares
# known numbers with the results, and fails if one is missed, or if the example's README
# contradicts a result for a statement of the paper.
#
#   usage: bench/sip_ml_figures.sh [OUTDIR]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
. "$root/bench/known_numbers.sh"
known_numbers "$out" "$root/examples/sip_ml/run.sh" -o "$out"
sed -n '/^<!-- statements/,/^<!-- end/p' "$root/examples/sip_ml/README.md" | sed '1d;$d' >"$work/statements"
diff "$work/statements" "$out/statements.md" || {
    echo "bench/sip_ml_figures.sh: examples/sip_ml/README.md has other statements" >&2
    exit 1
}
