/* Demands of a few groups and pairs, and the topologies that are found for them. */
#ifndef ORR_TESTS_UNIT_FINDER_FIXTURE_H
#define ORR_TESTS_UNIT_FINDER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph_source.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"

struct orr_arena;

enum { MAX_SERVERS = 128, MAX_GROUPS = 16 };

/* A demand with what it takes, and the answer. */
struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct finder_demand demand;
    struct finder_options options;
    struct finder_group group[MAX_GROUPS];
    uint64_t transfers[MAX_SERVERS * MAX_SERVERS];
    struct finder_topology found;
};

static inline int set_up(void **state)
{
    static struct fixture f;
    memset(&f, 0, sizeof f);
    f.arena = orr_arena_create();
    orr_diag_init(&f.diag);
    f.options.kind = (struct net_link_kind){12.5e9, 1000000};
    *state = &f;
    return f.arena == NULL;
}

static inline int tear_down(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static inline void ask(struct fixture *f, uint32_t servers, uint32_t degree, enum net_cables links)
{
    f->demand.servers = servers;
    f->demand.group = f->group;
    f->demand.transfers = f->transfers;
    f->options.degree = degree;
    f->options.links = links;
}

/* Servers first, first + stride, ... */
static inline void reduce(struct fixture *f, uint32_t first, uint32_t stride, uint32_t members,
                          uint64_t bytes)
{
    uint32_t *member = orr_arena_array(f->arena, members, sizeof *member);
    for (uint32_t i = 0; i < members; i++) {
        member[i] = first + i * stride;
    }
    f->group[f->demand.groups++] =
        (struct finder_group){.member = member, .members = members, .bytes = bytes};
}

static inline void send(struct fixture *f, uint32_t from, uint32_t to, uint64_t bytes)
{
    f->transfers[from * f->demand.servers + to] = bytes;
}

static inline void find(struct fixture *f)
{
    const enum orr_status status =
        orr_finder_find(f->arena, &f->demand, &f->options, &f->found, &f->diag);
    if (status != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
}

static inline void expect_error(struct fixture *f, const char *message)
{
    assert_int_equal(orr_finder_find(f->arena, &f->demand, &f->options, &f->found, &f->diag),
                     ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
}

static inline void expect_jumps(const struct finder_class *of, uint32_t jumps, const uint32_t *jump)
{
    assert_int_equal(of->jumps.jumps, jumps);
    for (uint32_t i = 0; i < jumps; i++) {
        assert_int_equal(of->jumps.jump[i], jump[i]);
    }
}
#define EXPECT_JUMPS(of, ...)                                                                      \
    expect_jumps(of, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                         \
                 (uint32_t[]){__VA_ARGS__})

static inline void expect_members(const struct finder_ring *ring, uint32_t members,
                                  const uint32_t *member)
{
    assert_int_equal(ring->members, members);
    for (uint32_t i = 0; i < members; i++) {
        assert_int_equal(ring->member[i], member[i]);
    }
}
#define EXPECT_RING(ring, ...)                                                                     \
    expect_members(ring, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                     \
                   (uint32_t[]){__VA_ARGS__})

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
