#!/bin/sh
# Ring orders in NCCL's XML, read by another parser: every step goes over a wire of the map of ports.
#
#   usage: test_nccl_graph_files.sh TEST_NCCL_GRAPH
set -u

if ! python3 -c 'import xml.etree.ElementTree' 2>/dev/null; then
    echo "skipped: needs the Debian package python3"
    exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$1" "$work" && python3 "$ORRERY_SOURCE_DIR/tests/unit/nccl_graph_check.py" "$work"
