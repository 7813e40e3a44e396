/* A network that awaits demands, and the demands of a matrix, for tests of allocators. */
#ifndef ORR_TESTS_UNIT_ALLOCATION_FIXTURE_H
#define ORR_TESTS_UNIT_ALLOCATION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/allocation.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/optical/circuits.h"

struct orr_arena;

enum { ALLOCATION_MAX = 64 };

struct allocation_case {
    struct orr_arena *arena;
    struct net_allocated allocated;
    struct net_circuits circuits;
    struct net_graph awaiting, graph;
    struct net_demand demand[ALLOCATION_MAX];
    struct net_demands demands;
    struct net_circuit_report told;
    struct orr_diag diag;
};

static inline unsigned allocation_controller(const char *name)
{
    unsigned number = 0;
    while (strcmp(orr_net_circuits[number]->name, name) != 0) {
        number++;
    }
    return number;
}

/* Circuits of 10 GB/s and 1 us that are set once, reach 16; what differs is set behind this. */
static inline void allocation_open(struct allocation_case *of, const char *controller,
                                   uint32_t npus, uint32_t ports)
{
    static const double one = 1;
    struct net_graph_builder builder;
    *of = (struct allocation_case){.arena = orr_arena_create()};
    orr_diag_init(&of->diag);
    of->allocated = (struct net_allocated){.hold_ps = ORR_TIME_MAX,
                                           .weight = &one,
                                           .weights = 1,
                                           .rules = {.reach = 16, .rows = 1, .seed = 1}};
    of->circuits = (struct net_circuits){.ports = ports,
                                         .controller = allocation_controller(controller),
                                         .bytes_per_s = 10e9,
                                         .latency_ps = ORR_PS_PER_US,
                                         .allocated = &of->allocated};
    orr_net_graph_begin(&builder, of->arena, npus, 1);
    for (uint32_t i = 0; i < npus; i++) {
        struct net_link link = {.from = i,
                                .to = npus,
                                .count = 1,
                                .bytes_per_s = 10e9 * ports,
                                .latency_ps = ORR_PS_PER_US / 2};
        orr_net_graph_link(&builder, &link);
        link.from = npus;
        link.to = i;
        orr_net_graph_link(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &of->awaiting, NULL), ORR_OK);
    of->awaiting.circuits = &of->circuits;
    of->demands = (struct net_demands){.group = npus, .demand = of->demand, .weight = 1};
}

static inline void allocation_close(struct allocation_case *of)
{
    orr_arena_destroy(of->arena);
}

/* Demands are added by rising (from, to). */
static inline void allocation_add(struct allocation_case *of, uint32_t from, uint32_t to,
                                  uint64_t bytes)
{
    of->demand[of->demands.demands++] = (struct net_demand){from, to, bytes};
}

static inline enum orr_status allocation_make(struct allocation_case *of)
{
    orr_diag_init(&of->diag);
    return orr_net_allocated_graph(of->arena, &of->awaiting, &of->demands, &of->graph, &of->told,
                                   &of->diag);
}

#endif
