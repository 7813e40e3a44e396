/* Autotuning: the search among candidates; see autotune.h. */
#include <string.h>

#include "network/coordinates.h"
#include "network/net_dims.h"
#include "system/collectives/rings.h"
#include "system/groups/group.h"
#include "system/plan/autotune.h"
#include "system/plan/planning.h"

/* Limits: candidates of a collective, and the size of one simulation in hops of simulated messages.
 * Larger candidates are judged by their bounds. */
enum {
    MAX_CANDIDATES = 64,
    MAX_HOPS = 300000,
    MAX_TIED_HOPS = 4 * MAX_HOPS, /* where estimates are as short as each other */
    MAX_NPUS = 1 << 14,
    UNKNOWN_SHARE = 8
};

/* A bound may exceed the true time by this factor (rounding, the last message of a chain). */
static const double slack = 0.98;

/* Candidates within this factor of the best time count as equally fast: the one with fewer messages
 * wins, because it is cheaper to simulate and tolerates members that start at different times. */
static const double tie_factor = 1.01;

#define UNKNOWN_S 1e30 /* time of candidates without simulation and bound */

/* ---- candidates ---- */

struct candidate {
    struct sys_tuning tuning;
    struct sys_bound bound;
    double cost; /* hops of the messages that a run simulates */
    bool is_simulated;
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
static double simulate(const struct tuner *tuner, struct candidate *candidate, double best_s,
                       double max_hops)
{
    const double hops = candidate->bound.hops > 1 ? candidate->bound.hops : 1;
    const double share = candidate->bound.is_unknown ? UNKNOWN_SHARE : 1;
    const double npus = max_hops / share / hops;
    const double limit = best_s * 1e12 + 1;
    struct sys_trial limits = {.limit_ps = limit < 9e18 ? (sim_time)limit : ORR_TIME_MAX,
                               .max_npus = npus < MAX_NPUS ? (uint32_t)npus : MAX_NPUS,
                               .npus = 1};
    const sim_time time = npus < min_npus(tuner, candidate)
                              ? -1
                              : tuner->sys->up.predict->tuned(tuner->sys, tuner->operation,
                                                              &candidate->tuning, &limits);
    candidate->cost = candidate->bound.hops * limits.npus;
    candidate->is_simulated = time >= 0;
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
            time_s[i] = simulate(tuner, &tuner->of[i], best_s * tie_factor, MAX_HOPS);
            best_s = time_s[i] < best_s ? time_s[i] : best_s;
        }
    }
    return best_s;
}

/* An estimate does not tell which of those as fast is faster: a larger simulation does. Returns the
 * shortest time. */
static double break_ties(struct tuner *tuner, double time_s[MAX_CANDIDATES], double best_s)
{
    const double tied_s = best_s < UNKNOWN_S ? best_s * tie_factor : 0;
    unsigned tied = 0;
    for (unsigned i = 0; i < tuner->count; i++) {
        tied += time_s[i] <= tied_s ? 1 : 0;
    }
    for (unsigned i = 0; tied > 1 && i < tuner->count; i++) {
        if (time_s[i] <= tied_s && !tuner->of[i].is_simulated) {
            time_s[i] = simulate(tuner, &tuner->of[i], tied_s, MAX_TIED_HOPS);
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
    const double min_s = break_ties(tuner, time_s, compare(tuner, time_s));
    const double limit_s = min_s * tie_factor;
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

bool orr_sys_search_tuning(struct sys *sys, const struct sys_operation *operation,
                           struct sys_tuning *tuning)
{
    struct tuner *tuner = orr_heap_calloc(1, sizeof *tuner);
    if (tuner == NULL) {
        return false;
    }
    tuner->sys = sys;
    tuner->operation = operation;
    choose_schedulers(tuner);
    find_candidates(tuner);
    *tuning = *best_of(tuner);
    orr_heap_free(tuner);
    return true;
}
