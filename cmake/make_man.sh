#!/bin/sh
# Makes the manual pages from what the command says of itself: orrery(1) and one for each subcommand.
#
#   usage: cmake/make_man.sh ORRERY PARTS OUT
#
# Writes OUT/man/man1/*.1. PARTS holds what --help does not say, in roff: NAME.roff goes behind the
# text of orrery-NAME(1), common.roff behind every page. OUT/man/man5 gets the pages of files.
set -eu

orrery=$1 parts=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
version=$("$orrery" --version | sed 's/^orrery //')
rm -rf "$out/man"
mkdir -p "$out/man/man1" "$out/man/man5"

commands=$("$orrery" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')

# page NAME TITLE SUMMARY: standard input is the help
page() {
    {
        awk -v title="$2" -v summary="$3" -v version="$version" -f "$here/man.awk"
        for part in "$parts/$1.roff" "$parts/common.roff"; do
            [ ! -f "$part" ] || cat "$part"
        done
        echo ".SH SEE ALSO"
        for command in "" $commands; do
            name=orrery${command:+-$command}
            [ "$name" = "$2" ] || printf '.BR %s (1),\n' "$name" | sed 's/-/\\-/g'
        done
        echo ".BR orrery\\-platform (5)"
    } >"$out/man/man1/$2.1"
}

"$orrery" --help | page orrery orrery "simulates distributed deep-learning training"
for command in $commands; do
    summary=$("$orrery" --help | awk -v c="$command" '$1 == c { sub(/^ *[^ ]+ */, ""); print; exit }')
    "$orrery" "$command" --help | page "$command" "orrery-$command" "$summary"
done
for part in "$parts"/*.5.roff; do
    name=$(basename "$part" .5.roff)
    { printf '.TH %s 5 "" "Orrery %s" "Orrery"\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$version"
        cat "$part"; } >"$out/man/man5/$name.5"
done
