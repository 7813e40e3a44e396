# The section "By machine and collective" of docs/validation.md: errors from data sheets alone, with the library's
# constants, and fitted. A part of bench/validate.sh: needs its $orrery, $work and $common, its platforms, tables and
# fits. Data sheets alone: no library, so that each collective runs by the algorithm that is picked by default.

# latencies GPU: of dimensions 1 and 2, as in inputs/platforms. Data sheets have none; these are typical values.
latencies() {
    case $1 in
    V100 | A100) echo '700ns 2.5us' ;;
    *) echo '500ns 2us' ;;
    esac
}

# Adds lines "row sheets MACHINE COLLECTIVE NPUS NODES BYTES MEASURED MODEL ERROR true ALGORITHM" to those of the fits.
data_sheets() {
    while read -r name of gpu _; do
        # shellcheck disable=SC2046 # a list of words
        set -- $(latencies "$gpu")
        "$orrery" bench-collective "$work/$of.yml" --measured "$work/$name.csv" --set system.library.name=none \
            --set "network.dims[0].latency=$1" --set "network.dims[1].latency=$2" --csv "$work/sheets.csv" >"$work/said" 2>&1 || {
            cat "$work/said" >&2
            exit 1
        }
        awk -F, -v machine="$name" 'NR > 1 { print "row sheets", machine, $1, $2, $2 / $3, $4, $5, $6, $7, "true", $10 }' "$work/sheets.csv"
    done <"$work/machines" >"$work/sheets"
    cat "$work/sheets" >>"$work/lines"
}

section_data_sheets() {
    cat <<'END'
### By machine and collective

Medians of rows. *Data sheets*: 0.7 and 2.5 µs a hop within and between nodes (H100, B200: 0.5 and 2 µs), no library, the default algorithm, of the full bandwidth. *Library*: NCCL's constants (*unfitted* above). *Fitted*: held-out rows of every 2nd.

| machine | collective | ≥ 1 MiB: rows | data sheets | library | fitted | < 1 MiB: rows | data sheets | library | fitted |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
END
    data_sheets
    awk "$common"'
        function median(key,    i, list) {
            for (i = 1; i <= count[key]; i++) list[i] = error[key, i]
            sorted(list, count[key])
            return count[key] > 0 ? quantile(list, count[key], 0.5) : ""
        }
        function add(key, e) { error[key, ++count[key]] = absolute(e) }
        FNR == NR { order[++machines] = $1; next }
        $1 == "row" && $11 == "true" {
            class = $7 >= 1048576 ? 1 : 2
            add($2 SUBSEP $3 SUBSEP $4 SUBSEP class, $10)
            add($2 SUBSEP $3 SUBSEP "all" SUBSEP class, $10)
        }
        END {
            ways = split("sheets kept half", way, " ")
            kinds = split("all_reduce all_gather reduce_scatter all_to_all broadcast reduce", kind, " ")
            for (m = 1; m <= machines; m++) {
                for (k = 1; k <= kinds; k++) {
                    text = ""
                    rows = 0
                    for (c = 1; c <= 2; c++) {
                        n = count["sheets", order[m], kind[k], c]
                        rows += n
                        text = text sprintf(" %s |", n > 0 ? n : "–")
                        for (w = 1; w <= ways; w++) text = text sprintf(" %s |", percent(median(way[w] SUBSEP order[m] SUBSEP kind[k] SUBSEP c)))
                    }
                    if (rows > 0) printf "| %s | %s |%s\n", order[m], kind[k], text
                }
                for (c = 1; c <= 2; c++) for (w = 1; w <= ways; w++) {
                    of = median(way[w] SUBSEP order[m] SUBSEP "all" SUBSEP c)
                    if (of != "") add("machines" SUBSEP w SUBSEP c, of)
                }
            }
            printf "| **median of machines** | |"
            for (c = 1; c <= 2; c++) {
                printf " |"
                for (w = 1; w <= ways; w++) printf " %s |", percent(median("machines" SUBSEP w SUBSEP c))
            }
            print "\n"
        }' "$work/machines" "$work/lines"
}
