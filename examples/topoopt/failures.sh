#!/bin/bash
# Section 7, "Handling failures", and the limits of section 7: a link of a cluster of 128 servers fails. What an iteration
# takes until it is repaired, by each way in which rings of all-reduces recover, after the repair, and the time lost in a month;
# beside a Fat-tree and a single ring, as SiP-ML has one.
#
#   usage: examples/topoopt/failures.sh [OUTDIR]
#
# The paper has no numbers of this. Assumed, and to be set otherwise: MTBF of a link (300000 h, 34 years: a link is two
# transceivers and fibres of a few million hours each), and the repair: PANEL by a patch panel that swaps a spare port in
# (5 min), OCS by an optical circuit switch (10 ms), HAND by somebody who comes (4 h). LONG=1 has DLRM with d = 8 too.
figure=failures
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"

mtbf=${MTBF:-300000h}
panel=${PANEL:-5min} ocs=${OCS:-10ms} hand=${HAND:-4h}
table=$out/$figure.csv
servers=128

# network NAME D: a platform file. rings: the one ring has the bandwidth of all interfaces of a server, one way.
network() {
    case $1 in
    sip_ring)
        printf 'include: %s/server.yml\nnetwork:\n  graph: {npus: %d, fabric: "circulant:+1", bandwidth: %d Gb/s, latency: 1 us}\n  shares: maxmin\n' \
            "$here" $servers $((100 * $2)) >"$work/sip_ring_$2.yml"
        printf '%s' "$work/sip_ring_$2.yml"
        ;;
    mp_links) printf '%s' "$work/mp_links.yml" ;;
    *) printf '%s' "$here/networks/$1.yml" ;;
    esac
}

# mp_links: around jump 1 there are rings, and jumps 2 and 3 are there for model parallelism alone.
cat >"$work/mp_links.yml" <<END
include: $here/server.yml
network:
  graph: {npus: $servers, fabric: "circulant:1,2,3", bandwidth: 100 Gb/s, latency: 1 us, rings: [{npus: $servers, jumps: [1]}, {npus: $servers, jumps: [-1]}]}
  shares: maxmin
END

# fails NETWORK D MODEL OPTION...: a line of the table for each class of links
fails() {
    local name=$1 d=$2 model=$3 settings=()
    shift 3
    [ "$name" = sip_ring ] || [ "$name" = mp_links ] || settings=(--set "network.design.degree=$d" --set "network.design.bandwidth=100Gb/s")
    [ "$model" != all_reduce ] || settings+=(--set system.monolithic_all_reduce=ring)
    "$orrery" failures "$(network "$name" "$d")" "$work/$model.yml" ${settings[@]+"${settings[@]}"} --mtbf "$mtbf" \
        --repair-time "$panel" --csv "$work/rows" --json "$work/json" "$@" >/dev/null
    # of each class what it has, and of its first link the times
    awk -v network="$name" -v d="$d" -v model="$model" '
        function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",]/, "", line); return line }
        FILENAME ~ /json$/ && /"healthy_ps"/ { healthy = value($0) }
        FILENAME ~ /json$/ && /"failures": / { rest = 1 }
        FILENAME ~ /json$/ && !rest && /"class"/ { class = value($0) }
        FILENAME ~ /json$/ && !rest && /"links"/ { links[class] = value($0) }
        FILENAME ~ /json$/ { next }
        { split($0, f, ",") }
        FNR > 1 && !(f[2] in seen) {
            seen[f[2]] = 1
            printf "%s,%d,%s,%s,%d,%s,%.6f,%s,%s,%s,%s,%s,%s\n", network, d, model, f[2], links[f[2]], f[3], healthy / 1e9,
                   ms(f[4]), ms(f[5]), ms(f[6]), f[7], f[9], ms(f[10])
        }
        function ms(ps) { return ps == "" ? "" : sprintf("%.6f", ps / 1e9) }' "$work/json" "$work/rows" >>"$table"
}

# column NETWORK D MODEL CLASS N: of the table; the class is a prefix
column() {
    awk -F, -v network="$1" -v d="$2" -v model="$3" -v class="$4" -v n="$5" \
        '$1 == network && $2 == d && $3 == model && index($4, class) == 1 { print $n; exit }' "$table"
}

seconds() {
    awk -v text="$1" 'BEGIN {
        factor["ms"] = 1e-3; factor["s"] = 1; factor["min"] = 60; factor["h"] = 3600; factor["d"] = 86400; factor["y"] = 365 * 86400
        unit = text; gsub(/[0-9. ]/, "", unit)
        if (!(unit in factor)) { print "failures.sh: expected a time such as 5min, got " text >"/dev/stderr"; exit 1 }
        printf "%.9g", text * factor[unit] }'
}

workload_files vgg bert_5_3 dlrm_5_3
echo "workload: {generate: all_reduce, bytes: 1.28 GB}" >"$work/all_reduce.yml"
times_used
echo "network,degree,model,class,links,disconnected,healthy_ms,path_ms,borrow_ms,share_ms,best,slowdown,repaired_ms" >"$table"

# One link stands for all of a jump, and of all jumps: what differs is which of equal detours a hash takes.
models="all_reduce vgg"
[ -n "${QUICK:-}" ] || models="all_reduce vgg bert_5_3"
for model in $models; do
    for d in 4 8; do
        fails topoopt $d "$model" --link 0-1
    done
done
[ -n "${QUICK:-}" ] || fails topoopt 4 dlrm_5_3 --link 0-1
[ -z "${LONG:-}" ] || fails topoopt 8 dlrm_5_3 --link 0-1
fails mp_links 6 all_reduce --link 0-1
for d in 4 8; do
    [ -n "${QUICK:-}" ] || fails fat_tree $d vgg --sample 2
    fails sip_ring $d vgg --link 0-1
done

echo
echo "a link fails: ms an iteration of 128 servers, 100 Gb/s an interface; links: of the class, for TopoOpt all"
awk -F, 'NR == 1 {
        printf "%-9s %2s %-11s %-17s %9s %9s %9s %9s %-6s %8s %9s\n", "network", "d", "model", "link", "healthy", "path", "borrow", "share",
               "best", "slowdown", "repaired"
        next
    }
    function or(text, other) { return text == "" ? other : sprintf("%.3f", text) }
    { printf "%-9s %2d %-11s %-17s %9.3f %9s %9s %9s %-6s %8s %9.3f\n", $1, $2, $3, $4, $7, or($8, "-"), or($9, "-"), or($10, "-"),
             $11 == "" ? "-" : $11, $6 ? "stops" : or($12, "-"), $13 }' "$table"

# Lost in a month: links x 30 d / MTBF x repair x (1 - healthy / degraded), or all of the repair and half an iteration.
echo
echo "minutes lost in 30 days at an MTBF of $mtbf a link"
lost=$out/${figure}_lost.csv
awk -F, -v mtbf="$(seconds "$mtbf")" -v panel="$(seconds "$panel")" -v ocs="$(seconds "$ocs")" -v hand="$(seconds "$hand")" -v n=$servers '
    function add(repair) { return links * 30 * 86400 / mtbf * ($6 ? repair + $7 / 2e3 : repair * (1 - 1 / $12)) / 60 }
    NR > 1 {
        if ($1 == "mp_links") next
        links = $1 == "topoopt" ? n * $2 / 2 : $5 # all of its jumps are as this one
        key = $1 "," $2 "," $3
        if (!(key in all)) order[++keys] = key
        all[key] += links; by_panel[key] += add(panel); by_ocs[key] += add(ocs); by_hand[key] += add(hand)
    }
    END {
        print "network,degree,model,links,by_panel,by_ocs,by_hand"
        for (i = 1; i <= keys; i++) { k = order[i]; printf "%s,%d,%.6g,%.6g,%.6g\n", k, all[k], by_panel[k], by_ocs[k], by_hand[k] }
    }' "$table" >"$lost"
awk -F, -v panel="$panel" -v ocs="$ocs" -v hand="$hand" 'NR == 1 {
        printf "%-9s %2s %-11s %6s %14s %14s %14s\n", "network", "d", "model", "links", "panel, " panel, "OCS, " ocs, "by hand, " hand
        next
    }
    { printf "%-9s %2d %-11s %6d %14.4g %14.4g %14.4g\n", $1, $2, $3, $4, $5, $6, $7 }' "$lost"

# Hand calculation: r permutations share what one has carried, r / (r - 1), but for 1 us a round.
must "all-reduce, 2 permutations, shared over healthy" "$(calc "$(column topoopt 4 all_reduce jump 10) / $(column topoopt 4 all_reduce jump 7)")" 2 0.02
must "all-reduce, 4 permutations, shared over healthy" "$(calc "$(column topoopt 8 all_reduce jump 10) / $(column topoopt 8 all_reduce jump 7)")" 1.3333 0.0133
must "links of TopoOpt that disconnect a job" "$(awk -F, '$1 == "topoopt" { n += $6 } END { print n + 0 }' "$table")" 0 0
must "iterations after a repair that differ from healthy ones" "$(awk -F, 'NR > 1 && $7 != $13 { n++ } END { print n + 0 }' "$table")" 0 0
# At d = 8 VGG computes behind its all-reduces even without two of eight rings.
must "VGG, d = 8: slowdown" "$(column topoopt 8 vgg jump 12)" 1 0.001

says "a single link failure does not disconnect TopoOpt's graph" "yes" "yes, of all runs" \
    "$(within "$(awk -F, '$1 == "topoopt" { n += $6 } END { print n + 0 }' "$table")" 0 0)" ""
says "it does disconnect a single ring" "yes" "$([ "$(column sip_ring 4 vgg jump 6)" = 1 ] && echo yes || echo no)" \
    "$(within "$(column sip_ring 4 vgg jump 6)" 1 1)" "one way; each of its 128 links"
slow=$(calc "$(column topoopt 4 all_reduce jump 8) / $(column topoopt 4 all_reduce jump 7)")
says "a failed link makes its full ring inefficient for all-reduces" "no number" "$slow x, all-reduces alone, d = 4" "$(within "$slow" 1.5 100)" \
    "both rings of the jump, and those whose links the detour takes"
borrowed=$(calc "$(column mp_links 6 all_reduce jump 9) / $(column mp_links 6 all_reduce jump 7)")
by_path=$(calc "$(column mp_links 6 all_reduce jump 8) / $(column mp_links 6 all_reduce jump 7)")
must "all-reduce, links that no ring goes over are borrowed" "$borrowed" 1.01 0.01
says "a link of model-parallel traffic recovers the ring for a time" "no number" "$borrowed x by borrow, $by_path by path" \
    "$(within "$borrowed" 1 1.05)" "rings around jump 1, links of jumps 2 and 3 for other traffic; where rings go over all links, as in topoopt, none is free"
says "swapping ports recovers the connection" "yes" "the iteration takes what it took, to the picosecond" \
    "$(within "$(awk -F, 'NR > 1 && $7 != $13 { n++ } END { print n + 0 }' "$table")" 0 0)" ""
# Slowdowns of TopoOpt by the degree, a line for each recovery.
awk -F, '$1 == "topoopt" && $3 == "all_reduce" {
        for (i = 8; i <= 10; i++) printf "%s,%d,%.4f\n", (i == 8 ? "path" : i == 9 ? "borrow" : "share"), $2, $i / $7 }' "$table" |
    plot "$figure" title="An all-reduce without one link, 128 servers" xlabel="degree" ylabel="times the healthy time"
finish
