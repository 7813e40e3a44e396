/* Flow aggregation: rounds of which one flow represents all (rounds.h). Another flow that joins on
 * a link of the bundle interrupts it: then all flows of its rounds join, with the representative's
 * remaining bytes, and are single flows from then on. Rounds are aggregated again once the bundle's
 * links carry no other flows. */
#include "network/flows/rounds.h"

#define NONE UINT32_MAX

static struct net_route_links links_of(const struct net_flows *flows, uint32_t path)
{
    return flow_path_links(&flows->paths, flow_path_at(&flows->paths, path));
}

/* ---- which paths are a bundle ---- */

static bool make_bundles(struct net_flows *flows)
{
    const size_t links = (size_t)flows_links(flows) + 1;
    struct flow_bundles *bundles = orr_arena_alloc(flows->arena, sizeof *bundles);
    if (bundles == NULL) {
        return false;
    }
    bundles->of = orr_arena_array(flows->arena, links, sizeof *bundles->of);
    bundles->path = orr_arena_array(flows->arena, links, sizeof *bundles->path);
    flows->bundles = bundles->of != NULL && bundles->path != NULL ? bundles : NULL;
    return flows->bundles != NULL;
}

/* Whether a member's path matches the first one's, hop by hop. */
static bool matches_first(const struct net_flows *flows, const struct net_flows_round *round,
                          uint32_t member)
{
    const struct net_route_links first = links_of(flows, round->member[0].path);
    const struct net_route_links own = links_of(flows, round->member[member].path);
    bool same = own.hops == first.hops;
    for (uint32_t h = 0; same && h < own.hops; h++) {
        same = flows->engine->capacity(flows, own.link[h]) ==
               flows->engine->capacity(flows, first.link[h]);
    }
    return same;
}

/* Whether the round's paths are those of the bundle of its first link. */
static bool has_paths_of(const struct net_flows *flows, const struct net_flows_round *round,
                         const struct round_bundle *bundle)
{
    bool same = bundle->paths == round->count;
    for (uint32_t i = 0; same && i < round->count; i++) {
        const uint32_t path = round->member[i].path, link = links_of(flows, path).link[0];
        same = flows->bundles->of[link] == bundle && flows->bundles->path[link] == path;
    }
    return same;
}

/* Assigns the links of `*members` members to the bundle (NULL: to none); false: a link is in a
 * bundle already, and *members is the number of members before it. */
static bool claim(struct net_flows *flows, const struct net_flows_round *round,
                  struct round_bundle *bundle, uint32_t *members)
{
    for (uint32_t i = 0; i < *members; i++) {
        const struct net_route_links links = links_of(flows, round->member[i].path);
        for (uint32_t h = 0; h < links.hops; h++) {
            if (bundle != NULL && flows->bundles->of[links.link[h]] != NULL) {
                while (h-- > 0) {
                    flows->bundles->of[links.link[h]] = NULL;
                }
                *members = i;
                return false;
            }
            flows->bundles->of[links.link[h]] = bundle;
            flows->bundles->path[links.link[h]] = round->member[i].path;
        }
    }
    return true;
}

static bool new_bundle(struct net_flows *flows, struct net_flows_round *round)
{
    struct round_bundle *bundle = orr_arena_alloc(flows->arena, sizeof *bundle);
    uint32_t claimed = round->count;
    if (bundle == NULL) {
        return false;
    }
    *bundle = (struct round_bundle){.paths = round->count, .representative = NONE};
    if (!claim(flows, round, bundle, &claimed)) {
        (void)claim(flows, round, NULL, &claimed);
        return true;
    }
    round->bundle = bundle;
    for (uint32_t i = 0; i < round->count; i++) {
        const struct net_route_links links = links_of(flows, round->member[i].path);
        for (uint32_t h = 0; h < links.hops; h++) {
            bundle->other_flows += flows->engine->on(flows, links.link[h]);
        }
    }
    return true;
}

bool orr_flows_find_bundle(struct net_flows *flows, struct net_flows_round *round)
{
    bool is_bundle = flows->engine->left != NULL && !flows->config.model.windows &&
                     round->starts == 1 && round->ends == 1;
    for (uint32_t i = 1; is_bundle && i < round->count; i++) {
        is_bundle = matches_first(flows, round, i);
    }
    if (!is_bundle) {
        return true;
    }
    if (flows->bundles == NULL && !make_bundles(flows)) {
        return false;
    }
    struct round_bundle *bundle =
        flows->bundles->of[links_of(flows, round->member[0].path).link[0]];
    if (bundle == NULL) {
        return new_bundle(flows, round);
    }
    round->bundle = has_paths_of(flows, round, bundle) ? bundle : NULL;
    return true;
}

/* ---- aggregated rounds ---- */

/* Finds the representative: all paths get numbers, as if flows had joined. */
static bool find_representative(struct net_flows *flows, struct net_flows_round *round)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        const uint32_t number = flows->engine->number(flows, round->member[i].path);
        if (number == NONE) {
            return false;
        }
        round->representative = number >= highest ? i : round->representative;
        highest = number >= highest ? number : highest;
    }
    return true;
}

uint32_t orr_flows_round_flow(struct net_flows *flows, struct round_run *run, uint32_t index)
{
    const struct round_member *member = &run->round->member[index];
    const uint32_t handle = orr_slab_new(&flows->records);
    if (handle == ORR_SLAB_NONE) {
        return handle;
    }
    *flow_record_at(&flows->records, handle) =
        (struct flow_record){.bytes = run->bytes + member->overhead_bytes,
                             .cookie = (uintptr_t)&run->end[member->end],
                             .path = member->path,
                             .child = NONE,
                             .sibling = NONE,
                             .weight = 1,
                             .in_round = FLOW_IN_ROUND};
    return handle;
}

bool orr_flows_join_aggregated(struct net_flows *flows, struct round_run *run)
{
    struct net_flows_round *round = run->round;
    struct round_bundle *bundle = round->bundle;
    run->record = find_representative(flows, round)
                      ? orr_flows_round_flow(flows, run, round->representative)
                      : ORR_SLAB_NONE;
    if (run->record == ORR_SLAB_NONE) {
        return false;
    }
    flow_record_at(&flows->records, run->record)->in_round = FLOW_IS_ROUND;
    run->previous = bundle->last;
    run->next = NULL;
    *(bundle->last != NULL ? &bundle->last->next : &bundle->first) = run;
    bundle->last = run;
    flows->engine->join(flows, run->record);
    return true;
}

void orr_flows_unlink(struct round_run *run)
{
    struct round_bundle *bundle = run->round->bundle;
    *(run->previous != NULL ? &run->previous->next : &bundle->first) = run->next;
    *(run->next != NULL ? &run->next->previous : &bundle->last) = run->previous;
}

/* ---- other flows on its links ---- */

/* Makes all flows of a round single flows. */
static void split_round(struct net_flows *flows, struct round_run *run, double left)
{
    const struct net_flows_round *round = run->round;
    const uint32_t representative = round->member[round->representative].path;
    orr_flows_unlink(run);
    flow_record_at(&flows->records, run->record)->in_round = FLOW_IN_ROUND;
    round->bundle->other_flows += links_of(flows, representative).hops;
    for (uint32_t i = 0; i < round->count; i++) {
        const uint32_t handle =
            i != round->representative ? orr_flows_round_flow(flows, run, i) : NONE;
        if (handle != NONE) {
            flow_record_at(&flows->records, handle)->bytes = left;
            orr_flows_bundles_enter(flows, round->member[i].path);
            flows->engine->join(flows, handle);
        } else if (i != round->representative) {
            orr_evq_stop(flows->config.queue, ORR_ERR_MEMORY);
        }
    }
}

/* Interrupts a bundle. Rounds that end in this instant still end aggregated. */
static void interrupt(struct net_flows *flows, struct round_bundle *bundle)
{
    struct round_run *next;
    for (struct round_run *run = bundle->first; run != NULL; run = next) {
        const double left = flows->engine->left(flows, run->record);
        next = run->next;
        if (left > 0) {
            split_round(flows, run, left);
        }
    }
}

void orr_flows_bundles_enter(struct net_flows *flows, uint32_t path)
{
    const struct net_route_links links = links_of(flows, path);
    for (uint32_t h = 0; h < links.hops; h++) {
        struct round_bundle *bundle = flows->bundles->of[links.link[h]];
        if (bundle != NULL && bundle->other_flows++ == 0) {
            interrupt(flows, bundle);
        }
    }
}

void orr_flows_bundles_leave(struct net_flows *flows, uint32_t path)
{
    const struct net_route_links links = links_of(flows, path);
    for (uint32_t h = 0; h < links.hops; h++) {
        struct round_bundle *bundle = flows->bundles->of[links.link[h]];
        if (bundle != NULL) {
            bundle->other_flows--;
        }
    }
}
