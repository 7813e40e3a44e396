/* Shared memories that serve one access at a time, first come, first served: one per node, or one
 * for all NPUs.
 *
 * Insertion order: an access is queued when it is issued; its start posts its completion and then
 * the release of the server, both as batched events of the NPU (the reference's order). Label
 * order: the server is an entity and requests are its events. It starts an access in the next
 * round, when it knows all requests of the round; equal labels are ordered by NPU. */
#include "core/conf/keys.h"
#include "core/fifo.h"
#include "core/slab.h"
#include "memory/mem.h"
#include "memory/pools/access.h"

extern const struct mem_ops orr_mem_per_node, orr_mem_pool;

/* The event of the server comes after the requests of its round. */
#define SERVER_LABEL UINT64_MAX

struct waiting_access {
    struct orr_fifo_item waiting; /* must be first; `tie` is the NPU */
    uint64_t bytes, cookie;
};

struct server {
    struct orr_fifo fifo;
    sim_time busy_until;
    bool has_event; /* insertion order: busy; label order: will check its queue */
};

struct shared {
    struct mem base;
    uint32_t npus_per_server, servers, first_entity;
    struct server *server;
    struct orr_slab accesses;
};

static bool by_insertion(const struct shared *mem)
{
    return orr_evq_order(mem->base.queue) == ORR_ORDER_INSERTION;
}

static struct waiting_access *access_at(const struct shared *mem, uint32_t handle)
{
    return orr_slab_at(&mem->accesses, handle);
}

/* Posts the release of the server; in insertion order in the batch of the NPU that it serves. */
static void post_free(struct shared *mem, uint32_t index, uint32_t npu, sim_time time)
{
    const uint32_t entity = by_insertion(mem) ? npu : mem->first_entity + index;
    const struct orr_event event = {.label = SERVER_LABEL,
                                    .cookie = index,
                                    .entity = entity,
                                    .kind = EVENT_SERVER_FREE,
                                    .part = ORR_PART_REMOTE_MEMORY};
    mem->server[index].has_event = true;
    orr_evq_post_batched(mem->base.queue, time, &event);
}

static void start(struct shared *mem, uint32_t index, uint32_t handle)
{
    struct server *server = &mem->server[index];
    const struct waiting_access access = *access_at(mem, handle);
    const uint32_t npu = (uint32_t)access.waiting.tie;
    const sim_time duration = orr_mem_access_time(mem->base.config, access.bytes);
    orr_slab_free(&mem->accesses, handle);
    server->busy_until = orr_time_add(orr_evq_now(mem->base.queue), duration);
    orr_mem_post_done(&mem->base, orr_slot(npu), access.waiting.label, access.cookie,
                      server->busy_until);
    if (by_insertion(mem) || !orr_fifo_empty(&server->fifo)) {
        post_free(mem, index, npu, server->busy_until);
    }
}

static void on_free(void *context, const struct orr_event *event)
{
    struct shared *mem = context;
    const uint32_t index = (uint32_t)event->cookie;
    struct server *server = &mem->server[index];
    server->has_event = false;
    if (!orr_fifo_empty(&server->fifo)) {
        start(mem, index, orr_fifo_pop(&server->fifo, &mem->accesses));
    }
}

static void on_request(void *context, const struct orr_event *event)
{
    struct shared *mem = context;
    const uint32_t handle = (uint32_t)event->cookie;
    const uint32_t index = event->entity - mem->first_entity;
    struct server *server = &mem->server[index];
    orr_fifo_insert(&server->fifo, &mem->accesses, handle);
    if (!server->has_event) {
        const sim_time now = orr_evq_now(mem->base.queue);
        post_free(mem, index, 0, now > server->busy_until ? now : server->busy_until);
    }
}

static void request(struct shared *mem, uint32_t index, uint32_t handle)
{
    struct server *server = &mem->server[index];
    if (!by_insertion(mem)) {
        const struct orr_event event = {.label = access_at(mem, handle)->waiting.label,
                                        .cookie = handle,
                                        .entity = mem->first_entity + index,
                                        .kind = EVENT_ACCESS_REQUEST};
        orr_evq_post(mem->base.queue, orr_evq_now(mem->base.queue), &event);
    } else if (server->has_event) {
        orr_fifo_append(&server->fifo, &mem->accesses, handle);
    } else {
        start(mem, index, handle);
    }
}

static void shared_access(struct mem *base, const struct mem_access *access)
{
    struct shared *mem = (struct shared *)base;
    const uint32_t handle = orr_slab_new(&mem->accesses);
    if (handle == ORR_SLAB_NONE) {
        orr_evq_stop(base->queue, ORR_ERR_MEMORY);
        return;
    }
    *access_at(mem, handle) = (struct waiting_access){.waiting = {.since = orr_evq_now(base->queue),
                                                                  .label = access->label,
                                                                  .tie = access->npu.slot},
                                                      .bytes = access->bytes,
                                                      .cookie = access->cookie};
    request(mem, access->npu.slot / mem->npus_per_server, handle);
}

static enum orr_status create_servers(struct shared *mem, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    struct orr_evq *queue = mem->base.queue;
    mem->server = orr_arena_array(arena, mem->servers, sizeof *mem->server);
    mem->first_entity = orr_evq_add_entities(queue, mem->servers);
    if (mem->server == NULL || mem->first_entity == UINT32_MAX) {
        return orr_diag_no_memory(diag, "the remote memory");
    }
    for (uint32_t i = 0; i < mem->servers; i++) {
        orr_fifo_init(&mem->server[i].fifo);
    }
    orr_slab_init(&mem->accesses, arena, sizeof(struct waiting_access));
    orr_evq_handle(queue, EVENT_ACCESS_REQUEST, on_request, mem);
    orr_evq_handle(queue, EVENT_SERVER_FREE, on_free, mem);
    return ORR_OK;
}

static struct shared *create(const struct mem_ops *ops, const struct mem_config *config,
                             struct orr_evq *queue, struct orr_arena *arena)
{
    struct shared *mem = orr_arena_alloc(arena, sizeof *mem);
    if (mem != NULL) {
        orr_mem_base_init(&mem->base, ops, config, queue);
    }
    return mem;
}

/* The keys of per_node. */
struct per_node_keys {
    int64_t nodes, npus_per_node;
};

#define AT(member) offsetof(struct per_node_keys, member)

static const struct orr_key per_node_table[] = {
    {.name = "nodes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(nodes),
     .low = 1,
     .high = INT32_MAX,
     .default_text = "1",
     .doc = "per_node: how many nodes"},
    {.name = "npus_per_node",
     .type = ORR_KEY_INTEGER,
     .offset = AT(npus_per_node),
     .low = 1,
     .high = INT32_MAX,
     .default_text = "1",
     .doc = "per_node: NPUs that share a node's memory"},
};

static const struct orr_key per_node_astra_table[] = {
    {.name = "num-nodes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(nodes),
     .low = 1,
     .high = 1e9,
     .doc = "nodes with a memory each"},
    {.name = "num-npus-per-node",
     .type = ORR_KEY_INTEGER,
     .offset = AT(npus_per_node),
     .low = 1,
     .high = 1e9,
     .doc = "NPUs that share a node's memory"},
};

static const struct per_node_keys per_node_defaults = {.nodes = 1, .npus_per_node = 1};

static const struct mem_backend_keys per_node_backend_keys = {
    .table = {.keys = per_node_table, .count = sizeof per_node_table / sizeof *per_node_table},
    .astra = {.keys = per_node_astra_table,
              .count = sizeof per_node_astra_table / sizeof *per_node_astra_table},
    .bytes = sizeof per_node_defaults,
    .defaults = &per_node_defaults};

static enum orr_status per_node_create(struct mem **out, const struct mem_config *config,
                                       uint32_t npus, struct orr_evq *queue,
                                       struct orr_arena *arena, struct orr_diag *diag)
{
    const struct per_node_keys *keys =
        config->backend_keys != NULL ? config->backend_keys : &per_node_defaults;
    const uint32_t nodes = (uint32_t)keys->nodes, each = (uint32_t)keys->npus_per_node;
    const uint64_t held = (uint64_t)nodes * each;
    if (held < npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "memory: %u nodes of %u NPUs hold %llu NPUs, but the network has %u; "
                             "nodes x npus_per_node must cover them",
                             nodes, each, (unsigned long long)held, npus);
    }
    struct shared *mem = create(&orr_mem_per_node, config, queue, arena);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the remote memory");
    }
    mem->npus_per_server = each;
    mem->servers = (npus - 1) / each + 1;
    *out = &mem->base;
    return create_servers(mem, arena, diag);
}

static enum orr_status pool_create(struct mem **out, const struct mem_config *config, uint32_t npus,
                                   struct orr_evq *queue, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    struct shared *mem = create(&orr_mem_pool, config, queue, arena);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the remote memory");
    }
    mem->npus_per_server = npus;
    mem->servers = 1;
    *out = &mem->base;
    return create_servers(mem, arena, diag);
}

const struct mem_ops orr_mem_per_node = {
    .name = "per_node",
    .summary = "a memory per node; one access at a time in each",
    .astra_type = "PER_NODE_MEMORY_EXPANSION",
    .backend_keys = &per_node_backend_keys,
    .create = per_node_create,
    .access = shared_access,
};

const struct mem_ops orr_mem_pool = {
    .name = "pool",
    .summary = "one memory for all NPUs; one access at a time",
    .astra_type = "MEMORY_POOL",
    .create = pool_create,
    .access = shared_access,
};
