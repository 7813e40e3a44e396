#!/bin/bash
# The design space of GPT-3: the sweep runs, what does not fit fails and says so, and ten layouts of each
# machine come with what would help them. An eighth of the step; ORRERY_LONG=1 takes the whole.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ORRERY_BIN
if [ -z "${ORRERY_LONG:-}" ]; then
    export QUICK=1
    echo "192 samples a step; with ORRERY_LONG=1 the 1536 of the example"
fi
cd "$work" || exit 1
"$ORRERY_SOURCE_DIR/examples/design_space/run.sh" out >log 2>&1 || { cat log; exit 1; }
awk -F, 'NR > 1 { rows[$1]++; if ($7 <= 0 || $8 < 15 || $8 > 80 || $9 == "") { print; bad = 1 }
                  if (rows[$1] > 1 && $7 < last) { print "not sorted: " $0; bad = 1 } last = $7 }
    END { exit bad || rows["a100"] != 10 || rows["h100"] != 10 }' out/best.csv || { cat log; exit 1; }
# One NPU cannot hold GPT-3: 16 bytes for each of 174.6 billion parameters.
grep -q 'failed.*the model does not fit' out/a100.csv || { echo "nothing failed to fit"; exit 1; }
# Both pictures have the points that fit.
for gpu in a100 h100; do
    [ "$(grep -c '<circle' "out/$gpu.svg")" -eq "$(grep -c ',ok,' "out/$gpu.csv")" ] || { echo "$gpu.svg: not all points"; exit 1; }
done
echo "the design space: as expected"
