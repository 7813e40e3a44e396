#!/bin/bash
# The case studies of collectives: Table IV of ASTRA-sim 2.0, the wafer against conventional
# platforms, and, where the published points are, the Themis paper.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

export ORRERY_BIN
cd "$work" || exit 1
QUICK=1 "$ORRERY_SOURCE_DIR/examples/wafer_vs_conventional/run.sh" wafer >out 2>&1 || fail "$(cat out)"

# Message sizes are exact, times within 0.25 %.
awk -F, 'NR > 1 && $3 != "time_us" && $4 + 0 != $5 + 0 { print "differs: " $0; bad = 1 }
    NR > 1 && $3 == "time_us" { rows++; d = ($5 - $4) / $4; if (d > 0.0025 || d < -0.0025) { print; bad = 1 } }
    END { if (rows != 7) print "rows: " rows; exit bad || rows != 7 }' wafer/table4.csv ||
    fail "Table IV is not reached"

# At most so many times the wafer with the same bandwidth, and never faster than the wafer.
for bound in conv_3d:1.04 conv_4d:1.04 w_2d:1.03; do
    awk -F, -v p="${bound%:*}" -v most="${bound#*:}" '$1 == p && $2 == "themis" {
            found = 1; if ($4 > most || $4 < 1) { print; exit 2 } }
        END { exit !found }' wafer/fig9a_allreduce.csv || fail "$bound is not reached"
done

# DLRM's gradients use all dimensions, as a lone all-reduce does.
for pair in conv_3d:w_1d_350 conv_4d:w_1d_600 w_2d:w_1d_500; do
    awk -F, -v p="${pair%:*}" -v w="${pair#*:}" '$2 == "dlrm" && $3 == "themis" { t[$1] = $4 }
        END { exit !(t[w] > 0 && t[p] >= t[w] && t[p] <= 1.04 * t[w]) }' wafer/fig9a.csv ||
        fail "$pair: DLRM is not within 4 % of the wafer"
done

# Training: 6 platforms x 3 models x 2 schedulers. Where each group uses some dimensions only, the wafer
# of equal bandwidth stays ahead; growing the wafer helps, up to its own limit, growing the switch does not.
[ "$(wc -l <wafer/fig9a.csv)" -eq 37 ] || fail "fig9a.csv: $(wc -l <wafer/fig9a.csv) lines"
for pair in conv_3d:w_1d_350 conv_4d:w_1d_600 w_2d:w_1d_500; do
    for workload in gpt3 transformer_1t; do
        awk -F, -v p="${pair%:*}" -v w="${pair#*:}" -v m="$workload" '$2 == m && $3 == "themis" { t[$1] = $4 }
            END { exit !(t[p] > t[w] && t[w] > 0) }' wafer/fig9a.csv || fail "$pair: the wafer is not ahead on $workload"
    done
done
awk -F, '$2 == "transformer_1t" { t[$1] = $6 }
    END { exit !(t["W-2048"] < t["W-4096"] && t["W-4096"] < t["W-1024"] && t["W-1024"] < t["Base-512"] &&
                 t["Conv-4096"] >= t["Conv-2048"] && t["Conv-1024"] >= t["Base-512"]) }' wafer/fig9b.csv ||
    fail "Fig. 9b has another shape"

# Every sixth size of the Themis paper.
if [ -r "$ORRERY_SHARED/data/themis/themis_fig8_allreduce_time.csv" ]; then
    STEP=3 "$ORRERY_SOURCE_DIR/examples/themis/run.sh" themis >out 2>&1 || fail "$(cat out)"
    for scheduler in Baseline Themis+FIFO Themis+SCF; do
        awk -F, -v s="$scheduler" '$2 == s && $5 > 0 { d = 100 * ($4 - $5) / $5; print d < 0 ? -d : d }' \
            themis/fig8.csv | sort -n | awk '{ d[NR] = $1 } END {
                if (NR < 15 || d[int((NR + 1) / 2)] > 0.5 || d[NR] > 4) {
                    print NR " points, median " d[int((NR + 1) / 2)] ", worst " d[NR]; exit 1 } }' ||
            fail "$scheduler: times differ from the paper"
    done
    for mean in Baseline:56.3 Themis+FIFO:87.7 Themis+SCF:95.1; do
        awk -F, -v s="${mean%:*}" -v paper="${mean#*:}" '$2 == s { sum += $4; n++ }
            END { d = sum / n - paper; if (d > 0.5 || d < -0.5) { print sum / n; exit 1 } }' \
            themis/fig11.csv || fail "${mean%:*}: utilization is not ${mean#*:} %"
    done
fi

[ "$failures" -eq 0 ] && echo "the studies of collectives: as published"
exit $((failures > 0))
