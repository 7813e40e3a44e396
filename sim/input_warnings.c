/* Warnings about inputs that are valid but probably not intended. */
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "memory/mem_local.h"
#include "network/channel.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/ring_links.h"
#include "sim/orrery_private.h"
#include "sim/ring_use.h"
#include "system/sys_config.h"
#include "workload/gen/generate.h"
#include "workload/trace/trace.h"

static unsigned dims_in_use(const struct net_config *network)
{
    unsigned count = 0;
    for (unsigned d = 0; d < network->dims; d++) {
        count += network->dim[d].npus > 1 ? 1 : 0;
    }
    return count;
}

static void warn_scheduler(struct orrery *job)
{
    const struct orr_conf *system = orr_conf_get(job->files.platform, "system");
    const struct orr_conf *node = system != NULL ? orr_conf_get(system, "scheduler") : NULL;
    const char *usual = orr_sys_scheduler_name(0);
    if (node != NULL && strcmp(node->text, usual) != 0 && strcmp(node->text, "auto") != 0 &&
        dims_in_use(&job->network) < 2) {
        const struct orr_location place = orr_conf_location(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: with one dimension there is nothing to schedule: %s equals %s",
                      node->path, node->text, usual);
    }
}

/* Whether the collective splits its bytes among all NPUs. */
static bool is_split(const char *kind)
{
    return kind != NULL && (strcmp(kind, "all_reduce") == 0 ||
                            strcmp(kind, "reduce_scatter") == 0 || strcmp(kind, "all_to_all") == 0);
}

static void warn_bytes(struct orrery *job)
{
    const struct orr_gen *gen = &job->files.job_description.generate;
    const struct orr_conf *workload = orr_conf_get(job->files.platform, "workload");
    const struct orr_conf *node = workload != NULL ? orr_conf_get(workload, "bytes") : NULL;
    if (job->files.job_description.traces == NULL && node != NULL && is_split(gen->kind) &&
        gen->bytes < job->npus) {
        const struct orr_location place = orr_conf_location(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: %llu byte%s less than one for each of the %u NPUs; every block that "
                      "is sent has at least a byte",
                      node->path, (unsigned long long)gen->bytes, gen->bytes == 1 ? " is" : "s are",
                      job->npus);
    }
}

/* ---- generators ---- */

static bool has_root(const char *kind)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kinds[i].name, kind) == 0) {
            return kinds[i].rooted;
        }
    }
    return false;
}

/* Warns about generator keys that the chosen generator does not use, or that are set in addition to
 * traces or a model. */
static void warn_generator(struct orrery *job)
{
    const struct orr_conf *workload = orr_conf_get(job->files.platform, "workload");
    const struct orr_conf *generate = workload != NULL ? orr_conf_get(workload, "generate") : NULL;
    const char *kind = generate != NULL ? generate->text : "";
    const bool mlp = strcmp(kind, "mlp") == 0, p2p = strcmp(kind, "p2p") == 0;
    static const char of_mlp[] = "only the generator mlp reads it";
    const struct {
        const char *key, *why;
        bool idle;
    } keys[] = {{"root", "only broadcast, reduce, gather and scatter have a root", !has_root(kind)},
                {"bytes", "a barrier sends none", strcmp(kind, "barrier") == 0},
                {"first_part", "only collectives have parts", mlp || p2p},
                {"group", "only collectives are of a group", mlp || p2p},
                {"layers", of_mlp, !mlp},
                {"batch", of_mlp, !mlp},
                {"element_bytes", of_mlp, !mlp},
                {"forward_flops", "only the generators mlp and p2p read it", !mlp && !p2p},
                {"backward_flops", of_mlp, !mlp},
                {"optimizer", of_mlp, !mlp},
                {"repeat", NULL, false}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (generate == NULL || keys[i].idle) {
            orr_conf_warn_unused(workload, keys[i].key,
                                 generate == NULL ? "only a generator (generate) reads it"
                                                  : keys[i].why,
                                 &job->diag);
        }
    }
}

/* ---- recorded durations ---- */

/* Counts of replayed nodes, and of those without a recorded duration. */
struct replayed {
    uint64_t nodes, without; /* of accelerators, and of communication if that is replayed too */
    uint64_t cpu, cpu_without;
};

static bool is_replayed(const struct wl_compute *compute, const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_COMP:
        return !compute->roofline;
    case ORR_NODE_COLL:
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        return compute->replay_only;
    default:
        return false;
    }
}

static void count_replayed(const struct wl_compute *compute, const struct orr_trace *trace,
                           struct replayed *counts)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const bool without = node->duration_ps == 0;
        if (node->kind == ORR_NODE_COMP && (node->flags & ORR_NODE_IS_CPU) != 0) {
            counts->cpu++;
            counts->cpu_without += without ? 1 : 0;
        } else if (is_replayed(compute, node)) {
            counts->nodes++;
            counts->without += without ? 1 : 0;
        }
    }
}

/* Profilers with microsecond resolution omit some short durations, so it warns only if most nodes
 * have none. It warns about CPU nodes only if there are no accelerator nodes. */
void orr_warn_replay(struct orrery *job, const struct orr_trace *const *traces, uint32_t count,
                     const struct orr_location *place)
{
    const struct wl_compute *compute = &job->compute;
    struct replayed counts = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || (traces[i] != traces[i - 1] && traces[i] != traces[0])) {
            count_replayed(compute, traces[i], &counts);
        }
    }
    if (counts.nodes == 0 && counts.cpu_without > counts.cpu / 2) {
        counts.nodes = counts.cpu;
        counts.without = counts.cpu_without;
    }
    if (counts.without > counts.nodes / 2) {
        orr_diag_warn(
            &job->diag, place,
            "%llu of %llu nodes that are replayed have no recorded duration, and take %s; "
            "%s",
            (unsigned long long)counts.without, (unsigned long long)counts.nodes,
            compute->minimum_replay_ps > 0 ? "1 ns each" : "no time",
            job->files.platform != NULL
                ? "compute.peak sets the rate of operations, and memory.local that of bytes"
                : "roofline-enabled and peak-perf of the system file set the rate of operations");
    }
}

static void warn_replay(struct orrery *job)
{
    const struct orr_conf *workload = orr_conf_get(job->files.platform, "workload");
    const struct orr_conf *node = workload != NULL ? orr_conf_get(workload, "traces") : NULL;
    if (job->files.job_description.traces != NULL && node != NULL) {
        const struct orr_location place = orr_conf_location(node);
        orr_warn_replay(job, job->source.trace, job->source.count, &place);
    }
}

static void warn_rings(struct orrery *job)
{
    const struct orr_conf *network = orr_conf_get(job->files.platform, "network");
    const bool in_phases = job->tasks.graph == NULL && job->system.config.whole == NULL &&
                           job->network.graph != NULL && !orr_net_is_stacked(&job->network);
    if (!orr_reduces_around_rings(job) && !in_phases) {
        orr_conf_warn_unused(orr_conf_get(network, "graph"), "rings",
                             "only all-reduces of task graphs use them, those of "
                             "system.monolithic_all_reduce: ring, and the algorithm multi_ring on "
                             "graphs that are not built of dimensions",
                             &job->diag);
    }
}

/* Remaining rings can take over bytes only if an all-reduce uses all rings at once. */
static void warn_recovery(struct orrery *job)
{
    const struct net_config *network = &job->network;
    if (!net_recovers_rings(network) || network->graph->recovery != NET_RECOVER_SHARE) {
        return;
    }
    if (!orr_reduces_around_rings(job)) {
        orr_conf_warn_unused(orr_conf_get(job->files.platform, "network"), "ring_recovery",
                             "only all-reduces around rings of the graph are shared, those of task "
                             "graphs and of system.monolithic_all_reduce: ring",
                             &job->diag);
    }
}

/* Warns about keys of phased all-reduces if they are monolithic, and about the platform's kind if
 * the workload sets its own. */
static void warn_monolithic(struct orrery *job)
{
    static const char *const why =
        "all-reduces are monolithic (system.monolithic_all_reduce; expected phases there)";
    const struct orr_conf *system = orr_conf_get(job->files.platform, "system");
    if (system != NULL && job->tasks.graph != NULL) {
        orr_conf_warn_unused(
            system, "monolithic_all_reduce",
            "all-reduces of models and task graphs are done as workload.all_reduce "
            "says",
            &job->diag);
        return;
    }
    if (job->system.config.whole == NULL || system == NULL) {
        return;
    }
    const struct orr_conf *algorithms = orr_conf_get(system, "algorithms");
    const struct orr_conf *chunks = orr_conf_get(system, "chunks_of");
    if (algorithms != NULL) {
        orr_conf_warn_unused(algorithms, "all_reduce", why, &job->diag);
    }
    if (chunks != NULL) {
        orr_conf_warn_unused(chunks, "all_reduce", why, &job->diag);
    }
    orr_conf_warn_unused(system, "phased", why, &job->diag);
}

static void warn_forwarding(struct orrery *job)
{
    const struct orr_conf *compute = orr_conf_get(job->files.platform, "compute");
    if (compute == NULL) {
        return;
    }
    if (!orr_net_channels_forward(&job->network, NULL)) {
        orr_conf_warn_unused(compute, "forwarding_slowdown",
                             "no channel of the network leads over an NPU", &job->diag);
    }
    if (!(job->compute.forwarding_slowdown > 1)) {
        orr_conf_warn_unused(compute, "forwarding", "it needs forwarding_slowdown", &job->diag);
    }
}

static void warn_logical(struct orrery *job)
{
    const struct orr_conf *compute = orr_conf_get(job->files.platform, "compute");
    if (compute != NULL && (job->network.graph == NULL || job->network.graph->logical == 0)) {
        orr_conf_warn_unused(compute, "logical_share",
                             "the network has no logical servers (a fabric ending in /K@logical)",
                             &job->diag);
    }
}

static bool accesses_local_memory(const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if ((node->kind == ORR_NODE_MEM_LOAD || node->kind == ORR_NODE_MEM_STORE) &&
            (node->flags & ORR_NODE_LOCAL_MEMORY) != 0) {
            return true;
        }
    }
    return false;
}

/* Computations of an NPU run one at a time: only accesses beside them share its memory. */
static void warn_contention(struct orrery *job)
{
    const struct orr_conf *memory = orr_conf_get(job->files.platform, "memory");
    const struct orr_conf *local = memory != NULL ? orr_conf_get(memory, "local") : NULL;
    if (local == NULL || job->local.contention != MEM_CONTENTION_FAIR || job->source.count == 0 ||
        isinf(job->local.bandwidth_bytes_per_s)) {
        return;
    }
    for (uint32_t i = 0; i < job->source.count; i++) {
        const struct orr_trace *trace = job->source.trace[i];
        if ((i == 0 || trace != job->source.trace[i - 1]) && accesses_local_memory(trace)) {
            return;
        }
    }
    orr_conf_warn_unused(local, "contention",
                         "computations of an NPU run one at a time, and no node accesses its "
                         "local memory beside them",
                         &job->diag);
}

void orr_warn_inputs(struct orrery *job)
{
    orr_warn_bandwidth(job);
    orr_warn_send_bandwidth(job);
    orr_net_config_warn(orr_conf_get(job->files.platform, "network"), &job->network, &job->diag);
    warn_rings(job);
    warn_recovery(job);
    warn_monolithic(job);
    warn_scheduler(job);
    warn_bytes(job);
    warn_generator(job);
    warn_forwarding(job);
    warn_logical(job);
    warn_contention(job);
    warn_replay(job);
}
