# What the figures of a paper's case study share. An example's common.sh sources it with its own folder in
# $here, and each figure has its own name in $figure; $1 is the folder of results.
#
#   says STATEMENT PAPER HERE REACHED REASON    a row of what the paper says and what comes out here; REACHED is yes, no, "not
#                                               run" or "over RANGE", and a "no" needs its reason
#   adds WHAT HERE [WHY]                        a number that no statement of the paper has
#   must WHAT HERE EXPECTED TOLERANCE           a number that is known; the script fails where it is not met
#   bound WHAT HERE most|least VALUE            the same, of a number that is at most, or at least, a value
#   plot NAME KEY=VALUE... <FILE                FILE's lines SERIES,X,Y as NAME.svg (plot.awk)
#   calc EXPRESSION                             a number by awk, nothing where one is missing
#   within VALUE LOW HIGH, holds CONDITION      yes, no, or, where a number is missing, not run
#   span [UNIT], list_of [UNIT], all_of <FILE             of lines LABEL VERDICT: yes, no, not run or "over LABEL to LABEL UNIT"; yes, no or not run
#   failed NAME REASON                          what stands for a number whose run or point of a sweep failed: a statement that needs it says so
#                                               (all_or_none=yes: so does every statement of the figure)
#   rows_of TABLE                               a sweep's points with a last column: what stands for the time of one that failed
#   finish                                      the last line of each: prints what was said, checks what must be
set -euo pipefail
export LC_ALL=C

root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "${here#"$root"/}: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
says_file=$out/${figure}_statements.csv
adds_file=$out/${figure}_additions.csv
must_file=$out/${figure}_checks.csv
rm -f "$says_file" "$adds_file" "$must_file"
failures=${FAILED_POINTS:-$work/failures} # lines NAME,REASON; of another script whose results are read here, too
touch "$failures"
export failures # of functions that run in other processes

# A number that is missing was not run, or its run failed: nothing is said of whether it is reached, and what failed is named.
says() {
    local here=$3 reached=${4%% failed:*} verdict reason=$5 why
    why=$(reasons "$3 $4")
    if [ -n "${all_or_none:-}" ] && [ -s "$failures" ]; then
        here= why=$(reasons "$(sed 's/,.*//; s/^/failed:/' "$failures")")
    fi
    [ -z "${here##failed:*}" ] && here='not run' || here=$(sed -E 's/failed:[A-Za-z0-9_.+=:\/-]*/failed/g' <<<"$here")
    case $here,$reached in
    'not run'*,* | *,'not run')
        verdict='not run'
        reason=${why:-$reason} why=
        ;;
    *,yes) verdict='reached' ;;
    *,'over '*) verdict="reached $reached" ;;
    *,no)
        verdict="not reached: ${reason:-the cause is not known}"
        reason=
        ;;
    *)
        echo "${here#"$root"/}/$figure: \"$1\": '$4' is no verdict; expected yes, no, not run or over RANGE" >&2
        exit 2
        ;;
    esac
    reason=$reason${reason:+${why:+; }}$why
    printf '%s,"%s","%s","%s","%s","%s"\n' "$figure" "$1" "$2" "$here" "$verdict" "$reason" >>"$says_file"
}
adds() {
    local here=${2:-not run}
    [[ $here != *failed:* ]] || here="not run: $(reasons "$here")"
    printf '%s,"%s","%s","%s"\n' "$figure" "$1" "$here" "${3:-}" >>"$adds_file"
}

failed() {
    local name=${1//[^A-Za-z0-9_.=\/-]/_}
    printf '%s,%s\n' "$name" "$(printf %s "$2" | tr '"\n' "' ")" >>"$failures"
    printf 'failed:%s' "$name"
}
# failed_in TEXT...: those that it has, as one number
failed_in() { grep -oE 'failed:[A-Za-z0-9_.=/-]+' <<<"$*" | sort -u | paste -s -d+; }
export -f failed failed_in
# reasons TEXT: what failed, and why, of those that it has
reasons() {
    [[ $1 == *failed:* ]] || return 0
    failed_in "$1" | tr + '\n' | sed 's/^failed://' | awk -F, '
        FILENAME != "-" { why[$1] = substr($0, length($1) + 2); next }
        { text = text (text == "" ? "" : "; ") $0 " failed" (why[$0] != "" ? " (" why[$0] ")" : "") }
        END { print text }' "$failures" -
}

must() {
    awk -v OFS=, -v figure="$figure" -v what="$1" -v got="$2" -v expected="$3" -v tolerance="$4" 'BEGIN {
        d = got - expected
        met = got ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ && (d < 0 ? -d : d) <= tolerance * (1 + 1e-9) ? "met" : "MISSED"
        print figure, "\"" what "\"", got, expected, tolerance, met }' >>"$must_file"
}

bound() {
    awk -v OFS=, -v figure="$figure" -v what="$1" -v got="$2" -v side="$3" -v value="$4" 'BEGIN {
        met = got ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/ && (side == "most" ? got + 0 <= value + 0 : got + 0 >= value + 0)
        print figure, "\"" what "\"", got, value, "at " side, met ? "met" : "MISSED" }' >>"$must_file"
}

plot() {
    local name=$1 settings=()
    shift
    for each; do
        settings+=(-v "$each")
    done
    awk -F, -f "$root/examples/figures/plot.awk" "${settings[@]}" >"$out/$name.svg"
}

# What the paper says beside what is here, and how the numbers that are known came out.
finish() {
    if [ -f "$says_file" ] || [ -f "$adds_file" ]; then
        echo
        { cat "$says_file" "$adds_file" 2>/dev/null || true; } | awk '{
            n = split(substr($0, index($0, "\"") + 1, length($0) - index($0, "\"") - 1), f, "\",\"")
            if (n == 3) printf "%s (not in the paper)\n    here: %s%s\n", f[1], f[2], f[3] != "" ? " (" f[3] ")" : ""
            else printf "%s\n    paper: %s; here: %s; %s%s\n", f[1], f[2], f[3], f[4], f[5] != "" ? " (" f[5] ")" : "" }'
    fi
    [ -f "$must_file" ] || return 0
    awk -F, '{ n++; if ($NF == "MISSED") missed++ }
        END { printf "%d known numbers, %d missed\n", n, missed + 0 }' "$must_file"
    if grep MISSED "$must_file"; then
        exit 1
    fi
}

# calc EXPRESSION: its value by awk, with 4 digits behind the point unless FORMAT says otherwise; nothing where a number is
# missing, such as that of a run that failed: "/ 2", "3 /", "() / 2"
calc() {
    [[ $1 != *failed:* ]] || { failed_in "$1"; return; }
    [[ ! $1 =~ (^|[-+*/\(])[[:space:]]*([*/\)]|$) ]] || return 0
    awk "BEGIN { printf \"${FORMAT:-%.4f}\", $1 }"
}

# shown FORMAT VALUE: the number in a table; - where it is missing
shown() {
    case $2 in
    '') echo - ;;
    *failed:*) echo failed ;;
    *) awk -v format="$1" -v value="$2" 'BEGIN { printf format "\n", value }' ;;
    esac
}

# within VALUE LOW HIGH: yes or no; not run: there is no such number
within() {
    [[ $* != *failed:* ]] || { echo "not run $(failed_in "$@")"; return; }
    awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN {
        known = v ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/
        print (!known ? "not run" : v + 0 >= low && v + 0 <= high ? "yes" : "no") }'
}

# holds CONDITION: of numbers, by awk: yes or no; not run: one of them is missing, such as in "< 3", "3 / < 2" or "() > 1"
holds() {
    local bare=${1// /} each
    [[ $1 != *failed:* ]] || { echo "not run $(failed_in "$1")"; return; }
    for each in '<=' '>=' '==' '!=' '&&' '||'; do bare=${bare//"$each"/"${each:0:1}"}; done
    if [[ $bare =~ ^$|^[*/+\<\>=\&|]|[-+*/\<\>=\&|!]$|[-+*/\(\<\>=\&|!][*/+\)\<\>=\&|!] ]]; then
        echo "not run"
    else
        awk "BEGIN { print (($1) ? \"yes\" : \"no\") }"
    fi
}

# Lines of verdicts may name what failed behind "not run": `failed` of a line, and of all.
read_verdict='
    { lost = match($0, / failed:[^ ]*$/) ? substr($0, RSTART + 1) : ""; $0 = lost != "" ? substr($0, 1, RSTART - 1) : $0 }
    lost != "" && !(lost in known) { known[lost]; losses = losses (losses == "" ? " " : "+") lost }'

# all_of: yes where all lines' verdicts are, no where one is no
all_of() {
    awk "$read_verdict"'{ n += !/not run$/; no += / no$/ || $0 == "no" }
        END { print (no ? "no" : !n || losses != "" ? "not run" : "yes") losses }'
}

# list_of [UNIT]: as span, of labels that have no order
list_of() {
    awk -v unit="${1:+ $1}" "$read_verdict"'
        { verdict = $0 ~ / not run$/ ? "not run" : $NF; sub(" " verdict "$", ""); n += verdict != "not run" }
        verdict == "yes" { yes++; text = text (text == "" ? "" : ", ") $0 }
        END { print (!n ? "not run" : !yes ? "no" : yes == NR ? "yes" : "over " text unit) losses }'
}

# span [UNIT]: the labels, which have an order, whose verdict is yes, those in a row as FIRST to LAST
span() {
    awk -v unit="${1:+ $1}" "$read_verdict"'
        { verdict = $0 ~ / not run$/ ? "not run" : $NF; sub(" " verdict "$", "") }
        { all++ }
        verdict == "not run" { close_row(); next }
        { n++ }
        verdict == "yes" { yes++; if (first == "") first = $0; last = $0; next }
        { close_row() }
        function close_row() {
            if (first != "") text = text (text == "" ? "" : ", ") (first == last ? first : first " to " last)
            first = ""
        }
        END { close_row(); print (!n ? "not run" : !yes ? "no" : yes == all ? "yes" : "over " text unit) losses }'
}

# A point is named by the values of its axes: files without their folders, others behind the last part of the key.
rows_of() {
    awk -F, -v failures="$failures" '
        NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i; key[i] = $i; sub(/.*\./, "", key[i]) } print $0 ",failed"; next }
        $at["status"] == "ok" { print $0 ","; next }
        {
            name = ""
            for (i = 2; i < at["status"]; i++) {
                value = $i
                if (key[i] ~ /^(platform|workload)$/) gsub(/.*\/|\.yml$/, "", value)
                else value = key[i] "=" value
                gsub(/[^A-Za-z0-9_.=\/-]+/, "", value)
                name = name (i > 2 ? "/" : "") value
            }
            why = $0
            for (i = 1; i < at["error"]; i++) why = substr(why, index(why, ",") + 1)
            if (sub(/^"/, "", why)) { gsub(/""/, "\x27", why); sub(/".*/, "", why) } else sub(/,.*/, "", why)
            print name "," why >>failures
            print "a run failed, and what needs it says so: " name ": " why >"/dev/stderr"
            for (i = 1; i < at["error"]; i++) printf "%s,", $i
            print ",failed:" name
        }' "$1"
}
