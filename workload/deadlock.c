/* The report of a job that cannot finish: which nodes are stuck and what each waits for. */
#include <stdio.h>

#include "workload/engine_private.h"

enum { SHOWN = 8, WAIT_TEXT = 512 };

struct report {
    const struct wl_engine *engine;
    struct orr_diag *diag;
    unsigned shown;
    uint64_t stuck;
};

/* What an issued node waits for. True when it only waits for an NPU that is stuck elsewhere, so
 * that the cause is to be found there. */
static bool explain_issued(const struct wl_engine *engine, uint32_t npu, uint32_t index, char *text,
                           size_t bytes)
{
    const struct orr_node *node = &engine->npu[npu].trace->node[index];
    if (node->kind == ORR_NODE_COLL) {
        const struct sys_collective request = wl_collective_of(engine, npu, index);
        const uint32_t missing = sys_explain_collective(engine->parts.sys, &request, text, bytes);
        return missing != WL_NONE && !engine->npu[missing].finished;
    }
    if (node->kind == ORR_NODE_RECV) {
        const struct sys_message message = wl_message_of(engine, npu, index);
        sys_explain_recv(engine->parts.sys, &message, text, bytes);
    } else {
        (void)snprintf(text, bytes, "NPU %u has not asked for it: it has not started the receive",
                       wl_peer(engine, npu, node));
    }
    return false;
}

static void describe(const struct orr_node *node, uint32_t peer, char *text, size_t bytes)
{
    switch (node->kind) {
    case ORR_NODE_COLL:
        (void)snprintf(text, bytes, "%s of %llu bytes", coll_kind_name(wl_coll_kind(node->comm)),
                       (unsigned long long)node->amount);
        break;
    case ORR_NODE_RECV:
    case ORR_NODE_SEND:
        (void)snprintf(text, bytes, "%s NPU %u, tag %u, %llu bytes",
                       node->kind == ORR_NODE_RECV ? "receive from" : "send to", peer,
                       node->of.p2p.tag, (unsigned long long)node->amount);
        break;
    default:
        (void)snprintf(text, bytes, "node");
        break;
    }
}

static void show(struct report *report, uint32_t npu, uint32_t index, const char *waits_for)
{
    const struct orr_node *node = &report->engine->npu[npu].trace->node[index];
    char what[128];
    describe(node, wl_peer(report->engine, npu, node), what, sizeof what);
    report->shown++;
    orr_diag_append(report->diag, "\n  NPU %u: node %llu (%s), %s: %s", npu,
                    (unsigned long long)node->id, node->name, what, waits_for);
}

/* Of the issued nodes, only communication can be left when no event is; a send is under rendezvous,
 * when nobody asks for its data. */
static bool is_stuck(const struct wl_npu *npu, uint32_t node)
{
    const uint8_t kind = npu->trace->node[node].kind;
    return npu->waiting[node] == WL_ISSUED &&
           (kind == ORR_NODE_COLL || kind == ORR_NODE_RECV || kind == ORR_NODE_SEND);
}

/* The nodes that an NPU has begun and not finished: causes, or what only waits for other NPUs. */
static void report_issued(struct report *report, uint32_t npu, bool consequences)
{
    const struct wl_npu *self = &report->engine->npu[npu];
    for (uint32_t i = 0; i < self->trace->nodes; i++) {
        char text[WAIT_TEXT];
        if (!is_stuck(self, i) ||
            explain_issued(report->engine, npu, i, text, sizeof text) != consequences) {
            continue;
        }
        report->stuck++;
        if (report->shown < SHOWN) {
            show(report, npu, i, text);
        }
    }
}

/* Ready nodes whose lane is taken. */
static void report_ready(struct report *report, uint32_t npu)
{
    const struct wl_npu *self = &report->engine->npu[npu];
    for (uint32_t i = 0; i < self->trace->nodes && report->shown < SHOWN; i++) {
        if (self->waiting[i] == 0) {
            show(report, npu, i, "ready, but it waits for its turn behind the nodes above");
        }
    }
}

enum orr_status wl_deadlock_report(const struct wl_engine *engine, struct orr_diag *diag)
{
    uint32_t unfinished = 0;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < engine->npus; i++) {
        unfinished += engine->npu[i].finished ? 0 : 1;
        nodes += engine->npu[i].unfinished;
    }
    char now[64];
    (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL,
                        "deadlock: the job cannot finish: %llu node%s on %u of %u NPUs left at "
                        "%s; stuck are",
                        (unsigned long long)nodes, nodes == 1 ? "" : "s", unfinished, engine->npus,
                        orr_format_time(orr_evq_now(engine->parts.queue), now, sizeof now));
    struct report report = {.engine = engine, .diag = diag};
    for (uint32_t i = 0; i < 2 * engine->npus; i++) {
        if (!engine->npu[i % engine->npus].finished) {
            report_issued(&report, i % engine->npus, i >= engine->npus);
        }
    }
    for (uint32_t i = 0; i < engine->npus && report.shown == 0; i++) {
        report_ready(&report, i);
    }
    sys_tell_standstill(engine->parts.sys, diag);
    if (report.stuck > report.shown) {
        orr_diag_append(diag, "\n  and %llu more",
                        (unsigned long long)(report.stuck - report.shown));
    }
    return ORR_ERR_DEADLOCK;
}
