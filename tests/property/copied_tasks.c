/* See copied_tasks.h. */
#include "tests/property/copied_tasks.h"

#include "core/rng.h"
#include "core/time.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX_TASKS = 40, MAX_NPUS = 20 };

struct made {
    struct orr_rng rng;
    struct tg_builder *builder;
    uint32_t place_count, copies, tasks;
    bool to_all; /* all-reduces wait for tasks anywhere in the group */
    uint8_t role[MAX_TASKS];
    uint32_t npu[MAX_TASKS];
};

static uint32_t below(struct made *made, uint32_t end)
{
    return (uint32_t)orr_rng_below(&made->rng, end);
}

static uint64_t few_bytes(struct made *made)
{
    static const uint64_t bytes[] = {0, 1, 1000, 8936, 10000, 30000, 100000, 123457};
    return bytes[below(made, sizeof bytes / sizeof *bytes)];
}

static uint64_t few_times(struct made *made)
{
    static const uint64_t us[] = {0, 1, 2, 5, 10, 11};
    return us[below(made, sizeof us / sizeof *us)] * ORR_PS_PER_US;
}

static void add_reduce(struct made *made, uint32_t number)
{
    uint32_t member[MAX_NPUS], count = 0;
    for (uint32_t i = 0; i < made->place_count; i++) {
        if (below(made, 2) == 0 || (count == 0 && i + 1 == made->place_count)) {
            member[count++] = i;
        }
    }
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t other = below(made, i + 1), kept = member[i];
        member[i] = member[other];
        member[other] = kept;
    }
    const struct tg_task task = {.role = TG_ALL_REDUCE,
                                 .bytes = few_bytes(made) * (1 + below(made, 5)),
                                 .duration_ps = below(made, 3) == 0 ? few_times(made) : 0,
                                 .across = below(made, 3) != 0};
    made->npu[number] = member[below(made, count)];
    (void)orr_tg_builder_all_reduce(made->builder, &task, member, count);
}

static void add_task(struct made *made, uint32_t number)
{
    static const uint8_t roles[] = {TG_COMPUTE,  TG_COMPUTE,  TG_COMPUTE,  TG_COMPUTE_CPU, TG_DELAY,
                                    TG_TRANSFER, TG_TRANSFER, TG_TRANSFER, TG_ALL_REDUCE};
    const uint8_t role = roles[below(made, sizeof roles)];
    made->role[number] = role;
    if (role == TG_ALL_REDUCE) {
        add_reduce(made, number);
        return;
    }
    struct tg_task task = {.role = role, .from = below(made, made->place_count)};
    task.to = role == TG_TRANSFER ? below(made, made->place_count) : task.from;
    task.bytes = role == TG_TRANSFER ? few_bytes(made) : 0;
    task.duration_ps = role == TG_TRANSFER ? 0 : few_times(made);
    made->npu[number] = task.to;
    (void)orr_tg_builder_add(made->builder, &task);
}

/* On tasks before it; all-reduces, as a rule, and those that wait for them, on those of members. */
static void add_waits(struct made *made)
{
    for (uint32_t task = 1; task < made->tasks; task++) {
        for (uint32_t n = below(made, 4); n > 0; n--) {
            const uint32_t other = below(made, task);
            const bool plain =
                made->role[task] != TG_ALL_REDUCE && made->role[other] != TG_ALL_REDUCE;
            const bool fits = plain || made->to_all || made->npu[other] == made->npu[task];
            if (fits) {
                orr_tg_builder_wait(made->builder, task, other);
            }
        }
    }
}

void copied_tasks(struct orr_arena *arena, uint64_t seed, struct tg_graph *out)
{
    struct orr_diag diag;
    struct made drawn, *made = &drawn;
    orr_diag_init(&diag);
    *made = (struct made){.place_count = 1};
    orr_rng_init(&made->rng, seed, 23);
    made->place_count = 1 + below(made, 4);
    made->copies = 2 + below(made, 4);
    made->tasks = 4 + below(made, MAX_TASKS - 4);
    made->to_all = below(made, 10) == 0;
    made->builder = orr_tg_builder_create(made->place_count * made->copies, made->copies);
    for (uint32_t i = 0; i < made->tasks; i++) {
        add_task(made, i);
    }
    add_waits(made);
    if (orr_tg_builder_finish(made->builder, arena, out, &diag) != ORR_OK) {
        fail_msg("seed %" PRIu64 ": %s", seed, diag.message);
    }
    orr_tg_builder_destroy(made->builder);
}
