#!/bin/sh
# The check of the house is content with the tree, finds what breaks each of its rules, and names it.
# It runs over a copy of the tree, with the objects of the build.
set -u

[ -f "$ORRERY_BUILD_DIR/lib/liborrery_all.a" ] || exit 77
! nm "$ORRERY_BUILD_DIR/lib/liborrery_all.a" 2>/dev/null | grep -q ' U __asan_' || exit 77

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
cd "$ORRERY_SOURCE_DIR" || exit 1
mkdir "$work/tree"
for folder in cmake include core network memory system workload et_converter sim report study planner \
    cli tests bench $(echo */lists | sed 's|/lists||g'); do
    find "$folder" \( -name public_headers.txt -o -name rooms.txt -o -name words.txt -o -name '*.def' -o -name '*.awk' -o -name '*.[ch]' -o -name README.md -o -name '*.sh' \) -print | sort
done | tar -cf - -T - | tar -xf - -C "$work/tree" || exit 1

# finds RULE LINE: this rule of the check fails in the copy, and prints this line; all: all of them run
finds() {
    rule=$1
    [ "$rule" != all ] || rule=
    output=$("$work/tree/cmake/check_house.sh" "$ORRERY_BUILD_DIR" $rule 2>&1)
    status=$?
    if [ "$status" -ne 1 ] || ! printf '%s\n' "$output" | sed 's/^ *//' | grep -qxF -e "$2"; then
        printf 'expected status 1 and the line\n%s\ngot status %s and:\n%s\n\n' "$2" "$status" "$output"
        failures=$((failures + 1))
    fi
}

output=$("$work/tree/cmake/check_house.sh" "$ORRERY_BUILD_DIR" 2>&1) || {
    printf 'the tree as it is:\n%s\n' "$output"
    failures=$((failures + 1))
}

cd "$work/tree" || exit 1
printf '#include "sim/ring_use.h"\n' >workload/trace/up.c
finds arrows 'workload/trace/up.c:1: #include "sim/ring_use.h": workload/ must not know sim/ (an include goes down, or stays in its folder)'
rm workload/trace/up.c

: >network/read/evq.c
finds all 'evq.c'
rm network/read/evq.c

for i in $(seq 30); do : >"memory/extra_$i.c"; done
finds fullness "memory: $(find memory -maxdepth 1 -name '*.c' | wc -l)"
rm memory/extra_*.c

i=0
while [ $i -lt 26 ]; do
    echo "void orr_more_$i(void);"
    i=$((i + 1))
done >>memory/mem_local.h
finds doors "memory/mem_local.h: declares 27 functions (at most 25)"
sed -i '/orr_more_/d' memory/mem_local.h

mv study/README.md guide
finds guides 'study/README.md is missing'
mv guide study/README.md
printf '`gone.c` lived here.\n' >>study/README.md
finds guides 'study/README.md: there is no gone.c'
sed -i '$d' study/README.md

# What stands in a list is named in its own file and its table: a symbol, a name, and not in comments
# or as a word of a text.
cat >memory/extra.c <<'END'
/* "pairwise", orr_coll_ring and "torus:4x4" */
static const char *const text = "as pairwise does; torus: 4x4";
END
"cmake/check_house.sh" "$ORRERY_BUILD_DIR" names >/dev/null 2>&1 || {
    echo 'a name in a comment is refused'
    failures=$((failures + 1))
}
echo 'extern int orr_coll_ring;' >>memory/extra.c
finds names 'memory/extra.c:3: orr_coll_ring is known by system/collectives/ring.c and its table alone'
sed -i '$d' memory/extra.c
echo 'static const char *const name = "pairwise";' >>memory/extra.c
finds names 'memory/extra.c:3: "pairwise" is known by system/collectives/pairwise.c and its table alone'
sed -i '$d' memory/extra.c
echo 'int a = strcmp(name, "torus:4x4");' >>memory/extra.c
finds names 'memory/extra.c:3: "torus:4x4" is known by network/topology/fabrics/torus.c and its table alone'
rm memory/extra.c
echo 'extern int orr_mem_per_node, orr_sys_greedy;' >memory/extra.c
finds names 'memory/extra.c:1: orr_mem_per_node is known by memory/pools/shared.c and its table alone'
finds names 'memory/extra.c:1: orr_sys_greedy is known by system/plan/scheduler_greedy.c and its table alone'
rm memory/extra.c
echo 'ORR_FABRIC(orr_fabric_gone)' >>network/topology/fabrics/fabric_list.h
finds names 'network/topology/fabrics/fabric_list.h: orr_fabric_gone: expected one table, a file that defines it, and a name'
sed -i '$d' network/topology/fabrics/fabric_list.h

# Nobody asks which policy it is; and what a policy decides is asked for.
echo 'bool asks(void) { return sys->policy == &orr_sys_policy_default; }' >memory/extra.c
finds policies 'memory/extra.c:1:bool asks(void) { return sys->policy == &orr_sys_policy_default; }'
rm memory/extra.c
sed -i.old 's/^    bool minimum_chunk; /    bool smallest_chunk; /' system/sys_policy.h
finds policies 'system/sys_policy.h: nobody asks for smallest_chunk'
mv system/sys_policy.h.old system/sys_policy.h
printf '/* topoopt: a comment may */\nextern int orr_topoopt_x; /* and "topoopt" */\n' >memory/extra.c
finds wing_words 'memory/extra.c:2: orr_topoopt_x names a wing'
rm memory/extra.c

# Circles and prefixes are of objects: a limit that none keeps finds them.
sed -i.old 's/^most_in_circle=5/most_in_circle=1/' cmake/check_house.sh
"cmake/check_house.sh" "$ORRERY_BUILD_DIR" circle_rule 2>&1 | grep -qE '^ +2( [a-z_0-9]+){2}$' || {
    echo 'no circle of two is found where each is one too many'
    failures=$((failures + 1))
}
sed 's/(orr_|orrery_|chakra/(orrx_|orrery_|chakra/' cmake/check_house.sh.old >cmake/check_house.sh
finds prefixes 'orr_evq_create'
mv cmake/check_house.sh.old cmake/check_house.sh

[ "$failures" -eq 0 ] && echo "check of the house: all cases as expected"
exit $((failures > 0))
