#!/bin/sh
# The include check finds each broken rule, says where, and is silent on a good tree.
set -u

check=$ORRERY_SOURCE_DIR/cmake/check_includes.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# put FILE LINE: writes a one-line file into the tree
put() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/tree/$1"
}

good_tree() {
    rm -rf "$work/tree"
    put core/time.h '#include <stdint.h>'
    put core/arena.h '#include "core/time.h"'
    for folder in core network system memory workload et_converter sim report study planner; do
        put "$folder/public_headers.txt" "$folder/$folder.h"
    done
    put core/public_headers.txt core/time.h
    put workload/memory.c '#include "memory/memory.h"'
    put network/network.h '#include "core/time.h"'
    put memory/memory.h '#include "core/time.h"'
    put system/system.h '#include "network/network.h"'
    put system/internal.h '#include "system/system.h"'
    put workload/workload.h '#include "system/system.h"'
    put workload/reader.c '#include "chakra_et.pb-c.h"'
    put workload/trace/trace.h '#include <stdint.h>'
    put workload/engine/engine.h '#include "workload/trace/trace.h"'
    put et_converter/et_converter.h '#include "workload/workload.h"'
    put sim/sim.h '#include "et_converter/et_converter.h"'
    put sim/api.c '#include "orrery/orrery.h"'
    put report/report.h '#include "sim/sim.h"'
    put study/study.h '#include "report/report.h"'
    put planner/planner.h '#include "study/study.h"'
    put wing/lists/rooms.txt upper
    put wing/part.c '#include "planner/planner.h"'
    put wing/upper/part.c '#include "wings/plans.def"'
    put wing/cli/command.c '#include "cli/cli.h"'
    printf 'cli\n' >>"$work/tree/wing/lists/rooms.txt"
    put cli/public_headers.txt cli/cli.h
    put cli/cli.h '#include <stdint.h>'
    put include/orrery/orrery.h '#include <stddef.h>'
    put cli/main.c '#include "planner/planner.h"'
    put tests/unit/test_internal.c '#include "system/internal.h"'
    put tests/unit/fixture.h '#include <stdint.h>'
    put tests/unit/test_fixture.c '#include "fixture.h"'
    put bench/bench.c '#include "core/time.h"'
}

# expect STATUS TEXT: runs the check; TEXT is the exact output
expect() {
    output=$("$check" "$work/tree" 2>&1)
    status=$?
    if [ "$status" -ne "$1" ] || [ "$output" != "$2" ]; then
        printf 'expected status %s and:\n%s\ngot status %s and:\n%s\n\n' "$1" "$2" "$status" "$output"
        failures=$((failures + 1))
    fi
}

# rejects FILE LINE MESSAGE: the good tree with this one file is refused with this message
rejects() {
    good_tree
    put "$1" "$2"
    expect 1 "$1:1: $2: $3"
}

down='(an include goes down, or stays in its folder)'

good_tree
expect 0 ""

rejects core/up.c '#include "network/network.h"' "core/ must not know network/ $down"
rejects network/up.c '#include "system/system.h"' "network/ must not know system/ $down"
rejects system/up.c '#include "workload/workload.h"' "system/ must not know workload/ $down"
rejects network/side.c '#include "memory/memory.h"' "network/ must not know memory/ $down"
rejects memory/side.c '#include "network/network.h"' "memory/ must not know network/ $down"
rejects et_converter/up.c '#include "sim/sim.h"' "et_converter/ must not know sim/ $down"
rejects sim/up.c '#include "report/report.h"' "sim/ must not know report/ $down"
rejects report/up.c '#include "study/study.h"' "report/ must not know study/ $down"
rejects study/up.c '#include "planner/planner.h"' "study/ must not know planner/ $down"
rejects cli/up.c '#include "wing/part.c"' "cli/ must not know wing/ $down"
rejects wing/up.c '#include "cli/cli.h"' "wing/ must not know cli/ $down"
rejects wing/other/x.c '#include "wing/upper/part.c"' 'wing/other/ is no room that check_includes.sh knows'
rejects workload/api.c '#include "orrery/orrery.h"' "workload/ must not know include/ $down"
rejects workload/trace/up.c '#include "workload/engine/engine.h"' \
    'workload/trace/ must not know workload/engine/, which lies above it'
rejects workload/attic/x.c '#include "workload/trace/trace.h"' \
    'workload/attic/ is no room that check_includes.sh knows'
rejects workload/up.c '#include "planner/planner.h"' "workload/ must not know planner/ $down"
rejects system/api.c '#include "orrery/orrery.h"' "system/ must not know include/ $down"
rejects include/orrery/private.h '#include "core/time.h"' "include/ must not know core/ $down"
rejects network/private.c '#include "core/arena.h"' \
    'from outside core/ only the headers in core/public_headers.txt are included'
rejects cli/private.c '#include "system/internal.h"' \
    'from outside system/ only the headers in system/public_headers.txt are included'
rejects system/generated.c '#include "chakra_et.pb-c.h"' \
    'generated headers are private to workload/'
rejects network/short.c '#include "network.h"' \
    'write the path from the root of the repository, as in "core/time.h"'
rejects tests/cli/short.c '#include "fixture.h"' \
    'write the path from the root of the repository, as in "core/time.h"'
rejects network/gone.c '#include "network/gone.h"' 'no such file'
rejects network/other.c '#include "elsewhere/x.h"' '"elsewhere" is not a folder of the repository'

good_tree
put core/second_line.c '/* a comment */
  #  include "system/system.h" /* indented */'
expect 1 "core/second_line.c:2: #include \"system/system.h\": core/ must not know system/ $down"

good_tree
printf 'core/time.h\ncore/gone.h\ncore/arena.h\n' >"$work/tree/core/public_headers.txt"
expect 1 'core/public_headers.txt:2: core/gone.h: no such header in core/
core/public_headers.txt:3: core/arena.h: nobody outside includes it'

good_tree
put network/angle.c '#include <core/time.h>'
expect 1 'network/angle.c:1: #include "core/time.h": write our own headers in quotes'

rm -rf "$work/tree"
mkdir "$work/tree"
expect 1 "check_includes.sh: no C file under $work/tree"

[ "$failures" -eq 0 ] && echo "include check: all cases as expected"
exit $((failures > 0))
