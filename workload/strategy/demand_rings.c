/* Traffic of all-reduces by rings or double binary trees; see demand_total.h. */
#include <inttypes.h>

#include "core/divide.h"
#include "system/collectives/program.h"
#include "workload/strategy/demand_total.h"

struct rings {
    const struct demand_total *total;
    const uint32_t *jump;
    uint32_t jumps;
    bool trees; /* two trees instead of each ring */
    uint64_t *matrix;
};

/* The i-th member of a ring: of the group, or device `at` of each group of devices. */
static size_t ring_member(const struct rings *rings, const struct demand_group *group, uint32_t at,
                          uint32_t i)
{
    const uint32_t k = rings->total->devices / rings->total->copies;
    return group->across ? (size_t)i * k + group->member[at] : (size_t)at * k + group->member[i];
}

/* The members that reduce at one position. */
struct reducers {
    const struct demand_group *group;
    uint32_t at, members;
    uint64_t bytes;
};

static void add_ring(const struct rings *rings, const struct reducers *of, uint32_t jump)
{
    const double sent = 2.0 * (of->members - 1) / of->members * (double)of->bytes / rings->jumps;
    for (uint32_t i = 0; i < of->members; i++) {
        const size_t from = ring_member(rings, of->group, of->at, i);
        const size_t to = ring_member(rings, of->group, of->at, (i + jump) % of->members);
        rings->matrix[from * rings->total->devices + to] += (uint64_t)(sent + 0.5);
    }
}

static size_t tree_member(const struct rings *rings, const struct reducers *of, uint32_t jump,
                          uint32_t rank)
{
    return ring_member(rings, of->group, of->at, (uint32_t)((uint64_t)rank * jump % of->members));
}

/* Half of the bytes by each of two trees. */
static void add_trees(const struct rings *rings, const struct reducers *of, uint32_t jump)
{
    const struct coll_algorithm *trees = orr_coll_for(COLL_FOR_TURNS);
    const double half = (double)of->bytes / rings->jumps / 2;
    for (uint32_t i = 0; i < 2 * of->members; i++) {
        const struct coll_args args = {.kind = COLL_ALL_REDUCE,
                                       .n = of->members,
                                       .rank = i / 2,
                                       .variant = i % 2,
                                       .bytes = (uint64_t)(half + 0.5)};
        const size_t from = tree_member(rings, of, jump, args.rank);
        for (uint32_t k = 0; k < trees->sends(&args); k++) {
            struct coll_send send;
            trees->send(&args, k, &send);
            const size_t to = tree_member(rings, of, jump, send.peer);
            rings->matrix[from * rings->total->devices + to] += send.bytes;
        }
    }
}

static enum orr_status add_position(const struct rings *rings, const struct reducers *of,
                                    struct orr_diag *diag)
{
    for (uint32_t j = 0; j < rings->jumps; j++) {
        if (orr_gcd(rings->jump[j], of->members) != 1) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "a ring of jumps of %" PRIu32 " does not reach all of %" PRIu32
                                 " members; expected jumps without a common divisor",
                                 rings->jump[j], of->members);
        }
        if (rings->trees) {
            add_trees(rings, of, rings->jump[j]);
        } else {
            add_ring(rings, of, rings->jump[j]);
        }
    }
    return ORR_OK;
}

/* Scatter and gather among the members of each group. */
static void add_exchange(const struct rings *rings, const struct demand_group *group,
                         uint64_t bytes)
{
    const uint32_t k = rings->total->devices / rings->total->copies;
    for (uint32_t i = 0; i < group->members * group->members; i++) {
        const uint32_t a = group->member[i / group->members];
        const uint32_t b = group->member[i % group->members];
        for (uint32_t g = 0; g < rings->total->copies && a != b; g++) {
            const size_t from = (size_t)g * k + a, to = (size_t)g * k + b;
            rings->matrix[from * rings->total->devices + to] += 2 * bytes;
        }
    }
}

static enum orr_status add_group(const struct rings *rings, const struct demand_group *group,
                                 struct orr_diag *diag)
{
    const uint32_t count = group->across ? group->members : rings->total->copies;
    const uint64_t bytes = group->across ? group->bytes / group->members : group->bytes;
    enum orr_status status = ORR_OK;
    if (group->across) {
        add_exchange(rings, group, bytes);
    }
    for (uint32_t at = 0; at < count && status == ORR_OK; at++) {
        const struct reducers of = {.group = group,
                                    .at = at,
                                    .members =
                                        group->across ? rings->total->copies : group->members,
                                    .bytes = bytes};
        status = add_position(rings, &of, diag);
    }
    return status;
}

static enum orr_status add_all(const struct rings *rings, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t g = 0; g < rings->total->groups && status == ORR_OK; g++) {
        status = add_group(rings, &rings->total->group[g], diag);
    }
    return status;
}

enum orr_status orr_demand_add_rings(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag)
{
    const struct rings rings = {.total = total, .jump = jump, .jumps = jumps, .matrix = matrix};
    return add_all(&rings, diag);
}

enum orr_status orr_demand_add_trees(const struct demand_total *total, const uint32_t *jump,
                                     uint32_t jumps, uint64_t *matrix, struct orr_diag *diag)
{
    const struct rings rings = {
        .total = total, .jump = jump, .jumps = jumps, .trees = true, .matrix = matrix};
    return add_all(&rings, diag);
}
