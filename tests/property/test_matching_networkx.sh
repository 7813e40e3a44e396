#!/bin/sh
# Matchings of 250 random graphs (1,000 with ORRERY_LONG=1) weigh what those of networkx do.
#
#   usage: test_matching_networkx.sh TEST_MATCHINGS
set -u

# A python3 that is not Debian's does not see Debian's packages.
for python in python3 /usr/bin/python3 none; do
    "$python" -c 'import networkx' 2>/dev/null && break
done
if [ "$python" = none ]; then
    echo "skipped: needs the Debian package python3-networkx"
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
graphs=250
[ -z "${ORRERY_LONG:-}" ] || graphs=1000
"$1" "$work" "$graphs" && "$python" "$ORRERY_SOURCE_DIR/tests/property/networkx_check.py" "$work" "$graphs"
