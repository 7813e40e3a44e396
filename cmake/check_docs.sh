#!/bin/sh
# Every reference to a page of docs/ resolves. Prints those that do not, with file and line; exit status 1 if there are any.
#
#   usage: check_docs.sh [ROOT]       (default: the repository this script is in)
#
# Rules:
#   1. `docs/NAME.md`, anywhere in the tree, exists.
#   2. "NAME.md, section 4", "(docs/NAME.md, 4)", anywhere in the tree and across a line's end: the page has a heading "4. ...".
#   3. `NAME.md, "Title"`: the page has a heading that begins so.
#   4. A link of a Markdown page, [text](path#heading), leads to a file or folder, and to a heading that it has.
#   5. Code that a page of docs/ names in backticks exists: a path that begins with a folder of the root (or a model of
#      inputs/models), NAME.c, NAME.h. Of words behind each other the first counts; * stands for any part of a name.
# Fenced blocks of Markdown are not looked at for links and headings, nor is the check's own test.
set -eu

cd "${1:-$(dirname "$0")/..}"
[ -d docs ] || { echo "check_docs.sh: no docs under $(pwd)" >&2; exit 1; }

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . \( -path ./.git -o -path ./build -o -path ./tests/fuzz/corpus \) -prune -o -type f -print | sed 's,^\./,,' | LC_ALL=C sort >"$list"
pages=$(grep '\.md$' "$list")
texts=$(grep -E '\.(md|c|h|sh|py|awk|cmake|txt|yml|proto)$' "$list" | grep -vx 'tests/cli/test_check_docs.sh')

# Pages come twice: for their headings, then, among all texts, for what they refer to.
# shellcheck disable=SC2086 # one file name a word; names with spaces are not ours
LC_ALL=C awk '
function folder_of(path) {
    return sub(/\/[^\/]*$/, "", path) ? path : ""
}

# `at` is the place of the line that is looked at
function wrong(text) {
    print at ": " text
    failures++
}

# A path as seen from the root: without . and ..
function normal(path,    part, n, i, kept, out) {
    n = split(path, part, "/")
    kept = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "" || part[i] == ".")
            continue
        if (part[i] == ".." && kept > 0)
            kept--
        else
            out[++kept] = part[i]
    }
    path = ""
    for (i = 1; i <= kept; i++)
        path = path (i > 1 ? "/" : "") out[i]
    return path
}

# The anchor of a heading, as GitHub makes it
function anchor(title) {
    gsub(/\]\([^)]*\)/, "", title)
    title = tolower(title)
    gsub(/×|→|–/, "", title)
    gsub(/[^a-z0-9_ \200-\377-]/, "", title)
    gsub(/ /, "-", title)
    return title
}

function add_heading(page, title,    name) {
    sub(/^#+ +/, "", title)
    headings[page] = headings[page] "\n" title
    name = anchor(title)
    while ((page, name) in anchors)
        name = name "-1"
    anchors[page, name] = 1
    if (match(title, /^[0-9]+\. /))
        numbers[page, substr(title, 1, RLENGTH - 2) + 0] = 1
}

function check_link(target,    path, place) {
    if (target ~ /^[a-z]+:/)
        return
    place = ""
    path = target
    if (match(target, /#/)) {
        place = substr(target, RSTART + 1)
        path = substr(target, 1, RSTART - 1)
    }
    path = path == "" ? FILENAME : normal(folder_of(FILENAME) "/" path)
    if (!(path in files) && !(path in folders))
        wrong("(" target "): there is no such file or folder")
    else if (place != "" && path ~ /\.md$/ && !((path, place) in anchors))
        wrong("(" target "): " path " has no such heading")
}

function check_links(line,    rest) {
    gsub(/`[^`]*`/, "`", line)
    while (match(line, /\]\([^) ]+\)/)) {
        rest = substr(line, RSTART + RLENGTH)
        check_link(substr(line, RSTART + 2, RLENGTH - 3))
        line = rest
    }
}

# Whether a file or folder has this name, in which * stands for any part; `anywhere`: in any folder
function exists(name, anywhere,    at) {
    if (name in files || name in folders)
        return 1
    gsub(/\./, "\\.", name)
    gsub(/\*/, "[^/]*", name)
    name = (anywhere ? "(^|/)" : "^") name "$"
    for (at in files)
        if (at ~ name)
            return 1
    return 0
}

function check_code(line,    part, parts, i, word, root) {
    parts = split(line, part, "`")
    for (i = 2; i < parts; i += 2) {
        word = part[i]
        sub(/ .*/, "", word)
        sub(/\/$/, "", word)
        if (word ~ /NAME|^build\//)
            continue
        root = word
        sub(/\/.*/, "", root)
        if (word ~ /^[A-Za-z0-9_*]+\.[ch]$/) {
            if (!exists(word, 1))
                wrong("`" word "`: there is no such file")
        } else if (word ~ /^[A-Za-z0-9_.*-]+(\/[A-Za-z0-9_.*-]+)+$/ && root in folders &&
            !exists(word, 0) && !exists("inputs/models/" word, 0) && !exists("inputs/models/" word ".yml", 0))
            wrong("`" word "`: there is no such file or folder")
    }
}

# The page of docs/ that a mention means: docs/NAME.md, or NAME.md beside the page that mentions it
function page_of(name) {
    if (name ~ /^docs\//)
        return name
    return name !~ /README/ && ("docs/" name) in files ? "docs/" name : ""
}

# Mentions that begin in `line`; `more` is that with the next line, in which they may end
function check_mentions(line, more,    start, name, rest, page, number) {
    start = 1
    while (match(substr(line, start), /(docs\/)?[A-Za-z0-9_\/-]*[A-Za-z0-9_]\.md/)) {
        name = substr(line, start + RSTART - 1, RLENGTH)
        rest = substr(more, start + RSTART - 1 + RLENGTH)
        start += RSTART - 1 + RLENGTH
        if (name ~ /^docs\// && name !~ /NAME/ && !(name in files))
            wrong(name ": there is no such page")
        page = page_of(name)
        if (page == "" || !(page in files))
            continue
        if (match(rest, /^[`)]*(,| sections?|, sections?) [0-9]+/)) {
            number = substr(rest, 1, RLENGTH)
            sub(/.*[^0-9]/, "", number)
            if (!((page, number + 0) in numbers))
                wrong(page " has no section " number + 0)
        } else if (match(rest, /^[`)]*, "[^"]+"/)) {
            rest = substr(rest, 1, RLENGTH - 1)
            sub(/^[^"]*"/, "", rest)
            if (index(headings[page], "\n" rest) == 0)
                wrong(page " has no heading \"" rest "\"")
        }
    }
}

function end_of_line(next_line) {
    if (held == "")
        return
    sub(/^[ \t]*(\*|\/\/|#)? */, "", next_line)
    at = held_at
    check_mentions(held, held " " next_line)
    held = ""
}

FNR == 1 { run++ }

run == 1 {
    files[$0] = 1
    for (folder = folder_of($0); folder != "" && !(folder in folders); folder = folder_of(folder))
        folders[folder] = 1
    next
}

FNR == 1 {
    fenced = 0
    end_of_line("")
    first_read = !(FILENAME in read) && FILENAME ~ /\.md$/
    read[FILENAME] = 1
}

FILENAME ~ /\.md$/ && /^```/ {
    fenced = !fenced
}

first_read {
    if (!fenced && /^#+ /)
        add_heading(FILENAME, $0)
    next
}

{
    end_of_line($0)
    held = $0
    at = held_at = FILENAME ":" FNR
    if (FILENAME ~ /\.md$/ && !fenced)
        check_links($0)
    if (FILENAME ~ /^docs\/.*\.md$/ && !fenced)
        check_code($0)
}

END {
    end_of_line("")
    exit failures > 0
}' "$list" $pages $texts
