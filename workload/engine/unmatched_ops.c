/* Unmatched operations of a job that has ended: sends that no NPU receives, and collectives that
 * some members never start (they can end if the other members need nothing from these: a root that
 * has sent all is done). A real job would hang, or pair its next messages wrongly. */
#include <stdio.h>

#include "core/strings.h"
#include "system/collectives/program.h"
#include "system/sys_waits.h"
#include "workload/engine/engine_private.h"

enum { MAX_LISTED = 8 };

struct report {
    const struct wl_engine *engine;
    struct orr_diag *diag;
    uint64_t shown;
};

static bool is_of(const struct wl_engine *engine, struct orr_slot npu, uint32_t node,
                  const struct sys_unmatched_send *left)
{
    if (engine->npu[npu.slot].trace->node[node].kind != ORR_NODE_SEND) {
        return false;
    }
    const struct sys_message message = orr_wl_message_of(engine, npu, node);
    return message.peer.rank == left->dst.rank && message.tag == left->tag &&
           message.bytes == left->bytes;
}

static void show_send(struct report *report, struct orr_slot npu, uint32_t index)
{
    const struct wl_engine *engine = report->engine;
    const struct orr_node *node = &engine->npu[npu.slot].trace->node[index];
    const struct orr_rank rank = wl_rank(engine, npu), peer = wl_peer(engine, rank, node);
    char what[128];
    orr_wl_describe(node, peer, what, sizeof what);
    orr_diag_append(report->diag, "\n  NPU %u: node %llu (%s), %s: NPU %u never receives it",
                    rank.rank, (unsigned long long)node->id, node->name, what, peer.rank);
    report->shown++;
}

/* The k-th of equal sends pairs with the k-th receive, so the last ones have none. */
static void show_last(struct report *report, const struct sys_unmatched_send *left)
{
    const struct wl_engine *engine = report->engine;
    const struct orr_slot npu = wl_slot(engine, left->src);
    const uint32_t nodes = engine->npu[npu.slot].trace->nodes;
    uint64_t equal_sends = 0, passed = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        equal_sends += is_of(engine, npu, i, left) ? 1 : 0;
    }
    for (uint32_t i = 0; i < nodes && report->shown < MAX_LISTED; i++) {
        if (is_of(engine, npu, i, left) && passed++ + left->count >= equal_sends) {
            show_send(report, npu, i);
        }
    }
}

static void show_sends(struct report *report)
{
    struct sys_unmatched_send left;
    for (uint32_t i = 0;
         report->shown < MAX_LISTED && orr_sys_unmatched_send(report->engine->parts.sys, i, &left);
         i++) {
        if (!left.custom) {
            show_last(report, &left);
            continue;
        }
        orr_diag_append(report->diag,
                        "\n  NPU %u: in a custom collective, send to NPU %u, tag %llu, %llu bytes: "
                        "NPU %u never receives it",
                        left.src.rank, left.dst.rank, (unsigned long long)left.tag,
                        (unsigned long long)left.bytes, left.dst.rank);
        report->shown++;
    }
}

static void show_collectives(struct report *report)
{
    struct sys_unmatched_collective left;
    for (uint32_t i = 0; report->shown < MAX_LISTED &&
                         orr_sys_unmatched_collective(report->engine->parts.sys, i, &left);
         i++) {
        orr_diag_append(
            report->diag, "\n  NPU %u: node %llu (%s), %s of %llu bytes: never started by %s",
            left.npu.rank, (unsigned long long)left.node_id, left.name,
            orr_coll_kind_name(left.kind), (unsigned long long)left.bytes, left.missing);
        report->shown++;
    }
}

enum orr_status orr_wl_check_unmatched(const struct wl_engine *engine, struct orr_diag *diag)
{
    const struct sys_unmatched left = orr_sys_unmatched(engine->parts.sys);
    if (left.sends + left.collectives == 0) {
        return ORR_OK;
    }
    struct orr_diag text;
    orr_diag_init(&text);
    (void)orr_diag_fail(&text, ORR_ERR_DEADLOCK, NULL, "the job ends with ");
    if (left.sends != 0) {
        orr_diag_append(&text, "%llu send%s that nobody receives%s", (unsigned long long)left.sends,
                        orr_plural(left.sends), left.collectives != 0 ? " and " : ":");
    }
    if (left.collectives != 0) {
        orr_diag_append(&text, "%llu collective%s that not all members start:",
                        (unsigned long long)left.collectives, orr_plural(left.collectives));
    }
    struct report report = {.engine = engine, .diag = &text};
    show_sends(&report);
    show_collectives(&report);
    if (left.sends + left.collectives > report.shown) {
        orr_diag_append(&text, "\n  and %llu more",
                        (unsigned long long)(left.sends + left.collectives - report.shown));
    }
    if (engine->parts.policy->warns_of_unmatched) {
        orr_diag_warn_of(diag, &text);
        return ORR_OK;
    }
    return orr_diag_forward(diag, &text);
}
