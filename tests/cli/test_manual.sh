#!/bin/sh
# The manual pages name every option that --help names, and groff has nothing to say against them.
set -u

man=$ORRERY_BUILD_DIR/made/man
failures=0
pages=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

options() {
    grep -oE -- '--[a-z][a-z-]+' | sort -u
}

. "$ORRERY_SOURCE_DIR/tests/cli/support.sh"

for command in $(commands); do
    page=$man/man1/orrery-$command.1
    [ -f "$page" ] || {
        fail "no page of orrery $command"
        continue
    }
    pages=$((pages + 1))
    for option in $(help_of "$command" | options); do
        sed 's/\\-/-/g' "$page" | grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" ||
            fail "orrery-$command(1) lacks $option"
    done
    for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" ENVIRONMENT "SEE ALSO"; do
        [ "$(grep -cx ".SH $section" "$page")" -eq 1 ] ||
            fail "orrery-$command(1): section $section is not there once"
    done
    sed 's/\\-/-/g' "$man/man1/orrery.1" | grep -qx ".B $command" || fail "orrery(1) lacks $command"
done
[ "$pages" -ge 4 ] || fail "only $pages pages"

if command -v groff >/dev/null; then
    for page in "$man"/man?/*; do
        said=$(groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "groff: $said"
    done
else
    echo "no groff here: layout not checked"
fi

[ "$failures" -eq 0 ] && echo "the manual: $pages pages of commands"
exit $((failures > 0))
