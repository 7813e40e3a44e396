/* TopoOpt's TopologyFinder, step by step: see finder.h. */
#include "planner/finder/finder.h"

#include "planner/finder/finder_private.h"

const char *const orr_finder_discount_names[] = {"halving", "linear", "factorial", "none", NULL};

static uint64_t sum_of(const struct finder_demand *demand)
{
    const size_t n = demand->servers;
    uint64_t sum = 0;
    for (size_t i = 0; demand->transfers != NULL && i < n * n; i++) {
        sum = i % (n + 1) != 0 ? sat_plus(sum, demand->transfers[i]) : sum;
    }
    return sum;
}

static enum orr_status begin(struct finding *finding)
{
    const struct finder_options *options = finding->options;
    *finding->out = (struct finder_topology){.servers = finding->demand->servers,
                                             .degree = options->degree,
                                             .links = options->links,
                                             .kind = options->kind};
    enum orr_status status = orr_finder_check(finding);
    status = status == ORR_OK ? orr_finder_merge_groups(finding) : status;
    status = status == ORR_OK ? orr_finder_make_classes(finding) : status;
    if (status != ORR_OK) {
        return status;
    }
    finding->used = orr_arena_array(finding->arena, finding->out->servers, sizeof(uint32_t));
    finding->out->used = finding->used;
    finding->out->transfer_bytes = sum_of(finding->demand);
    return finding->used != NULL ? ORR_OK : orr_finder_no_memory(finding);
}

/* Whether every server has the interfaces for a ring of all. */
static bool has_room_for_all(const struct finding *finding)
{
    const uint32_t n = finding->demand->servers, cost = orr_finder_cost(finding, n);
    for (uint32_t i = 0; i < n; i++) {
        if (finding->used[i] + cost > finding->out->ring_degree) {
            return false;
        }
    }
    return true;
}

/* What falls apart, matchings and all, gives its last jumps for a ring of all servers; what is left
 * is matched anew. */
static enum orr_status join(struct finding *finding, uint32_t rings)
{
    while (finding->out->layers > rings || !has_room_for_all(finding)) {
        orr_finder_take_back(finding);
    }
    const enum orr_status status = orr_finder_lay_connection(finding, 1);
    return status == ORR_OK ? orr_finder_match(finding) : status;
}

static enum orr_status lay(struct finding *finding)
{
    bool whole = true;
    orr_finder_split_degree(finding);
    enum orr_status status = orr_finder_lay_classes(finding);
    const uint32_t rings = finding->out->layers;
    status = status == ORR_OK ? orr_finder_match(finding) : status;
    status = status == ORR_OK ? orr_finder_is_whole(finding, &whole) : status;
    status = whole ? status : join(finding, rings);
    return status == ORR_OK && !finding->options->spare ? orr_finder_lay_rest(finding) : status;
}

enum orr_status orr_finder_find(struct orr_arena *arena, const struct finder_demand *demand,
                                const struct finder_options *options, struct finder_topology *out,
                                struct orr_diag *diag)
{
    struct finding finding = {
        .arena = arena, .demand = demand, .options = options, .out = out, .diag = diag};
    enum orr_status status = begin(&finding);
    status = status == ORR_OK ? lay(&finding) : status;
    status = status == ORR_OK ? orr_finder_make_rings(&finding) : status;
    for (uint32_t i = 0; i < demand->servers && status == ORR_OK; i++) {
        out->idle += options->degree - finding.used[i];
    }
    return status;
}
