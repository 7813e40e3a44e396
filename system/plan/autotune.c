/* Autotuning: the cache; see autotune.h. */
#include "system/plan/autotune.h"

#include <string.h>

#include "network/coordinates.h"
#include "system/groups/group.h"
#include "system/plan/companions.h"
#include "system/plan/planning.h"
#include "system/sys_position.h"

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

/* The representative of all operations with the key is tuned. */
static const struct sys_tuning *run_search(struct sys *sys, const struct sys_operation *operation,
                                           const struct key *key)
{
    struct sys_tuning tuning;
    struct sys_operation representative = *operation;
    representative.bytes = key->bytes;
    representative.root = sys_position(0);
    representative.endpoint_ps = sys->planning.given->endpoint_delay_ps;
    return orr_sys_search_tuning(sys, &representative, &tuning) ? store(sys, key, &tuning) : NULL;
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
