#!/bin/sh
# The check of the listings of docs/architecture.md refuses, before it builds anything, a page that lacks
# one, and listings that do not fit the tree. (That they build is a step of .ci/run.)
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
cd "$ORRERY_SOURCE_DIR" || exit 1
git rev-parse >/dev/null 2>&1 || exit 77
page=docs/architecture.md

# refuses KIND WHY: the page in $work/page.md is not taken, by this line
refuses() {
    output=$(cmake/check_listings.sh "$work/build" "$work/page.md" 2>&1)
    status=$?
    if [ "$status" -ne 1 ] || ! printf '%s\n' "$output" | grep -qxF "BROKEN  $1: $2" ||
        [ -e "$work/build/build" ]; then
        printf 'expected status 1, before a build, and:\nBROKEN  %s: %s\ngot %s and:\n%s\n' "$1" "$2" "$status" \
            "$output"
        failures=$((failures + 1))
    fi
}

for kind in 'result' 'backend with a key' 'key' 'algorithm' 'fabric'; do
    sed "s/^\(An\{0,1\}\) $kind, whole:/\1 $kind:/" "$page" >"$work/page.md"
    refuses "$kind" "$work/page.md has no paragraph that begins with it, \"..., whole:\""
done
sed '/^<!-- listing: .*spare/,$s/^<!-- listing: .*//' "$page" >"$work/page.md"
refuses result 'no block of code is part of it'
sed 's/^<!-- listing: network\/backends\/ideal.c/<!-- listing: network\/backends\/flow.c/' "$page" >"$work/page.md"
refuses 'backend with a key' 'network/backends/flow.c is there already'
sed 's/+ after NET_PACKET_KEY( -->/+ after NET_PACKAGE_KEY( -->/' "$page" >"$work/page.md"
refuses key 'network/backends/congestion.c has no line with: NET_PACKAGE_KEY('

[ "$failures" -eq 0 ] && echo "pages without a listing, and listings without a place, are refused"
[ "$failures" -eq 0 ]
