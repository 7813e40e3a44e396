/* The rings of all-reduces (docs/models.md, section 4: `ring`): those that the graph has for so
 * many members, else from each member to the next. Where flows choose among several ways each round
 * goes over others: the loads of links are averages over a few rounds, and so is that of the link
 * that has most in a round. Kept for as long as the evaluator lives. */
#include "planner/evaluator/eval_private.h"

static uint64_t hash_of(const uint32_t *member, uint32_t members)
{
    uint64_t hash = members;
    for (uint32_t i = 0; i < members; i++) {
        hash = (hash ^ member[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* One member's message of a round. */
struct step {
    uint32_t from, to;
    const struct net_route_links *way; /* that the ring has for it; NULL: as messages go */
};

/* Of a ring; where several of each group are members, those of one place are in it. */
static uint32_t size_of(const struct eval_ring_set *set)
{
    return set->members / set->holders.count;
}

/* What the index-th member of all sends; of an exchange, to the index-th other one of its group. */
static struct step exchange_at(const struct eval_ring_set *set, uint32_t index)
{
    const uint32_t holders = set->holders.count, pairs = holders * (holders - 1);
    const uint32_t *group = set->member + (size_t)(index / pairs) * holders;
    const uint32_t from = index % pairs / (holders - 1), other = index % pairs % (holders - 1);
    return (struct step){.from = group[from], .to = group[other + (other >= from)]};
}

static uint32_t steps_of(const struct eval_ring_set *set)
{
    return set->holders.exchange ? set->members * (set->holders.count - 1) : set->members;
}

/* That of the index-th member. As whole_rings.c, and whole_group_rings.c for rings of members. */
static struct step step_at(const struct evaluator *evaluator, const struct eval_ring_set *set,
                           const struct net_ring *ring, uint32_t number)
{
    const uint32_t k = size_of(set), holders = set->holders.count;
    const uint32_t index = number / holders, next = (index + 1) % k;
    const uint32_t *member = set->member + number % holders; /* those of its place */
    if (set->holders.exchange) {
        return exchange_at(set, number);
    }
    if (ring == NULL) {
        return (struct step){.from = member[index * holders], .to = member[next * holders]};
    }
    const struct net_route_links *way =
        ring->way != 0 ? &evaluator->ways.graph->way[ring->way - 1 + index] : NULL;
    if (ring->member != NULL) {
        return (struct step){ring->member[index], ring->member[next], way};
    }
    if (ring->order != NULL) {
        return (struct step){member[ring->order[index] * holders],
                             member[ring->order[next] * holders], way};
    }
    const int64_t ahead = ((int64_t)ring->jump % k + k) % k;
    return (struct step){.from = member[index * holders],
                         .to = member[((uint64_t)index + (uint64_t)ahead) % k * holders]};
}

/* What a round is like, by one draw of its ways. */
struct round {
    double latency, capacity;
    double
        most; /* flows on the link of a ring that has most; of rings of several places the mean */
};

/* The links that a step goes over, by one draw; NULL: there is no way, or memory is out. */
static const uint32_t *links_of(struct evaluator *evaluator, const struct step *step, uint32_t draw,
                                struct eval_way *way)
{
    const struct eval_way *usual = orr_eval_way(&evaluator->ways, step->from, step->to, draw);
    if (usual == NULL) {
        return NULL;
    }
    *way = *usual;
    way->hops = step->way != NULL ? step->way->hops : usual->hops;
    return step->way != NULL ? step->way->link : eval_way_links(&evaluator->ways, usual);
}

/* Counts the flows of a round on the links. */
static bool count_round(struct evaluator *evaluator, const struct eval_ring_set *set,
                        const struct net_ring *ring, uint32_t draw, struct round *out)
{
    double *count = evaluator->others;
    for (uint32_t i = 0; i < steps_of(set); i++) {
        const struct step step = step_at(evaluator, set, ring, i);
        struct eval_way way;
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

/* Once they are counted: on the link of a place's ring, or of all in an exchange, that has most. */
static double most_of(struct evaluator *evaluator, const struct eval_ring_set *set,
                      const struct net_ring *ring, uint32_t draw, uint32_t place)
{
    const uint32_t places = set->holders.exchange ? 1 : set->holders.count;
    double most = 0;
    for (uint32_t i = place; i < steps_of(set); i += places) {
        const struct step step = step_at(evaluator, set, ring, i);
        struct eval_way way;
        const uint32_t *link = links_of(evaluator, &step, draw, &way);
        for (uint32_t h = 0; link != NULL && h < way.hops; h++) {
            most = fmax(most, evaluator->others[link[h]]);
        }
    }
    return most;
}

/* false: there is no way, or memory is out. */
static bool draw_round(struct evaluator *evaluator, const struct eval_ring_set *set,
                       const struct net_ring *ring, uint32_t draw, struct round *out)
{
    const uint32_t places = set->holders.exchange ? 1 : set->holders.count;
    *out = (struct round){.capacity = INFINITY};
    memset(evaluator->others, 0, evaluator->ways.links * sizeof(double));
    if (!count_round(evaluator, set, ring, draw, out)) {
        return false;
    }
    for (uint32_t place = 0; place < places; place++) {
        out->most += most_of(evaluator, set, ring, draw, place) / places;
    }
    return true;
}

static void add_draw(struct evaluator *evaluator, struct eval_ring *ring, const struct round *round,
                     double weight)
{
    for (uint32_t l = 0; l < evaluator->ways.links; l++) {
        ring->load[l] += weight * evaluator->others[l];
    }
    ring->most += weight * round->most;
    ring->latency += weight * round->latency;
    ring->capacity = fmin(ring->capacity, round->capacity);
}

static bool measure(struct evaluator *evaluator, const struct eval_ring_set *set,
                    const struct net_ring *of, struct eval_ring *ring)
{
    const uint32_t links = evaluator->ways.links;
    const uint32_t draws = evaluator->ways.variants == 1 ? 1 : evaluator->ways.variants;
    *ring = (struct eval_ring){.load = orr_arena_array(evaluator->arena, links, sizeof *ring->load),
                               .link = orr_arena_array(evaluator->arena, links, sizeof *ring->link),
                               .set = (uint32_t)evaluator->ring_set.count,
                               .first_class = EVAL_NONE,
                               .capacity = INFINITY};
    if (ring->load == NULL || ring->link == NULL) {
        return false;
    }
    for (uint32_t d = 0; d < draws; d++) {
        struct round round;
        if (!draw_round(evaluator, set, of, d, &round)) {
            return false;
        }
        add_draw(evaluator, ring, &round, 1.0 / draws);
    }
    for (uint32_t l = 0; l < links; l++) {
        if (ring->load[l] > 0) {
            ring->link[ring->links++] = l;
        }
    }
    ring->shared = ring->most;
    return true;
}

static bool is_member(const struct eval_ring_set *set, uint32_t npu)
{
    uint32_t i = 0;
    while (i < set->members && set->member[i] != npu) {
        i++;
    }
    return i < set->members;
}

/* Whether a ring is of exactly these members. */
static bool is_own(const struct net_ring *ring, const struct eval_ring_set *set)
{
    bool all = ring->member != NULL && set->holders.count == 1 && ring->npus == set->members;
    for (uint32_t i = 0; all && i < ring->npus; i++) {
        all = is_member(set, ring->member[i]);
    }
    return all;
}

/* The index-th ring that the graph has for them; NULL: it has no more. */
static const struct net_ring *given(const struct evaluator *evaluator,
                                    const struct eval_ring_set *set, bool own, uint32_t index)
{
    const struct net_graph *graph = evaluator->ways.graph;
    const uint32_t rings = set->holders.exchange ? 0 : graph->rings;
    for (uint32_t i = 0; i < rings; i++) {
        const struct net_ring *ring = &graph->ring[i];
        const bool of =
            own ? is_own(ring, set) : ring->member == NULL && ring->npus == size_of(set);
        if (of && index-- == 0) {
            return ring;
        }
    }
    return NULL;
}

static bool add_rings(struct evaluator *evaluator, struct eval_ring_set *set)
{
    const bool own = given(evaluator, set, true, 0) != NULL;
    const struct net_ring *of = given(evaluator, set, own, 0);
    set->first = (uint32_t)evaluator->ring.count;
    do {
        struct eval_ring *ring =
            orr_eval_room(&evaluator->ring, evaluator->ring.count + 1, sizeof *ring);
        if (ring == NULL || !measure(evaluator, set, of, &ring[evaluator->ring.count])) {
            return false;
        }
        evaluator->ring.count++;
        set->rings++;
        of = given(evaluator, set, own, set->rings);
    } while (of != NULL);
    return true;
}

uint32_t orr_eval_rings_of(struct evaluator *evaluator, const uint32_t *member, uint32_t members,
                           struct eval_holders holders)
{
    const uint64_t hash = hash_of(member, members) + 2 * (uint64_t)holders.count + holders.exchange;
    const size_t sets = evaluator->ring_set.count, bytes = members * sizeof *member;
    for (uint32_t i = 0; i < sets; i++) {
        const struct eval_ring_set *set = eval_ring_set_at(evaluator, i);
        if (set->hash == hash && set->members == members && set->holders.count == holders.count &&
            set->holders.exchange == holders.exchange && memcmp(set->member, member, bytes) == 0) {
            return i;
        }
    }
    struct eval_ring_set *set = orr_eval_room(&evaluator->ring_set, sets + 1, sizeof *set);
    uint32_t *kept = orr_arena_array(evaluator->arena, members, sizeof *kept);
    if (set == NULL || kept == NULL) {
        return EVAL_NONE;
    }
    memcpy(kept, member, bytes);
    set[sets] = (struct eval_ring_set){
        .hash = hash, .members = members, .member = kept, .holders = holders};
    if (!add_rings(evaluator, &set[sets])) {
        return EVAL_NONE;
    }
    evaluator->ring_set.count++;
    return (uint32_t)sets;
}
