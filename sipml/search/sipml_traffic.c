/* Traffic of a strategy: see sipml_traffic.h. */
#include "sipml/search/sipml_traffic.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/strategy/strategy.h"

#include <string.h>

/* Sums of a group. */
struct sums {
    uint32_t devices, group;
    bool bidirectional;
    uint64_t *parallel, *ring; /* [k * k] */
    uint64_t *up, *down;       /* [k] to the next group, and to the previous one */
};

static void add(uint64_t *to, uint64_t bytes)
{
    *to = sat_plus(*to, bytes);
}

/* Bytes that one of n members sends around a ring, in one direction. */
static uint64_t ring_bytes_sent(const struct sums *sums, uint32_t n, uint64_t bytes)
{
    return sat_integer(2.0 * (n - 1) / n * (double)bytes / (sums->bidirectional ? 2 : 1) + 0.5);
}

/* Reduction across groups: each of m devices has an m-th of the gradient, from each and to each,
 * and sends it around the groups. */
static void add_across(struct sums *sums, const struct demand_group *group)
{
    const size_t k = sums->group, m = group->members;
    const uint64_t each = group->bytes / m;
    for (size_t i = 0; i < m * m; i++) {
        if (i / m != i % m) {
            add(&sums->parallel[group->member[i / m] * k + group->member[i % m]],
                sat_times(2, each));
        }
    }
    const uint64_t bytes = ring_bytes_sent(sums, sums->devices / sums->group, each);
    for (size_t i = 0; i < m; i++) {
        add(&sums->up[group->member[i]], bytes);
        add(&sums->down[group->member[i]], sums->bidirectional ? bytes : 0);
    }
}

/* Reduction inside of a group: a ring of the members. */
static void add_inside(struct sums *sums, const struct demand_group *group)
{
    const size_t k = sums->group;
    const uint32_t m = group->members;
    const uint64_t bytes = ring_bytes_sent(sums, m, group->bytes);
    for (uint32_t i = 0; i < m; i++) {
        const size_t from = group->member[i] * k;
        add(&sums->ring[from + group->member[(i + 1) % m]], bytes);
        if (sums->bidirectional) {
            add(&sums->ring[from + group->member[(i + m - 1) % m]], bytes);
        }
    }
}

static bool sum_group(struct sums *sums, struct orr_arena *arena, const struct demand_total *of)
{
    const size_t k = sums->group;
    sums->parallel = orr_arena_array(arena, k * k, sizeof *sums->parallel);
    sums->ring = orr_arena_array(arena, k * k, sizeof *sums->ring);
    sums->up = orr_arena_array(arena, k, sizeof *sums->up);
    sums->down = orr_arena_array(arena, k, sizeof *sums->down);
    if (sums->parallel == NULL || sums->ring == NULL || sums->up == NULL || sums->down == NULL) {
        return false;
    }
    memcpy(sums->parallel, of->transfers, k * k * sizeof *sums->parallel);
    for (uint32_t g = 0; g < of->groups; g++) {
        if (of->group[g].across) {
            add_across(sums, &of->group[g]);
        } else {
            add_inside(sums, &of->group[g]);
        }
    }
    return true;
}

/* ---- rows ---- */

struct rows {
    struct sipml_row *row; /* NULL: only counted */
    uint32_t count;
};

static void add_row(struct rows *rows, struct sipml_row row)
{
    if (row.parallel != 0 || row.ring != 0) {
        if (rows->row != NULL) {
            rows->row[rows->count] = row;
        }
        rows->count++;
    }
}

static void add_rows(const struct sums *sums, struct rows *rows)
{
    const uint32_t k = sums->group, n = sums->devices;
    rows->count = 0;
    for (uint32_t i = 0; i < k; i++) {
        for (uint32_t j = 0; j < k; j++) {
            const size_t at = (size_t)i * k + j;
            add_row(rows, (struct sipml_row){i, j, sums->parallel[at], sums->ring[at]});
        }
        const uint32_t next = i + k, before = n - k + i; /* equal if there are two groups */
        const bool apart = next != before;
        add_row(rows,
                (struct sipml_row){i, next, 0, sat_plus(sums->up[i], apart ? 0 : sums->down[i])});
        add_row(rows, (struct sipml_row){i, before, 0, apart ? sums->down[i] : 0});
    }
}

enum orr_status orr_sipml_traffic(struct orr_arena *arena, const struct model_graph *model,
                                  const struct strategy *strategy, bool bidirectional,
                                  struct sipml_traffic *out, struct orr_diag *diag)
{
    struct sums sums = {
        strategy->devices, orr_strategy_group(strategy), bidirectional, NULL, NULL, NULL, NULL};
    struct rows rows = {NULL, 0};
    *out = (struct sipml_traffic){.devices = sums.devices, .group = sums.group};
    const enum orr_status status = orr_demand_of_group(arena, model, strategy, &out->of, diag);
    if (status != ORR_OK) {
        return status;
    }
    bool made = sum_group(&sums, arena, &out->of);
    if (made) {
        add_rows(&sums, &rows);
        rows.row = orr_arena_array(arena, (size_t)rows.count + 1, sizeof *rows.row);
        made = rows.row != NULL;
    }
    if (!made) {
        return orr_diag_no_memory(diag, "the traffic of a strategy");
    }
    add_rows(&sums, &rows);
    out->row = rows.row;
    out->rows = rows.count;
    return ORR_OK;
}

uint64_t *orr_sipml_traffic_corner(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                   uint32_t first)
{
    const uint32_t n = traffic->devices;
    uint64_t *matrix = orr_arena_array(arena, (size_t)first * first, sizeof *matrix);
    for (uint32_t base = 0; matrix != NULL && base < first; base += traffic->group) {
        for (uint32_t i = 0; i < traffic->rows; i++) {
            const struct sipml_row *row = &traffic->row[i];
            const size_t from = base + row->from, to = (base + row->to) % n;
            if (from < first && to < first) {
                add(&matrix[from * first + to], sat_plus(row->parallel, row->ring));
            }
        }
    }
    return matrix;
}
