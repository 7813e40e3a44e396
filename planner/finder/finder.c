/* TopoOpt's TopologyFinder: the order of its steps; see finder.h. */
#include "planner/finder/finder.h"

#include "core/arena.h"
#include "core/saturate.h"
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

static enum orr_status begin(struct finder *finder)
{
    const struct finder_options *options = finder->options;
    *finder->out = (struct finder_topology){.servers = finder->demand->servers,
                                            .degree = options->degree,
                                            .links = options->links,
                                            .kind = options->kind};
    enum orr_status status = orr_finder_check(finder);
    status = status == ORR_OK ? orr_finder_merge_groups(finder) : status;
    status = status == ORR_OK ? orr_finder_make_classes(finder) : status;
    if (status != ORR_OK) {
        return status;
    }
    finder->used = orr_arena_array(finder->arena, finder->out->servers, sizeof(uint32_t));
    finder->out->used = finder->used;
    finder->out->transfer_bytes = sum_of(finder->demand);
    return finder->used != NULL ? ORR_OK : orr_finder_no_memory(finder);
}

/* Whether every server has enough free interfaces for a ring of all servers. */
static bool has_interfaces_for_all(const struct finder *finder)
{
    const uint32_t n = finder->demand->servers, cost = orr_finder_cost(finder, n);
    for (uint32_t i = 0; i < n; i++) {
        if (finder->used[i] + cost > finder->out->ring_degree) {
            return false;
        }
    }
    return true;
}

/* Connects a disconnected topology: removes the matchings and the last jumps until a ring of all
 * servers fits, then matches again with the interfaces that are left. */
static enum orr_status reconnect(struct finder *finder, uint32_t rings)
{
    while (finder->out->layers > rings || !has_interfaces_for_all(finder)) {
        orr_finder_remove_layer(finder);
    }
    const enum orr_status status = orr_finder_add_connection_layer(finder, 1);
    return status == ORR_OK ? orr_finder_match(finder) : status;
}

static enum orr_status find_layers(struct finder *finder)
{
    bool connected = true;
    orr_finder_split_degree(finder);
    enum orr_status status = orr_finder_assign_classes(finder);
    const uint32_t rings = finder->out->layers;
    status = status == ORR_OK ? orr_finder_match(finder) : status;
    status = status == ORR_OK ? orr_finder_is_connected(finder, &connected) : status;
    status = connected ? status : reconnect(finder, rings);
    return status == ORR_OK && !finder->options->leave_idle ? orr_finder_assign_spare(finder)
                                                            : status;
}

enum orr_status orr_finder_find(struct orr_arena *arena, const struct finder_demand *demand,
                                const struct finder_options *options, struct finder_topology *out,
                                struct orr_diag *diag)
{
    struct finder finder = {
        .arena = arena, .demand = demand, .options = options, .out = out, .diag = diag};
    enum orr_status status = begin(&finder);
    status = status == ORR_OK ? find_layers(&finder) : status;
    status = status == ORR_OK ? orr_finder_make_rings(&finder) : status;
    for (uint32_t i = 0; i < demand->servers && status == ORR_OK; i++) {
        out->idle += options->degree - finder.used[i];
    }
    return status;
}
