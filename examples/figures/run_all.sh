# run_all OUTDIR SCRIPT...: runs figures one after the other into OUTDIR, gathers what they say and check in
# statements.csv and checks.csv, and prints how many known numbers are missed. Returns 1 if one is, 2 if a
# figure cannot run at all. Sourced by the run.sh of a case study.
run_all() {
    local out=$1 script status=0
    shift
    mkdir -p "$out"
    for script; do
        [ -e "$script" ] || continue
        "$script" "$out" || status=$?
        [ "$status" -ne 2 ] || return 2
        echo
    done
    gather statements "figure,statement,paper,here,reached,reason" "$out"
    gather checks "figure,number,here,expected,tolerance,result" "$out"
    [ -e "$out/checks.csv" ] || return "$status"
    awk -F, 'NR > 1 { n++; missed += $NF == "MISSED" }
        END { printf "known numbers: %d, missed: %d\n", n, missed + 0 }' "$out/checks.csv"
    return "$status"
}

# gather WHAT HEADING OUTDIR: the figures' own tables of that kind become one, if there are any
gather() {
    rm -f "$3/$1.csv"
    compgen -G "$3/*_$1.csv" >/dev/null || return 0
    { echo "$2"; cat "$3"/*_"$1.csv"; } >"$3/$1.csv"
    rm -f "$3"/*_"$1.csv"
}
