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

/* What an issued node waits for. */
static void explain_issued(const struct wl_engine *engine, uint32_t npu, uint32_t index, char *text,
                           size_t bytes)
{
    const struct orr_node *node = &engine->npu[npu].trace->node[index];
    if (node->kind == ORR_NODE_COLL) {
        const struct sys_collective request = wl_collective_of(engine, npu, index);
        sys_explain_collective(engine->parts.sys, &request, text, bytes);
    } else if (node->kind == ORR_NODE_RECV) {
        const struct sys_message message = wl_message_of(engine, npu, index);
        sys_explain_recv(engine->parts.sys, &message, text, bytes);
    } else {
        (void)snprintf(text, bytes, "NPU %u has not asked for it: it has not started the receive",
                       node->of.p2p.peer);
    }
}

static void describe(const struct orr_node *node, char *text, size_t bytes)
{
    switch (node->kind) {
    case ORR_NODE_COLL:
        (void)snprintf(text, bytes, "%s of %llu bytes", coll_kind_name(wl_coll_kind(node->comm)),
                       (unsigned long long)node->amount);
        break;
    case ORR_NODE_RECV:
    case ORR_NODE_SEND:
        (void)snprintf(text, bytes, "%s NPU %u, tag %u, %llu bytes",
                       node->kind == ORR_NODE_RECV ? "receive from" : "send to", node->of.p2p.peer,
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
    describe(node, what, sizeof what);
    report->shown++;
    orr_diag_append(report->diag, "\n  NPU %u: node %llu (%s), %s: %s", npu,
                    (unsigned long long)node->id, node->name, what, waits_for);
}

/* The nodes that an NPU has begun and not finished; they are what the others wait for. */
static unsigned report_issued(struct report *report, uint32_t npu)
{
    const struct wl_npu *self = &report->engine->npu[npu];
    unsigned found = 0;
    for (uint32_t i = 0; i < self->trace->nodes; i++) {
        /* Of the issued nodes, only communication can be left when no event is; a send is under
         * rendezvous, when nobody asks for its data. */
        const uint8_t kind = self->trace->node[i].kind;
        const bool communicates =
            kind == ORR_NODE_COLL || kind == ORR_NODE_RECV || kind == ORR_NODE_SEND;
        if (!communicates || self->waiting[i] != WL_ISSUED) {
            continue;
        }
        found++;
        if (report->shown < SHOWN) {
            char text[WAIT_TEXT];
            explain_issued(report->engine, npu, i, text, sizeof text);
            show(report, npu, i, text);
        }
    }
    return found;
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
    for (uint32_t i = 0; i < engine->npus; i++) {
        if (!engine->npu[i].finished) {
            report.stuck += report_issued(&report, i);
        }
    }
    for (uint32_t i = 0; i < engine->npus && report.shown == 0; i++) {
        report_ready(&report, i);
    }
    if (report.stuck > report.shown) {
        orr_diag_append(diag, "\n  and %llu more",
                        (unsigned long long)(report.stuck - report.shown));
    }
    return ORR_ERR_DEADLOCK;
}
