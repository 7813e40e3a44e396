#!/bin/sh
# Checks that every #include "..." keeps to the layers of docs/architecture.md. Prints file:line and
# the rule broken; exit status 1 if there is any.
#
#   usage: check_includes.sh [ROOT]       (default: the repository this script is in)
#
# Rules:
#   1. An include goes down or stays in its folder:
#      cli -> planner -> study -> report -> sim -> et_converter -> workload -> system -> network, memory
#      -> core; network and memory do not know each other.
#   2. From outside a folder only its public headers are included: those that FOLDER/public_headers.txt
#      lists, one a line. What it lists exists, and somebody outside includes it.
#   3. The rooms of a folder are in an order as well (below, `rooms`): a file in one includes of its
#      folder what lies in its own room, in those before it, or directly in the folder.
#   4. include/orrery may be included by sim and everything above it.
#   5. tests and bench may include private headers of any folder.
#   7. A wing (a folder with a folder lists/, docs/architecture.md) lies above the planner: it includes what the
#      planner may, and planner; its room cli/ is part of the command, and includes what cli may, and cli. Nobody
#      includes a wing, nor does another wing: they join lists by "wings/NAME.def" (cmake/OrreryWings.cmake). The
#      order of its rooms stands in WING/lists/rooms.txt.
#   6. Paths are written from the root of the repository, and the file must exist. Only tests and
#      bench may name a header that lies beside the including file by its name alone.
set -eu

root=${1:-$(dirname "$0")/..}
cd "$root"

wings=$(find . -mindepth 2 -maxdepth 2 -type d -name lists | sed 's|^./||; s|/lists$||' | LC_ALL=C sort)
# shellcheck disable=SC2086 # a list of words
files=$(find core network memory system workload et_converter sim report study planner cli \
    $wings include tests bench \
    -name '*.[ch]' 2>/dev/null | LC_ALL=C sort) || true
if [ -z "$files" ]; then
    echo "check_includes.sh: no C file under $root" >&2
    exit 1
fi

# shellcheck disable=SC2086 # one file name a word; names with spaces are not ours
LC_ALL=C awk -v wings="$(echo $wings)" '
BEGIN {
    model = "workload system network memory core"
    below["core"] = below["include"] = ""
    below["network"] = "core"
    below["memory"] = "core"
    below["system"] = "network memory core"
    below["workload"] = "system network memory core"
    below["et_converter"] = model
    below["sim"] = "et_converter " model " include"
    below["report"] = "sim " below["sim"]
    below["study"] = "report " below["report"]
    below["planner"] = "study " below["study"]
    below["cli"] = "planner " below["planner"]
    n = split(wings, wing, " ")
    for (i = 1; i <= n; i++) {
        is_wing[wing[i]] = 1
        below[wing[i]] = below["cli"]
        rooms[wing[i]] = rooms_of(wing[i])
    }
    below["tests"] = "cli bench " wings " " below["cli"]
    below["bench"] = "cli " wings " " below["cli"]
    rooms["core"] = "conf"
    rooms["network"] = "lp permutations cost topology routing bounds flows wavelengths optical read backends"
    rooms["memory"] = "shapes pools"
    rooms["system"] = "embedding collectives ccl groups p2p plan step monolithic astra run"
    rooms["workload"] = "schedule shape gpu trace roofline taskgraph model strategy experts parallel gen engine"
    rooms["et_converter"] = "launch text chakra sipml flexflow pytorch profile"
    rooms["sim"] = "expr fold load cluster extend"
    rooms["report"] = "results charts taskgraph timeline trace pictures topology model details page"
    rooms["study"] = "estimate layouts measured bench cluster sweep ranking schema failures import schedule goodput profile"
    rooms["planner"] = "fit evaluator finder search plan_file fit_report fit_collectives fit_compute"
    rooms["cli"] = "topo trace taskgraph model plan fit shell schema report convert gen studies run"
    for (from in rooms) {
        n = split(rooms[from], to, " ")
        for (i = 1; i <= n; i++)
            floor_of[from, to[i]] = i
    }
    for (from in below) {
        n = split(below[from], to, " ")
        for (i = 1; i <= n; i++)
            allowed[from, to[i]] = 1
    }
    sees_private["tests"] = sees_private["bench"] = 1
    failures = 0
    for (folder in below)
        read_list(folder)
}

function rooms_of(wing,    list, line, all) {
    list = wing "/lists/rooms.txt"
    while ((getline line < list) > 0)
        all = all " " line
    close(list)
    return all
}

# The public headers of a folder: public[path] is the line of its list, "FILE:LINE".
function read_list(folder,    list, line, n) {
    list = folder "/public_headers.txt"
    while ((getline line < list) > 0) {
        n++
        if (line == "")
            continue
        public[line] = list ":" n
        if (index(line, folder "/") != 1 || !exists(line))
            wrong[line] = public[line] ": " line ": no such header in " folder "/"
    }
    close(list)
}

function broken(rule) {
    printf "%s:%d: #include \"%s\": %s\n", FILENAME, FNR, target, rule
    failures++
}

function exists(path,    line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}

function beside(    folder) {
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    return exists(folder target)
}

# The room that a path of a folder lies in, as in "sim/load/find_input.h"; "" directly in the folder.
function room_of(path,    part, n) {
    n = split(path, part, "/")
    return n > 2 ? part[2] : ""
}

function check_room(folder, path,    own, other) {
    own = room_of(FILENAME)
    other = room_of(path)
    if (own != "" && !((folder, own) in floor_of))
        broken(folder "/" own "/ is no room that check_includes.sh knows")
    else if (own != "" && other != "" && floor_of[folder, other] > floor_of[folder, own])
        broken(folder "/" own "/ must not know " folder "/" other "/, which lies above it")
}

function check(from,    to, path) {
    path = target
    if (path ~ /^orrery\//)
        path = "include/" path
    if (path ~ /^wings\/[a-z_]+\.def$/)
        return
    to = path
    if (!sub(/\/.*/, "", to)) {
        if (from in sees_private && beside())
            return
        if (target !~ /\.pb-c\.h$/)
            broken("write the path from the root of the repository, as in \"core/time.h\"")
        else if (from != "workload" && from != "tests" && from != "bench")
            broken("generated headers are private to workload/")
        return
    }
    if (!(to in below))
        broken("\"" to "\" is not a folder of the repository")
    else if (!exists(path))
        broken("no such file")
    else if (to == from) {
        if (from in rooms)
            check_room(from, path)
    }
    else if (!((from, to) in allowed) && !(from in is_wing && to == "cli" && room_of(FILENAME) == "cli"))
        broken(from "/ must not know " to "/ (an include goes down, or stays in its folder)")
    else if (to != "include" && !(from in sees_private)) {
        used[path] = 1
        if (!(path in public))
            broken("from outside " to "/ only the headers in " to "/public_headers.txt are included")
    }
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    from = FILENAME
    sub(/\/.*/, "", from)
    check(from)
}

/^[ \t]*#[ \t]*include[ \t]*<(core|network|memory|system|workload|et_converter|sim|report|study|planner|cli|orrery|include)\// {
    target = $0
    sub(/^[^<]*</, "", target)
    sub(/>.*/, "", target)
    broken("write our own headers in quotes")
}

END {
    for (path in public)
        if (path in wrong)
            lines[++count] = wrong[path]
        else if (!(path in used))
            lines[++count] = public[path] ": " path ": nobody outside includes it"
    for (i = 1; i <= count; i++)
        print lines[i] | "sort"
    if (failures + count > 0)
        exit 1
}' $files
