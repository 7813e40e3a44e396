#!/bin/sh
# Compares docs/architecture.md, docs/glossary.md and the guides (FOLDER/README.md) with the tree. Prints what does not
# agree, with file and line where there is one; exit status 1 if there is anything.
#
#   usage: check_guides.sh [ROOT]       (default: the repository this script is in)
#
# Rules:
#   1. Every folder that holds .c files has its guide and stands in docs/architecture.md as `FOLDER/`.
#      Those below tests/ and bench/ need no guide.
#   2. A path in backticks (a word with a slash) exists: from the root, or in a guide from its folder.
#   3. A name in backticks that ends in .c or .h is a file's: in a guide of one in its folder or below.
#   4. A guide names every .c file that lies directly in its folder.
# A * stands for any part of a name, and so does NAME, which the reader is to fill in. Of words behind
# each other in backticks the first one counts; paths into build/ are made, and not looked for. Nor is
# what stands between fences, and in comments at the begin of a line.
set -eu

cd "${1:-$(dirname "$0")/..}"

pages=docs/architecture.md
if [ ! -f "$pages" ]; then
    echo "check_guides.sh: no $pages under $(pwd)" >&2
    exit 1
fi
[ ! -f docs/glossary.md ] || pages="$pages docs/glossary.md"
wings=$(find . -mindepth 2 -maxdepth 2 -type d -name lists | sed 's|/lists$||; s|^./||')
# shellcheck disable=SC2086 # a list of words
for guide in $(find core network memory system workload et_converter sim report study planner cli $wings \
    -name 'README.md' 2>/dev/null | LC_ALL=C sort); do
    pages="$pages $guide"
done

# shellcheck disable=SC2086 # one file name a word; names with spaces are not ours
find . \( -path ./.git -o -path ./build \) -prune -o -type f -print | LC_ALL=C sort |
    LC_ALL=C awk '
function folder_of(path) {
    return sub(/\/[^\/]*$/, "", path) ? path : "."
}

function add_file(path,    folder, name) {
    sub(/^\.\//, "", path)
    files[path] = 1
    name = path
    sub(/.*\//, "", name)
    folder = folder_of(path)
    if (name ~ /\.c$/ && !(folder in sources)) {
        sources[folder] = 1
        order[++rooms] = folder
    }
    if (name ~ /\.c$/) {
        code[++codes] = path
        unnamed[path] = 1
    }
    for (; folder != "." && !(folder in folders); folder = folder_of(folder))
        folders[folder] = 1
}

function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failures++
}

function missing(text) {
    print text
    failures++
}

function pattern(path) {
    gsub(/\./, "\\.", path)
    gsub(/NAME|\*/, "[^/]*", path)
    return "^" path "$"
}

function exists(path,    expression, at) {
    if (path !~ /NAME|\*/)
        return (path in files) || (path in folders)
    expression = pattern(path)
    for (at in files)
        if (at ~ expression)
            return 1
    for (at in folders)
        if (at ~ expression)
            return 1
    return 0
}

# Whether a file of the name lies in the folder, or in one below ("": anywhere). Those directly in the
# folder are named then.
function lies_in(folder, name,    expression, at, last, found) {
    expression = pattern(name)
    for (at in files) {
        last = at
        sub(/.*\//, "", last)
        if (last !~ expression || (folder != "" && index(at, folder "/") != 1))
            continue
        found = 1
        if (folder_of(at) == folder)
            delete unnamed[at]
    }
    return found
}

function check(word, folder,    path) {
    if (word ~ /^[A-Za-z0-9_*]+\.[ch]$/) {
        if (!lies_in(folder, word))
            wrong("`" word "`: there is no such file" (folder == "" ? "" : " in " folder "/"))
        return
    }
    if (word !~ /^[A-Za-z0-9_.*-]+(\/[A-Za-z0-9_.*-]*)+$/ || word ~ /^build\//)
        return
    path = word
    sub(/\/$/, "", path)
    if (folder == "")
        told[path] = 1
    if (!exists(path) && (folder == "" || !exists(folder "/" path)))
        wrong("`" word "`: there is no such file or folder")
}

NR == FNR { # the list of files
    add_file($0)
    next
}

FNR == 1 {
    fenced = 0
    folder = FILENAME == "docs/architecture.md" ? "" : folder_of(FILENAME)
}

/^```/ {
    fenced = !fenced
    next
}

fenced || /^<!--/ { # what is not here yet
    next
}

{
    parts = split($0, part, "`")
    for (i = 2; i < parts; i += 2) {
        sub(/ .*/, "", part[i])
        check(part[i], folder)
    }
}

# Folders whose .c files have a guide: not those of programs on their own.
function guided(room) {
    return room !~ /^(tests|bench|examples)(\/|$)/
}

END {
    for (i = 1; i <= rooms; i++) {
        room = order[i]
        if (!(room in told))
            missing("docs/architecture.md: does not name `" room "/`")
        if (guided(room) && !((room "/README.md") in files))
            missing(room "/README.md: there is no such guide")
    }
    for (i = 1; i <= codes; i++) {
        room = folder_of(code[i])
        if (code[i] in unnamed && guided(room) && (room "/README.md") in files)
            missing(room "/README.md: does not name `" substr(code[i], length(room) + 2) "`")
    }
    if (failures > 0)
        exit 1
}' - $pages
