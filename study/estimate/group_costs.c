/* Times of collectives and messages of a layout; see group_costs.h. */
#include "study/estimate/group_costs.h"

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/ccl/ccl.h"
#include "workload/engine/node_requests.h"

enum { BUCKETS = 1024, MAX_AXES = GEN_MAX_DIGITS };

/* A group by its ranks' digits: the number of ranks along each axis, and their distance. */
struct shape_key {
    uint32_t size[MAX_AXES], stride[MAX_AXES];
};

struct orr_group_shape {
    struct shape_key key;
    struct orr_group_shape *next;
    uint32_t npus;
    uint32_t along[NET_MAX_DIMS]; /* members of a line of each dimension */
    bool spans[NET_MAX_DIMS];     /* whether members differ in it */
    struct sys_ccl_shape ccl;
};

struct orr_group_costs {
    const struct net_config *network;
    const struct sys_ccl *library;
    struct orr_arena *arena;
    struct orr_group_shape *bucket[BUCKETS];
};

enum orr_status orr_group_costs_create(const struct net_config *network,
                                       const struct sys_ccl *library, struct orr_group_costs **out,
                                       struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    *out = arena != NULL ? orr_arena_alloc(arena, sizeof **out) : NULL;
    if (*out == NULL) {
        orr_arena_destroy(arena);
        return orr_diag_no_memory(diag, "the costs of groups");
    }
    **out = (struct orr_group_costs){.network = network, .library = library, .arena = arena};
    return ORR_OK;
}

void orr_group_costs_destroy(struct orr_group_costs *costs)
{
    if (costs != NULL) {
        orr_arena_destroy(costs->arena);
    }
}

/* ---- shapes ---- */

static struct shape_key key_of(const struct gen_layout *layout, enum gen_family family)
{
    struct shape_key key = {.size = {1, 1, 1}};
    struct gen_digit digit[GEN_MAX_DIGITS];
    const unsigned count = orr_gen_family_digits(layout, family, digit);
    for (unsigned i = 0; i < count; i++) {
        key.size[i] = digit[i].size;
        key.stride[i] = digit[i].stride;
    }
    return key;
}

static unsigned bucket_of(const struct shape_key *key)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < MAX_AXES; i++) {
        hash = (hash ^ key->size[i]) * 16777619u;
        hash = (hash ^ key->stride[i]) * 16777619u;
    }
    return hash % BUCKETS;
}

/* Members of a line of each dimension: of the group's ranks those with coordinates of the first. */
static void count_along(const struct net_config *network, const uint32_t *ranks, uint32_t count,
                        struct orr_group_shape *shape)
{
    uint32_t stride = 1;
    for (unsigned d = 0; d < network->dims; d++) {
        const uint32_t n = network->dim[d].npus;
        const uint32_t rest = ranks[0] - ranks[0] / stride % n * stride;
        for (uint32_t i = 0; i < count; i++) {
            shape->spans[d] = shape->spans[d] || ranks[i] / stride % n != ranks[0] / stride % n;
            shape->along[d] += ranks[i] - ranks[i] / stride % n * stride == rest ? 1 : 0;
        }
        stride *= n;
    }
}

static struct orr_group_shape *make_shape(struct orr_group_costs *costs,
                                          const struct gen_layout *layout, enum gen_family family)
{
    struct orr_diag diag;
    struct orr_group_shape *shape = orr_arena_alloc(costs->arena, sizeof *shape);
    const uint32_t npus = orr_gen_family_size(layout, family);
    uint32_t *ranks = orr_heap_calloc(npus, sizeof *ranks);
    bool made = shape != NULL && ranks != NULL;
    if (made) {
        orr_diag_init(&diag);
        orr_gen_family_ranks(layout, family, 0, ranks);
        *shape = (struct orr_group_shape){.key = key_of(layout, family), .npus = npus};
        count_along(costs->network, ranks, npus, shape);
        made = costs->library == NULL || npus == 1 ||
               orr_sys_ccl_shape_of(costs->library, costs->network, ranks, npus, &shape->ccl,
                                    &diag) == ORR_OK;
    }
    orr_heap_free(ranks);
    return made ? shape : NULL;
}

static const struct orr_group_shape *shape_of(struct orr_layout_groups *groups,
                                              enum gen_family family)
{
    if (groups->shape[family] != NULL) {
        return groups->shape[family];
    }
    const struct shape_key key = key_of(groups->layout, family);
    struct orr_group_shape **first = &groups->costs->bucket[bucket_of(&key)];
    struct orr_group_shape *shape = *first;
    while (shape != NULL && memcmp(&shape->key, &key, sizeof key) != 0) {
        shape = shape->next;
    }
    if (shape == NULL) {
        shape = make_shape(groups->costs, groups->layout, family);
        if (shape == NULL) {
            groups->no_memory = true;
            return NULL;
        }
        shape->next = *first;
        *first = shape;
    }
    return groups->shape[family] = shape;
}

int orr_group_outermost(struct orr_layout_groups *groups, enum gen_family family)
{
    const struct orr_group_shape *shape = shape_of(groups, family);
    int d = (int)groups->costs->network->dims - 1;
    while (d >= 0 && (shape == NULL || !shape->spans[d])) {
        d--;
    }
    return d;
}

bool orr_group_spans(struct orr_layout_groups *groups, enum gen_family family, int dim)
{
    const struct orr_group_shape *shape = shape_of(groups, family);
    return shape != NULL && dim >= 0 && shape->spans[dim];
}

/* ---- collectives ---- */

static double library_seconds(const struct orr_group_costs *costs,
                              const struct orr_group_shape *shape, enum coll_kind kind,
                              uint64_t bytes)
{
    struct sys_ccl_choice choice;
    orr_sys_ccl_choose(costs->library, &shape->ccl, kind,
                       orr_sys_ccl_bytes(kind, bytes, shape->npus), &choice);
    return (double)orr_sys_ccl_time_ps(&choice) / (double)ORR_PS_PER_S;
}

/* Steps of one pass over a dimension. */
static double steps_of(const struct net_dim *dim, uint32_t members)
{
    return dim->block == NET_SWITCH    ? ceil(log2(members))
           : net_passes_on(dim->block) ? members - 1
                                       : 1;
}

/* One pass over all dimensions, one after the other, with less and less to send: with many chunks
 * the slowest counts. All-reduces are two. */
static double phases_seconds(const struct net_config *network, const struct orr_group_shape *shape,
                             enum coll_kind kind, double bytes)
{
    double left = kind == COLL_ALL_GATHER ? bytes * shape->npus : bytes, slowest = 0, latency = 0;
    for (unsigned d = 0; d < network->dims; d++) {
        const double n = shape->along[d];
        const struct net_dim *dim = &network->dim[d];
        if (shape->along[d] > 1) {
            slowest = fmax(slowest, left * (n - 1) / n / dim->bandwidth_bytes_per_s);
            latency += steps_of(dim, shape->along[d]) * (double)dim->latency_ps;
            left /= kind == COLL_ALL_TO_ALL ? 1 : n;
        }
    }
    return (kind == COLL_ALL_REDUCE ? 2 : 1) * (slowest + latency / (double)ORR_PS_PER_S);
}

double orr_collective_seconds(struct orr_layout_groups *groups, enum gen_family family,
                              enum orr_trace_comm comm, uint64_t bytes)
{
    const struct orr_group_shape *shape = shape_of(groups, family);
    if (shape == NULL || shape->npus <= 1 || bytes == 0) {
        return 0;
    }
    const enum coll_kind kind = orr_wl_coll_kind((uint8_t)comm);
    return groups->costs->library != NULL
               ? library_seconds(groups->costs, shape, kind, bytes)
               : phases_seconds(groups->costs->network, shape, kind, (double)bytes);
}

static double one_token_exchange(struct orr_layout_groups *groups, enum gen_family family,
                                 uint64_t bytes)
{
    const struct orr_group_shape *shape = shape_of(groups, family);
    struct sys_ccl_choice choice;
    if (groups->costs->library == NULL || shape == NULL || shape->npus <= 1) {
        return orr_collective_seconds(groups, family, ORR_COMM_ALL_TO_ALL, bytes);
    }
    orr_sys_ccl_choose_tokens(groups->costs->library, &shape->ccl, (double)bytes, &choice);
    return (double)orr_sys_ccl_time_ps(&choice) / (double)ORR_PS_PER_S;
}

double orr_token_seconds(struct orr_layout_groups *groups, uint64_t bytes, uint64_t node_bytes)
{
    return fmax(one_token_exchange(groups, GEN_EP_RAIL, bytes),
                one_token_exchange(groups, GEN_EP_NODE, node_bytes));
}

/* ---- messages ---- */

int orr_message_outermost(const struct orr_layout_groups *groups, uint32_t from, uint32_t to)
{
    const struct net_config *network = groups->costs->network;
    uint32_t a = from * groups->layout->stride[GEN_PIPELINE];
    uint32_t b = to * groups->layout->stride[GEN_PIPELINE];
    int outermost = -1;
    for (unsigned d = 0; d < network->dims; d++) {
        outermost = a % network->dim[d].npus != b % network->dim[d].npus ? (int)d : outermost;
        a /= network->dim[d].npus;
        b /= network->dim[d].npus;
    }
    return outermost;
}

/* Of a message from rank a to rank b. */
static double pair_seconds(const struct net_config *network, uint32_t a, uint32_t b, uint64_t bytes)
{
    double seconds = 0;
    for (unsigned d = 0; d < network->dims; d++) {
        const struct net_dim *dim = &network->dim[d];
        if (a % dim->npus != b % dim->npus) {
            const double hops = dim->block == NET_SWITCH ? 2 : 1;
            seconds += hops * (double)dim->latency_ps / (double)ORR_PS_PER_S +
                       (double)bytes / dim->bandwidth_bytes_per_s;
        }
        a /= dim->npus;
        b /= dim->npus;
    }
    return seconds;
}

double orr_message_seconds(const struct orr_layout_groups *groups, uint32_t from, uint32_t to,
                           uint64_t bytes)
{
    const uint32_t stride = groups->layout->stride[GEN_PIPELINE];
    return pair_seconds(groups->costs->network, from * stride, to * stride, bytes);
}

double orr_ring_seconds(const struct orr_layout_groups *groups, uint64_t bytes)
{
    const struct gen_layout *layout = groups->layout;
    double slowest = 0;
    uint32_t rank = 0;
    for (uint32_t place = 0; place < gen_ring_ranks(layout); place++) {
        const uint32_t next = (rank + orr_gen_ring_offset(layout, place, true)) % layout->npus;
        slowest = fmax(slowest, pair_seconds(groups->costs->network, rank, next, bytes));
        rank = next;
    }
    return slowest;
}
