/* Event-driven memory pool: concurrent accesses share its links (docs/how-to/remote-memory.md).
 * Each link class is a server per direction. When the first class of a direction is free, a stage
 * begins with one portion of every access in flight, as much as the access has in a stage of all
 * NPUs together. The stage passes the classes first come, first served, and lasts in each as long
 * as its busiest link. If all NPUs access the pool at once, the result equals the closed form for
 * `fifo`.
 *
 * A gathered access begins when all NPUs have issued it: the k-th gathered access of each NPU
 * belong together. All stages pass the classes in the same order, so the times at which a stage
 * leaves them are known when it begins. */
#include "core/slab.h"
#include "memory/fabric.h"
#include "memory/mem.h"
#include <math.h>
#include <string.h>

extern const struct mem_ops orr_mem_pool_event_driven;

#include "memory/pools/access.h"

#define STAGE_LABEL UINT64_MAX /* after the requests of its round */

struct in_flight {
    uint64_t label, cookie;
    uint64_t left; /* bytes x NPUs; gathered: bytes */
    struct orr_slot npu;
    uint32_t next;
    bool gathered;
};

/* One direction: loads or stores. */
struct direction {
    uint32_t first;                    /* list of accesses in flight; ORR_SLAB_NONE: none */
    sim_time free_ps[MEM_MAX_CLASSES]; /* in the order of a load */
    bool has_event;
    bool changed; /* the next stage differs from the last */
    sim_time time[MEM_MAX_CLASSES];
};

/* Gathered accesses of one ordinal, waiting for those of the other NPUs. */
struct gathering {
    uint32_t arrived, first;
};

struct event_driven_mem {
    struct mem base;
    const struct mem_fabric *fabric;
    struct orr_arena *arena;
    uint32_t first_entity; /* loads, stores */
    struct direction direction[2];
    struct orr_slab accesses;
    double *weight, *scratch; /* [npus], [2 npus] */
    uint64_t *ordinal[2];     /* [npus] gathered accesses so far */
    struct gathering *gathering[2];
    size_t capacity[2];
};

static struct in_flight *access_at(const struct event_driven_mem *mem, uint32_t handle)
{
    return orr_slab_at(&mem->accesses, handle);
}

/* ---- stages ---- */

static uint64_t portion(const struct event_driven_mem *mem, const struct in_flight *access)
{
    const uint64_t full_portion =
        access->gathered ? mem->fabric->gathered_stage_bytes : mem->fabric->stage_bytes;
    return access->left < full_portion ? access->left : full_portion;
}

/* Load of gathered accesses on the busiest link of a class, in bytes. */
static double gathered_load(const struct event_driven_mem *mem, const struct direction *direction,
                            const struct mem_link_class *link)
{
    double load = 0;
    for (uint32_t at = direction->first; at != ORR_SLAB_NONE; at = access_at(mem, at)->next) {
        const struct in_flight *access = access_at(mem, at);
        /* every NPU has the access; only that of NPU 0 counts */
        load += access->gathered && access->npu.slot == 0
                    ? (double)portion(mem, access) / link->gathered_parallelism
                    : 0;
    }
    return load;
}

/* Computes the times of a stage of the accesses in flight. Sums run in the order of the NPUs,
 * independent of the order of arrival. */
static void compute_stage_times(struct event_driven_mem *mem, struct direction *direction)
{
    const struct mem_fabric *fabric = mem->fabric;
    memset(mem->weight, 0, fabric->npus * sizeof *mem->weight);
    for (uint32_t at = direction->first; at != ORR_SLAB_NONE; at = access_at(mem, at)->next) {
        const struct in_flight *access = access_at(mem, at);
        if (!access->gathered) {
            mem->weight[access->npu.slot] += (double)portion(mem, access) / fabric->npus;
        }
    }
    for (unsigned i = 0; i < fabric->classes; i++) {
        const struct mem_link_class *link = &fabric->link[i];
        const double busiest = orr_mem_fabric_busiest(fabric, link, mem->weight, mem->scratch) +
                               gathered_load(mem, direction, link);
        /* time of 1 byte at bandwidth / busiest: exact to 2^-50 */
        direction->time[i] =
            busiest > 0 ? orr_time_of_bytes(1, link->bandwidth_bytes_per_s / busiest) : 0;
    }
}

/* Passes a stage through the classes; returns when it leaves the last one. */
static sim_time pass_classes(const struct event_driven_mem *mem, struct direction *direction,
                             bool stores)
{
    const unsigned classes = mem->fabric->classes;
    sim_time done = orr_evq_now(mem->base.queue);
    for (unsigned k = 0; k < classes; k++) {
        const unsigned i = stores ? classes - 1 - k : k;
        const sim_time begin = done > direction->free_ps[i] ? done : direction->free_ps[i];
        done = orr_time_add(begin, direction->time[i]);
        direction->free_ps[i] = done;
    }
    return done;
}

static void advance_accesses(struct event_driven_mem *mem, struct direction *direction,
                             sim_time done)
{
    const sim_time end = orr_time_add(done, orr_mem_fabric_latency(mem->fabric));
    uint32_t *at = &direction->first;
    direction->changed = false;
    while (*at != ORR_SLAB_NONE) {
        struct in_flight *access = access_at(mem, *at);
        const uint64_t taken = portion(mem, access);
        access->left -= taken;
        if (access->left == 0) {
            const uint32_t handle = *at;
            *at = access->next;
            orr_mem_post_done(&mem->base, access->npu, access->label, access->cookie, end);
            orr_slab_free(&mem->accesses, handle);
            direction->changed = true;
        } else {
            direction->changed = direction->changed || portion(mem, access) != taken;
            at = &access->next;
        }
    }
}

static void post_stage(struct event_driven_mem *mem, uint32_t which, sim_time time)
{
    const struct orr_event event = {.label = STAGE_LABEL,
                                    .cookie = which,
                                    .entity = mem->first_entity + which,
                                    .kind = EVENT_SERVER_FREE,
                                    .part = ORR_PART_REMOTE_MEMORY};
    mem->direction[which].has_event = true;
    orr_evq_post(mem->base.queue, time, &event);
}

static sim_time first_free(const struct event_driven_mem *mem, uint32_t which)
{
    const unsigned first = which == 0 ? 0 : mem->fabric->classes - 1;
    return mem->direction[which].free_ps[first];
}

static void on_stage(void *context, const struct orr_event *event)
{
    struct event_driven_mem *mem = context;
    const uint32_t which = (uint32_t)event->cookie;
    struct direction *direction = &mem->direction[which];
    direction->has_event = false;
    if (direction->first == ORR_SLAB_NONE) {
        return;
    }
    if (direction->changed) {
        compute_stage_times(mem, direction);
    }
    advance_accesses(mem, direction, pass_classes(mem, direction, which != 0));
    if (direction->first != ORR_SLAB_NONE) {
        post_stage(mem, which, first_free(mem, which));
    }
}

/* ---- requests ---- */

static void begin(struct event_driven_mem *mem, uint32_t which, uint32_t handle)
{
    struct direction *direction = &mem->direction[which];
    access_at(mem, handle)->next = direction->first;
    direction->first = handle;
    direction->changed = true;
    if (!direction->has_event) {
        const sim_time now = orr_evq_now(mem->base.queue), free = first_free(mem, which);
        post_stage(mem, which, now > free ? now : free);
    }
}

static void request_gathered(struct event_driven_mem *mem, uint32_t which, uint32_t handle)
{
    const uint64_t ordinal = mem->ordinal[which][access_at(mem, handle)->npu.slot]++;
    struct gathering *all = orr_arena_grow(mem->arena, mem->gathering[which], &mem->capacity[which],
                                           (size_t)ordinal + 1, sizeof *all);
    if (all == NULL) {
        orr_evq_stop(mem->base.queue, ORR_ERR_MEMORY);
        return;
    }
    mem->gathering[which] = all;
    struct gathering *one = &all[ordinal];
    if (one->arrived == 0) {
        one->first = ORR_SLAB_NONE;
    }
    access_at(mem, handle)->next = one->first;
    one->first = handle;
    if (++one->arrived < mem->fabric->npus) {
        return;
    }
    for (uint32_t at = one->first; at != ORR_SLAB_NONE;) {
        const uint32_t next = access_at(mem, at)->next;
        begin(mem, which, at);
        at = next;
    }
}

static void on_request(void *context, const struct orr_event *event)
{
    struct event_driven_mem *mem = context;
    const uint32_t which = event->entity - mem->first_entity;
    const uint32_t handle = (uint32_t)event->cookie;
    if (access_at(mem, handle)->gathered) {
        request_gathered(mem, which, handle);
    } else {
        begin(mem, which, handle);
    }
}

static void event_driven_access(struct mem *base, const struct mem_access *access)
{
    struct event_driven_mem *mem = (struct event_driven_mem *)base;
    const uint64_t total = orr_mem_fabric_total(mem->fabric, access->bytes, access->gathered);
    const uint32_t handle = total == UINT64_MAX ? ORR_SLAB_NONE : orr_slab_new(&mem->accesses);
    if (handle == ORR_SLAB_NONE || total == 0) {
        const sim_time end = total == UINT64_MAX ? ORR_TIME_MAX : orr_evq_now(base->queue);
        if (handle == ORR_SLAB_NONE && total != UINT64_MAX) {
            orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        }
        orr_mem_post_done(base, access->npu, access->label, access->cookie,
                          orr_time_add(end, orr_mem_fabric_latency(mem->fabric)));
        return;
    }
    *access_at(mem, handle) = (struct in_flight){.label = access->label,
                                                 .cookie = access->cookie,
                                                 .left = total,
                                                 .npu = access->npu,
                                                 .gathered = access->gathered};
    const struct orr_event event = {.label = access->label,
                                    .cookie = handle,
                                    .entity = mem->first_entity + (access->store ? 1 : 0),
                                    .kind = EVENT_ACCESS_REQUEST};
    orr_evq_post(base->queue, orr_evq_now(base->queue), &event);
}

static enum orr_status event_driven_create(struct mem **out, const struct mem_config *config,
                                           uint32_t npus, struct orr_evq *queue,
                                           struct orr_arena *arena, struct orr_diag *diag)
{
    struct event_driven_mem *mem = orr_arena_alloc(arena, sizeof *mem);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the memory pool");
    }
    *mem = (struct event_driven_mem){.fabric = config->fabric, .arena = arena};
    orr_mem_base_init(&mem->base, &orr_mem_pool_event_driven, config, queue);
    mem->weight = orr_arena_array(arena, npus, sizeof *mem->weight);
    mem->scratch = orr_arena_array(arena, 2 * (size_t)npus, sizeof *mem->scratch);
    mem->first_entity = orr_evq_add_entities(queue, 2);
    for (unsigned i = 0; i < 2; i++) {
        mem->ordinal[i] = orr_arena_array(arena, npus, sizeof *mem->ordinal[i]);
        mem->direction[i].first = ORR_SLAB_NONE;
    }
    if (mem->weight == NULL || mem->scratch == NULL || mem->first_entity == UINT32_MAX ||
        mem->ordinal[0] == NULL || mem->ordinal[1] == NULL) {
        return orr_diag_no_memory(diag, "the memory pool");
    }
    orr_slab_init(&mem->accesses, arena, sizeof(struct in_flight));
    orr_evq_handle(queue, EVENT_ACCESS_REQUEST, on_request, mem);
    orr_evq_handle(queue, EVENT_SERVER_FREE, on_stage, mem);
    *out = &mem->base;
    return ORR_OK;
}

const struct mem_ops orr_mem_pool_event_driven = {
    .name = "pool_events",
    .accesses = "event_driven",
    .requires_fifo = true,
    .summary = "a pool whose links are shared by the accesses in flight",
    .create = event_driven_create,
    .access = event_driven_access,
};
