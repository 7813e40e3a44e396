#!/bin/sh
# Makes the manual pages from what the command says of itself: orrery(1) and one for each subcommand.
#
#   usage: cmake/make_man.sh ORRERY PARTS OUT
#
# Writes OUT/man/man1/*.1. PARTS holds what the tables of options do not say, in roff: NAME.roff goes
# behind the text of orrery-NAME(1), common.roff behind every page. OUT/man/man5 gets the pages of files.
set -eu

orrery=$1 parts=$2 out=$3
version=$("$orrery" --version | sed 's/^orrery //')
rm -rf "$out/man"
mkdir -p "$out/man/man1" "$out/man/man5"

commands=$("$orrery" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')

# page PART TITLE [COMMAND]
page() {
    {
        "$orrery" help --roff ${3+"$3"}
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

page orrery orrery
for command in $commands; do
    page "$command" "orrery-$command" "$command"
done
for part in "$parts"/*.5.roff; do
    name=$(basename "$part" .5.roff)
    { printf '.TH %s 5 "" "Orrery %s" "Orrery"\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$version"
        cat "$part"; } >"$out/man/man5/$name.5"
done
