/* Counts peers: see sipml_check.h. */
#include "sipml/search/sipml_check.h"

#include "core/arena.h"
#include "core/saturate.h"

struct counting {
    uint32_t group;
    struct sipml_degrees *of;   /* [k] */
    uint64_t *pair;             /* bits [k * k]: from a row to a column */
    struct sipml_degrees *ring; /* [k] to and from other groups */
    struct sipml_peers *out;
};

static void add_pair(struct counting *count, uint32_t from, uint32_t to)
{
    const size_t bit = (size_t)from * count->group + to;
    const uint64_t mask = UINT64_C(1) << bit % 64;
    if ((count->pair[bit / 64] & mask) == 0) {
        count->pair[bit / 64] |= mask;
        count->of[from].out++;
        count->of[to].in++;
    }
}

static void add_group(struct counting *count, const struct demand_group *group)
{
    const uint64_t others = group->members - 1u;
    for (uint32_t i = 0; i < group->members; i++) {
        for (uint32_t j = 0; j < group->members; j++) {
            if (i != j) {
                add_pair(count, group->member[i], group->member[j]);
            }
        }
    }
    /* Each member sends an m-th of the gradient, and of the sum, to each of m - 1 others: 2 (m - 1)
     * times the bytes in all. */
    count->out->exchange_bytes =
        sat_plus(count->out->exchange_bytes, sat_times(2 * others, group->bytes));
    count->out->ring_bytes = sat_plus(count->out->ring_bytes, group->around);
}

static void find_max(struct counting *count)
{
    struct sipml_peers *out = count->out;
    for (uint32_t g = 0; g < count->group; g++) {
        struct sipml_degrees *of = &count->of[g];
        out->of_group.out = of->out > out->of_group.out ? of->out : out->of_group.out;
        out->of_group.in = of->in > out->of_group.in ? of->in : out->of_group.in;
        const struct sipml_degrees ring = count->ring[g];
        of->out += ring.out;
        of->in += ring.in;
        out->of_ring.out = ring.out > out->of_ring.out ? ring.out : out->of_ring.out;
        out->of_ring.in = ring.in > out->of_ring.in ? ring.in : out->of_ring.in;
        if (of->out > out->max_out) {
            out->max_out = of->out;
            out->out_device = g;
        }
        if (of->in > out->max_in) {
            out->max_in = of->in;
            out->in_device = g;
        }
    }
}

enum orr_status orr_sipml_peers(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                struct sipml_peers *out, struct orr_diag *diag)
{
    const uint32_t group = traffic->group;
    const size_t pairs = (size_t)group * group;
    struct counting count = {.group = group,
                             .of = orr_arena_array(arena, group, sizeof(struct sipml_degrees)),
                             .pair = orr_heap_calloc(pairs / 64 + 1, 8),
                             .ring = orr_arena_array(arena, group, sizeof(struct sipml_degrees)),
                             .out = out};
    *out = (struct sipml_peers){.of = count.of, .transfer_bytes = traffic->of.transfer_bytes};
    const bool made = count.of != NULL && count.pair != NULL && count.ring != NULL;
    for (uint32_t g = 0; g < traffic->of.groups && made; g++) {
        add_group(&count, &traffic->of.group[g]);
    }
    for (size_t i = 0; i < pairs && made; i++) {
        if (traffic->of.transfers[i] != 0) {
            add_pair(&count, (uint32_t)(i / group), (uint32_t)(i % group));
        }
    }
    for (uint32_t i = 0; i < traffic->rows && made; i++) {
        const struct sipml_row *row = &traffic->row[i];
        count.ring[row->from].out += row->to >= group;
        count.ring[row->to % group].in += row->to >= group;
    }
    if (made) {
        find_max(&count);
    }
    orr_heap_free(count.pair);
    return made ? ORR_OK : orr_diag_no_memory(diag, "the peers of devices");
}
