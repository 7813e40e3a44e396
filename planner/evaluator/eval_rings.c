/* The rings of an all-reduce (docs/models.md, section 4: `ring`): those that the graph defines for
 * the members, else one from each member to the next. If each flow chooses among several routes,
 * link loads and the maximum load are means over a few draws. Results are cached
 * (eval_ring_sets.c). */
#include "network/permutations/permutations.h"
#include "planner/evaluator/eval_private.h"
#include "system/embedding/embedding.h"

/* One member's message of a round. */
struct step {
    uint32_t from, to;
    const struct net_route_links *way; /* path that the ring defines; NULL: default routing */
    bool routed;                       /* not a step of a ring of the graph */
};

/* Members of one ring. */
static uint32_t size_of(const struct eval_ring_set *set)
{
    return set->members / set->holders.count;
}

/* The step of index `index` of an exchange: each member sends to every other one of its group. */
static struct step exchange_at(const struct eval_ring_set *set, uint32_t index)
{
    const uint32_t holders = set->holders.count, pairs = holders * (holders - 1);
    const uint32_t *group = set->member + (size_t)(index / pairs) * holders;
    const uint32_t from = index % pairs / (holders - 1), other = index % pairs % (holders - 1);
    return (struct step){.from = group[from], .to = group[other + (other >= from)], .routed = true};
}

static uint32_t steps_of(const struct eval_ring_set *set)
{
    return set->holders.exchange ? set->members * (set->holders.count - 1) : set->members;
}

/* The step of member `number`, as in mono_rings.c, and in mono_group_rings.c for groups with
 * several members. */
static struct step step_at(const struct evaluator *evaluator, const struct eval_ring_set *set,
                           const struct net_ring *ring, uint32_t number)
{
    const uint32_t k = size_of(set), holders = set->holders.count;
    const uint32_t index = number / holders, next = (index + 1) % k;
    const uint32_t *member = set->member + number % holders; /* one index of all groups */
    if (set->holders.exchange) {
        return exchange_at(set, number);
    }
    if (ring == NULL) {
        return (struct step){
            .from = member[index * holders], .to = member[next * holders], .routed = true};
    }
    const struct net_route_links *way =
        ring->way != 0 ? &evaluator->ways.graph->way[ring->way - 1 + index] : NULL;
    if (ring->member != NULL) {
        return (struct step){.from = ring->member[index], .to = ring->member[next], .way = way};
    }
    if (ring->order != NULL) {
        return (struct step){.from = member[ring->order[index] * holders],
                             .to = member[ring->order[next] * holders],
                             .way = way};
    }
    const int64_t ahead = ((int64_t)ring->jump % k + k) % k;
    return (struct step){.from = member[index * holders],
                         .to = member[((uint64_t)index + (uint64_t)ahead) % k * holders]};
}

/* Properties of a round for one draw of the routes. */
struct round {
    double latency, capacity;
    double max; /* as eval_ring.max; with several rings their mean */
};

/* The links of a step for one draw; NULL: there is no path, or memory is out. */
static const uint32_t *links_of(struct evaluator *evaluator, const struct step *step, uint32_t draw,
                                struct eval_route *way)
{
    const struct net_route_links ring_path =
        step->routed ? (struct net_route_links){.hops = 0}
                     : orr_eval_step(&evaluator->ways, step->from, step->to, step->way);
    if (ring_path.hops != 0) {
        way->hops = ring_path.hops;
        orr_eval_time_route(&evaluator->ways, ring_path.link, way);
        return ring_path.link;
    }
    const struct eval_route *default_route =
        eval_route_of(&evaluator->ways, step->from, step->to, draw);
    if (default_route == NULL) {
        return NULL;
    }
    *way = *default_route;
    return eval_route_links(&evaluator->ways, default_route);
}

/* Counts the flows of a round on each link. false: there is no path, or memory is out. */
static bool count_round(struct evaluator *evaluator, const struct eval_ring_set *set,
                        const struct net_ring *ring, uint32_t draw, struct round *out)
{
    double *count = evaluator->link_flows;
    for (uint32_t i = 0; i < steps_of(set); i++) {
        const struct step step = step_at(evaluator, set, ring, i);
        struct eval_route way;
        const uint32_t *link = links_of(evaluator, &step, draw, &way);
        if (link == NULL) {
            return false;
        }
        for (uint32_t h = 0; h < way.hops; h++) {
            count[link[h]] += 1;
            out->capacity = fmin(out->capacity, evaluator->ways.capacity[link[h]]);
        }
        out->latency = fmax(out->latency, way.start + way.tail);
    }
    return true;
}

/* Weight of a flow relative to the narrowest link: two flows on a link of two parallel cables have
 * the rate of one flow on a link of one cable. */
static double narrowed(const struct evaluator *evaluator, uint32_t link, double narrowest)
{
    return narrowest / evaluator->ways.capacity[link];
}

/* A draw whose flows are counted. */
struct drawn {
    const struct net_ring *ring;
    uint32_t draw;
    double narrowest;
};

/* The maximum weighted load of a link, of one ring or of the whole exchange. */
static double max_of(struct evaluator *evaluator, const struct eval_ring_set *set,
                     const struct drawn *drawn, uint32_t place)
{
    const uint32_t places = set->holders.exchange ? 1 : set->holders.count;
    double max = 0;
    for (uint32_t i = place; i < steps_of(set); i += places) {
        const struct step step = step_at(evaluator, set, drawn->ring, i);
        struct eval_route way;
        const uint32_t *link = links_of(evaluator, &step, drawn->draw, &way);
        for (uint32_t h = 0; link != NULL && h < way.hops; h++) {
            const double narrow = narrowed(evaluator, link[h], drawn->narrowest);
            max = fmax(max, evaluator->link_flows[link[h]] * narrow);
        }
    }
    return max;
}

/* false: there is no path, or memory is out. */
static bool draw_round(struct evaluator *evaluator, const struct eval_ring_set *set,
                       const struct net_ring *ring, uint32_t draw, struct round *out)
{
    const uint32_t places = set->holders.exchange ? 1 : set->holders.count;
    *out = (struct round){.capacity = EVAL_MAX_CAPACITY};
    memset(evaluator->link_flows, 0, evaluator->ways.links * sizeof(double));
    if (!count_round(evaluator, set, ring, draw, out)) {
        return false;
    }
    const struct drawn drawn = {.ring = ring, .draw = draw, .narrowest = out->capacity};
    for (uint32_t place = 0; place < places; place++) {
        out->max += max_of(evaluator, set, &drawn, place) / places;
    }
    return true;
}

/* Adds a draw to the ring; loads are summed in evaluator->used. */
static void add_draw(struct evaluator *evaluator, struct eval_ring *ring, const struct round *round,
                     double weight)
{
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        evaluator->used[l] += weight * evaluator->link_flows[l];
    }
    const double narrowest = fmin(ring->capacity, round->capacity);
    ring->max = ring->max * (narrowest / ring->capacity) +
                weight * round->max * (narrowest / round->capacity);
    ring->latency += weight * round->latency;
    ring->capacity = narrowest;
}

enum { LOAD_BYTES = 2 * sizeof(double) + sizeof(uint32_t) }; /* of a link */

/* Keeps the links that have a load. false: memory is out. */
static bool keep_loads(const struct evaluator *evaluator, struct eval_ring_set *set,
                       struct eval_ring *ring)
{
    uint32_t links = 0;
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        links += evaluator->used[l] > 0;
    }
    const size_t bytes = links * LOAD_BYTES;
    ring->load = orr_heap_alloc(bytes + 1);
    if (ring->load == NULL) {
        return false;
    }
    ring->narrow = ring->load + links;
    ring->link = (uint32_t *)(ring->narrow + links);
    set->bytes += bytes;
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        if (evaluator->used[l] > 0) {
            ring->load[ring->links] = evaluator->used[l];
            ring->narrow[ring->links] = narrowed(evaluator, l, ring->capacity);
            ring->link[ring->links++] = l;
        }
    }
    return true;
}

static bool measure(struct evaluator *evaluator, struct eval_ring_set *set,
                    const struct net_ring *of, struct eval_ring *ring)
{
    const uint32_t draws = evaluator->ways.variants;
    *ring = (struct eval_ring){.set = set, .first_class = EVAL_NONE, .capacity = EVAL_MAX_CAPACITY};
    memset(evaluator->used, 0, evaluator->ways.links * sizeof *evaluator->used);
    for (uint32_t d = 0; d < draws; d++) {
        struct round round;
        if (!draw_round(evaluator, set, of, d, &round)) {
            return false;
        }
        add_draw(evaluator, ring, &round, 1.0 / draws);
    }
    ring->shared = ring->max;
    return keep_loads(evaluator, set, ring);
}

/* ---- rings of the graph ---- */

/* Whether the members of a ring are exactly the marked ones. */
static bool has_members(const struct evaluator *evaluator, const struct net_ring *ring,
                        uint32_t members)
{
    bool all = ring->member != NULL && ring->npus == members;
    for (uint32_t i = 0; all && i < members; i++) {
        const uint32_t npu = ring->member[i];
        all = npu < evaluator->setup.devices && evaluator->mark[npu] != 0;
    }
    return all;
}

static bool add_chosen(struct evaluator *evaluator, const struct net_ring *ring)
{
    const struct net_ring **chosen =
        orr_eval_reserve(&evaluator->chosen, evaluator->chosen.count + 1, sizeof *chosen);
    if (chosen != NULL) {
        chosen[evaluator->chosen.count++] = ring;
    }
    return chosen != NULL;
}

/* Chooses the graph's rings of exactly the marked members (by_members), or those by group size. */
static bool collect(struct evaluator *evaluator, bool by_members, uint32_t members)
{
    const struct net_graph *graph = evaluator->ways.graph;
    bool done = true;
    for (uint32_t i = 0; i < graph->rings && done; i++) {
        const struct net_ring *ring = &graph->ring[i];
        const bool is = by_members ? has_members(evaluator, ring, members)
                                   : ring->member == NULL && ring->npus == members;
        done = !is || add_chosen(evaluator, ring);
    }
    return done;
}

/* Rings by group size that the graph defines by a rule; generated once for each size. */
struct eval_sized {
    const struct eval_sized *next;
    uint32_t members, rings;
    const struct net_ring *ring; /* [rings] */
};

/* NULL: memory is out. */
static const struct eval_sized *make_sized(struct evaluator *evaluator, uint32_t members)
{
    struct net_jumps jumps;
    if (!orr_net_totient_rings(evaluator->arena, members, evaluator->ways.graph->totient, &jumps)) {
        return NULL;
    }
    struct eval_sized *sized = orr_arena_alloc(evaluator->arena, sizeof *sized);
    struct net_ring *ring = orr_arena_array(evaluator->arena, jumps.jumps, sizeof *ring);
    if (sized == NULL || ring == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < jumps.jumps; i++) {
        ring[i] = (struct net_ring){.npus = members, .jump = (int32_t)jumps.jump[i]};
    }
    *sized = (struct eval_sized){
        .next = evaluator->sized, .members = members, .rings = jumps.jumps, .ring = ring};
    evaluator->sized = sized;
    return sized;
}

static bool add_sized(struct evaluator *evaluator, uint32_t members)
{
    const struct eval_sized *sized = evaluator->sized;
    while (sized != NULL && sized->members != members) {
        sized = sized->next;
    }
    sized = sized != NULL ? sized : make_sized(evaluator, members);
    bool done = sized != NULL;
    for (uint32_t r = 0; done && r < sized->rings; r++) {
        done = add_chosen(evaluator, &sized->ring[r]);
    }
    return done;
}

/* Those on links among the members; they live as long as the scratch. false: memory is out. */
static bool choose_found(struct evaluator *evaluator, const uint32_t *member, uint32_t members,
                         struct orr_arena *scratch)
{
    const struct sys_ring_group group = {
        .graph = evaluator->ways.graph, .n = members, .npu = member};
    struct sys_group_rings found;
    bool done = scratch != NULL && orr_sys_group_rings(&group, scratch, &found, NULL) == ORR_OK;
    for (uint32_t r = 0; done && r < found.rings; r++) {
        done = add_chosen(evaluator, &found.ring[r]);
    }
    return done;
}

/* evaluator->chosen: the rings that the graph has for the members, or that are found on its links,
 * else one of each to the next. false: memory is out. */
static bool choose(struct evaluator *evaluator, const uint32_t *member, uint32_t members,
                   struct eval_holders holders, struct orr_arena *scratch)
{
    bool done = true;
    evaluator->chosen.count = 0;
    if (holders.count == 1 && !holders.exchange) {
        for (uint32_t i = 0; i < members; i++) {
            evaluator->mark[member[i]] = 1;
        }
        done = collect(evaluator, true, members);
        memset(evaluator->mark, 0, evaluator->setup.devices);
    }
    if (evaluator->chosen.count == 0 && !holders.exchange) {
        const uint32_t places = members / holders.count;
        const bool any = evaluator->ways.graph->totient != 0 && places > 1;
        done = done && (any ? add_sized(evaluator, places) : collect(evaluator, false, places));
    }
    if (evaluator->chosen.count == 0 && holders.count == 1 && !holders.exchange) {
        done = done && choose_found(evaluator, member, members, scratch);
    }
    return done && (evaluator->chosen.count != 0 || add_chosen(evaluator, NULL));
}

/* ---- sets ---- */

static struct eval_ring_set *new_set(struct evaluator *evaluator, const uint32_t *member,
                                     uint32_t members, struct eval_holders holders)
{
    const size_t rings = evaluator->chosen.count;
    const size_t bytes =
        sizeof(struct eval_ring_set) + rings * sizeof(struct eval_ring) + members * sizeof *member;
    struct eval_ring_set *set = orr_heap_calloc(1, bytes);
    if (set != NULL) {
        uint32_t *kept = (uint32_t *)(set->ring + rings);
        memcpy(kept, member, members * sizeof *kept);
        set->members = members;
        set->member = kept;
        set->holders = holders;
        set->bytes = bytes;
    }
    return set;
}

void orr_eval_free_rings(struct eval_ring_set *set)
{
    for (uint32_t r = 0; r < set->rings; r++) {
        orr_heap_free(set->ring[r].load);
    }
    orr_heap_free(set->load);
    orr_heap_free(set);
}

/* Sums the loads of all rings in evaluator->link_flows. Returns whether no link is in two rings. */
static bool are_disjoint(struct evaluator *evaluator, const struct eval_ring_set *set)
{
    bool disjoint = true;
    memset(evaluator->link_flows, 0, evaluator->ways.links * sizeof *evaluator->link_flows);
    for (uint32_t r = 0; r < set->rings; r++) {
        const struct eval_ring *ring = &set->ring[r];
        for (uint32_t i = 0; i < ring->links; i++) {
            disjoint = disjoint && !(evaluator->link_flows[ring->link[i]] > 0);
            evaluator->link_flows[ring->link[i]] += ring->load[i];
        }
    }
    return disjoint;
}

/* All rings of a set as one ring; their loads must be summed before. */
static struct eval_ring merged_of(const struct evaluator *evaluator,
                                  const struct eval_ring_set *set)
{
    struct eval_ring merged = set->ring[0];
    for (uint32_t r = 1; r < set->rings; r++) {
        merged.latency = fmax(merged.latency, set->ring[r].latency);
        merged.capacity = fmin(merged.capacity, set->ring[r].capacity);
    }
    merged.max = 0;
    for (uint32_t r = 0; r < set->rings; r++) {
        const struct eval_ring *ring = &set->ring[r];
        merged.max = fmax(merged.max, ring->max * (merged.capacity / ring->capacity));
        for (uint32_t i = 0; i < ring->links; i++) {
            const double narrow = narrowed(evaluator, ring->link[i], merged.capacity);
            merged.max = fmax(merged.max, evaluator->link_flows[ring->link[i]] * narrow);
        }
    }
    merged.links = 0;
    merged.shared = merged.max;
    return merged;
}

/* Merges rings that share links, whose loads are summed before: their rounds begin together and end
 * with the last one. false: memory is out. */
static bool merge_rings(struct evaluator *evaluator, struct eval_ring_set *set)
{
    struct eval_ring merged = merged_of(evaluator, set);
    memcpy(evaluator->used, evaluator->link_flows, evaluator->ways.links * sizeof *evaluator->used);
    for (uint32_t r = 0; r < set->rings; r++) {
        set->bytes -= set->ring[r].links * LOAD_BYTES;
        orr_heap_free(set->ring[r].load);
    }
    set->rings = 0;
    if (!keep_loads(evaluator, set, &merged)) {
        return false;
    }
    set->ring[set->rings++] = merged;
    return true;
}

static double seconds_a_byte(const struct eval_ring *ring)
{
    return ring->max / ring->capacity;
}

/* Puts the slowest ring first, because the all-reduce ends with it. */
static void move_slowest_first(struct eval_ring_set *set)
{
    uint32_t slowest = 0;
    for (uint32_t r = 1; r < set->rings; r++) {
        if (seconds_a_byte(&set->ring[r]) > seconds_a_byte(&set->ring[slowest])) {
            slowest = r;
        }
    }
    const struct eval_ring first = set->ring[0];
    set->ring[0] = set->ring[slowest];
    set->ring[slowest] = first;
}

struct eval_ring_set *orr_eval_measure_rings(struct evaluator *evaluator, const uint32_t *member,
                                             uint32_t members, struct eval_holders holders)
{
    struct orr_arena *scratch = orr_arena_create();
    struct eval_ring_set *set = choose(evaluator, member, members, holders, scratch)
                                    ? new_set(evaluator, member, members, holders)
                                    : NULL;
    const struct net_ring *const *chosen = evaluator->chosen.items;
    bool measured = set != NULL;
    for (size_t r = 0; measured && r < evaluator->chosen.count; r++) {
        measured = measure(evaluator, set, chosen[r], &set->ring[set->rings++]);
    }
    if (measured) {
        set->shares = set->rings;
        measured = set->rings == 1 || are_disjoint(evaluator, set) || merge_rings(evaluator, set);
        move_slowest_first(set);
    }
    if (set != NULL && !measured) {
        orr_eval_free_rings(set);
        set = NULL;
    }
    orr_arena_destroy(scratch);
    return set;
}
