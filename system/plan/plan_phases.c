/* Plan of a collective: logical dimensions, chunks, and the phases of each chunk (docs/models.md,
 * section 5; ASTRA-sim 2.0, section II-B: hierarchical multi-rail collectives). */
#include <string.h>

#include "system/collectives/trees.h"
#include "system/plan/autotune.h"

/* ---- logical dimensions ---- */

static void platform_dims(const struct sys *sys, struct sys_operation *operation)
{
    const struct net_config *net = sys->net->config;
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    const unsigned listed = list != NULL && list->count != 0 ? list->count : net->dims;
    uint32_t stride = 1;
    operation->dims = 0;
    for (unsigned d = 0; d < net->dims && d < listed; d++) {
        struct sys_dim *dim = &operation->dim[operation->dims++];
        *dim = sys_dim_of(net->dim[d].npus, stride, d);
        if (list != NULL && list->count != 0 && list->items[d].flat) {
            *dim = sys_dim_of(sys->npus, 1, d);
            return;
        }
        stride *= net->dim[d].npus;
    }
}

void orr_sys_plan_dims(const struct sys *sys, struct sys_operation *operation)
{
    const struct sys_group *group = operation->group;
    operation->flat = !group->whole && (sys->policy->flat_groups || group->box_dims == 0);
    if (group->whole) {
        platform_dims(sys, operation);
    } else if (operation->flat) {
        operation->dims = 1;
        operation->dim[0] = sys_dim_of(group->size, 1, 0);
    } else {
        operation->dims = group->box_dims;
        memcpy(operation->dim, group->box, group->box_dims * sizeof *group->box);
    }
    for (unsigned d = 0; d < operation->dims; d++) {
        operation->root_coord[d] = sys_index_in(&operation->dim[d], operation->root);
    }
}

/* ---- phases ---- */

struct phase_list {
    struct sys_phase items[2 * SYS_MAX_DIMS];
    unsigned count;
    uint64_t bytes;    /* input of the next phase */
    uint32_t at_roots; /* its sys_phase.at_roots */
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

static uint64_t bytes_after(const struct sys *sys, const struct sys_phase *phase, uint32_t n)
{
    if (sys->policy->truncates_blocks && phase->kind < SYS_LISTED_KINDS) {
        return orr_sys_truncated_output(phase, n);
    }
    switch (phase->kind) {
    case COLL_REDUCE_SCATTER:
    case COLL_SCATTER:
        return ceil_div(phase->bytes, n);
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        return phase->bytes > UINT64_MAX / n ? UINT64_MAX : phase->bytes * n;
    default:
        return phase->bytes;
    }
}

bool orr_sys_goes_at_once(const struct sys *sys, const struct sys_operation *operation, unsigned d,
                          const struct coll_algorithm *algorithm)
{
    const struct net_config *net = sys->net->config;
    const struct net_dim *dim = &net->dim[operation->dim[d].queue_dim];
    enum { OF_A_RING = 2 };
    if (!sys->counts_departures || sys->net->ops->flows == NULL || !algorithm->at_once) {
        return false;
    }
    if (net->graph != NULL && !orr_net_is_stacked(net)) {
        return net->ports + 1 < operation->dim[d].n;
    }
    return net_passes_on(dim->block) && !operation->flat && OF_A_RING + 1 < operation->dim[d].n;
}

static enum sys_at_once at_once_of(const struct sys *sys, const struct sys_operation *operation,
                                   unsigned d, const struct coll_algorithm *algorithm)
{
    unsigned dims = 0;
    for (unsigned i = 0; i < operation->dims; i++) {
        dims += sys_takes_part(operation, i);
    }
    if (!orr_sys_goes_at_once(sys, operation, d, algorithm)) {
        return SYS_IN_LINE;
    }
    return dims == 1 ? SYS_ALL_AT_ONCE : SYS_CHUNK_AT_ONCE;
}

/* Messages in flight to all peers at once: all, if the collective is one phase. Of several phases,
 * chunks are in different ones, and a few messages of each keep the links busy; with more, chunks
 * would end together, and none would be a phase ahead of the others. */
static uint32_t at_once_credit(const struct sys_operation *operation, enum sys_at_once at_once,
                               uint32_t n)
{
    enum { AT_LEAST = 2, OF_ALL_CHUNKS = 32 };
    const uint32_t chunks = operation->chunks != 0 ? operation->chunks : 1;
    const uint32_t share = OF_ALL_CHUNKS / chunks;
    const uint32_t few = share > AT_LEAST ? share : AT_LEAST;
    return at_once == SYS_CHUNK_AT_ONCE && few < n ? few : n;
}

/* Credit: enough messages to use every port of the phase and no more, so that a port holds O(1)
 * messages of a chunk. A fully connected dimension has a port per peer; the ranks of a flat group
 * are anywhere; in a graph not built of the dimensions each link of an NPU is a port. */
static uint32_t credit_of(const struct sys *sys, const struct sys_operation *operation, unsigned d,
                          const struct sys_phase *phase)
{
    if (!sys->counts_departures) {
        return UINT32_MAX;
    }
    const struct net_dim *net = &sys->net->config->dim[operation->dim[d].queue_dim];
    const uint32_t ports = sys->net->config->ports, n = operation->dim[d].n;
    const uint32_t lanes = phase->algorithm->lanes;
    if (phase->at_once != SYS_IN_LINE && net_passes_on(net->block)) {
        return at_once_credit(operation, phase->at_once, n) * lanes;
    }
    if (sys->net->config->graph != NULL && !orr_net_is_stacked(sys->net->config)) {
        const uint32_t max =
            phase->at_once != SYS_IN_LINE ? at_once_credit(operation, phase->at_once, n) : 1;
        const uint32_t in_flight = max > ports ? max : ports;
        return (in_flight < n ? in_flight : n) * lanes;
    }
    const bool per_peer =
        net->block == NET_FULLY_CONNECTED && (!net->per_npu || sys->net->ops->links != NULL);
    return (per_peer || operation->flat ? n : 1) * lanes;
}

/* Further constraints on sends and receives of the phase. */
static uint8_t holds_of(const struct sys *sys, const struct phase_list *list,
                        const struct sys_phase *phase)
{
    const bool tree = phase->algorithm->up_down;
    bool turns =
        phase->kind == COLL_ALL_REDUCE || (phase->from_tree && phase->kind == COLL_BROADCAST);
    /* A phase above has already waited for all chunks. */
    for (unsigned i = 0; &list->items[i] != phase; i++) {
        turns = turns && (list->items[i].holds & SYS_HOLDS_TURNS) == 0;
    }
    return (uint8_t)((phase->algorithm->sends_first ? SYS_HOLDS_RECEIVES : 0) |
                     (sys->config->phased && tree && turns ? SYS_HOLDS_TURNS : 0) |
                     (sys->config->receive_buffers != 0 && tree ? SYS_HOLDS_BUFFER : 0));
}

static void add_phase(struct sys *sys, const struct sys_operation *operation,
                      struct phase_list *list, unsigned d, enum coll_kind kind)
{
    if (!sys_takes_part(operation, d)) {
        return;
    }
    const struct sys_algorithm algorithm = orr_sys_algorithm_of(sys, operation, d, kind);
    const bool part =
        operation->kind == COLL_ALL_REDUCE && (kind == COLL_REDUCE || kind == COLL_BROADCAST);
    struct sys_phase *phase = &list->items[list->count++];
    *phase = (struct sys_phase){
        .dim = (uint8_t)d,
        .kind = (uint8_t)kind,
        .queue_class = QUEUE_ALL,
        .window = algorithm.window,
        .bytes = list->bytes,
        .from_tree = part,
        .turns = orr_sys_variant_count(sys, operation, algorithm.algorithm),
        .root = operation->root_coord[d],
        .at_roots = list->at_roots,
        .trees = algorithm.algorithm->given ? sys->config->trees : NULL,
        .rings = algorithm.algorithm->on_rings ? orr_sys_phase_rings(sys, operation) : NULL,
        .algorithm = algorithm.algorithm};
    if (algorithm.algorithm->on_forest) {
        (void)orr_sys_phase_forest(sys, operation, &phase->forest, NULL);
    }
    phase->at_once = kind < SYS_LISTED_KINDS
                         ? (uint8_t)at_once_of(sys, operation, d, algorithm.algorithm)
                         : SYS_IN_LINE;
    phase->credit = credit_of(sys, operation, d, phase);
    phase->holds = holds_of(sys, list, phase);
    list->bytes = bytes_after(sys, phase, operation->dim[d].n);
}

static unsigned last_active(const struct sys_operation *operation)
{
    unsigned last = 0;
    for (unsigned d = 0; d < operation->dims; d++) {
        if (sys_takes_part(operation, d)) {
            last = d;
        }
    }
    return last;
}

/* The phases from `down` on use the second half of the queues, and the opposite direction of rings.
 */
static void halve_queues(const struct sys *sys, struct phase_list *list, unsigned down)
{
    for (unsigned i = 0; i < list->count; i++) {
        list->items[i].queue_class = i < down ? QUEUE_FIRST_HALF : QUEUE_SECOND_HALF;
        list->items[i].backwards = sys->policy->second_half_backwards && i >= down;
    }
}

/* Whether the dimension reduces to the roots of user trees, which alone continue. */
static bool reduces_to_root(const struct sys *sys, const struct sys_operation *operation,
                            unsigned d)
{
    return sys_takes_part(operation, d) &&
           orr_sys_algorithm_of(sys, operation, d, COLL_REDUCE).algorithm->given;
}

/* Reduce-scatter up the dimensions, one all-reduce on the last, all-gather down. With user trees:
 * reduce up and broadcast down. */
static void hierarchical_all_reduce(struct sys *sys, const struct sys_operation *operation,
                                    struct phase_list *list)
{
    const unsigned last = last_active(operation);
    for (unsigned d = 0; d < last; d++) {
        const bool roots = reduces_to_root(sys, operation, d);
        add_phase(sys, operation, list, d, roots ? COLL_REDUCE : COLL_REDUCE_SCATTER);
        list->at_roots |= roots ? UINT32_C(1) << d : 0;
    }
    add_phase(sys, operation, list, last, COLL_ALL_REDUCE);
    const unsigned down = list->count;
    for (unsigned d = last; d-- > 0;) {
        const bool roots = (list->at_roots >> d & 1u) != 0;
        list->at_roots &= ~(UINT32_C(1) << d);
        add_phase(sys, operation, list, d, roots ? COLL_BROADCAST : COLL_ALL_GATHER);
    }
    halve_queues(sys, list, down);
}

/* All-gather and broadcasts from a root descend the dimensions, all other kinds ascend. */
static bool descends(enum coll_kind kind)
{
    return kind == COLL_ALL_GATHER || kind == COLL_BROADCAST || kind == COLL_SCATTER;
}

/* Reduce-scatter in the given order, all-gather in the reverse order. Other kinds, and
 * all-reduces in one pass without localBWAware, use the given order. */
static void ordered_phases(struct sys *sys, const struct sys_operation *operation,
                           const unsigned *order, unsigned dims, struct phase_list *list)
{
    const bool twice = operation->kind == COLL_ALL_REDUCE &&
                       (!sys->policy->ordered_in_one_pass || sys->config->bandwidth_aware);
    for (unsigned i = 0; i < dims; i++) {
        add_phase(sys, operation, list, order[i], twice ? COLL_REDUCE_SCATTER : operation->kind);
    }
    const unsigned down = list->count;
    for (unsigned i = dims; i-- > 0 && twice;) {
        add_phase(sys, operation, list, order[i], COLL_ALL_GATHER);
    }
    if (twice) {
        halve_queues(sys, list, down);
    }
}

/* A chunk: its bytes, and those by which a scheduler orders its dimensions. */
struct chunk_size {
    uint64_t bytes, order_bytes;
};

static void build_phases(struct sys *sys, const struct sys_operation *operation,
                         struct chunk_size chunk, struct sys_tracker *tracker,
                         struct phase_list *list)
{
    const bool by_phase = sys->config->service == SYS_BY_PHASE;
    unsigned order[SYS_MAX_DIMS];
    list->count = 0;
    list->bytes = chunk.bytes;
    list->at_roots = 0;
    if (tracker->dims != 0) {
        operation->scheduler->order(tracker, operation->kind, chunk.order_bytes, order);
        ordered_phases(sys, operation, order, tracker->dims, list);
        return;
    }
    if (operation->kind == COLL_ALL_REDUCE && by_phase) {
        for (unsigned d = 0; d < operation->dims; d++) {
            order[d] = d;
        }
        ordered_phases(sys, operation, order, operation->dims, list);
        return;
    }
    if (operation->kind == COLL_ALL_REDUCE && sys->config->bandwidth_aware) {
        hierarchical_all_reduce(sys, operation, list);
        return;
    }
    for (unsigned i = 0; i < operation->dims; i++) {
        const unsigned d = descends(operation->kind) ? operation->dims - 1 - i : i;
        add_phase(sys, operation, list, d, operation->kind);
    }
}

/* ---- chunks ---- */

struct chunking {
    uint64_t chunk_bytes, last_bytes, count;
};

static struct chunking equal_chunks(const struct sys *sys, const struct sys_operation *operation)
{
    const uint64_t splits = sys->config->chunks;
    uint64_t bytes = operation->bytes;
    uint64_t chunk = bytes / splits;
    if (operation->kind != COLL_ALL_GATHER && sys->policy->minimum_chunk && sys->npus > chunk) {
        chunk = sys->npus;
        bytes = splits * chunk;
    }
    if (chunk == 0) {
        chunk = bytes != 0 ? 1 : 0;
    }
    const uint64_t count = chunk != 0 ? ceil_div(bytes, chunk) : 1;
    /* A scheduler uses the remaining bytes for the last chunk. */
    const bool scheduled = operation->scheduler != NULL && operation->scheduler->order != NULL;
    return (struct chunking){.chunk_bytes = chunk,
                             .last_bytes = scheduled ? bytes - (count - 1) * chunk : chunk,
                             .count = count};
}

static struct chunking default_chunks(const struct sys *sys, const struct sys_operation *operation)
{
    const uint64_t chunk = ceil_div(operation->bytes, orr_sys_chunk_count(sys, operation));
    const uint64_t count = chunk != 0 ? ceil_div(operation->bytes, chunk) : 1;
    return (struct chunking){
        .chunk_bytes = chunk, .last_bytes = operation->bytes - (count - 1) * chunk, .count = count};
}

static struct chunking chunks_of(const struct sys *sys, const struct sys_operation *operation)
{
    return sys->policy->equal_chunks && operation->kind < SYS_LISTED_KINDS
               ? equal_chunks(sys, operation)
               : default_chunks(sys, operation);
}

/* The chunks by which a scheduler orders dimensions. A scheduler that was autotuned was judged with
 * the size that stands for its class: a few bytes more may change its orders, and the time much
 * more. */
static struct chunking order_chunks(const struct sys *sys, const struct sys_operation *operation,
                                    const struct chunking *chunks)
{
    struct sys_operation middle = *operation;
    middle.bytes = orr_sys_tuned_bytes(sys, operation);
    return operation->tuning != NULL ? chunks_of(sys, &middle) : *chunks;
}

static const struct sys_plan *store_plan(const struct sys *sys, struct sys_operation *operation,
                                         const struct phase_list *list, const uint32_t *variants)
{
    struct sys_plan *plan = orr_arena_alloc(operation->arena, sizeof *plan);
    struct sys_phase *phases = orr_arena_array(operation->arena, list->count, sizeof *phases);
    if (plan == NULL || phases == NULL) {
        return NULL;
    }
    memcpy(phases, list->items, list->count * sizeof *phases);
    for (unsigned i = 0; i < list->count; i++) {
        phases[i].variant = variants[i];
        if (phases[i].from_tree) {
            phases[i].root = phases[i].trees->tree[variants[i]].root;
        }
        phases[i].stepper =
            sys->up.stepper_of != NULL ? sys->up.stepper_of(operation, &phases[i]) : NULL;
    }
    *plan = (struct sys_plan){.phases = list->count, .phase = phases};
    return plan;
}

/* Variant of each phase of the next chunk: trees alternate per dimension. */
static void next_variants(struct sys *sys, const struct sys_operation *operation,
                          const struct phase_list *list, uint32_t chunk, uint32_t *variants)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct sys_phase *phase = &list->items[i];
        variants[i] = chunk % phase->turns;
        if (sys->policy->tree_turns_by_platform && operation->kind < SYS_LISTED_KINDS &&
            phase->algorithm->chain == COLL_CHAIN_TREES) {
            uint32_t *next =
                &sys->planning.tree_variant[(unsigned)operation->kind * SYS_MAX_DIMS + phase->dim];
            variants[i] = (*next)++ % 2;
        }
    }
}

static bool varies(const struct phase_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (list->items[i].algorithm->varies) {
            return true;
        }
    }
    return false;
}

static enum orr_status plan_chunks(struct sys *sys, struct sys_operation *operation,
                                   const struct chunking *chunks, struct orr_diag *diag)
{
    const struct sys_plan **plans =
        orr_arena_array(operation->arena, operation->chunks, sizeof *plans);
    if (plans == NULL) {
        return orr_diag_no_memory(diag, "a collective's plan");
    }
    struct phase_list list;
    struct sys_tracker own;
    const struct chunking ordered = order_chunks(sys, operation, chunks);
    struct sys_tracker *tracker = orr_sys_tracker_of(sys, operation, ordered.chunk_bytes, &own);
    uint32_t variants[2 * SYS_MAX_DIMS];
    for (uint32_t c = 0; c < operation->chunks; c++) {
        const bool last = c + 1 == operation->chunks;
        if (c > 0 && !last && !varies(&list) && tracker->dims == 0) {
            plans[c] = plans[c - 1];
            continue;
        }
        const struct chunk_size size = {.bytes = last ? chunks->last_bytes : chunks->chunk_bytes,
                                        .order_bytes =
                                            last ? ordered.last_bytes : ordered.chunk_bytes};
        build_phases(sys, operation, size, tracker, &list);
        next_variants(sys, operation, &list, c, variants);
        plans[c] = store_plan(sys, operation, &list, variants);
        if (plans[c] == NULL) {
            return orr_diag_no_memory(diag, "a collective's plan");
        }
    }
    operation->plan = plans;
    return ORR_OK;
}

static enum orr_status plan_custom(const struct sys *sys, struct sys_operation *operation,
                                   struct orr_diag *diag)
{
    static const uint32_t no_variant[1];
    struct phase_list list = {.count = 1};
    list.items[0] = (struct sys_phase){
        .kind = (uint8_t)operation->kind, .queue_class = QUEUE_FIRST_HALF, .turns = 1};
    const struct sys_plan **plans =
        orr_arena_array(operation->arena, operation->chunks, sizeof *plans);
    const struct sys_plan *plan = store_plan(sys, operation, &list, no_variant);
    if (plans == NULL || plan == NULL) {
        return orr_diag_no_memory(diag, "a collective's plan");
    }
    for (uint32_t c = 0; c < operation->chunks; c++) {
        plans[c] = plan;
    }
    operation->plan = plans;
    return ORR_OK;
}

enum orr_status orr_sys_plan_tuned(struct sys *sys, struct sys_operation *operation,
                                   struct orr_diag *diag)
{
    operation->scheduler = orr_sys_scheduler_of(sys, operation);
    const struct chunking chunks = chunks_of(sys, operation);
    operation->chunks = (uint32_t)chunks.count;
    operation->chunk_bytes = chunks.chunk_bytes;
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    operation->custom_program = list != NULL ? list->custom : NULL;
    if (operation->custom_program != NULL) {
        return plan_custom(sys, operation, diag);
    }
    const enum orr_status status = plan_chunks(sys, operation, &chunks, diag);
    const bool by_phase =
        sys->config->service == SYS_BY_PHASE && operation->kind < SYS_LISTED_KINDS;
    return status == ORR_OK && by_phase ? orr_sys_phase_order_create(sys, operation, diag) : status;
}

uint64_t orr_sys_plan_chunks(const struct sys *sys, const struct sys_collective *request)
{
    struct sys_operation operation = {.kind = request->kind,
                                      .bytes = request->bytes,
                                      .group = sys->all.groups[request->group],
                                      .dim_mask = request->dim_mask};
    orr_sys_plan_dims(sys, &operation);
    return chunks_of(sys, &operation).count;
}

/* Limits of labels and chunk counters. All else has an algorithm that can run it. */
enum orr_status orr_sys_plan_check(const struct sys *sys, const struct sys_collective *request,
                                   struct orr_diag *diag)
{
    if (orr_sys_check_algorithms(sys, request, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    const uint64_t chunks = orr_sys_plan_chunks(sys, request);
    if (chunks > SYS_MAX_CHUNKS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "would be split into %llu chunks; at most %d are supported, so split "
                             "into fewer",
                             (unsigned long long)chunks, SYS_MAX_CHUNKS);
    }
    if (request->bytes > UINT64_MAX / sys->npus / 4) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "has %llu bytes, which is too much for %u NPUs",
                             (unsigned long long)request->bytes, sys->npus);
    }
    return ORR_OK;
}
