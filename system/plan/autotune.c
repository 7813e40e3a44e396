/* Autotuning: search and cache; see autotune.h. */
#include "system/plan/autotune.h"

#include <string.h>

#include "system/collectives/rings.h"

#include "network/coordinates.h"
#include "network/net_dims.h"
#include "system/groups/group.h"
#include "system/plan/companions.h"
#include "system/plan/planning.h"
#include "system/sys_position.h"

/* Limits: candidates of a collective, and the size of one simulation in hops of simulated messages.
 * Larger candidates are judged by their bounds. */
enum { MAX_CANDIDATES = 64, MAX_HOPS = 300000, MAX_NPUS = 1 << 14, UNKNOWN_SHARE = 8 };

/* A bound may exceed the true time by this factor (rounding, the last message of a chain). */
static const double slack = 0.98;

/* Candidates within this factor of the best time count as equally fast: the one with fewer messages
 * wins, because it is cheaper to simulate and tolerates members that start at different times. */
static const double tie_factor = 1.01;

#define UNKNOWN_S 1e30 /* time of candidates without simulation and bound */

/* ---- cache ---- */

/* Key of the cache: equal keys have equal tunings. */
struct key {
    uint64_t bytes, ranks; /* ranks: a digest for groups that are no boxes */
    uint64_t companions;   /* digest */
    uint32_t n[NET_MAX_DIMS], stride[NET_MAX_DIMS];
    uint8_t kind, flat, uneven;
};

struct entry {
    struct entry *next;
    struct key key;
    struct sys_tuning tuning;
};

struct sys_tuning_cache {
    struct orr_arena *arena;
    struct entry *first;
};

struct sys_tuning_cache *orr_sys_tuning_cache_create(struct orr_arena *arena)
{
    struct sys_tuning_cache *tuning_cache = orr_arena_alloc(arena, sizeof *tuning_cache);
    if (tuning_cache != NULL) {
        tuning_cache->arena = arena;
    }
    return tuning_cache;
}

uint64_t orr_sys_tuned_bytes(const struct sys *sys, const struct sys_operation *operation)
{
    const uint64_t bytes = operation->bytes, chunks = orr_sys_chunk_count(sys, operation);
    unsigned shift = 0;
    while (bytes >> shift >= 128) {
        shift++;
    }
    const uint64_t half = shift > 0 ? UINT64_C(1) << (shift - 1) : 0;
    if (bytes / 128 < chunks || bytes > UINT64_MAX - half) {
        return bytes;
    }
    return ((bytes + half) >> shift << shift) + (bytes % chunks != 0 ? 1 : 0);
}

static uint64_t digest_ranks(const struct sys *sys, const struct sys_group *group)
{
    const struct net_config *net = sys->net->config;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; group->given != NULL && i < group->size; i++) {
        const uint32_t rank = sys_routes_follow_blocks(net)
                                  ? orr_net_shift(net, group->given[0], group->given[i])
                                  : group->given[i];
        hash = (hash ^ rank) * UINT64_C(1099511628211);
    }
    return hash;
}

static struct key key_of(const struct sys *sys, const struct sys_operation *operation)
{
    struct key key;
    const struct sys_companions *companions = orr_sys_companions_of(sys, operation->group);
    memset(&key, 0, sizeof key); /* compared as bytes */
    key.companions = companions != NULL ? companions->digest : 0;
    key.bytes = orr_sys_tuned_bytes(sys, operation);
    key.kind = (uint8_t)operation->kind;
    key.flat = operation->flat;
    key.uneven = operation->sizes != NULL; /* fewer algorithms can run it */
    if (operation->flat || !sys_routes_follow_blocks(sys->net->config)) {
        key.ranks = digest_ranks(sys, operation->group);
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

/* ---- candidates ---- */

struct candidate {
    struct sys_tuning tuning;
    struct sys_bound bound;
    double cost; /* hops of the messages that a run simulates */
};

struct tuner {
    struct sys *sys;
    const struct sys_operation *operation; /* with the size of its class */
    struct candidate of[MAX_CANDIDATES];
    unsigned count;
    const struct sys_scheduler_ops *schedulers[SYS_MAX_SCHEDULERS]; /* ends with NULL */
};

/* Plans the operation with a tuning into the arena. */
static bool plan_with(const struct tuner *tuner, const struct sys_tuning *tuning,
                      struct orr_arena *arena, struct sys_operation *operation)
{
    struct sys_config config = *tuner->sys->planning.given;
    struct sys sys = *tuner->sys;
    struct orr_diag diag;
    orr_diag_init(&diag);
    config.tuning = tuning;
    config.service = SYS_BY_MESSAGE;
    sys.config = sys.planning.given = &config;
    *operation = (struct sys_operation){.sys = &sys,
                                        .arena = arena,
                                        .group = tuner->operation->group,
                                        .kind = tuner->operation->kind,
                                        .bytes = tuner->operation->bytes,
                                        .root = tuner->operation->root,
                                        .endpoint_ps = tuner->operation->endpoint_ps,
                                        .dim_mask = tuner->operation->dim_mask};
    orr_sys_plan_dims(&sys, operation);
    operation->tuning = tuning;
    const bool planned = orr_sys_plan_tuned(&sys, operation, &diag) == ORR_OK;
    operation->sys = tuner->sys;
    return planned;
}

static struct sys_bound bound_of(const struct tuner *tuner, const struct sys_tuning *tuning)
{
    struct sys_bound bound = {.min_s = UNKNOWN_S, .estimate_s = UNKNOWN_S};
    struct sys_operation operation;
    struct orr_arena *arena = orr_arena_create();
    if (arena != NULL && plan_with(tuner, tuning, arena, &operation)) {
        bound = orr_sys_operation_bound(tuner->sys, &operation);
    }
    orr_arena_destroy(arena);
    return bound;
}

static bool same_tuning(const struct sys_tuning *a, const struct sys_tuning *b)
{
    for (unsigned d = 0; d < SYS_MAX_DIMS; d++) {
        if (a->of[d] != b->of[d]) {
            return false;
        }
    }
    return a->scheduler == b->scheduler;
}

static void add_candidate(struct tuner *tuner, const struct sys_tuning *tuning)
{
    for (unsigned i = 0; i < tuner->count; i++) {
        if (same_tuning(&tuner->of[i].tuning, tuning)) {
            return;
        }
    }
    if (tuner->count < MAX_CANDIDATES) {
        tuner->of[tuner->count++] =
            (struct candidate){.tuning = *tuning, .bound = bound_of(tuner, tuning)};
    }
}

/* Adds the algorithms with each scheduler. */
static void add_scheduled(struct tuner *tuner, struct sys_tuning tuning)
{
    for (unsigned s = 0; tuner->schedulers[s] != NULL; s++) {
        tuning.scheduler = tuner->schedulers[s];
        add_candidate(tuner, &tuning);
    }
}

static bool is_auto_dim(const struct tuner *tuner, unsigned d)
{
    return sys_takes_part(tuner->operation, d) &&
           orr_sys_dim_is_auto(tuner->sys, tuner->operation, d);
}

/* Whether an algorithm is tried in a dimension. */
static bool is_tried(const struct tuner *tuner, unsigned d, const struct coll_algorithm *algorithm)
{
    const struct sys_operation *operation = tuner->operation;
    return !algorithm->by_name &&
           (!algorithm->on_rings || orr_sys_phase_rings(tuner->sys, operation) != NULL) &&
           orr_sys_algorithm_fits(tuner->sys, operation, d, operation->kind, algorithm);
}

/* The blocks' algorithms; in place of a ring those on the links of a graph, where there are any. */
static struct sys_tuning by_block(const struct tuner *tuner)
{
    struct net_config blocks = *tuner->sys->net->config;
    blocks.graph = sys_routes_follow_blocks(&blocks) ? NULL : blocks.graph;
    const struct sys_operation *operation = tuner->operation;
    struct sys_tuning tuning = {.scheduler = tuner->schedulers[0]};
    for (unsigned d = 0; d < operation->dims; d++) {
        if (is_auto_dim(tuner, d)) {
            const unsigned at = operation->dim[d].queue_dim;
            const struct coll_algorithm *block =
                orr_sys_block_algorithm(&blocks, at, operation->kind);
            const struct coll_rings *rings = orr_sys_phase_rings(tuner->sys, operation);
            const bool linked = block->around && rings != NULL && rings->on_links &&
                                is_tried(tuner, d, orr_coll_for(COLL_FOR_LINKS));
            tuning.of[at] = linked ? orr_coll_for(COLL_FOR_LINKS) : block;
        }
    }
    return tuning;
}

/* One algorithm in all dimensions; false if it does not support the kind. */
static bool in_all_dims(const struct tuner *tuner, const struct coll_algorithm *algorithm,
                        struct sys_tuning *tuning)
{
    const struct sys_operation *operation = tuner->operation;
    *tuning = (struct sys_tuning){.scheduler = tuner->schedulers[0]};
    for (unsigned d = 0; d < operation->dims; d++) {
        if (is_auto_dim(tuner, d)) {
            if (!is_tried(tuner, d, algorithm)) {
                return false;
            }
            tuning->of[operation->dim[d].queue_dim] = algorithm;
        }
    }
    return true;
}

/* Tries each algorithm in the dimension and keeps the one with the shortest estimate. */
static bool improve_dim(const struct tuner *tuner, struct sys_tuning *tuning, unsigned d,
                        double *estimate_s)
{
    const struct sys_operation *operation = tuner->operation;
    const unsigned at = operation->dim[d].queue_dim;
    bool better = false;
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        struct sys_tuning other = *tuning;
        other.of[at] = orr_coll_algorithms[a];
        if (orr_coll_algorithms[a] == tuning->of[at] ||
            !is_tried(tuner, d, orr_coll_algorithms[a])) {
            continue;
        }
        const double estimated_s = bound_of(tuner, &other).estimate_s;
        if (estimated_s < *estimate_s) {
            *estimate_s = estimated_s;
            *tuning = other;
            better = true;
        }
    }
    return better;
}

/* Coordinate descent from the blocks' algorithms. */
static void add_mixed(struct tuner *tuner)
{
    struct sys_tuning tuning = by_block(tuner);
    double estimated_s = bound_of(tuner, &tuning).estimate_s;
    bool better = tuner->operation->dims > 1;
    for (unsigned round = 0; better && round < 3; round++) {
        better = false;
        for (unsigned d = 0; d < tuner->operation->dims; d++) {
            better |= is_auto_dim(tuner, d) && improve_dim(tuner, &tuning, d, &estimated_s);
        }
        add_scheduled(tuner, tuning);
    }
}

static void find_candidates(struct tuner *tuner)
{
    struct sys_tuning tuning = by_block(tuner);
    add_scheduled(tuner, tuning);
    add_mixed(tuner);
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        if (in_all_dims(tuner, orr_coll_algorithms[a], &tuning)) {
            add_scheduled(tuner, tuning);
        }
    }
}

/* ---- the best ---- */

/* Stable, by estimate. */
static void sort_candidates(struct tuner *tuner)
{
    for (unsigned i = 1; i < tuner->count; i++) {
        const struct candidate moved = tuner->of[i];
        unsigned at = i;
        while (at > 0 && tuner->of[at - 1].bound.estimate_s > moved.bound.estimate_s) {
            tuner->of[at] = tuner->of[at - 1];
            at--;
        }
        tuner->of[at] = moved;
    }
}

/* Lower bound of the NPUs of a simulation: asymmetric ranks cannot be folded. */
static double min_npus(const struct tuner *tuner, const struct candidate *candidate)
{
    double npus = 1;
    for (unsigned d = 0; d < tuner->operation->dims && candidate->bound.is_approximate; d++) {
        npus *= sys_takes_part(tuner->operation, d) ? tuner->operation->dim[d].n : 1;
    }
    return npus;
}

/* The time of a candidate, and what a run of it will cost: hops of the messages simulated. */
static double simulate(const struct tuner *tuner, struct candidate *candidate, double best_s)
{
    const double hops = candidate->bound.hops > 1 ? candidate->bound.hops : 1;
    const double share = candidate->bound.is_unknown ? UNKNOWN_SHARE : 1;
    const double npus = MAX_HOPS / share / hops;
    const double limit = best_s * 1e12 + 1;
    struct sys_trial limits = {.limit_ps = limit < 9e18 ? (sim_time)limit : ORR_TIME_MAX,
                               .max_npus = npus < MAX_NPUS ? (uint32_t)npus : MAX_NPUS,
                               .npus = 1};
    const sim_time time = npus < min_npus(tuner, candidate)
                              ? -1
                              : tuner->sys->up.predict->tuned(tuner->sys, tuner->operation,
                                                              &candidate->tuning, &limits);
    candidate->cost = candidate->bound.hops * limits.npus;
    if (time < 0) {
        return candidate->bound.is_unknown || candidate->bound.is_approximate
                   ? UNKNOWN_S
                   : candidate->bound.estimate_s;
    }
    return time == ORR_TIME_MAX ? UNKNOWN_S : (double)time * 1e-12;
}

/* Sets the time of each candidate that may be as fast as the best, UNKNOWN_S for the others;
 * returns the shortest. If there are no bounds, the blocks' algorithms come first, and are selected
 * if they are too large to simulate. */
static double compare(struct tuner *tuner, double time_s[MAX_CANDIDATES])
{
    double best_s = UNKNOWN_S;
    for (unsigned i = 0; i < tuner->count; i++) {
        time_s[i] = UNKNOWN_S;
    }
    for (unsigned i = 0; i < tuner->count; i++) {
        if (tuner->of[i].bound.is_unknown && i > 0 && best_s >= UNKNOWN_S) {
            break;
        }
        if (tuner->of[i].bound.min_s * slack < best_s) {
            time_s[i] = simulate(tuner, &tuner->of[i], best_s * tie_factor);
            best_s = time_s[i] < best_s ? time_s[i] : best_s;
        }
    }
    return best_s;
}

/* Among equally fast candidates the one with the fewest messages. */
static const struct sys_tuning *best_of(struct tuner *tuner)
{
    double time_s[MAX_CANDIDATES];
    unsigned best = 0;
    sort_candidates(tuner);
    const double min_s = compare(tuner, time_s), limit_s = min_s * tie_factor;
    for (unsigned i = 0; i < tuner->count && min_s < UNKNOWN_S; i++) {
        if (time_s[i] <= limit_s &&
            (time_s[best] > limit_s || tuner->of[i].cost < tuner->of[best].cost)) {
            best = i;
        }
    }
    return &tuner->of[best].tuning;
}

/* Whether the scheduler is a candidate: all if none is given, the compared ones if the given one
 * compares, else the given one. */
static bool is_candidate(const struct sys_scheduler_ops *scheduler,
                         const struct sys_scheduler_ops *given)
{
    if (given == NULL) {
        return !scheduler->compares;
    }
    return given->compares ? scheduler->compared : scheduler == given;
}

static void choose_schedulers(struct tuner *tuner)
{
    unsigned dims = 0, count = 0;
    for (unsigned d = 0; d < tuner->operation->dims; d++) {
        dims += sys_takes_part(tuner->operation, d) ? 1 : 0;
    }
    const bool orders = dims > 1 && tuner->operation->kind < SYS_LISTED_KINDS &&
                        tuner->sys->planning.given->trees == NULL;
    for (unsigned i = 0; orr_sys_schedulers[i] != NULL && (orders || count == 0); i++) {
        if (is_candidate(orr_sys_schedulers[i], tuner->sys->planning.given->scheduler)) {
            tuner->schedulers[count++] = orr_sys_schedulers[i];
        }
    }
    tuner->schedulers[count] = NULL;
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

static const struct sys_tuning *store(struct sys *sys, const struct key *key,
                                      const struct sys_tuning *tuning)
{
    struct entry *entry = orr_arena_alloc(sys->planning.tuning_cache->arena, sizeof *entry);
    if (entry == NULL) {
        return NULL;
    }
    *entry =
        (struct entry){.next = sys->planning.tuning_cache->first, .key = *key, .tuning = *tuning};
    sys->planning.tuning_cache->first = entry;
    return &entry->tuning;
}

static const struct sys_tuning *run_search(struct sys *sys, const struct sys_operation *operation,
                                           const struct key *key)
{
    struct tuner *tuner = orr_heap_calloc(1, sizeof *tuner);
    struct sys_operation representative = *operation;
    if (tuner == NULL) {
        return NULL;
    }
    representative.bytes = key->bytes;
    representative.root = sys_position(0);
    representative.endpoint_ps = sys->planning.given->endpoint_delay_ps;
    tuner->sys = sys;
    tuner->operation = &representative;
    choose_schedulers(tuner);
    find_candidates(tuner);
    const struct sys_tuning *tuning = store(sys, key, best_of(tuner));
    orr_heap_free(tuner);
    return tuning;
}

static const struct sys_tuning *find_tuning(struct sys *sys, const struct sys_operation *operation)
{
    const struct key key = key_of(sys, operation);
    for (const struct entry *entry = sys->planning.tuning_cache->first; entry != NULL;
         entry = entry->next) {
        if (memcmp(&entry->key, &key, sizeof key) == 0) {
            return &entry->tuning;
        }
    }
    return run_search(sys, operation, &key);
}

/* Whether the other group has the operation's dimensions, so that its tuning has all algorithms. */
static bool has_dims_of(const struct sys *sys, const struct sys_operation *operation,
                        const struct sys_group *other)
{
    bool has = !operation->flat == (other->box_dims != 0);
    for (unsigned d = 0; d < operation->dims && !operation->flat; d++) {
        has = has && (!sys_takes_part(operation, d) ||
                      orr_sys_group_row(sys, other, operation->dim[d].queue_dim).n > 1);
    }
    return has;
}

/* The group whose tuning a group follows: the largest of those judged together. If each chose for
 * itself, none would run beside what it was judged with. */
static struct sys_group *leader_of(const struct sys *sys, const struct sys_operation *operation)
{
    const struct sys_companions *with = orr_sys_companions_of(sys, operation->group);
    struct sys_group *leader = operation->group;
    for (uint32_t c = 0; with != NULL && c < with->count; c++) {
        if (with->of[c]->size > leader->size && has_dims_of(sys, operation, with->of[c])) {
            leader = with->of[c];
        }
    }
    return leader;
}

static const struct sys_tuning *tuning_of_leader(struct sys *sys,
                                                 const struct sys_operation *operation)
{
    struct sys_operation leading = *operation;
    leading.group = leader_of(sys, operation);
    if (leading.group != operation->group) {
        leading.root = sys_position(0);
        orr_sys_plan_dims(sys, &leading);
    }
    return find_tuning(sys, &leading);
}

const struct sys_tuning *orr_sys_tuning_of(struct sys *sys, struct sys_operation *operation)
{
    if (sys->config->tuning != NULL || !has_choice(sys, operation)) {
        return sys->config->tuning;
    }
    if (sys->planning.tuning_cache == NULL) {
        sys->planning.tuning_cache = orr_sys_tuning_cache_create(sys->arena);
    }
    return sys->planning.tuning_cache != NULL ? tuning_of_leader(sys, operation) : NULL;
}
