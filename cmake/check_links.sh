#!/bin/sh
# Checks the links of all Markdown pages: a relative link names a file or folder that exists, and behind a # a
# heading of that page, by the names that GitHub gives headings. Prints PAGE:LINE of what does not; exit status 1
# if there is anything. Links to other sites, and what stands between fences, are not looked at.
#
#   usage: check_links.sh [ROOT]       (default: the repository this script is in)
set -eu

cd "${1:-$(dirname "$0")/..}"

pages=$(find . \( -path ./.git -o -path ./build \) -prune -o -name '*.md' -print | sed 's/^\.\///' | LC_ALL=C sort)
# shellcheck disable=SC2086 # one page a word; names with spaces are not ours
LC_ALL=C.UTF-8 awk '
function folder_of(path) {
    return sub(/\/[^\/]*$/, "", path) ? path "/" : ""
}

# A path without its ./ and NAME/.. parts
function plain(path) {
    while (sub(/(^|\/)\.\//, "/", path)) sub(/^\//, "", path)
    while (match(path, /[^\/]+\/\.\.(\/|$)/)) {
        if (substr(path, RSTART, 3) == "../") break
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    }
    sub(/\/$/, "", path)
    return path
}

# The name of a heading
function name_of(text) {
    sub(/^#+ +/, "", text)
    while (match(text, /\[[^\]]*\]\([^)]*\)/))
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + 1, index(substr(text, RSTART), "]") - 2) substr(text, RSTART + RLENGTH)
    text = tolower(text)
    gsub(/[][`~!@#$%^&*()+=<>?,.\/:;"{}|\\'"'"'×→–]/, "", text)
    gsub(/ /, "-", text)
    return text
}

FNR == 1 { fenced = 0; pages[FILENAME] = 1 }
/^ *```/ { fenced = !fenced; next }
fenced { next }
/^#+ / {
    name = name_of($0)
    headings[FILENAME "#" name (seen[FILENAME "#" name]++ ? "-" seen[FILENAME "#" name] - 1 : "")] = 1
}
{
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^) ]*\)/)) {
        link = substr(text, RSTART + 2, RLENGTH - 3)
        text = substr(text, RSTART + RLENGTH)
        if (link ~ /^[a-z]+:/) continue
        links++
        at[links] = FILENAME ":" FNR
        of[links] = FILENAME
        to[links] = link
    }
}
END {
    for (i = 1; i <= links; i++) {
        path = to[i]
        sub(/#.*/, "", path)
        heading = to[i] ~ /#/ ? substr(to[i], index(to[i], "#") + 1) : ""
        target = path == "" ? of[i] : plain(folder_of(of[i]) path)
        if (target != "" && !(target in pages) && system("test -e \"" target "\"") != 0) {
            print at[i] ": " to[i] ": there is no " target
            wrong = 1
        } else if (heading != "" && (target in pages) && !((target "#" heading) in headings)) {
            print at[i] ": " to[i] ": " target " has no such heading"
            wrong = 1
        }
    }
    exit wrong
}' $pages
