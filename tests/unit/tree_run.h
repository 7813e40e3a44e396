/* One collective along trees that are given, on a fully connected network of links of 1 GB/s
 * without latency, in chunks of 1000 bytes: a step is a microsecond. */
#ifndef ORR_TESTS_UNIT_TREE_RUN_H
#define ORR_TESTS_UNIT_TREE_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "system/collectives/program.h"
#include "system/collectives/trees.h"
#include "system/embedding/embedding.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"
#include "system/sys_policy.h"

struct net;
struct orr_arena;
struct orr_evq;
struct sys;

enum { TREE_MAX_RANKS = 64, TREE_MAX_TREES = 4 };

struct tree_job {
    uint32_t n, trees;
    uint32_t parent[TREE_MAX_TREES][TREE_MAX_RANKS];
    enum coll_kind kind;
    uint32_t root, chunks, buffers;
    uint64_t bytes;                  /* 0: 1000 a chunk */
    const char *algorithm, *backend; /* NULL: trees, analytical */
    bool phased;
};

struct tree_running {
    const struct tree_job *job;
    struct orr_evq *queue;
    struct sys *sys;
    uint32_t done;
    sim_time end_ps, first_ps; /* first_ps: the first bytes are there at every rank */
    uint32_t firsts;
    bool has[TREE_MAX_RANKS];
};

static inline void tree_progress(void *context, struct orr_slot npu, uint64_t cookie,
                                 uint64_t bytes)
{
    struct tree_running *run = context;
    (void)cookie;
    if (bytes > 0 && !run->has[npu.slot]) {
        run->has[npu.slot] = true;
        run->firsts++;
        run->first_ps = orr_evq_now(run->queue);
    }
}

static inline void tree_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct tree_running *run = context;
    tree_progress(context, npu, cookie, 1);
    run->done++;
    run->end_ps = orr_evq_now(run->queue);
}

static inline void tree_start(void *context, const struct orr_event *event)
{
    const struct tree_running *run = context;
    const struct sys_collective request = {
        .npu = orr_slot(event->entity),
        .kind = run->job->kind,
        .bytes = run->job->bytes != 0 ? run->job->bytes : UINT64_C(1000) * run->job->chunks,
        .root = orr_rank(run->job->root),
        .dim_mask = UINT32_MAX,
        .watched = true};
    orr_sys_collective_start(run->sys, &request);
}

static inline void tree_fill(const struct tree_job *job, struct orr_arena *arena,
                             struct coll_trees *trees)
{
    struct coll_tree *tree = orr_arena_array(arena, TREE_MAX_TREES, sizeof *tree);
    for (uint32_t t = 0; t < job->trees; t++) {
        struct sys_tree made;
        assert_int_equal(orr_sys_tree_make(&made, job->n, job->parent[t], "tree", NULL), ORR_OK);
        tree[t].parent = job->parent[t];
        assert_true(orr_coll_tree_fill(&tree[t], job->n, arena));
        assert_int_equal(tree[t].root, made.root);
    }
    *trees = (struct coll_trees){.n = job->n, .trees = job->trees, .tree = tree};
}

static inline void tree_network(const struct tree_job *job, struct orr_arena *arena,
                                struct net_config *config)
{
    char text[128];
    const struct orr_conf *root;
    (void)snprintf(text, sizeof text,
                   "topology: FC(%u)\nbandwidth: 1 GB/s\nlatency: 0 ns\nbackend: %s\n"
                   "bandwidth_is: link\n",
                   job->n, job->backend != NULL ? job->backend : "analytical");
    assert_int_equal(orr_conf_parse(arena, text, strlen(text), "net", &root, NULL), ORR_OK);
    assert_int_equal(orr_net_config_read(arena, root, config, NULL), ORR_OK);
}

/* Steps until all are done, and until the first bytes are there at every rank; they have to be
 * whole ones. */
struct tree_times {
    uint32_t steps, turnaround;
};

static inline struct tree_times tree_times(const struct tree_job *job)
{
    struct orr_arena *arena = orr_arena_create();
    struct coll_trees trees;
    struct net_config config;
    struct net *net;
    struct orr_diag diag;
    const struct sys_algorithm item = {
        .algorithm = orr_coll_algorithm_find(job->algorithm != NULL ? job->algorithm : "trees")};
    struct sys_config system = {.policy = &orr_sys_policy_default,
                                .chunks = job->chunks,
                                .active_chunks = 1,
                                .queues_per_dim = 1,
                                .bandwidth_aware = true,
                                .phased = job->phased,
                                .receive_buffers = job->buffers};
    struct tree_running run = {.job = job};
    orr_diag_init(&diag);
    tree_fill(job, arena, &trees);
    tree_network(job, arena, &config);
    system.trees = &trees;
    system.algorithms[job->kind] = (struct sys_algorithm_list){.items = &item, .count = 1};
    run.queue = orr_evq_create(ORR_ORDER_LABEL, job->n);
    assert_int_equal(orr_net_create(&net, &config, run.queue, arena, &diag), ORR_OK);
    assert_int_equal(orr_sys_create(&run.sys, &system, net, run.queue, arena, &diag), ORR_OK);
    orr_sys_set_listener(
        run.sys,
        &(struct sys_listener){.context = &run, .done = tree_done, .progress = tree_progress});
    orr_evq_handle(run.queue, ORR_EVENT_WORKLOAD, tree_start, &run);
    for (uint32_t npu = 0; npu < job->n; npu++) {
        const struct orr_event event = {.label = npu, .entity = npu, .kind = ORR_EVENT_WORKLOAD};
        orr_evq_post(run.queue, 0, &event);
    }
    assert_int_equal(orr_evq_run(run.queue, &diag), ORR_OK);
    assert_int_equal(run.done, job->n);
    assert_int_equal(run.firsts, job->n);
    assert_int_equal(run.end_ps % ORR_PS_PER_US, 0);
    assert_int_equal(run.first_ps % ORR_PS_PER_US, 0);
    orr_sys_destroy(run.sys);
    net->ops->destroy(net);
    orr_evq_destroy(run.queue);
    orr_arena_destroy(arena);
    return (struct tree_times){.steps = (uint32_t)(run.end_ps / ORR_PS_PER_US),
                               .turnaround = (uint32_t)(run.first_ps / ORR_PS_PER_US)};
}

static inline uint32_t tree_steps(const struct tree_job *job)
{
    return tree_times(job).steps;
}

#endif
