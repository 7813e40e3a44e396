#!/bin/sh
# Checks the walks of docs/architecture.md: lists of the files that one goes through, from the caller to what is
# called. Prints a line for each walk, and what breaks it. Exit status 1 if anything does.
#
#   usage: check_walks.sh [ROOT]       (default: the repository this script is in)
#
# A walk begins with "<!-- walk: WHAT, at most N files -->" and ends with the list below it. Its items are
#
#   1. `FILE`: ...                  where it begins
#   2. `FILE` by `NAME`: ...        a later file: a file before it in the walk says NAME, and this one defines it
#   3. `FILE` for `NAME`: ...       a later file: it says NAME, which a file before it defines
#
# NAME is a function, or an operation of a table (".NAME = "), or a member of a struct or table.
# Comments and includes do not count. There are at most N items, and each file exists and stands in a walk once.
set -eu

root=${1:-$(dirname "$0")/..}
cd "$root"
page=docs/architecture.md

LC_ALL=C awk '
function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failures++
}

# The text of a file without comments, strings and includes: text[path].
function load(path,    line, all, in_comment, start, rest) {
    if (path in text)
        return 1
    if ((getline line <path) < 0)
        return 0
    do {
        if (in_comment) {
            if (!(start = index(line, "*/")))
                continue
            line = substr(line, start + 2)
            in_comment = 0
        }
        while (!in_comment && (start = index(line, "/*"))) {
            rest = substr(line, start + 2)
            line = substr(line, 1, start - 1)
            if (start = index(rest, "*/"))
                line = line substr(rest, start + 2)
            else
                in_comment = 1
        }
        if (line !~ /^#include/)
            all = all line "\n"
    } while ((getline line <path) > 0)
    close(path)
    text[path] = all
    return 1
}

function says(path, name) {
    return text[path] ~ ("(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)")
}

# A definition begins its line (its arguments may go on below), or is a member of a struct or of a table.
function defines(path, name) {
    return ("\n" text[path]) ~ ("\n[a-z][A-Za-z0-9_ *]*[ *]" name "\\([^;{]*\\)[ \n]*\\{") ||
        text[path] ~ ("\\." name " = ") ||
        text[path] ~ ("[ *]" name "(\\[[^]]*\\])*[;,]") ||
        ("\n" text[path]) ~ ("\nconst [a-z_ ]+[ *]" name "(\\[\\])? = ")
}

function end_walk() {
    if (walk == "")
        return
    if (count > most)
        wrong(walk ": " count " files, at most " most)
    printf "ok      %s: %d files (at most %d)\n", walk, count, most
    walk = ""
}

/^<!-- walk: / {
    end_walk()
    walk = $0
    sub(/^<!-- walk: /, "", walk)
    most = walk
    sub(/.*at most /, "", most)
    most += 0
    sub(/, at most .*/, "", walk)
    count = 0
    walks++
    next
}

walk != "" && /^[0-9]+\. `/ {
    n = split($0, part, "`")
    path = part[2]
    name = part[3] == " by " || part[3] == " for " ? part[4] : ""
    if (!load(path))
        wrong(path ": there is no such file")
    for (i = 1; i <= count; i++)
        if (step[i] == path)
            wrong(path ": stands in this walk twice")
    if (count == 0 && name != "")
        wrong(path ": nothing comes before it that says " name)
    if (count > 0 && name == "")
        wrong(path ": by what does one come here?")
    if (name != "" && path in text) {
        by = part[3] == " by "
        for (i = 1; i <= count && !(by ? says(step[i], name) : defines(step[i], name)); i++)
            ;
        if (i > count)
            wrong(path ": no file before it " (by ? "says " : "defines ") name)
        if (!(by ? defines(path, name) : says(path, name)))
            wrong(path ": does not " (by ? "define " : "say ") name)
    }
    if (path in text)
        step[++count] = path
    next
}

walk != "" && count > 0 && /^ *$/ { end_walk() }

END {
    end_walk()
    if (walks < 3) {
        printf "%s: %d walks, expected 3 or more\n", FILENAME, walks
        failures++
    }
    exit failures > 0
}' "$page"
