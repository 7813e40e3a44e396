/* The search for a pick, and what has been picked; see autotune.h. */
#include "system/plan/autotune.h"

#include <string.h>

/* Contenders of a collective, and the work that one simulation may be: hops of messages, all that
 * are simulated together. What would be more is judged by its bound. */
enum { MAX_CONTENDERS = 64, MAX_HOPS = 300000, MAX_NPUS = 1 << 14, VAGUE_SHARE = 8 };

/* A bound may be this much above the truth (rounding, the last message of a chain). */
static const double slack = 0.98;

/* What takes up to so many times the best one's time is as fast: fewer messages are simulated
 * sooner, and bear members that do not start together. */
static const double as_fast = 1.01;

#define UNKNOWN_S 1e30 /* the time of what has not been simulated, and has no bound */

/* ---- what has been picked ---- */

/* Equal keys have equal picks. */
struct key {
    uint64_t bytes, ranks; /* ranks: a digest, of groups that are no boxes */
    uint32_t n[NET_MAX_DIMS], stride[NET_MAX_DIMS];
    uint8_t kind, flat;
};

struct entry {
    struct entry *next;
    struct key key;
    struct sys_tuning pick;
};

struct sys_tuning_cache {
    struct orr_arena *arena;
    struct entry *first;
};

struct sys_tuning_cache *orr_sys_tuning_cache_create(struct orr_arena *arena)
{
    struct sys_tuning_cache *picks = orr_arena_alloc(arena, sizeof *picks);
    if (picks != NULL) {
        picks->arena = arena;
    }
    return picks;
}

/* Sizes that begin with the same seven bits are taken for the middle one of them; powers of two are
 * exact. */
static uint64_t size_class(uint64_t bytes)
{
    unsigned shift = 0;
    while (bytes >> shift >= 128) {
        shift++;
    }
    const uint64_t half = shift > 0 ? UINT64_C(1) << (shift - 1) : 0;
    return bytes > UINT64_MAX - half ? bytes : (bytes + half) >> shift << shift;
}

static uint64_t digest(const struct sys *sys, const struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; group->given != NULL && i < group->size; i++) {
        const uint32_t rank = sys_ways_are_of_blocks(net)
                                  ? orr_net_shift(net, group->given[0], group->given[i])
                                  : group->given[i];
        hash = (hash ^ rank) * UINT64_C(1099511628211);
    }
    return hash;
}

static struct key key_of(const struct sys *sys, const struct sys_operation *operation)
{
    struct key key;
    memset(&key, 0, sizeof key); /* compared as bytes */
    key.bytes = size_class(operation->bytes);
    key.kind = (uint8_t)operation->kind;
    key.flat = operation->flat;
    if (operation->flat || !sys_ways_are_of_blocks(sys->net->config)) {
        key.ranks = digest(sys, operation->group);
    }
    for (unsigned d = 0; d < operation->dims; d++) {
        if (sys_takes_part(operation, d)) {
            key.n[operation->dim[d].queue_dim] = operation->dim[d].n;
            key.stride[operation->dim[d].queue_dim] =
                operation->group->ranks != NULL && operation->dim[d].n > 1
                    ? sys_rank_at(operation->group, sys_position(operation->dim[d].stride)).rank -
                          sys_rank_at(operation->group, sys_position(0)).rank
                    : 0;
        }
    }
    return key;
}

/* ---- contenders ---- */

struct contender {
    struct sys_tuning pick;
    struct sys_bound bound;
};

struct search {
    struct sys *sys;
    const struct sys_operation *operation; /* of the size that stands for its class */
    struct contender of[MAX_CONTENDERS];
    unsigned count;
    const struct sys_scheduler_ops *schedulers[SYS_MAX_SCHEDULERS]; /* ends with NULL */
};

/* The operation with a pick, planned into the arena. */
static bool plan_with(const struct search *search, const struct sys_tuning *pick,
                      struct orr_arena *arena, struct sys_operation *operation)
{
    struct sys_config config = *search->sys->given;
    struct sys sys = *search->sys;
    struct orr_diag diag;
    orr_diag_init(&diag);
    config.pick = pick;
    config.service = SYS_BY_MESSAGE;
    sys.config = sys.given = &config;
    *operation = (struct sys_operation){.sys = &sys,
                                        .arena = arena,
                                        .group = search->operation->group,
                                        .kind = search->operation->kind,
                                        .bytes = search->operation->bytes,
                                        .root = search->operation->root,
                                        .endpoint_ps = search->operation->endpoint_ps,
                                        .dim_mask = search->operation->dim_mask};
    orr_sys_plan_dims(&sys, operation);
    operation->pick = pick;
    const bool planned = orr_sys_plan_picked(&sys, operation, &diag) == ORR_OK;
    operation->sys = search->sys;
    return planned;
}

static struct sys_bound bound_of(const struct search *search, const struct sys_tuning *pick)
{
    struct sys_bound bound = {.min_s = UNKNOWN_S, .estimate_s = UNKNOWN_S};
    struct sys_operation operation;
    struct orr_arena *arena = orr_arena_create();
    if (arena != NULL && plan_with(search, pick, arena, &operation)) {
        bound = orr_sys_operation_bound(search->sys, &operation);
    }
    orr_arena_destroy(arena);
    return bound;
}

static bool same_pick(const struct sys_tuning *a, const struct sys_tuning *b)
{
    for (unsigned d = 0; d < SYS_MAX_DIMS; d++) {
        if (a->of[d] != b->of[d]) {
            return false;
        }
    }
    return a->scheduler == b->scheduler;
}

static void add(struct search *search, const struct sys_tuning *pick)
{
    for (unsigned i = 0; i < search->count; i++) {
        if (same_pick(&search->of[i].pick, pick)) {
            return;
        }
    }
    if (search->count < MAX_CONTENDERS) {
        search->of[search->count++] =
            (struct contender){.pick = *pick, .bound = bound_of(search, pick)};
    }
}

/* The same algorithms with each of the schedulers. */
static void add_scheduled(struct search *search, struct sys_tuning pick)
{
    for (unsigned s = 0; search->schedulers[s] != NULL; s++) {
        pick.scheduler = search->schedulers[s];
        add(search, &pick);
    }
}

static bool is_open(const struct search *search, unsigned d)
{
    return sys_takes_part(search->operation, d) &&
           orr_sys_dim_is_auto(search->sys, search->operation, d);
}

static struct sys_tuning by_block(const struct search *search)
{
    struct net_config blocks = *search->sys->net->config;
    blocks.graph = sys_ways_are_of_blocks(&blocks) ? NULL : blocks.graph;
    const struct sys_operation *operation = search->operation;
    struct sys_tuning pick = {.scheduler = search->schedulers[0]};
    for (unsigned d = 0; d < operation->dims; d++) {
        if (is_open(search, d)) {
            const unsigned at = operation->dim[d].queue_dim;
            pick.of[at] = orr_sys_block_algorithm(&blocks, at, operation->kind);
        }
    }
    return pick;
}

/* One algorithm in all dimensions; false where it does not do the kind. */
static bool everywhere(const struct search *search, const struct coll_algorithm *algorithm,
                       struct sys_tuning *pick)
{
    const struct sys_operation *operation = search->operation;
    *pick = (struct sys_tuning){.scheduler = search->schedulers[0]};
    for (unsigned d = 0; d < operation->dims; d++) {
        if (is_open(search, d)) {
            if (!orr_sys_algorithm_fits(search->sys, operation, d, operation->kind, algorithm)) {
                return false;
            }
            pick->of[operation->dim[d].queue_dim] = algorithm;
        }
    }
    return true;
}

/* Tries every algorithm in the dimension and keeps the one with the least time by the bounds. */
static bool improve(const struct search *search, struct sys_tuning *pick, unsigned d,
                    double *estimate_s)
{
    const struct sys_operation *operation = search->operation;
    const unsigned at = operation->dim[d].queue_dim;
    bool better = false;
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        struct sys_tuning other = *pick;
        other.of[at] = orr_coll_algorithms[a];
        if (orr_coll_algorithms[a] == pick->of[at] || orr_coll_algorithms[a]->by_name ||
            !orr_sys_algorithm_fits(search->sys, operation, d, operation->kind,
                                    orr_coll_algorithms[a])) {
            continue;
        }
        const double about = bound_of(search, &other).estimate_s;
        if (about < *estimate_s) {
            *estimate_s = about;
            *pick = other;
            better = true;
        }
    }
    return better;
}

/* From the blocks' choice on, a dimension at a time. */
static void add_mixed(struct search *search)
{
    struct sys_tuning pick = by_block(search);
    double about = bound_of(search, &pick).estimate_s;
    bool better = search->operation->dims > 1;
    for (unsigned round = 0; better && round < 3; round++) {
        better = false;
        for (unsigned d = 0; d < search->operation->dims; d++) {
            better |= is_open(search, d) && improve(search, &pick, d, &about);
        }
        add_scheduled(search, pick);
    }
}

static void find_contenders(struct search *search)
{
    struct sys_tuning pick = by_block(search);
    add_scheduled(search, pick);
    add_mixed(search);
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        if (!orr_coll_algorithms[a]->by_name && everywhere(search, orr_coll_algorithms[a], &pick)) {
            add_scheduled(search, pick);
        }
    }
}

/* ---- the best ---- */

/* By their bounds, the first of equals first. */
static void sort(struct search *search)
{
    for (unsigned i = 1; i < search->count; i++) {
        const struct contender moved = search->of[i];
        unsigned at = i;
        while (at > 0 && search->of[at - 1].bound.estimate_s > moved.bound.estimate_s) {
            search->of[at] = search->of[at - 1];
            at--;
        }
        search->of[at] = moved;
    }
}

/* NPUs that a simulation has at least: ranks that are not alike cannot be folded. */
static double min_npus(const struct search *search, const struct contender *contender)
{
    double npus = 1;
    for (unsigned d = 0; d < search->operation->dims && contender->bound.is_approximate; d++) {
        npus *= sys_takes_part(search->operation, d) ? search->operation->dim[d].n : 1;
    }
    return npus;
}

static double simulate(const struct search *search, const struct contender *contender,
                       double best_s)
{
    const double hops = contender->bound.hops > 1 ? contender->bound.hops : 1;
    const double share = contender->bound.is_unknown ? VAGUE_SHARE : 1;
    const double npus = MAX_HOPS / share / hops;
    const double limit = best_s * 1e12 + 1;
    const sim_time time =
        npus < min_npus(search, contender)
            ? -1
            : search->sys->up.predict->picked(search->sys, search->operation, &contender->pick,
                                              limit < 9e18 ? (sim_time)limit : ORR_TIME_MAX,
                                              npus < MAX_NPUS ? (uint32_t)npus : MAX_NPUS);
    if (time < 0) {
        return contender->bound.is_unknown || contender->bound.is_approximate
                   ? UNKNOWN_S
                   : contender->bound.estimate_s;
    }
    return time == ORR_TIME_MAX ? UNKNOWN_S : (double)time * 1e-12;
}

/* The time of every contender that may be as fast as the best, UNKNOWN_S of the others; returns the
 * least. Where bounds say nothing, the blocks' own come first, and are taken when they are too
 * large a work to be compared. */
static double compare(const struct search *search, double time_s[MAX_CONTENDERS])
{
    double best_s = UNKNOWN_S;
    for (unsigned i = 0; i < search->count; i++) {
        time_s[i] = UNKNOWN_S;
    }
    for (unsigned i = 0; i < search->count; i++) {
        if (search->of[i].bound.is_unknown && i > 0 && best_s >= UNKNOWN_S) {
            break;
        }
        if (search->of[i].bound.min_s * slack < best_s) {
            time_s[i] = simulate(search, &search->of[i], best_s * as_fast);
            best_s = time_s[i] < best_s ? time_s[i] : best_s;
        }
    }
    return best_s;
}

/* Of those that are as fast as the best, the one of the fewest messages. */
static const struct sys_tuning *best_of(struct search *search)
{
    double time_s[MAX_CONTENDERS];
    unsigned best = 0;
    sort(search);
    const double min_s = compare(search, time_s), limit_s = min_s * as_fast;
    for (unsigned i = 0; i < search->count && min_s < UNKNOWN_S; i++) {
        if (time_s[i] <= limit_s &&
            (time_s[best] > limit_s || search->of[i].bound.hops < search->of[best].bound.hops)) {
            best = i;
        }
    }
    return &search->of[best].pick;
}

/* Whether a search tries it: all where nobody says which, those that the given one compares, or
 * just that one. */
static bool is_tried(const struct sys_scheduler_ops *scheduler,
                     const struct sys_scheduler_ops *given)
{
    if (given == NULL) {
        return !scheduler->compares;
    }
    return given->compares ? scheduler->compared : scheduler == given;
}

static void choose_schedulers(struct search *search)
{
    unsigned dims = 0, count = 0;
    for (unsigned d = 0; d < search->operation->dims; d++) {
        dims += sys_takes_part(search->operation, d) ? 1 : 0;
    }
    const bool orders =
        dims > 1 && search->operation->kind < SYS_LISTED_KINDS && search->sys->given->trees == NULL;
    for (unsigned i = 0; orr_sys_schedulers[i] != NULL && (orders || count == 0); i++) {
        if (is_tried(orr_sys_schedulers[i], search->sys->given->scheduler)) {
            search->schedulers[count++] = orr_sys_schedulers[i];
        }
    }
    search->schedulers[count] = NULL;
}

static bool has_choice(const struct sys *sys, const struct sys_operation *operation)
{
    for (unsigned d = 0; d < operation->dims; d++) {
        if (sys_takes_part(operation, d) && orr_sys_dim_is_auto(sys, operation, d)) {
            return true;
        }
    }
    return false;
}

static const struct sys_tuning *keep(struct sys *sys, const struct key *key,
                                     const struct sys_tuning *pick)
{
    struct entry *entry = orr_arena_alloc(sys->picks->arena, sizeof *entry);
    if (entry == NULL) {
        return NULL;
    }
    *entry = (struct entry){.next = sys->picks->first, .key = *key, .pick = *pick};
    sys->picks->first = entry;
    return &entry->pick;
}

static const struct sys_tuning *find(struct sys *sys, const struct sys_operation *operation,
                                     const struct key *key)
{
    struct search *search = orr_heap_calloc(1, sizeof *search);
    struct sys_operation stands = *operation;
    if (search == NULL) {
        return NULL;
    }
    stands.bytes = key->bytes;
    stands.root = sys_position(0);
    stands.endpoint_ps = sys->given->endpoint_delay_ps;
    search->sys = sys;
    search->operation = &stands;
    choose_schedulers(search);
    find_contenders(search);
    const struct sys_tuning *pick = keep(sys, key, best_of(search));
    orr_heap_free(search);
    return pick;
}

const struct sys_tuning *orr_sys_tuning_of(struct sys *sys, struct sys_operation *operation)
{
    if (sys->config->pick != NULL || !has_choice(sys, operation)) {
        return sys->config->pick;
    }
    if (sys->picks == NULL) {
        sys->picks = orr_sys_tuning_cache_create(sys->arena);
    }
    if (sys->picks == NULL) {
        return NULL;
    }
    const struct key key = key_of(sys, operation);
    for (const struct entry *entry = sys->picks->first; entry != NULL; entry = entry->next) {
        if (memcmp(&entry->key, &key, sizeof key) == 0) {
            return &entry->pick;
        }
    }
    return find(sys, operation, &key);
}
