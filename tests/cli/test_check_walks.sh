#!/bin/sh
# cmake/check_walks.sh: the walks of docs/architecture.md hold, and one that does not is found.
# shellcheck disable=SC2016 # backquotes of the page
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$ORRERY_SOURCE_DIR"
cmake/check_walks.sh >"$work/log" || { cat "$work/log" && exit 1; }
for folder in cli core et_converter network report sim system workload; do
    ln -s "$PWD/$folder" "$work/$folder"
done
mkdir "$work/docs"

# finds TEXT SED-SCRIPT: the page after the script is refused with the text
finds() {
    sed "$2" docs/architecture.md >"$work/docs/architecture.md"
    cmp -s docs/architecture.md "$work/docs/architecture.md" && echo "no change: $2" && exit 1
    if cmake/check_walks.sh "$work" >"$work/log" || ! grep -qF "$1" "$work/log"; then
        echo "expected: $1" && cat "$work/log" && exit 1
    fi
}

finds 'there is no such file' 's|^2\. `workload/engine/issue.c`|2. `workload/engine/issued.c`|'
finds 'no file before it says orr_wl_issued' 's|by `orr_wl_issue`|by `orr_wl_issued`|'
finds 'does not define orr_wl_stream_pop' 's|by `orr_wl_issue`|by `orr_wl_stream_pop`|'
finds 'by what does one come here?' 's|`workload/engine/issue.c` by `orr_wl_issue`|`workload/engine/issue.c`|'
finds 'stands in this walk twice' 's|^3\. `workload/engine/node_requests.c` by `[a-z_]*`|3. `workload/engine/issue.c` by `orr_wl_issue`|'
finds 'a collective: 16 files, at most 15' 's|a collective, at most 20 files|a collective, at most 15 files|'
finds '2 walks, expected 3 or more' 's|^<!-- walk: a collective.*||'
