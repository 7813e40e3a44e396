/* Rounds of flows: see flows.h. Everything that depends only on the paths is computed once. Flows
 * that join together do so in one event. The user is called with the last of the flows with equal
 * tail latency, and can handle them in one event. */
#include "network/flows/rounds.h"

#define NONE UINT32_MAX

/* ---- preparation ---- */

static const struct flow_path *path_at(const struct net_flows *flows,
                                       const struct net_flows_round *round, uint32_t member)
{
    return flow_path_at(&flows->paths, round->member[member].path);
}

static const struct flow_times *times_at(const struct net_flows *flows,
                                         const struct net_flows_round *round, uint32_t member)
{
    return flow_path_times(&flows->paths, path_at(flows, round, member));
}

static bool intern_paths(struct net_flows *flows, struct net_flows_round *round,
                         const struct net_route_links *path)
{
    for (uint32_t i = 0; i < round->count; i++) {
        const uint32_t number = orr_flow_paths_intern(&flows->paths, &path[i]);
        if (number == NONE) {
            return false;
        }
        round->member[i] = (struct round_member){
            .path = number, .overhead_bytes = orr_flows_overhead_bytes(flows, &path[i])};
    }
    return true;
}

/* Groups members by tail latency; few latencies differ. O(members x latencies). */
static void sort_ends(const struct net_flows *flows, struct net_flows_round *round, sim_time *tail)
{
    for (uint32_t i = 0; i < round->count; i++) {
        const sim_time own = times_at(flows, round, i)->tail_ps;
        uint32_t end = 0;
        while (end < round->ends && tail[end] != own) {
            end++;
        }
        tail[end] = own;
        round->ends += end == round->ends;
        round->member[i].end = end;
        round->size[end]++;
    }
}

/* The earliest start after `before`; ORR_TIME_MAX: none. */
static sim_time next_start(const struct net_flows *flows, const struct net_flows_round *round,
                           sim_time before)
{
    sim_time min = ORR_TIME_MAX;
    for (uint32_t i = 0; i < round->count; i++) {
        const sim_time own = times_at(flows, round, i)->start_ps;
        min = own > before && own < min ? own : min;
    }
    return min;
}

static void sort_starts(const struct net_flows *flows, struct net_flows_round *round)
{
    uint32_t sorted = 0;
    for (sim_time start = next_start(flows, round, -1); sorted < round->count;
         start = next_start(flows, round, start)) {
        for (uint32_t i = 0; i < round->count; i++) {
            if (times_at(flows, round, i)->start_ps == start) {
                round->order[sorted++] = i;
            }
        }
        round->first[++round->starts] = sorted;
    }
}

/* Allocates a round of `count` members; NULL: out of memory. */
static struct net_flows_round *new_round(struct orr_arena *arena, uint32_t count)
{
    struct net_flows_round *round = orr_arena_alloc(arena, sizeof *round);
    if (round == NULL) {
        return NULL;
    }
    *round = (struct net_flows_round){
        .count = count,
        .member = orr_arena_array(arena, count, sizeof *round->member),
        .order = orr_arena_array(arena, count, sizeof *round->order),
        .first = orr_arena_array(arena, (size_t)count + 1, sizeof *round->first),
        .size = orr_arena_array(arena, count, sizeof *round->size)};
    return round->member != NULL && round->order != NULL && round->first != NULL &&
                   round->size != NULL
               ? round
               : NULL;
}

uint32_t orr_net_flows_round_ends(const struct net_flows_round *round)
{
    return round->ends;
}

/* ---- a round in flight ---- */

static struct round_run *new_run(struct net_flows *flows, struct net_flows_round *round)
{
    struct round_run *run = round->unused;
    if (run != NULL) {
        round->unused = run->next;
    } else {
        run = orr_arena_alloc(flows->arena, sizeof *run);
        struct round_end *end = orr_arena_array(flows->arena, round->ends, sizeof *end);
        if (run == NULL || end == NULL) {
            return NULL;
        }
        *run = (struct round_run){.round = round, .end = end};
    }
    for (uint32_t i = 0; i < round->ends; i++) {
        run->end[i] = (struct round_end){.run = run, .left = round->size[i]};
    }
    run->joined = 0;
    run->ends_left = round->ends;
    return run;
}

static void joins(struct net_flows *flows, uint64_t cookie)
{
    struct round_run *run = (struct round_run *)(uintptr_t)cookie;
    const struct net_flows_round *round = run->round;
    if (round->bundle != NULL && round->bundle->other_flows == 0) {
        if (!orr_flows_join_aggregated(flows, run)) {
            orr_flows_no_memory(flows);
        }
        return;
    }
    const uint32_t start = run->joined++;
    for (uint32_t i = round->first[start]; i < round->first[start + 1]; i++) {
        const uint32_t handle = orr_flows_round_flow(flows, run, round->order[i]);
        if (handle == ORR_SLAB_NONE) {
            orr_flows_no_memory(flows);
            return;
        }
        orr_flows_join(flows, handle);
    }
}

static void post_joins(struct net_flows *flows, struct round_run *run)
{
    const struct net_flows_round *round = run->round;
    for (uint32_t start = 0; start < round->starts; start++) {
        const uint32_t first = round->order[round->first[start]];
        const struct orr_event event = {.label = (uint64_t)EVENT_JOIN << 32,
                                        .cookie = (uintptr_t)run,
                                        .entity = flows->entity,
                                        .kind = EVENT_JOIN,
                                        .aux = JOIN_IN_ROUND,
                                        .part = ORR_PART_NONE};
        orr_evq_post(
            flows->config.queue,
            orr_time_add(orr_evq_now(flows->config.queue), times_at(flows, round, first)->start_ps),
            &event);
    }
}

/* Posts each flow separately, because each can be delayed before it joins. */
static void post_each(struct net_flows *flows, struct round_run *run)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    for (uint32_t i = 0; i < run->round->count; i++) {
        const uint32_t handle = orr_flows_round_flow(flows, run, i);
        if (handle == ORR_SLAB_NONE) {
            orr_flows_no_memory(flows);
            return;
        }
        const sim_time delay = orr_flows_join_delay(flows, path_at(flows, run->round, i), 1);
        if (!orr_flow_pending_add(&flows->joins, handle, orr_time_add(now, delay))) {
            orr_flows_no_memory(flows);
            return;
        }
    }
}

void orr_net_flows_start_round(struct net_flows *flows, struct net_flows_round *round,
                               uint64_t bytes, uint64_t cookie)
{
    struct round_run *run = new_run(flows, round);
    if (run == NULL) {
        orr_flows_no_memory(flows);
        return;
    }
    run->cookie = cookie;
    run->bytes = orr_flows_wire_bytes(flows, bytes);
    for (uint32_t i = 0; flows->paths.counts && i < round->count; i++) {
        struct flow_path_use *use = flow_path_use(&flows->paths, round->member[i].path);
        use->flows++;
        use->bytes += (uint64_t)run->bytes;
    }
    flows->counts.flows += round->count;
    flows->in_flight += round->count;
    if (flows->config.model.windows) {
        post_each(flows, run);
    } else {
        post_joins(flows, run);
    }
}

static void end_run(struct net_flows *flows, struct round_run *run, sim_time time)
{
    if (--run->ends_left == 0) {
        run->next = run->round->unused;
        run->round->unused = run;
    }
    flows->config.ended(flows->config.context, run->cookie, time);
}

static void left(struct net_flows *flows, uint64_t cookie, sim_time time)
{
    struct round_end *end = (struct round_end *)(uintptr_t)cookie;
    if (--end->left == 0) {
        end_run(flows, end->run, time);
    }
}

static void left_aggregated(struct net_flows *flows, uint64_t cookie, sim_time time)
{
    struct round_run *run = ((struct round_end *)(uintptr_t)cookie)->run;
    flows->in_flight -= run->round->count - 1;
    orr_flows_unlink(run);
    end_run(flows, run, time);
}

static uint64_t cookie_of(uint64_t cookie)
{
    return ((const struct round_end *)(uintptr_t)cookie)->run->cookie;
}

/* ---- creation ---- */

static const struct flows_rounds of_rounds = {.joins = joins,
                                              .left = left,
                                              .left_aggregated = left_aggregated,
                                              .cookie = cookie_of,
                                              .enter = orr_flows_bundles_enter,
                                              .leave = orr_flows_bundles_leave};

struct net_flows_round *orr_net_flows_round(struct net_flows *flows,
                                            const struct net_route_links *path, uint32_t count)
{
    struct net_flows_round *round = new_round(flows->arena, count);
    sim_time *tail = orr_heap_calloc(count, sizeof *tail);
    flows->rounds = &of_rounds;
    const bool done = round != NULL && tail != NULL && intern_paths(flows, round, path);
    if (done) {
        sort_ends(flows, round, tail);
        sort_starts(flows, round);
    }
    orr_heap_free(tail);
    return done && orr_flows_find_bundle(flows, round) ? round : NULL;
}
