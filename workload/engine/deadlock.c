/* The deadlock report: which nodes are stuck, and what each waits for. */
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "system/collectives/program.h"
#include "system/sys_collective.h"
#include "system/sys_waits.h"
#include "workload/engine/engine_private.h"

enum { MAX_LISTED = 8, WAIT_TEXT = 512 };

/* Reports name ranks. With a fold, a rank does what its class's representative does. */
struct report {
    const struct wl_engine *engine;
    struct orr_diag *diag;
    uint32_t ranks;
    unsigned shown;
    uint64_t stuck;
};

/* The NPU that is simulated for the rank. */
static const struct wl_npu *npu_of(const struct wl_engine *engine, struct orr_rank rank)
{
    return &engine->npu[wl_slot(engine, rank).slot];
}

/* Appends how much of a collective has arrived, and the node that waits for more. */
static void explain_prefix(const struct wl_engine *engine, const struct sys_collective *request,
                           uint32_t index, char *text, size_t bytes)
{
    const struct wl_npu *npu = &engine->npu[request->npu.slot];
    const struct orr_trace *trace = npu->trace;
    const uint64_t there = orr_sys_collective_progress(engine->parts.sys, request);
    for (uint32_t e = trace->node[index].first_child; e < orr_trace_child_end(trace, index); e++) {
        if (trace->prefix[e] > there) {
            const struct orr_node *child = &trace->node[trace->children[e]];
            const size_t used = strlen(text);
            (void)snprintf(text + used, bytes - used,
                           "; %llu of its bytes are there, and node %llu (%s) waits for %llu",
                           (unsigned long long)there, (unsigned long long)child->id, child->name,
                           (unsigned long long)trace->prefix[e]);
            return;
        }
    }
}

/* Describes what an issued node waits for. True if it only waits for an NPU that is stuck
 * elsewhere, where the cause is. */
static bool explain_issued(const struct report *report, struct orr_rank rank, uint32_t index,
                           char *text, size_t bytes)
{
    const struct wl_engine *engine = report->engine;
    const struct orr_slot npu = wl_slot(engine, rank);
    const struct orr_node *node = &engine->npu[npu.slot].trace->node[index];
    if (node->kind == ORR_NODE_COLL) {
        const struct sys_collective request = orr_wl_collective_of(engine, npu, index);
        const struct orr_rank missing =
            orr_sys_explain_collective(engine->parts.sys, &request, rank, text, bytes);
        if (request.watched) {
            explain_prefix(engine, &request, index, text, bytes);
        }
        return missing.rank != WL_NONE && !npu_of(engine, missing)->finished;
    }
    const struct sys_message message = orr_wl_message_of(engine, npu, index);
    const struct orr_rank peer = wl_peer(engine, rank, node);
    if (node->kind == ORR_NODE_RECV) {
        orr_sys_explain_recv(engine->parts.sys, &message, peer, text, bytes);
    } else {
        orr_sys_explain_send(engine->parts.sys, &message, peer, text, bytes);
    }
    return false;
}

void orr_wl_describe(const struct orr_node *node, struct orr_rank peer, char *text, size_t bytes)
{
    switch (node->kind) {
    case ORR_NODE_COLL:
        (void)snprintf(text, bytes, "%s of %llu bytes",
                       orr_coll_kind_name(orr_wl_coll_kind(node->comm)),
                       (unsigned long long)node->amount);
        break;
    case ORR_NODE_RECV:
    case ORR_NODE_SEND:
        (void)snprintf(text, bytes, "%s NPU %u, tag %u, %llu bytes",
                       node->kind == ORR_NODE_RECV ? "receive from" : "send to", peer.rank,
                       node->of.p2p.tag, (unsigned long long)node->amount);
        break;
    default:
        (void)snprintf(text, bytes, "node");
        break;
    }
}

static void append_node(struct report *report, struct orr_rank rank, uint32_t index,
                        const char *waits_for)
{
    const struct wl_engine *engine = report->engine;
    const struct orr_node *node = &npu_of(engine, rank)->trace->node[index];
    char what[128];
    orr_wl_describe(node, wl_peer(engine, rank, node), what, sizeof what);
    report->shown++;
    orr_diag_append(report->diag, "\n  NPU %u: node %llu (%s), %s: %s", rank.rank,
                    (unsigned long long)node->id, node->name, what, waits_for);
}

/* Without pending events only communication can be issued and unfinished. A send is, under
 * rendezvous, if the receiver does not request its data. */
static bool is_stuck(const struct wl_npu *npu, uint32_t node)
{
    const uint8_t kind = npu->trace->node[node].kind;
    return (npu->waiting[node] == WL_ISSUED || npu->waiting[node] == WL_AWAITS) &&
           (kind == ORR_NODE_COLL || kind == ORR_NODE_RECV || kind == ORR_NODE_SEND);
}

/* The issued nodes of a rank: the causes, or (consequences) those that only wait for other NPUs. */
static void report_issued(struct report *report, struct orr_rank rank, bool consequences)
{
    const struct wl_npu *self = npu_of(report->engine, rank);
    for (uint32_t i = 0; i < self->trace->nodes && report->shown < MAX_LISTED; i++) {
        char text[WAIT_TEXT];
        if (is_stuck(self, i) &&
            explain_issued(report, rank, i, text, sizeof text) == consequences) {
            append_node(report, rank, i, text);
        }
    }
}

/* Ready nodes whose stream is busy. */
static void report_ready(struct report *report, struct orr_rank rank)
{
    const struct wl_npu *self = npu_of(report->engine, rank);
    for (uint32_t i = 0; i < self->trace->nodes && report->shown < MAX_LISTED; i++) {
        if (self->waiting[i] == 0) {
            append_node(report, rank, i, "ready, but waits for the nodes above");
        }
    }
}

/* Counts the unfinished nodes, the NPUs that have any, and the stuck nodes. */
static void count_left(struct report *report, uint32_t *unfinished, uint64_t *nodes)
{
    const struct wl_engine *engine = report->engine;
    const uint32_t each = report->ranks / engine->npus;
    for (uint32_t i = 0; i < engine->npus; i++) {
        const struct wl_npu *npu = &engine->npu[i];
        *unfinished += npu->finished ? 0 : each;
        *nodes += (uint64_t)npu->unfinished * each;
        for (uint32_t node = 0; node < npu->trace->nodes; node++) {
            report->stuck += is_stuck(npu, node) ? each : 0;
        }
    }
}

/* The first of several jobs that has not ended; "" where there is one. */
static const char *stuck_job(const struct wl_engine *engine)
{
    uint32_t number = 0;
    while (number + 1 < engine->runs &&
           engine->run[number].iteration == engine->run[number].job.iterations) {
        number++;
    }
    return engine->part != NULL ? engine->run[number].job.name : "";
}

enum orr_status orr_wl_deadlock_report(const struct wl_engine *engine, struct orr_diag *diag)
{
    if (orr_sys_outlasts_time(engine->parts.sys)) {
        return orr_time_overflow(diag);
    }
    uint32_t unfinished = 0;
    uint64_t nodes = 0;
    const uint32_t ranks = wl_ranks(engine);
    struct report report = {.engine = engine, .diag = diag, .ranks = ranks};
    count_left(&report, &unfinished, &nodes);
    char now[64];
    const char *name = stuck_job(engine);
    (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL,
                        "%s%sdeadlock: the job cannot finish: %llu node%s on %u of %u NPUs left at "
                        "%s; stuck are",
                        name, name[0] != '\0' ? ": " : "", (unsigned long long)nodes,
                        orr_plural(nodes), unfinished, ranks,
                        orr_format_time(orr_evq_now(engine->parts.queue), now, sizeof now));
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t rank = 0; rank < ranks && report.shown < MAX_LISTED; rank++) {
            if (!npu_of(engine, orr_rank(rank))->finished) {
                report_issued(&report, orr_rank(rank), pass != 0);
            }
        }
    }
    for (uint32_t rank = 0; rank < ranks && report.shown == 0; rank++) {
        report_ready(&report, orr_rank(rank));
    }
    orr_sys_describe_stall(engine->parts.sys, diag);
    if (report.stuck > report.shown) {
        orr_diag_append(diag, "\n  and %llu more",
                        (unsigned long long)(report.stuck - report.shown));
    }
    return ORR_ERR_DEADLOCK;
}
