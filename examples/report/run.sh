#!/bin/sh
# Three pages to look at and to send: a training step, a design space, and a wafer beside conventional platforms.
#
#   usage: examples/report/run.sh [OUTDIR]
#
# Writes OUTDIR/step.html, layouts.html and platforms.html (default: a temporary folder, removed at the end), and prints
# what each of them says first. Open them in any browser: each is one file that asks for nothing else.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../../build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "$0: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
orrery=$(cd "$(dirname "$orrery")" && pwd)/$(basename "$orrery")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work}
mkdir -p "$out"
cp "$here"/*.yml "$out"
cd "$out"

# says PAGE: the sentences at its head
says() {
    echo "$1:"
    sed -n 's/^<p class="verdict">\(.*\)<\/p>$/  \1/p' "$1"
}

# A training step: where its time goes, why, and what would help.
"$orrery" run dgx_a100_64 step.yml --report step.html >step.txt
says step.html

# A design space: how the layers are best split; some of the points do not fit into the memory.
"$orrery" sweep layouts.yml --output layouts --report layouts.html >layouts.txt 2>layouts.log
says layouts.html

# Wafer-scale and conventional platforms of 512 NPUs (ASTRA-sim 2.0, ISPASS 2023, Table II), side by side: an eighth of
# the layers of GPT-3, which are all alike.
for platform in w_1d_350 w_1d_600 w_2d conv_3d conv_4d; do
    "$orrery" run "$platform" gpt3_175b_tp16_dp32 --set workload.transformer.layers=12 --json "$platform.json" --details >/dev/null
done
"$orrery" report w_1d_350.json w_1d_600.json w_2d.json conv_3d.json conv_4d.json -o platforms.html \
    --title 'An eighth of GPT-3 on a wafer and on conventional platforms'
says platforms.html
