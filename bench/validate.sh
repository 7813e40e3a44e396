#!/bin/sh
# Writes docs/validation.md: models against measured times of collectives and training, and against published studies.
# The output is reproducible byte for byte; exit status 1, and `missed` lines, where an error is more than a point above its limit.
#   usage: bench/validate.sh [-q] [-o FILE]      (default: docs/validation.md; - is standard output; -q: the quick part)
# Reads ORRERY_SHARED/data/measured (default ../shared) in place, and the command of ORRERY_BIN (build/release). A
# section of the page is a function here, or in a validate_*.sh of this folder, that prints it.
set -eu
LC_ALL=C
export LC_ALL

root=$(cd "$(dirname "$0")/.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
data=${ORRERY_SHARED:-$root/../shared}/data/measured
out=$root/docs/validation.md
quick=
while getopts qo: option; do
    case $option in
    o) out=$OPTARG ;;
    q) quick=yes ;;
    *)
        echo "usage: bench/validate.sh [-q] [-o FILE]" >&2
        exit 2
        ;;
    esac
done
[ -r "$data/nccl_bench.csv" ] || {
    echo "bench/validate.sh: there is no measured data in $data" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- inputs ----

# platform NAME TOPOLOGY LIST-OF-BANDWIDTHS LIBRARY
platform() {
    echo "$3" | awk -v topology="$2" -v library="$4" '{
        printf "network:\n  topology: %s\n  bandwidth_is: npu\n  dims: [", topology
        for (i = 1; i <= NF; i++) printf "%s{bandwidth: %s GB/s}", (i > 1 ? ", " : ""), $i
        printf "]\nsystem: {library: {%s}}\n", library
    }' >"$work/$1.yml"
}

platforms() {
    platform a100 'Switch(8)_Switch(8)' '300 25' 'name: nccl, gpu: a100'
    platform a100_efa 'Switch(8)_Switch(8)' '300 6.25' 'name: nccl, gpu: a100'
    platform v100 'Switch(8)_Switch(2)' '150 6.25' 'name: nccl, gpu: v100, fabric: dgx1'
    platform v100_roce 'Switch(8)_Switch(2)' '150 3.125' 'name: nccl, gpu: v100, fabric: dgx1'
    platform h100 'Switch(8)_Switch(8)' '450 50' 'name: nccl, gpu: h100'
    platform b200 'Switch(8)_Switch(8)' '900 50' 'name: nccl, gpu: b200'
    platform perlmutter 'FullyConnected(4)_Switch(256)' '300 25' 'name: nccl, gpu: a100'
    platform mi300x 'FullyConnected(8)_Switch(2)' '448 50' 'name: rccl, gpu: mi300x'
}

# Machines of the medians: name, platform, GPU, nodes.
machines() {
    cat <<'END'
superbench_a100_8 a100 A100 1
stas_a100_8 a100 A100 1
a100_80g_thanos_8 a100 A100 1
lut_a100 a100 A100 1
vtrain_a100 a100 A100 1
dgxa100_16_hdr a100 A100 2
oci_b4_a100_16 a100 A100 2
efa_p4d_16 a100_efa A100 2
dgxa100_32_ib a100 A100 4
perlmutter perlmutter A100 1-256
lut_v100 v100 V100 1
vtrain_v100 v100 V100 1
dgx1_v100_16_ib v100 V100 2
deepops_roce_16 v100_roce V100 2
oci_hpc_16 h100 H100 2
dgxh100_cnh_16 h100 H100 2
b200_vultr_8 b200 B200 1
b200_vultr_16 b200 B200 2
END
}

# Tables as the command reads them, one a machine, below $work: out-of-place times of collectives of a byte and more.
tables() {
    awk -F, -v work="$work" '
        function add(name, kind, npus, per_node, bytes, us) {
            if (kind == "sendrecv" || bytes + 0 <= 0 || us + 0 <= 0) return
            file = work "/" name ".csv"
            if (!(file in begun)) print "collective,npus,npus_per_node,nodes,bytes,time_us" >file
            begun[file] = 1
            print kind "," npus "," per_node "," npus / per_node "," bytes "," us >file
        }
        FNR == 1 { table++; next }
        table == 1 {
            # Commas in quotes stand in the later columns, and between the GPU and its nodes nowhere but there.
            line = $0
            while (match(line, /"[^"]*"/)) line = substr(line, 1, RSTART - 1) "-" substr(line, RSTART + RLENGTH)
            split(line, of, ",")
            npus[$1] = of[5]; nodes[$1] = of[6]
        }
        table == 2 {
            name = $1
            sub(/^vtrain_a100_.*/, "vtrain_a100", name)
            sub(/^vtrain_v100_.*/, "vtrain_v100", name)
            add(name, $2, npus[$1], npus[$1] / nodes[$1], $3, $4)
        }
        table == 3 { add("perlmutter", $1, $4, $3, $5, $6) }
        table == 4 { add("lut_" $1, $2, $3, $3, $4, $5) }
    ' "$data/nccl_datasets.csv" "$data/nccl_bench.csv" "$data/nccl_perlmutter.csv" "$data/nccl_single_node_lut.csv"
}

# ---- fits ----

# A report as lines: "row" WAY MACHINE COLLECTIVE NPUS NODES BYTES MEASURED MODEL ERROR HELD ALGORITHM, and
# "parameter" WAY MACHINE NAME VALUE UNIT IDENTIFIED FIXED BOUND.
lines_of() {
    awk -v way="$1" -v machine="$2" '
        function text() { sub(/^ *"[a-z_0-9]*": /, ""); sub(/,$/, ""); gsub(/"/, ""); return $0 }
        /^  "parameters": \[/ { list = "parameter" }
        /^  "(fitted|held_out)": \[/ { list = "" }
        /^  "rows": \[/ { list = "row" }
        /^    \{/ { split("", of) }
        /^      "/ { key = $1; gsub(/[":]/, "", key); of[key] = text() }
        /^    \}/ && list == "row" {
            print "row", way, machine, of["collective"], of["npus"], of["npus"] / of["npus_per_node"], of["bytes"],
                of["measured_us"], of["model_us"], of["error"], of["held_out"], of["algorithm"]
        }
        /^    \}/ && list == "parameter" {
            print "parameter", way, machine, of["name"], of["value"], of["unit"] != "" ? of["unit"] : "-",
                of["identified"], "used" in of ? of["used"] : "-", "at_bound" in of ? of["at_bound"] : "-"
        }' "$work/report.json"
}

# fit WAY MACHINE PLATFORM OPTION...
fit() {
    way=$1 machine=$2 of=$3
    shift 3
    "$orrery" fit collectives "$work/$machine.csv" --platform "$work/$of.yml" -o "$work/fitted.yml" \
        --report "$work/report.json" "$@" >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
    lines_of "$way" "$machine" >>"$work/lines"
}

fits() {
    : >"$work/lines"
    machines >"$work/machines"
    while read -r name of _; do
        fit kept "$name" "$of" --evaluate
        fit half "$name" "$of" --holdout every:2
        fit quarter "$name" "$of" --holdout every:4
        fit all "$name" "$of"
    done <"$work/machines"
    fit nodes perlmutter perlmutter --holdout 'column:nodes>8'
    fit kept oci_mi300x_16 mi300x --evaluate
    fit half oci_mi300x_16 mi300x --holdout every:2
}

# What the awk programs below share.
common='
    function sorted(list, n,    i, j, v) { # ascending, shell sort
        for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
            for (i = gap + 1; i <= n; i++) {
                v = list[i]
                for (j = i; j > gap && list[j - gap] > v; j -= gap) list[j] = list[j - gap]
                list[j] = v
            }
    }
    function quantile(list, n, q,    at, low) { # of a sorted list, interpolated
        at = 1 + q * (n - 1); low = int(at)
        return low >= n ? list[n] : list[low] + (at - low) * (list[low + 1] - list[low])
    }
    function size_of(bytes) {
        if (bytes >= 1073741824) return sprintf("%.4g GiB", bytes / 1073741824)
        if (bytes >= 1048576) return sprintf("%.4g MiB", bytes / 1048576)
        return bytes >= 1024 ? sprintf("%.4g KiB", bytes / 1024) : bytes " B"
    }
    function absolute(x) { return x < 0 ? -x : x }
    function percent(x) { return x == "" ? "–" : sprintf("%.1f %%", 100 * x) }
'

# ---- sections ----

section_head() {
    cat <<END
# Validation

Models against times measured on real machines. Errors are |model / measured - 1|; medians are of rows, or of machines' medians; *bias* is the median with its sign. The measured
tables are third parties' (published output of nccl-tests; NERSC's Perlmutter; vTrain), not in the repository; times are out of place.

Written by \`bench/validate.sh\`, here with $("$orrery" --version), from \`ORRERY_SHARED/data/measured\`, the same bytes each time (\`test_validation\`).

END
}

section_collectives() {
    cat <<'END'
## Collectives

`orrery fit collectives` with bandwidths of data sheets and NCCL's cost model (`system.library`, [models](models.md), section 19). *Unfitted*: the library's own constants, all rows; *every 2nd*, *every 4th*: fitted to
every second or fourth size, errors of the others. One set of parameters a machine. Each pair is: 1 MiB and more, and less.

| machine | GPU | nodes | rows | unfitted | | every 2nd | | every 4th | |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
END
    awk -v limits="$work/limits" "$common"'
        function median_of(way, name, class,    n, i, list) {
            n = count[way, name, class]
            for (i = 1; i <= n; i++) list[i] = error[way, name, class, i]
            sorted(list, n)
            return n > 0 ? quantile(list, n, 0.5) : ""
        }
        FNR == NR {
            if ($1 == "row" && $11 == "true") {
                key = $2 SUBSEP $3 SUBSEP ($7 >= 1048576 ? "large" : "small")
                error[key, ++count[key]] = absolute($10)
            }
            if ($1 == "row" && $2 == "kept") rows[$3]++
            next
        }
        {
            printf "| %s | %s | %s | %d |", $1, $3, $4, rows[$1]
            for (w = 1; w <= split("kept half quarter", way, " "); w++)
                for (c = 1; c <= split("large small", class, " "); c++) {
                    m = median_of(way[w], $1, class[c])
                    printf " %s |", percent(m)
                    if (m == "") continue
                    machine[w, c, ++machines[w, c]] = m
                    if (way[w] == "half" && m > worst[c]) { worst[c] = m; worst_at[c] = $1 }
                }
            print ""
        }
        function limit(what, found, max) {
            print what "\t" found "\t" max >limits
            return sprintf("%.1f %% (%g %%)", 100 * found, max)
        }
        END {
            split("unfitted,every 2nd,every 4th", label, ",")
            split("20 60 5 8 8 8", max, " ")
            printf "| **median of machines** (limit) | | | |"
            for (w = 1; w <= 3; w++)
                for (c = 1; c <= 2; c++) {
                    n = machines[w, c]
                    for (i = 1; i <= n; i++) list[i] = machine[w, c, i]
                    sorted(list, n)
                    printf " %s |", limit(label[w] ", " (c == 1 ? ">= 1 MiB" : "< 1 MiB"), quantile(list, n, 0.5),
                        max[2 * w + c - 2])
                }
            printf "\n\nThe worst median of a machine, every 2nd, 1 MiB and more: %s, %s. The limit is of these sizes; below 1 MiB the worst is %s, %s.\n\n",
                worst_at[1], limit("worst machine, >= 1 MiB", worst[1], 15), worst_at[2], percent(worst[2])
            printf "Perlmutter fitted on up to 8 nodes, tested on the %d rows on 16 to 256: 1 MiB and more %s; below %s, ",
                count["nodes", "perlmutter", "large"] + count["nodes", "perlmutter", "small"],
                limit("Perlmutter on more nodes, >= 1 MiB", median_of("nodes", "perlmutter", "large"), 9),
                percent(median_of("nodes", "perlmutter", "small"))
            n = 0
            for (c = 1; c <= 2; c++) for (i = 1; i <= count["nodes", "perlmutter", class[c]]; i++)
                all[++n] = error["nodes", "perlmutter", class[c], i]
            sorted(all, n)
            printf "all sizes %s (the limit is of the first).\n\n", percent(quantile(all, n, 0.5))
        }' "$work/lines" "$work/machines"
}

section_kinds() {
    cat <<'END'
### By collective

Held-out rows of all machines, fitted on every second size.

| collective | sizes | rows | median | p90 | bias | worst row |
| --- | --- | --- | --- | --- | --- | --- |
END
    awk "$common"'
        FNR == NR { among[$1] = 1; next }
        $1 == "row" && $2 == "half" && $11 == "true" && $3 in among {
            key = $4 SUBSEP ($7 >= 1048576 ? 1 : 2)
            n = ++count[key]
            signed[key, n] = $10
            if (absolute($10) > absolute(worst[key])) {
                worst[key] = $10
                at[key] = $3 ", " $5 " GPUs on " $6 ($6 == 1 ? " node, " : " nodes, ") size_of($7)
            }
        }
        END {
            kinds = split("all_reduce all_gather reduce_scatter all_to_all broadcast reduce", kind, " ")
            for (k = 1; k <= kinds; k++) for (c = 1; c <= 2; c++) {
                key = kind[k] SUBSEP c
                n = count[key]
                if (n == 0) continue
                for (i = 1; i <= n; i++) { list[i] = absolute(signed[key, i]); with[i] = signed[key, i] }
                sorted(list, n); sorted(with, n)
                printf "| %s | %s | %d | %s | %s | %+.1f %% | %+.0f %%: %s |\n", kind[k], c == 1 ? ">= 1 MiB" : "< 1 MiB", n,
                    percent(quantile(list, n, 0.5)), percent(quantile(list, n, 0.9)), 100 * quantile(with, n, 0.5),
                    100 * worst[key], at[key]
            }
            print ""
        }' "$work/machines" "$work/lines"
}

section_misses() {
    cat <<'END'
### Misses

Medians above 15 % on held-out rows (every 2nd), then the ten rows that are farthest off.

| machine | collective | sizes | rows | median | what is known |
| --- | --- | --- | --- | --- | --- |
END
    awk "$common"'
        # By machine, then by machine and collective, the size in MiB.
        function why(name, kind, bytes, nodes) {
            if (name == "deepops_roce_16" && bytes < 1048576)
                return "up to 512 KiB the measured times hardly depend on the size: they go round about 85, 130 and 580 µs from row to row, out of place and in place at different rows; no model of sizes has that"
            if (name == "efa_p4d_16" && bytes < 1048576)
                return "167 µs up to 256 B, 205 to 260 from 2 to 32 KiB, and 375 at 512 B alone: steps that protocols of one latency each do not have"
            if (name == "dgxh100_cnh_16")
                return "the middle sizes are slower than those around them let expect; the table itself calls them anomalous"
            if (name == "perlmutter" && nodes == 1)
                return "up to 1 MiB one node takes 9 to 44 µs, several nodes 35 and more, and both share a launch and latencies; held-out rows of one node below 1 MiB have a median of 97 % so, and of 21 % where one node is fitted alone"
            if (name == "b200_vultr_8" && kind == "all_to_all")
                return "the bandwidth goes on growing with the size, from 435 GB/s at 64 MiB to 673 at 16 GiB: with one latency and one bandwidth the middle is too fast and the largest too slow"
            return "not known"
        }
        FNR == NR { among[$1] = ++machines; order[machines] = $1; next }
        $1 == "row" && $2 == "half" && $11 == "true" && $3 in among {
            large = $7 >= 1048576
            key = $3 SUBSEP $4 SUBSEP large
            off[key, ++count[key]] = absolute($10)
            n++
            row[n] = $0
            size[n] = absolute($10)
        }
        END {
            kinds = split("all_reduce all_gather reduce_scatter all_to_all broadcast reduce", kind, " ")
            for (m = 1; m <= machines; m++) for (k = 1; k <= kinds; k++) for (large = 1; large >= 0; large--) {
                key = order[m] SUBSEP kind[k] SUBSEP large
                split("", list)
                for (i = 1; i <= count[key]; i++) list[i] = off[key, i]
                sorted(list, count[key])
                if (count[key] == 0 || quantile(list, count[key], 0.5) <= 0.15) continue
                printf "| %s | %s | %s | %d | %s | %s |\n", order[m], kind[k], large ? ">= 1 MiB" : "< 1 MiB", count[key],
                    percent(quantile(list, count[key], 0.5)), why(order[m], kind[k], large ? 4194304 : 1024, 2)
            }
            print "\n| machine | collective | GPUs | nodes | size | measured | model | error |"
            print "| --- | --- | --- | --- | --- | --- | --- | --- |"
            for (times = 1; times <= 10; times++) {
                at = 1
                for (i = 2; i <= n; i++) if (size[i] > size[at]) at = i
                size[at] = -1
                split(row[at], of, " ")
                printf "| %s | %s | %d | %d | %s | %.1f µs | %.1f µs | %+.0f %% |\n", of[3], of[4], of[5], of[6],
                    size_of(of[7]), of[8], of[9], 100 * of[10]
                reason = "* `" of[3] "`: " why(of[3], of[4], of[7], of[6]) "."
                if (!(reason in number)) { number[reason] = ++reasons; text[reasons] = reason }
            }
            print ""
            for (i = 1; i <= reasons; i++) print text[i]
            print ""
        }' "$work/machines" "$work/lines"
}

section_parameters() {
    cat <<'END'
### Parameters

Fitted to all rows of a machine: the launch in µs, factors on the library's constants. Plain: identified; in brackets: not identified; †: at a bound; –: no row determines it.

END
    awk '
        FNR == NR { order[++machines] = $1; next }
        $1 == "parameter" && $2 == "all" {
            if (!($4 in seen)) { seen[$4] = 1; name[++names] = $4 }
            text = sprintf($4 == "launch" ? "%.1f" : "%.2f", $5) ($9 == "-" ? "" : "†")
            value[$3, $4] = $8 == "false" ? "–" : $7 == "true" ? text : "(" text ")"
        }
        END {
            printf "| machine |"
            for (k = 1; k <= names; k++) { label = name[k]; gsub(/_/, " ", label); printf " %s |", label }
            printf "\n| --- |"
            for (k = 1; k <= names; k++) printf " --- |"
            for (m = 1; m <= machines; m++) {
                printf "\n| %s |", order[m]
                for (k = 1; k <= names; k++) printf " %s |", value[order[m], name[k]]
            }
            print "\n"
        }' "$work/machines" "$work/lines"
}

section_left_out() {
    cat <<'END'
### Not in the medians

END
    awk "$common"'
        $1 == "row" && $3 == "oci_mi300x_16" && $11 == "true" { off[$2, ++count[$2]] = absolute($10) }
        END {
            for (w = 1; w <= split("kept half", way, " "); w++) {
                split("", list)
                for (i = 1; i <= count[way[w]]; i++) list[i] = off[way[w], i]
                sorted(list, count[way[w]])
                found[w] = percent(quantile(list, count[way[w]], 0.5))
            }
            printf "* `oci_mi300x_16`: AMD, five all-reduces of 1 to 16 GiB on two nodes. By RCCL on FullyConnected(8)_Switch(2), 448 and 50 GB/s: %s unfitted, %s on the %d held-out rows of every 2nd.\n",
                found[1], found[2], count["half"]
        }' "$work/lines"
    cat <<'END'
* `cw_h100_64`, `cw_gb200_144`, `cw_gb200_1440`: SHARP, or NVLink domains of 72 GPUs, which the model has not; bus over algorithm bandwidth is that of 96 and 128 GPUs, where 64 and 144 are listed.
* `stas_h200_*`, `stas_b200_*`: one size each, 4 to 16 GiB. `sendrecv` of `b200_vultr_8`: no collective. Rows of 0 bytes.

END
}

# ring NPUS MIB: simulated time of an all-reduce, us
ring() {
    cat >"$work/ring.yml" <<END
network: {topology: Ring($1), bandwidth_is: npu, dims: [{bandwidth: 150 GB/s, latency: 500 ns}]}
workload: {generate: all_reduce, bytes: $2 MiB}
END
    "$orrery" run "$work/ring.yml" --json "$work/run.json" >/dev/null
    awk '$1 == "\"wall_ps\":" { printf "%.1f", $2 / 1e6 }' "$work/run.json"
}

# measured DATASET MIB: us, or – where there is no such row
measured() {
    awk -F, -v name="$1" -v bytes=$(($2 * 1048576)) '
        $1 == name && $3 == bytes { found = sprintf("%.1f", $4) }
        END { print found != "" ? found : "–" }' "$data/nccl_bench.csv"
}

# torus SIDE FOLD: simulated us, events, messages
torus() {
    cat >"$work/torus.yml" <<END
network:
  topology: Ring($1)_Ring($1)_Ring($1)
  bandwidth_is: npu
  dims: [{bandwidth: 150 GB/s, latency: 500 ns}, {bandwidth: 150 GB/s, latency: 500 ns}, {bandwidth: 150 GB/s, latency: 500 ns}]
system: {chunks: 16}
workload: {generate: all_reduce, bytes: 1 MB}
END
    "$orrery" run "$work/torus.yml" --fold "$2" --json "$work/run.json" >/dev/null
    awk '{ sub(/,$/, "") } /^  "wall_ps":/ { us = $2 / 1e6 } /^  "events":/ { events = $2 } /^  "messages":/ { messages = $2 }
        END { printf "%.3f µs | %d | %d", us, events, messages }' "$work/run.json"
}

section_astra_sim() {
    cat <<'END'
### What ASTRA-sim 2.0 was validated with

Fig. 4: all-reduces of 64 MB to 1.5 GB by rings of 4 and 16 V100, mean error 5 %; its points exist as a plot only. The same cases (Ring(4), Ring(16), 150 GB/s an NPU, 500 ns a hop) beside **other machines**, no test of Fig. 4: four GPUs
of a DGX-1, whose rings reach 85 of the 150 GB/s, and 16 in two over InfiniBand.

| size | Ring(4), µs | 4 V100 in a DGX-1 (`vtrain_v100_4`), µs | Ring(16), µs | 16 V100 in two DGX-1 (`dgx1_v100_16_ib`), µs |
| --- | --- | --- | --- | --- |
END
    for mib in 64 128 256 512 1024 1536; do
        echo "| $mib MiB | $(ring 4 $mib) | $(measured vtrain_v100_4 $mib) | $(ring 16 $mib) | $(measured dgx1_v100_16_ib $mib) |"
    done
    cat <<'END'

The paper's cases of speed, an all-reduce of 1 MB on tori (150 GB/s an NPU and dimension, 500 ns, 16 chunks); wall time: [performance](performance.md#astra-sim-20s-cases-of-speed).

| torus | NPUs simulated | simulated | events | messages |
| --- | --- | --- | --- | --- |
END
    for side in 4 16; do
        echo "| ${side}x${side}x$side | folded | $(torus $side auto) |"
        [ -n "$quick" ] && [ "$side" = 16 ] && continue
        echo "| ${side}x${side}x$side | every one | $(torus $side off) |"
    done
}

# ---- all of it ----

. "$root/bench/validate_data_sheets.sh"
. "$root/bench/validate_case_studies.sh"
. "$root/bench/validate_training.sh"
platforms
tables
fits
[ -n "$quick" ] || training_fits
{
    section_head
    section_collectives
    section_kinds
    [ -n "$quick" ] || section_data_sheets
    section_misses
    section_parameters
    section_left_out
    section_astra_sim
    [ -n "$quick" ] || section_training
    [ -n "$quick" ] || section_case_studies
} >"$work/page"
[ "$out" = - ] && cat "$work/page" || cat "$work/page" >"$out"
awk -F '\t' '100 * $2 > $3 + 1 { printf "missed: %s: %.2f %%, limit %g %%\n", $1, 100 * $2, $3; missed = 1 } END { exit missed + 0 }' \
    "$work/limits" >&2
