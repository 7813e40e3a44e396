# Shared by the benches of papers. known_numbers OUTDIR COMMAND...: runs a case study with all its points, which
# writes OUTDIR/checks.csv; prints the number of known and missed numbers of each figure, and those missed.
known_numbers() {
    local out=$1 status=0
    shift
    unset QUICK
    "$@" >/dev/null || status=$?
    awk -F, 'NR > 1 { n[$1]++; missed[$1] += $NF == "MISSED"; if (!seen[$1]++) order[++count] = $1 }
        END { for (i = 1; i <= count; i++) printf "%-10s %4d numbers, %d missed\n", order[i], n[order[i]], missed[order[i]] }' "$out/checks.csv"
    grep MISSED "$out/checks.csv" || true
    return "$status"
}
