#!/bin/sh
# Ranks, slots, positions and members are told apart by the compiler: what makes one of another takes
# the right kind, and handing it any other kind, or a plain number, does not compile.
set -u

compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$ORRERY_BUILD_DIR/CMakeCache.txt")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
tried=0
case $("$compiler" --version) in
*clang*) all_errors=-ferror-limit=0 ;;
*) all_errors=-fmax-errors=0 ;;
esac

# What a line of code below may name. One kind each, so that a word makes the difference.
cat >"$work/head.c" <<'EOF'
#include "memory/mem.h"
#include "network/net_config.h"
#include "system/groups/group.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/run/running.h"
#include "system/state.h"
#include "system/step/stepping.h"
#include "system/sys_groups.h"
#include "workload/engine/engine_private.h"
#include "workload/engine/node_requests.h"
#include "workload/engine/slowdown.h"
#include "workload/trace/trace.h"
#define PARAMETERS                                                                              \
    struct sys *sys, struct sys_group *group, struct sys_stream *stream,                        \
        struct sys_operation *operation, struct wl_engine *engine, const struct orr_node *node, \
        const struct orr_fold *fold, const struct orr_trace *trace, struct mem *mem,            \
        struct orr_rank rank, struct orr_slot slot, struct sys_position position,               \
        struct sys_member_id member, uint32_t number
#define TRY(line)                \
    void try##line(PARAMETERS);  \
    void try##line(PARAMETERS)
EOF

# All lines are compiled at once, each as a function of its own: what is wrong with one is told for its line.
: >"$work/lines"

# asks KIND VALUE EXPRESSION: a line to try, whose value is of that kind; it must compile if both are the same
asks() {
    tried=$((tried + 1))
    printf '%s %s %s\n' "$1" "$2" "$3" >>"$work/lines"
}

# takes KIND EXPRESSION: with @ for a value of the kind it compiles, with any other it does not.
takes() {
    for kind in rank slot position member number; do
        asks "$1" $kind "$(printf '%s\n' "$2" | sed "s/@/$kind/g")"
    done
}

# judge: compiles all lines, and tells those that compile and should not, or the other way round
judge() {
    sed 's/^[^ ]* [^ ]* //' "$work/lines" | awk -v head="$work/head.c" '
        BEGIN { while ((getline line <head) > 0) print line }
        { printf "TRY(%d)\n{\n#line %d \"tried\"\n    (void)(%s);\n}\n", NR, NR, $0 }' >"$work/try.c"
    "$compiler" -std=c17 -D_GNU_SOURCE -Wall -Wno-unused-parameter -Werror -fsyntax-only $all_errors \
        -I "$ORRERY_SOURCE_DIR" -I "$ORRERY_SOURCE_DIR/include" "$work/try.c" 2>"$work/errors"
    sed -n 's/^tried:\([0-9]*\):.* error: .*/\1/p' "$work/errors" | sort -un >"$work/refused"
    awk '
        FNR == NR { refused[$1] = 1; next }
        { expression = $0; sub(/^[^ ]* [^ ]* /, "", expression) }
        $1 == $2 && FNR in refused { print "FAIL: a " $1 " is not taken: " expression }
        $1 != $2 && !(FNR in refused) { print "FAIL: a " $2 " is taken for a " $1 ": " expression }' \
        "$work/refused" "$work/lines" >"$work/wrong"
    grep -E ' error: ' "$work/errors" | grep -v '^tried:' >>"$work/wrong"
    if [ -s "$work/wrong" ]; then
        cat "$work/wrong"
        failures=1
    fi
}

# the fold
takes rank 'orr_fold_slot(fold, @)'
takes slot 'orr_fold_rank(fold, @)'
takes rank 'orr_fold_shift(fold, &@, &rank), 0'
# groups
takes slot 'orr_sys_rank_of_slot(sys, @)'
takes rank 'net_slot(sys->net->config, @)'
takes rank 'sys_slot_of_rank(sys, @)'
takes rank 'orr_sys_slot_of_rank(sys, @)'
takes rank 'orr_sys_group_find(sys, "0", @)'
takes rank 'orr_sys_group_position(sys, 0, @)'
takes position 'orr_sys_group_rank(sys, 0, @)'
takes position 'sys_rank_at(group, @)'
takes rank 'orr_sys_position_in(group, @)'
takes position 'orr_sys_member_at(sys, group, @)'
takes member 'sys_position_of_member(group, @)'
takes member 'sys_slot_of_member(group, @)'
# what is asked of a system, and what it tells
takes slot '(struct sys_collective){.npu = @}'
takes rank '(struct sys_collective){.root = @}'
takes slot '(struct sys_message){.npu = @}'
takes rank '(struct sys_message){.peer = @}'
takes slot 'sys->net->listener.delivered(NULL, @, 0, 0), 0'
takes slot 'sys->listener.done(NULL, @, 0), 0'
takes slot 'orr_sys_loads_start(sys, @), 0'
# steps and messages
takes rank '(struct p2p_op){.src = @, .dst = rank}'
takes rank '(struct net_msg){.src = @, .dst = rank}'
takes position 'orr_sys_send_step(sys, stream, @, &(struct coll_send){.bytes = 1}), 0'
takes rank 'orr_sys_tree_channel(sys, 0, @, rank, 1)'
takes member 'orr_sys_phase_serve_next(sys, operation, @, 0), 0'
takes member 'sys_stream_index(operation, @, 0)'
# the engine and memory
takes slot 'wl_rank(engine, @)'
takes rank 'wl_slot(engine, @)'
takes rank 'wl_peer(engine, @, node)'
takes slot 'orr_wl_collective_of(engine, @, 0)'
takes rank 'orr_wl_slowdown_factor(engine->parts.compute->slowdown, @, 0)'
takes slot 'orr_wl_issue(engine, @, 0), 0'
takes slot '(struct mem_access){.npu = @}'
takes slot 'mem->listener.done(NULL, @, 0), 0'

# What was said to compile is looked at: without the types nothing would fail.
asks rank number 'nothing_of_this_name(rank)'
judge
[ "$failures" -eq 0 ] && echo "$tried lines tried"
[ "$failures" -eq 0 ]
