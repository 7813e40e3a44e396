/* Pairs of GPUs that SiP-ML's strategies send between (sections 3.2 and 3.3, Fig. 7: groups of k,
 * and rings at distance k) and that a circuit can connect. */
#include "sipml/hardware/sip_hardware.h"

struct sip_pairs orr_sip_pairs(uint32_t gpus, uint32_t group,
                               bool (*direct)(const void *network, uint32_t from, uint32_t to),
                               const void *network)
{
    struct sip_pairs out = {.inside = 0};
    for (uint32_t from = 0; from < gpus; from++) {
        const uint32_t first = from / group * group;
        for (uint32_t to = first; to < gpus && to - first < group; to++) {
            if (to != from) {
                out.inside++;
                out.inside_direct += direct(network, from, to);
            }
        }
        if (group < gpus) {
            out.around++;
            out.around_direct += direct(network, from, (from + group) % gpus);
        }
    }
    return out;
}

/* A level without circuits connects no pairs. */
static bool shares_level(const void *network, uint32_t from, uint32_t to)
{
    const struct bcube *bcube = network;
    const uint32_t level = orr_bcube_common(bcube, from, to);
    return level != WAVE_NONE && bcube->level[level].circuits > 0;
}

struct sip_pairs orr_sip_bcube_pairs(const struct sip_rules *rules, const struct bcube *bcube)
{
    return orr_sip_pairs(rules->gpus, rules->group, shares_level, bcube);
}

struct grid {
    uint32_t rows, columns, reach;
};

static bool shares_ring(const void *network, uint32_t from, uint32_t to)
{
    const struct grid *grid = network;
    const uint32_t columns = grid->columns;
    const bool row = from / columns == to / columns, column = from % columns == to % columns;
    struct ring_arc arc;
    const struct ocs_demand demand = {.from = row ? from % columns : from / columns,
                                      .to = row ? to % columns : to / columns};
    return (row || column) &&
           orr_ring_route(row ? columns : grid->rows, grid->reach, &demand, &arc);
}

struct sip_pairs orr_sip_rows_pairs(const struct sip_rules *rules, uint32_t rows)
{
    const struct grid grid = {
        .rows = rows,
        .columns = rules->gpus / rows,
        .reach = orr_ring_reach(rules->budget_db, rules->coupler_db, rules->ring_db)};
    return orr_sip_pairs(rules->gpus, rules->group, shares_ring, &grid);
}
