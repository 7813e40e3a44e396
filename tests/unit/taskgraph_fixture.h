/* Small task graphs and networks for tests: 1 GB/s a link, flows without packets, so that a flow
 * takes bytes / rate and then the latency of its links. */
#ifndef ORR_TESTS_UNIT_TASKGRAPH_FIXTURE_H
#define ORR_TESTS_UNIT_TASKGRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workload/workload.h"

#define FIXTURE_LINK ((struct net_link_kind){.bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US})

enum { FIXTURE_SERVERS = 64 };

static const uint32_t fixture_server[FIXTURE_SERVERS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* One all-reduce among all servers. */
struct fixture_reduce {
    struct orr_task task;
    struct orr_taskgraph graph;
};

static inline const struct orr_taskgraph *fixture_reduce(struct fixture_reduce *out,
                                                         uint32_t servers, uint64_t bytes)
{
    out->task = (struct orr_task){.kind = ORR_TASK_REDUCE, .nexts = servers, .bytes = bytes};
    out->graph = (struct orr_taskgraph){
        .servers = servers, .tasks = 1, .task = &out->task, .next = fixture_server};
    return &out->graph;
}

static inline struct orr_all_reduce fixture_choice(const char *name)
{
    struct orr_all_reduce choice = {.kind = NULL};
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_all_reduce_parse(name, &choice, &diag), ORR_OK);
    return choice;
}

/* A fabric of FIXTURE_LINK. */
static inline void fixture_network(struct orr_arena *arena, const char *fabric, uint32_t npus,
                                   struct net_graph *network)
{
    const struct net_fabric given = {.text = fabric, .npus = npus, .kind = FIXTURE_LINK};
    enum net_routing routing;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_net_build_fabric(&given, arena, network, &routing, &diag), ORR_OK);
}

/* Bytes handed to flows. */
static inline uint64_t fixture_bytes(const struct net_flows *flows)
{
    struct net_path_use path;
    uint64_t bytes = 0;
    for (size_t i = 0; orr_net_flows_path(flows, i, &path); i++) {
        bytes += path.bytes;
    }
    return bytes;
}

#endif
