# run_all OUTDIR SCRIPT...: runs figures one after the other into OUTDIR, gathers what they say and check in
# statements.csv, additions.csv and checks.csv, and prints how many known numbers are missed. Returns 1 if one is, 2 if a
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
    gather statements "figure,statement,paper,here,verdict,note" "$out"
    gather additions "figure,number,here,note" "$out"
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

# choose_figures HERE [FIGURE...] [-o OUTDIR]: the figures of a case study that are asked for, all without any, into the
# array `scripts`, and the folder, or nothing, into `out`. Figures are the scripts in HERE that can be run, but for
# run.sh; 7, fig7 and fig07 are the same. Ends with 2 where an argument is none.
choose_figures() {
    local here=$1 file name there=()
    shift
    for file in "$here"/*.sh; do
        name=$(basename "$file" .sh)
        [ "$name" = run ] || [ ! -x "$file" ] || there+=("$name")
    done
    out=
    scripts=()
    while [ $# -gt 0 ]; do
        case $1 in
        -o | --output)
            [ -n "${2:-}" ] || refuse_figures "$1 needs a folder"
            out=$2
            shift
            ;;
        -*) refuse_figures "unknown option '$1'; usage: run.sh [FIGURE...] [-o OUTDIR]" ;;
        *) choose_figure "$1" ;;
        esac
        shift
    done
    [ ${#scripts[@]} -gt 0 ] || for name in "${there[@]}"; do choose_figure "$name"; done
}

# choose_figure NAME: its file, of those that are there
choose_figure() {
    local name=$1
    [[ ! $name =~ ^(fig)?[0-9]$ ]] || name=0${name#fig}
    [[ ! $name =~ ^[0-9]+$ ]] || name=fig$name
    [[ " ${there[*]} " == *" $name "* ]] || refuse_figures "there is no figure '$1'; expected one of: ${there[*]}"
    scripts+=("$here/$name.sh")
}

refuse_figures() {
    echo "examples/$(basename "$here")/run.sh: $1" >&2
    exit 2
}
