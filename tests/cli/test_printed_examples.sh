#!/bin/sh
# What the pages print as output is what their commands print.
#
#   usage: tests/cli/test_printed_examples.sh [--update] [PAGE...]
#
# --update writes what the commands print now into the pages. PAGE is relative to the source folder, a folder
# stands for its pages; without,
# README.md, the pages of docs/ named below, and all of docs/how-to. The command is build/release/bin/orrery unless ORRERY_BIN names another one.
#
# A block of three backquotes without a language is output (one that is none says ```text). What prints it are
# the commands of the ```sh block before it under the same heading, or this mark above it:
#
#   <!-- prints: COMMAND -->    runs this instead
#   <!-- needs: PATH... -->     files below ORRERY_SHARED that stand in the working folder; without them the
#                               block is skipped. Above a ```sh block, or with `prints`
#   <!-- exits: STATUS -->      the exit status, when it is not 0
#   <!-- unprinted: WHY -->     no output follows the ```sh block below, which is not run here
#   <!-- shows: FILE -->        the block (of any language) is a part of this file of the source folder,
#                               whatever comments behind # either has
#   <!-- one folder: WHY -->    anywhere in a page: its commands run one after the other in one folder
#
# A line `...` stands for any number of lines; numbers of events are not compared. Standard error is part of
# the output. In the tutorial and the how-to pages every ```sh block has its output, or says why not; there are
# not more of these than today. In other pages commands of a ```sh block that no output follows are run as well and must
# succeed, if they are orrery's or an example's and name no placeholder in capital letters but OUTDIR.
set -u

here=$(cd "$(dirname "$0")" && pwd)
source=${ORRERY_SOURCE_DIR:-$(cd "$here/../.." && pwd)}
orrery=${ORRERY_BIN:-$source/build/release/bin/orrery}
shared=${ORRERY_SHARED:-$source/../shared}
update=
[ "${1:-}" != --update ] || { update=yes; shift; }
[ $# -gt 0 ] || {
    how_to=$(cd "$source" && LC_ALL=C && printf '%s ' docs/how-to/*.md)
    # shellcheck disable=SC2086 # one page a word
    set -- README.md docs/tutorial.md docs/architecture.md docs/file-formats.md docs/models.md docs/models docs/performance.md $how_to
}

[ -x "$orrery" ] || { echo "there is no $orrery; build it first" >&2; exit 2; }
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin"
ln -s "$orrery" "$root/bin/orrery"
PATH=$root/bin:$PATH ORRERY_BIN=$orrery ORRERY_SHARED=$shared COLUMNS=100
export PATH ORRERY_BIN ORRERY_SHARED COLUMNS
failures=0 compared=0 skipped=0 updated=0 most_excused=5

fail() {
    echo "$page:$(cat "$work/$n.line"): $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    failures=$((failures + 1))
}

# folder: a working folder with the tree's inputs and examples, and what the block needs; 1: that is missing
folder() {
    [ -n "$one_folder" ] || rm -rf "$root/run"
    [ -d "$root/run" ] || {
        mkdir "$root/run"
        ln -s "$source/inputs" "$source/examples" "$root/run"
    }
    [ -f "$work/$n.needs" ] || return 0
    for need in $(cat "$work/$n.needs"); do
        for file in "$shared"/$need; do
            [ -e "$file" ] || return 1
            ln -s "$(cd "$(dirname "$file")" && pwd)/$(basename "$file")" "$root/run/"
        done
    done
}

# execute FILE: runs commands in a fresh folder, output to `got`; status of the last, 77 if something is missing
execute() {
    folder || return 77
    (cd "$root/run" && timeout 120 sh "$1") >"$root/got" 2>&1 </dev/null
}

# prints: compares the block's output, or renews it
prints() {
    execute "$work/$n.command"
    status=$?
    [ $status -ne 77 ] || { skipped=$((skipped + 1)); return; }
    expected=0
    [ ! -f "$work/$n.exits" ] || expected=$(cat "$work/$n.exits")
    [ $status -eq "$expected" ] || { fail "exit status $status, expected $expected:" "$root/got"; return; }
    compared=$((compared + 1))
    awk -f "$here/match_output.awk" "$work/$n.expected" "$root/got" && return
    if [ -n "$update" ]; then
        awk -v mode=update -f "$here/match_output.awk" "$work/$n.expected" "$root/got" >"$work/$n.new" &&
            { updated=$((updated + 1)); return; }
        rm "$work/$n.new"
    fi
    diff "$work/$n.expected" "$root/got" >"$root/diff"
    fail "the page (<) is not what is printed (>); if it should be: tests/cli/test_printed_examples.sh --update" "$root/diff"
}

# runs: the commands that can be run as they stand
runs() {
    sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' "$work/$n.command" |
        grep -E '^(orrery|examples/)' | sed 's/OUTDIR/outdir/g' | grep -vE '(^| )\[|(^|[^_A-Za-z])([A-Z]{3,}|[A-Z]+[.])' >"$root/commands"
    while read -r line; do
        echo "$line" >"$root/line"
        execute "$root/line"
        status=$?
        case $status in
        0) compared=$((compared + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *) fail "exit status $status: $line" "$root/got" ;;
        esac
    done <"$root/commands"
}

# shows: the block is a part of the file
shows() {
    { echo ...; sed 's/ *#.*//' "$work/$n.expected"; echo ...; } >"$root/part"
    sed 's/ *#.*//' "$source/$(cat "$work/$n.shows")" >"$root/got"
    compared=$((compared + 1))
    awk -f "$here/match_output.awk" "$root/part" "$root/got" && return
    diff "$work/$n.expected" "$source/$(cat "$work/$n.shows")" >"$root/diff"
    fail "not a part of $(cat "$work/$n.shows"):" "$root/diff"
}

pages=
for page in "$@"; do
    if [ -d "$source/$page" ]; then
        pages="$pages $(cd "$source" && echo "$page"/*.md)"
    else
        pages="$pages $page"
    fi
done
for page in $pages; do
    work=$root/page
    rm -rf "$work" "$root/run"
    mkdir "$work"
    one_folder=$(grep '^<!-- one folder: ' "$source/$page")
    awk -v mode=find -v work="$work" -f "$here/printed_examples.awk" "$source/$page" >"$work/blocks" || exit 1
    while read -r kind n; do
        case $kind in
        prints) prints ;;
        runs)
            case $page in
            docs/tutorial.md | docs/how-to/*)
                fail "no output follows these commands; if there can be none: <!-- unprinted: WHY -->" ;;
            *) runs ;;
            esac
            ;;
        excused) ;;
        shows) shows ;;
        lacks) fail "what prints this is not said: a \`\`\`sh block before it, or <!-- prints: COMMAND -->; no output is \`\`\`text" ;;
        esac
    done <"$work/blocks"
    if [ -n "$update" ] && ls "$work"/*.new >/dev/null 2>&1; then
        awk -v mode=replace -v work="$work" -f "$here/printed_examples.awk" "$source/$page" >"$root/new" &&
            cat "$root/new" >"$source/$page"
    fi
done

excused=$(cat "$source/docs/tutorial.md" "$source"/docs/how-to/*.md | grep -c '^<!-- unprinted: ')
[ "$excused" -le "$most_excused" ] || {
    echo "$excused blocks of commands without output, expected at most $most_excused"
    failures=$((failures + 1))
}
[ -z "$update" ] || echo "$updated blocks renewed"
[ "$failures" -eq 0 ] && echo "printed examples: $compared as printed, $skipped skipped, $excused without output"
exit $((failures > 0))
