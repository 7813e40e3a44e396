/* Jobs of nothing but all-reduces that groups do as a whole, over the flow backend on a graph. */
#ifndef ORR_TESTS_UNIT_WHOLE_FIXTURE_H
#define ORR_TESTS_UNIT_WHOLE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/evq.h"
#include "core/fold.h"
#include "core/sum.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph_source.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "network/net_dims.h"
#include "network/route_options.h"
#include "system/collectives/program.h"
#include "system/run/running.h"
#include "system/state.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"
#include "system/sys_counts.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "system/sys_policy.h"
#include "system/sys_waits.h"
#include "tests/backend_keys.h"

struct net_flows;
struct net_graph;
struct orr_arena;
struct orr_evq;

enum { WHOLE_MEMBERS = 64, WHOLE_OPERATIONS = 16, WHOLE_EVENT = ORR_EVENT_WORKLOAD };

#define WHOLE_LINK ((struct net_link_kind){.bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US})

/* A fabric of WHOLE_LINK. */
static inline const struct net_routing *whole_network(struct orr_arena *arena, const char *fabric,
                                                      uint32_t npus, struct net_graph *network)
{
    const struct net_fabric given = {.text = fabric, .npus = npus, .kind = WHOLE_LINK, .seed = 7};
    const struct net_routing *routing;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_net_build_fabric(&given, arena, network, &routing, &diag), ORR_OK);
    return routing;
}

/* An all-reduce among `members` of the network's NPUs, 0, 1, ... or `rank`, who start it at
 * start_ps, the last one `late_ps` later. */
struct whole_operation {
    const uint32_t *rank;
    uint32_t members;
    uint64_t bytes;
    sim_time start_ps, late_ps;
    bool incomplete;    /* the last one never does */
    const char *choice; /* NULL: the job's */
};

struct whole_job {
    const struct net_graph *network;
    const struct net_routing *routing;
    bool rings_routed;   /* also where links are */
    uint64_t seed;       /* of routes; 0: 1 */
    const char *backend; /* NULL: flow */
    const struct sys_policy *policy;
    const char *choice;
    struct net_flow_model flows;
    uint32_t operations;
    struct whole_operation operation[WHOLE_OPERATIONS];
    uint64_t *link_bytes; /* [links], filled in; NULL: nobody asks */
    bool one_by_one;      /* the network has no rounds that go at once */
};

/* One among the first NPUs, on flows without packets. */
static inline struct whole_job job_on(const struct net_graph *network, const char *choice,
                                      uint32_t members, uint64_t bytes)
{
    return (struct whole_job){.network = network,
                              .policy = &orr_sys_policy_task_graph,
                              .choice = choice,
                              .operations = 1,
                              .operation = {{.members = members, .bytes = bytes}}};
}

struct whole_outcome {
    sim_time end_ps;                                 /* of the last */
    sim_time done_ps[WHOLE_OPERATIONS];              /* by operation */
    uint32_t order[WHOLE_OPERATIONS][WHOLE_MEMBERS]; /* NPUs as they were done */
    uint32_t done[WHOLE_OPERATIONS];                 /* members */
    uint32_t transfers;
    char explained[128]; /* of the last of them, then */
    struct sys_mono_counts counts;
    orr_sum messages;
    uint64_t bytes;          /* over all links */
    uint64_t hash;           /* of who was done when */
    uint64_t counted;        /* a hash of what links, dimensions and paths have counted */
    uint64_t events, shares; /* handled; worked out */
};

struct whole_running {
    const struct whole_job *job;
    struct orr_evq *queue;
    struct sys *sys;
    struct sys_mono choice[WHOLE_OPERATIONS];
    uint32_t group[WHOLE_OPERATIONS];
    struct whole_outcome *out;
};

static inline struct sys_collective whole_request(const struct whole_running *run, uint32_t index,
                                                  uint32_t npu)
{
    return (struct sys_collective){.npu = orr_slot(npu),
                                   .group = run->group[index],
                                   .kind = COLL_ALL_REDUCE,
                                   .bytes = run->job->operation[index].bytes,
                                   .dim_mask = UINT32_MAX,
                                   .cookie = index,
                                   .name = "all-reduce",
                                   .ordinal = 0,
                                   .whole = &run->choice[index]};
}

static inline uint32_t whole_rank(const struct whole_operation *operation, uint32_t i)
{
    return operation->rank != NULL ? operation->rank[i] : i;
}

static inline void mono_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct whole_running *run = context;
    struct whole_outcome *out = run->out;
    const sim_time now = orr_evq_now(run->queue);
    out->end_ps = out->done_ps[cookie] = now;
    out->order[cookie][out->done[cookie]++] = npu.slot;
    out->hash = (out->hash ^ (uint64_t)now ^ (uint64_t)npu.slot << 8 ^ cookie) *
                UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t whole_explain(const struct whole_running *run,
                                     const struct sys_collective *request, uint32_t rank)
{
    return orr_sys_explain_collective(run->sys, request, orr_rank(rank), run->out->explained,
                                      sizeof run->out->explained)
        .rank;
}

static inline void whole_transfers(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct whole_running *run = context;
    const struct sys_collective request = whole_request(run, (uint32_t)cookie, npu.slot);
    run->out->transfers++;
    assert_int_equal(whole_explain(run, &request, npu.slot), SYS_NONE);
}

/* With events by labels each NPU starts its part in an event of its own. */
static inline void whole_on_start(void *context, const struct orr_event *event)
{
    const struct whole_running *run = context;
    const uint32_t index = (uint32_t)(event->cookie >> 32), i = (uint32_t)event->cookie;
    const struct whole_operation *operation = &run->job->operation[index];
    const bool all = run->job->policy->order == ORR_ORDER_INSERTION && operation->late_ps == 0 &&
                     !operation->incomplete;
    for (uint32_t m = i; m < (all ? operation->members : i + 1); m++) {
        const struct sys_collective request = whole_request(run, index, whole_rank(operation, m));
        orr_sys_collective_start(run->sys, &request);
    }
}

static inline void whole_post(const struct whole_running *run, uint32_t index)
{
    const struct whole_operation *operation = &run->job->operation[index];
    const bool all = run->job->policy->order == ORR_ORDER_INSERTION && operation->late_ps == 0 &&
                     !operation->incomplete;
    const uint32_t starts = operation->members - (operation->incomplete ? 1 : 0);
    for (uint32_t i = 0; i < (all ? 1 : starts); i++) {
        const bool late = i + 1 == operation->members;
        const struct orr_event event = {.cookie = (uint64_t)index << 32 | i,
                                        .label = index,
                                        .entity = whole_rank(operation, i),
                                        .kind = WHOLE_EVENT};
        orr_evq_post(run->queue, operation->start_ps + (late ? operation->late_ps : 0), &event);
    }
}

static inline void whole_open(struct whole_running *run, struct orr_arena *arena)
{
    const struct whole_job *job = run->job;
    struct orr_diag diag;
    orr_diag_init(&diag);
    for (uint32_t i = 0; i < job->operations; i++) {
        const struct whole_operation *operation = &job->operation[i];
        uint32_t rank[WHOLE_MEMBERS];
        char name[16];
        for (uint32_t m = 0; m < operation->members; m++) {
            rank[m] = whole_rank(operation, m);
        }
        (void)snprintf(name, sizeof name, "g%u", i);
        assert_int_equal(
            orr_sys_group_add(run->sys, name, rank, operation->members, &run->group[i], &diag),
            ORR_OK);
        for (uint32_t m = 0; m < operation->members; m++) {
            const struct sys_collective request = whole_request(run, i, rank[m]);
            assert_int_equal(orr_sys_collective_check(run->sys, &request, &diag), ORR_OK);
        }
    }
    orr_sys_set_listener(
        run->sys,
        &(struct sys_listener){.context = run, .done = mono_done, .transfers = whole_transfers});
    orr_evq_handle(run->queue, WHOLE_EVENT, whole_on_start, run);
    (void)arena;
}

/* All operations are over but those that not all members start, which say so. */
static inline void whole_check_ends(const struct whole_running *run)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < run->job->operations; i++) {
        const struct whole_operation *operation = &run->job->operation[i];
        const struct sys_collective request = whole_request(run, i, whole_rank(operation, 0));
        assert_int_equal(run->out->done[i], operation->incomplete ? 0 : operation->members);
        if (operation->incomplete) {
            assert_int_equal(whole_explain(run, &request, request.npu.slot),
                             whole_rank(operation, operation->members - 1));
            left++;
        }
    }
    assert_int_equal(orr_sys_unmatched(run->sys).collectives, left);
}

static inline const struct net_backend_options *whole_keys(struct orr_arena *arena,
                                                           const struct net_flow_model *flows)
{
    char line[128];
    (void)snprintf(line, sizeof line, "packet: %llu B\nhandshake: %llu B\nshares: %s",
                   (unsigned long long)flows->packet_bytes, (unsigned long long)flows->start_bytes,
                   flows->windows ? "windows" : "maxmin");
    return flows->packet_bytes == 0 ? NULL : backend_keys(arena, line);
}

static inline void whole_count(struct whole_outcome *out, uint64_t value)
{
    out->counted = (out->counted ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    out->counted ^= out->counted >> 31;
}

static inline void whole_count_all(struct whole_outcome *out, const struct net *net)
{
    struct net_dim_stats stats[NET_MAX_DIMS];
    struct net_path_use use;
    net->ops->stats(net, stats);
    for (unsigned d = 0; d < net->config->dims; d++) {
        whole_count(out, (uint64_t)stats[d].messages);
        whole_count(out, (uint64_t)stats[d].bytes);
        whole_count(out, (uint64_t)stats[d].busy_ps);
    }
    const struct net_flows *flows = net->ops->flows != NULL ? net->ops->flows(net) : NULL;
    for (size_t i = 0; flows != NULL && orr_net_flows_path(flows, i, &use); i++) {
        whole_count(out, use.flows);
        whole_count(out, use.bytes);
        whole_count(out, (uint64_t)use.hops << 32 | use.link[0]);
    }
    whole_count(out, flows != NULL ? orr_net_flows_counts(flows).flows : 0);
    out->shares = flows != NULL ? orr_net_flows_counts(flows).shares : 0;
}

static inline struct whole_outcome mono_run(const struct whole_job *job)
{
    struct whole_outcome out = {.end_ps = -1};
    struct whole_running run = {.job = job, .out = &out};
    struct orr_arena *arena = orr_arena_create();
    struct net_config config = {.backend = job->backend != NULL ? job->backend : "flow",
                                .routes = {.routing = job->routing,
                                           .seed = job->seed != 0 ? job->seed : 1,
                                           .rings_routed = job->rings_routed}};
    const struct sys_config system = {
        .policy = job->policy, .chunks = 1, .active_chunks = 1, .queues_per_dim = 1};
    struct orr_diag diag;
    struct net *net;
    orr_diag_init(&diag);
    config.own = whole_keys(arena, &job->flows);
    assert_int_equal(orr_net_config_set_graph(arena, &config, job->network, NULL, &diag), ORR_OK);
    for (uint32_t i = 0; i < job->operations; i++) {
        const char *choice = job->operation[i].choice;
        assert_int_equal(
            orr_sys_mono_parse(choice != NULL ? choice : job->choice, &run.choice[i], &diag),
            ORR_OK);
    }
    run.queue = orr_evq_create(job->policy->order, orr_net_npus(&config));
    assert_int_equal(orr_net_create(&net, &config, run.queue, arena, &diag), ORR_OK);
    struct net_ops ops = *net->ops;
    ops.rounds = job->one_by_one ? NULL : ops.rounds;
    net->ops = &ops;
    assert_int_equal(orr_sys_create(&run.sys, &system, net, run.queue, arena, &diag), ORR_OK);
    whole_open(&run, arena);
    for (uint32_t i = 0; i < job->operations; i++) {
        whole_post(&run, i);
    }
    assert_int_equal(orr_evq_run(run.queue, &diag), ORR_OK);
    out.counts = orr_sys_mono_counts(run.sys);
    out.messages = orr_sys_messages(run.sys);
    for (uint32_t i = 0; i < job->network->links; i++) {
        const uint64_t bytes = net->ops->links->bytes(net, i);
        out.bytes += bytes;
        whole_count(&out, bytes);
        if (job->link_bytes != NULL) {
            job->link_bytes[i] = bytes;
        }
    }
    whole_count_all(&out, net);
    out.events = orr_evq_handled(run.queue);
    whole_check_ends(&run);
    orr_sys_destroy(run.sys);
    orr_net_destroy(net);
    orr_evq_destroy(run.queue);
    orr_arena_destroy(arena);
    return out;
}

#endif
