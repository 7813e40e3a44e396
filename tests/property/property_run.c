/* Builds the traces and the layers of a property test's job, runs it, and tells what was seen and
 * what the algorithms' programs say; see property_support.h. */
#include "tests/property/property_support.h"

#include <math.h>
#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_message.h"
#include "network/notation.h"
#include "network/traffic.h"
#include "sim/fold/fold_job.h"
#include "system/collectives/program.h"
#include "system/groups/group.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/state.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"
#include "workload/engine/engine_private.h"
#include "workload/engine/node_requests.h"
#include "workload/gen/models.h"
#include "workload/trace/trace_builder.h"

/* ---- traces ---- */

static uint32_t renamed(const uint32_t *permutation, uint32_t rank)
{
    return permutation != NULL ? permutation[rank] : rank;
}

static struct orr_node_spec spec_of(const struct prop_job *job, const struct prop_node *node,
                                    uint32_t index, const uint32_t *permutation)
{
    const bool computes = node->kind == ORR_NODE_COMP;
    const bool memory = node->kind == ORR_NODE_MEM_LOAD || node->kind == ORR_NODE_MEM_STORE;
    const uint32_t peer = renamed(permutation, node->peer);
    return (struct orr_node_spec){
        .id = index,
        .kind = node->kind,
        .comm = node->comm,
        .flags = (computes ? ORR_NODE_HAS_NUM_OPS : 0u) |
                 (memory && node->local ? ORR_NODE_LOCAL_MEMORY : 0u),
        .name = "n",
        .num_ops = computes ? node->amount : 0,
        .tensor_bytes = memory ? node->amount : 0,
        .access = node->gathered ? ORR_ACCESS_GATHERED : ORR_ACCESS_SHARDED,
        .comm_bytes = node->amount,
        .src = peer,
        .dst = peer,
        .tag = node->tag,
        .root = renamed(permutation, node->root),
        .group = node->group != PROP_NO_GROUP ? job->name[node->group] : NULL,
        .has_involved_dim = node->has_mask,
        .involved_dims = (uint8_t)job->net.dims,
        .involved_mask = node->mask,
        .sizes = node->sizes,
    };
}

static const struct orr_trace *build_trace(const struct prop_job *job, uint32_t rank,
                                           const uint32_t *permutation, struct orr_arena *arena)
{
    const struct prop_program *program = &job->program[rank];
    struct orr_trace_builder *builder = orr_trace_builder_create(arena);
    const struct orr_trace *trace = NULL;
    enum orr_status status = builder != NULL ? ORR_OK : ORR_ERR_MEMORY;
    for (uint32_t i = 0; i < program->nodes && status == ORR_OK; i++) {
        const struct prop_node *node = &program->node[i];
        struct orr_node_spec spec = spec_of(job, node, i, permutation);
        uint64_t deps[PROP_DEPS];
        for (uint32_t d = 0; d < node->deps; d++) {
            deps[d] = node->dep[d];
        }
        spec.data_deps = (struct orr_deps){deps, node->deps};
        status = orr_trace_builder_add(builder, &spec, NULL);
        for (uint32_t d = 0; d < node->deps && status == ORR_OK; d++) {
            if (node->prefix[d] != 0 &&
                !orr_trace_builder_add_prefix(builder, node->dep[d], node->prefix[d])) {
                status = ORR_ERR_MEMORY;
            }
        }
    }
    if (status == ORR_OK && orr_trace_builder_finish(builder, &trace, NULL) != ORR_OK) {
        trace = NULL;
    }
    orr_trace_builder_destroy(builder);
    return trace;
}

/* ---- the run ---- */

/* Counts what is sent, by standing before the network's operations. */
struct counter {
    struct net_ops ops; /* must be first */
    const struct net_ops *real;
    uint64_t *sent, *received;
    struct net_traffic *traffic; /* NULL: nobody asked for it */
};

struct run {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct counter counter;
    struct orr_evq *queue;
    struct net *net;
    struct mem *mem;
    struct sys *sys;
    struct wl_compute compute;
    struct wl_engine *engine;
    const struct orr_trace **traces;
    struct net_config network; /* the job's, with the fold */
    struct orr_fold fold;
    bool causes, folds;
};

static void count(const struct net_config *config, uint64_t *sent, uint64_t *received,
                  const struct net_msg *msg)
{
    uint32_t from = msg->src.rank, stride = 1;
    for (unsigned d = 0; d < config->dims; d++) {
        const struct net_dim *dim = &config->dim[d];
        const uint32_t n = dim->npus;
        const uint32_t steps = (msg->dst.rank / stride % n + n - from / stride % n) % n;
        const uint32_t to = orr_net_ahead(dim, stride, from, steps);
        if (steps != 0) {
            sent[(size_t)from * config->dims + d] += msg->bytes;
            received[(size_t)to * config->dims + d] += msg->bytes;
        }
        from = to;
        stride *= n;
    }
}

static void counting_send(struct net *net, const struct net_msg *msg)
{
    const struct counter *counter = (const struct counter *)(const void *)net->ops;
    count(net->config, counter->sent, counter->received, msg);
    if (counter->traffic != NULL) {
        orr_net_traffic_add(counter->traffic, msg->src.rank, msg->dst.rank, msg->bytes);
    }
    counter->real->send(net, msg);
}

static enum orr_status add_groups_to(struct sys *sys, const struct prop_job *job, struct run *run,
                                     const uint32_t *permutation)
{
    for (uint32_t g = 0; g < job->groups; g++) {
        const struct prop_group *group = &job->group[g];
        uint32_t *ranks = orr_arena_array(run->arena, group->count, sizeof *ranks);
        if (ranks == NULL) {
            return ORR_ERR_MEMORY;
        }
        for (uint32_t i = 0; i < group->count; i++) {
            ranks[i] = renamed(permutation, group->ranks[i]);
        }
        uint32_t index;
        const enum orr_status status =
            orr_sys_group_add(sys, group->name, ranks, group->count, &index, &run->diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}

static enum orr_status build_layers(const struct prop_job *job, struct run *run)
{
    run->queue = orr_evq_create(job->sys.policy->order, run->fold.slots);
    if (run->queue == NULL ||
        (run->causes &&
         orr_evq_keep_causes(run->queue, run->arena, ORR_PART_BANDWIDTH(job->net.dims)) == NULL)) {
        return ORR_ERR_MEMORY;
    }
    enum orr_status status =
        orr_net_create(&run->net, &run->network, run->queue, run->arena, &run->diag);
    if (status == ORR_OK) {
        status = orr_mem_create(&run->mem, &job->remote, run->fold.slots, run->queue, run->arena,
                                &run->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_create(&run->sys, &job->sys, run->net, run->queue, run->arena, &run->diag);
    }
    return status;
}

static enum orr_status build_traces(const struct prop_job *job, struct run *run,
                                    const uint32_t *permutation)
{
    run->traces = orr_arena_array(run->arena, job->npus, sizeof *run->traces);
    for (uint32_t rank = 0; run->traces != NULL && rank < job->npus; rank++) {
        const struct orr_trace *trace = build_trace(job, rank, permutation, run->arena);
        if (trace == NULL) {
            return ORR_ERR_MEMORY;
        }
        run->traces[renamed(permutation, rank)] = trace;
    }
    return run->traces != NULL ? ORR_OK : ORR_ERR_MEMORY;
}

static bool same_program(const struct prop_program *a, const struct prop_program *b)
{
    return a->nodes == b->nodes &&
           (a->nodes == 0 || memcmp(a->node, b->node, a->nodes * sizeof *a->node) == 0);
}

/* Ranks with equal programs share a trace, as they do when files are read. */
static void share_traces(const struct prop_job *job, struct run *run)
{
    for (uint32_t rank = 1; rank < job->npus; rank++) {
        for (uint32_t other = 0; other < rank; other++) {
            if (same_program(&job->program[rank], &job->program[other])) {
                run->traces[rank] = run->traces[other];
                break;
            }
        }
    }
}

struct fold_groups {
    const struct prop_job *job;
    struct run *run;
};

static enum orr_status add_for_fold(void *context, struct sys *sys, struct orr_diag *diag)
{
    const struct fold_groups *groups = context;
    (void)diag;
    return add_groups_to(sys, groups->job, groups->run, NULL);
}

/* Finds the fold, and keeps the traces of those who stand for classes. */
static enum orr_status fold(const struct prop_job *job, struct run *run)
{
    share_traces(job, run);
    struct fold_groups groups = {.job = job, .run = run};
    const struct gen_model none = {.ops = NULL};
    const struct wl_traces traces = {.trace = run->traces, .count = job->npus};
    const struct wl_fold_job all = {.network = &job->net,
                                    .system = &job->sys,
                                    .remote = &job->remote,
                                    .compute = &run->compute,
                                    .traces = &traces,
                                    .model = &none,
                                    .add_groups = add_for_fold,
                                    .context = &groups};
    struct wl_fold_reasons reasons;
    const enum orr_status status =
        orr_wl_fold_find(run->arena, &all, &run->fold, &reasons, &run->diag);
    for (uint32_t slot = 0; slot < run->fold.slots && status == ORR_OK; slot++) {
        run->traces[slot] = run->traces[orr_fold_rank(&run->fold, orr_slot(slot)).rank];
    }
    return status;
}

static enum orr_status build(const struct prop_job *job, struct run *run,
                             const uint32_t *permutation)
{
    /* One operation is one picosecond. */
    run->compute = (struct wl_compute){.roofline = true,
                                       .peak_flops = 1e12,
                                       .memory_bytes_per_s = INFINITY,
                                       .forwarding_slowdown = job->forwarding_slowdown,
                                       .communication_slowdown = job->communication_slowdown,
                                       .sms = job->sms,
                                       .collective_sms = job->collective_sms,
                                       .forwarding_lasts = job->forwarding_lasts};
    run->network = job->net;
    orr_fold_init(&run->fold, job->npus);
    enum orr_status status = build_traces(job, run, permutation);
    if (status == ORR_OK && run->folds) {
        status = fold(job, run);
        run->network.fold = &run->fold;
    }
    if (status == ORR_OK) {
        status = build_layers(job, run);
    }
    if (status == ORR_OK) {
        status = add_groups_to(run->sys, job, run, permutation);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct wl_parts parts = {.sys = run->sys,
                                   .remote = run->mem,
                                   .local = &job->local,
                                   .compute = &run->compute,
                                   .policy = job->sys.policy,
                                   .queue = run->queue,
                                   .arena = run->arena,
                                   .fold = &run->fold};
    return orr_engine_create(&run->engine, &parts, run->traces, run->fold.slots, &run->diag);
}

static void close_run(struct run *run)
{
    if (run->net != NULL && run->counter.real != NULL) {
        run->net->ops = run->counter.real;
    }
    orr_sys_destroy(run->sys);
    orr_net_destroy(run->net);
    orr_evq_destroy(run->queue);
    orr_arena_destroy(run->arena);
}

/* What orr_engine_run does first, with the NPUs in another order. */
static void start_in_order(struct run *run, const uint32_t *order, uint32_t npus)
{
    run->engine->started = true;
    for (uint32_t i = 0; i < npus; i++) {
        const struct orr_event event = {.entity = order[i], .kind = EVENT_START};
        orr_evq_post(run->queue, 0, &event);
    }
}

/* ---- what the programs say ---- */

static void expect_phase(const struct sys *sys, struct sys_stream *stream, uint64_t *sent,
                         uint64_t *received)
{
    const struct coll_args args = orr_sys_args_of(stream);
    const struct sys_operation *run = stream->operation;
    const struct sys_phase *phase = sys_phase_of(stream);
    const uint32_t sends = phase->algorithm->sends(&args);
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send;
        phase->algorithm->send(&args, k, &send);
        const struct sys_position peer =
            sys_peer_position(&run->dim[phase->dim], sys_position_of(stream), args.rank, send.peer);
        const struct net_msg msg = {
            .src = sys_rank_of(stream), .dst = sys_rank_at(run->group, peer), .bytes = send.bytes};
        count(sys->net->config, sent, received, &msg);
    }
}

static void expect_collective(struct sys *sys, const struct sys_collective *request,
                              struct prop_result *result)
{
    struct orr_arena *arena = orr_arena_create();
    struct sys_operation run = {.sys = sys,
                                .arena = arena,
                                .group = sys->all.groups[request->group],
                                .kind = request->kind,
                                .bytes = request->kind == COLL_BARRIER ? 0 : request->bytes,
                                .dim_mask = request->dim_mask};
    const struct sys_position root = orr_sys_group_position(sys, request->group, request->root);
    const struct sys_position own =
        orr_sys_group_position(sys, request->group, orr_sys_rank_of_slot(sys, request->npu));
    run.root = sys_in_group(root) ? root : sys_position(0);
    assert_int_equal(orr_sys_plan_operation(sys, &run, NULL), ORR_OK);
    for (uint32_t c = 0; c < run.chunks; c++) {
        for (unsigned p = 0; p < run.plan[c]->phases; p++) {
            struct sys_stream stream = {.operation = &run,
                                        .member = orr_sys_member_at(sys, run.group, own),
                                        .chunk = (uint16_t)c,
                                        .phase = (uint8_t)p};
            expect_phase(sys, &stream, result->sent_expected, result->recv_expected);
        }
    }
    orr_arena_destroy(arena);
}

static void expect_bytes(const struct prop_job *job, struct run *run, struct prop_result *result)
{
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        const struct orr_trace *trace = run->traces[npu];
        for (uint32_t i = 0; i < trace->nodes; i++) {
            const struct orr_node *node = &trace->node[i];
            if (node->kind == ORR_NODE_COLL) {
                const struct sys_collective request =
                    orr_wl_collective_of(run->engine, orr_slot(npu), i);
                expect_collective(run->sys, &request, result);
            } else if (node->kind == ORR_NODE_SEND) {
                const struct net_msg msg = {.src = orr_rank(npu),
                                            .dst = orr_rank(node->of.p2p.peer),
                                            .bytes = node->amount};
                count(&job->net, result->sent_expected, result->recv_expected, &msg);
            } else if (node->kind == ORR_NODE_RECV && job->sys.rendezvous) {
                const struct net_msg msg = {.src = orr_rank(npu),
                                            .dst = orr_rank(node->of.p2p.peer),
                                            .bytes = SYS_REQUEST_BYTES};
                count(&job->net, result->sent_expected, result->recv_expected, &msg);
            }
        }
    }
}

/* ---- results ---- */

static void allocate_result(struct prop_job *job, struct prop_result *result)
{
    const size_t cells = (size_t)job->npus * job->net.dims;
    *result = (struct prop_result){0};
    result->times = prop_array(job, job->npus, sizeof *result->times);
    result->sent = prop_array(job, cells, sizeof *result->sent);
    result->received = prop_array(job, cells, sizeof *result->received);
    result->sent_expected = prop_array(job, cells, sizeof *result->sent_expected);
    result->recv_expected = prop_array(job, cells, sizeof *result->recv_expected);
}

static void collect_path(const struct prop_job *job, const struct wl_path *path,
                         struct prop_result *result)
{
    const unsigned room = sizeof result->path_step / sizeof *result->path_step;
    for (unsigned p = 0; p < ORR_PART_BANDWIDTH(job->net.dims); p++) {
        result->path_ps[p] = orr_cause_part(path->causes, path->end, p);
    }
    const uint32_t last = orr_cause_mark(path->causes, path->end);
    for (uint32_t m = last; m != ORR_MARK_NONE; m = orr_mark_at(path->causes, m).previous) {
        result->path_steps++;
    }
    unsigned place = result->path_steps;
    for (uint32_t m = last; m != ORR_MARK_NONE; m = orr_mark_at(path->causes, m).previous) {
        if (--place < room) {
            result->path_step[place] = orr_mark_at(path->causes, m);
        }
    }
}

static void collect(const struct prop_job *job, struct run *run, struct prop_result *result)
{
    result->wall_ps = orr_engine_wall(run->engine);
    result->messages = orr_sys_messages(run->sys);
    result->events = orr_evq_handled(run->queue);
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        orr_engine_times(run->engine, orr_fold_slot(&run->fold, orr_rank(npu)),
                         &result->times[npu]);
    }
    run->net->ops->stats(run->net, result->dims);
    struct wl_path path;
    result->path_steps = 0;
    result->has_path = orr_engine_path(run->engine, &path);
    if (result->has_path) {
        collect_path(job, &path, result);
    }
}

enum { EVENT_FORWARD = ORR_EVENT_KINDS - 1 };

static void on_forward(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct run *)context)->net->listener;
    listener->forwards(listener->context, orr_slot(event->entity), event->aux != 0 ? 1 : -1);
}

/* What the network is to say of forwarding. */
static void post_forwards(const struct prop_job *job, struct run *run)
{
    orr_evq_handle(run->queue, EVENT_FORWARD, on_forward, run);
    for (unsigned i = 0; i < job->forwards; i++) {
        const struct orr_event event = {.label = i,
                                        .entity = job->forward[i].npu,
                                        .kind = EVENT_FORWARD,
                                        .aux = job->forward[i].change > 0,
                                        .part = ORR_PART_OTHER};
        orr_evq_post(run->queue, job->forward[i].time_ps, &event);
    }
}

void prop_run(struct prop_job *job, const struct prop_options *options, struct prop_result *result)
{
    struct run run = {
        .arena = orr_arena_create(), .causes = options->causes, .folds = options->fold};
    assert_non_null(run.arena);
    orr_diag_init(&run.diag);
    allocate_result(job, result);
    result->status = build(job, &run, options->permutation);
    if (result->status == ORR_OK) {
        run.counter = (struct counter){.ops = *run.net->ops,
                                       .real = run.net->ops,
                                       .sent = result->sent,
                                       .received = result->received};
        run.counter.ops.send = counting_send;
        run.counter.traffic = options->traffic;
        run.net->ops = &run.counter.ops;
        post_forwards(job, &run);
        if (options->start_order != NULL) {
            start_in_order(&run, options->start_order, job->npus);
        }
        result->status = orr_engine_run(run.engine, &run.diag);
    }
    result->classes = run.fold.slots;
    if (result->status == ORR_OK) {
        collect(job, &run, result);
    }
    if (result->status == ORR_OK && options->expect) {
        expect_bytes(job, &run, result);
    }
    (void)orr_diag_render(&run.diag, result->message, sizeof result->message);
    close_run(&run);
}

enum orr_status prop_run_failing(struct prop_job *job, int64_t allocations)
{
    struct run run = {.arena = orr_arena_create()};
    assert_non_null(run.arena);
    orr_diag_init(&run.diag);
    orr_arena_fail_after(run.arena, allocations);
    enum orr_status status = build(job, &run, NULL);
    if (status == ORR_OK) {
        status = orr_engine_run(run.engine, &run.diag);
    }
    close_run(&run);
    return status;
}

/* ---- reports ---- */

void prop_print(const struct prop_job *job, const struct prop_result *result)
{
    char notation[256];
    print_message(
        "seed %llu: %s, %s, %u chunks%s%s, %u nodes on rank 0: %s\n", (unsigned long long)job->seed,
        orr_net_format_notation(&job->net, notation, sizeof notation), job->net.backend,
        job->sys.chunks, job->sys.scheduler == orr_sys_scheduler_find("themis") ? ", themis" : "",
        job->sys.rendezvous ? ", rendezvous" : "", job->program[0].nodes,
        result->status == ORR_OK ? "finished" : result->message);
    for (uint32_t i = 0; i < job->program[0].nodes; i++) {
        const struct prop_node *node = &job->program[0].node[i];
        print_message("  %u: kind %d comm %d amount %llu peer %u tag %u root %u group %d mask %d "
                      "%x deps",
                      i, (int)node->kind, (int)node->comm, (unsigned long long)node->amount,
                      node->peer, node->tag, node->root, node->group, node->has_mask, node->mask);
        for (uint32_t d = 0; d < node->deps; d++) {
            print_message(" %u", node->dep[d]);
        }
        print_message("\n");
    }
}

sim_time prop_critical_ps(struct prop_job *job, uint32_t rank)
{
    const struct prop_program *program = &job->program[rank];
    sim_time *end = prop_array(job, program->nodes, sizeof *end);
    sim_time longest = 0;
    for (uint32_t i = 0; i < program->nodes; i++) {
        const struct prop_node *node = &program->node[i];
        for (uint32_t d = 0; d < node->deps; d++) {
            end[i] = end[node->dep[d]] > end[i] ? end[node->dep[d]] : end[i];
        }
        end[i] += node->kind == ORR_NODE_COMP ? (sim_time)node->amount : 0;
        longest = end[i] > longest ? end[i] : longest;
    }
    return longest;
}

bool prop_same_path(const struct prop_job *job, const struct prop_result *one,
                    const struct prop_result *other)
{
    const unsigned room = sizeof one->path_step / sizeof *one->path_step;
    bool same = one->has_path == other->has_path && one->path_steps == other->path_steps;
    for (unsigned p = 0; p < ORR_PART_BANDWIDTH(job->net.dims) && same; p++) {
        same = one->path_ps[p] == other->path_ps[p];
    }
    for (unsigned s = 0; s < one->path_steps && s < room && same; s++) {
        same = one->path_step[s].item == other->path_step[s].item &&
               one->path_step[s].time == other->path_step[s].time;
    }
    return same;
}
