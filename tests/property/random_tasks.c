/* See random_tasks.h. */
#include "random_tasks.h"
#include "core/rng.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { MAX_TASKS = 60, MAX_GROUP_NPUS = 9, MAX_COPIES = 4 };

struct maker {
    struct orr_rng rng;
    struct tg_builder *builder;
    uint32_t npus; /* of a group */
    uint32_t copies;
};

static uint32_t below(struct maker *maker, uint32_t limit)
{
    return (uint32_t)orr_rng_below(&maker->rng, limit);
}

/* Small and large ones. */
static uint64_t amount(struct maker *maker)
{
    const unsigned shift = below(maker, 60);
    return (UINT64_C(1) << shift) + below(maker, 1000);
}

static uint32_t name_of(struct maker *maker)
{
    static const char *const names[] = {"", "conv \"1\"", "a\\b", "größe", "dense", "x"};
    return orr_tg_builder_name(maker->builder, names[below(maker, 6)]);
}

static void add_reduce(struct maker *maker, const struct tg_task *task)
{
    uint32_t members[MAX_GROUP_NPUS], count = 0;
    const uint32_t first = below(maker, maker->npus), step = below(maker, 2) == 0 ? 1 : 2;
    for (uint32_t i = 0; i < maker->npus; i += step) {
        members[count++] = (first + i) % maker->npus;
    }
    struct tg_task reduce = *task;
    reduce.across = maker->copies > 1 && below(maker, 2) == 0;
    (void)orr_tg_builder_all_reduce(maker->builder, &reduce, members, 1 + below(maker, count));
}

static void add_task(struct maker *maker)
{
    const uint8_t role = (uint8_t)below(maker, TG_ROLES);
    struct tg_task task = {.role = role,
                           .pass = (uint8_t)below(maker, TG_PASSES),
                           .name = name_of(maker),
                           .from = below(maker, maker->npus)};
    task.to = task.from;
    if (role == TG_ALL_REDUCE) {
        task.bytes = amount(maker);
        task.duration_ps = below(maker, 2) * amount(maker);
        add_reduce(maker, &task);
        return;
    }
    if (orr_tg_is_transfer(&task)) {
        task.bytes = role == TG_TRANSFER ? amount(maker) : 8;
        task.to = below(maker, maker->npus);
    } else {
        task.duration_ps = amount(maker);
    }
    (void)orr_tg_builder_add(maker->builder, &task);
}

/* Of tasks in the order of their numbers, or the other way round. */
static void add_waits(struct maker *maker, uint32_t tasks)
{
    uint32_t order[MAX_TASKS];
    const bool down = below(maker, 3) == 0;
    for (uint32_t i = 0; i < 2 * tasks && tasks > 1; i++) {
        const uint32_t a = below(maker, tasks), b = below(maker, tasks);
        if (a != b) {
            orr_tg_builder_wait(maker->builder, (a < b) == down ? a : b, (a < b) == down ? b : a);
        }
    }
    for (uint32_t i = 0; i < tasks; i++) {
        order[i] = tasks - 1 - i;
    }
    if (down && below(maker, 2) == 0) {
        orr_tg_builder_order(maker->builder, order);
    }
}

void random_tasks(struct orr_arena *arena, uint64_t seed, struct tg_graph *out)
{
    struct maker maker;
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_rng_init(&maker.rng, seed, 0);
    maker.npus = 1 + below(&maker, MAX_GROUP_NPUS - 1);
    maker.copies = below(&maker, 2) == 0 ? 1 : 1 + below(&maker, MAX_COPIES);
    maker.builder = orr_tg_builder_create(maker.npus * maker.copies, maker.copies);
    const uint32_t tasks = 1 + below(&maker, MAX_TASKS - 1);
    for (uint32_t i = 0; i < tasks; i++) {
        add_task(&maker);
    }
    add_waits(&maker, tasks);
    ORR_ASSERT(orr_tg_builder_finish(maker.builder, arena, out, &diag) == ORR_OK);
    orr_tg_builder_destroy(maker.builder);
}
