/* An arena, a graph and a router for tests of graphs. */
#ifndef ORR_TESTS_UNIT_GRAPH_FIXTURE_H
#define ORR_TESTS_UNIT_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/graph_source.h"
#include "network/route_options.h"
#include "network/routing/routing.h"

struct net_router;
struct orr_arena;

/* 100 Gb/s, 1 us. */
static const struct net_link_kind kind = {.bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US};

struct fixture {
    struct orr_arena *arena;
    struct net_graph graph;
    struct net_router *router;
    const struct net_routing *routing; /* of the fabric */
    struct orr_diag diag;
};

static inline int open_fixture(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = orr_arena_create()};
    orr_diag_init(&fixture.diag);
    *state = &fixture;
    return fixture.arena == NULL;
}

static inline int close_fixture(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

static inline enum orr_status build(struct fixture *f, const char *text, uint32_t npus)
{
    const struct net_fabric fabric = {.text = text, .npus = npus, .kind = kind, .seed = 7};
    orr_diag_init(&f->diag);
    return orr_net_build_fabric(&fabric, f->arena, &f->graph, &f->routing, &f->diag);
}

static inline void refused(struct fixture *f, const char *text, uint32_t npus, const char *message)
{
    assert_int_equal(build(f, text, npus), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
}

static inline void route_by(struct fixture *f, const struct net_route_options *options)
{
    assert_int_equal(orr_net_graph_check_connected(&f->graph, f->arena, &f->diag), ORR_OK);
    assert_int_equal(orr_net_router_create(&f->router, &f->graph, options, f->arena, &f->diag),
                     ORR_OK);
}

/* The path, whose links lead from src to dst. */
static inline struct net_route_links path_of(struct fixture *f, uint32_t src, uint32_t dst,
                                             uint64_t key)
{
    struct net_route_links path;
    assert_int_equal(orr_net_router_path(f->router, src, dst, key, &path), ORR_OK);
    uint32_t node = src;
    for (uint32_t h = 0; h < path.hops; h++) {
        assert_int_equal(f->graph.link[path.link[h]].from, node);
        node = f->graph.link[path.link[h]].to;
    }
    assert_int_equal(node, dst);
    return path;
}

#endif
