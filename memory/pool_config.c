/* The section `memory.pool` of a platform file: one shape plus the keys of all shapes. A new shape
 * is one file and a line in two places here. */
#include <inttypes.h>
#include <math.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"
#include "memory/mem.h"

const struct mem_shape *const orr_mem_shapes[] = {
    &orr_mem_shape_per_npu, &orr_mem_shape_hierarchical, &orr_mem_shape_multi_level,
    &orr_mem_shape_ring,    &orr_mem_shape_mesh,         NULL};

enum { SHAPES = sizeof orr_mem_shapes / sizeof *orr_mem_shapes - 1 };

static const char *const pipelines[] = {"lockstep", "fifo", NULL};
static const char *const paths[] = {"own", "shared", NULL};
static const char *const one_of[] = {"multi_level_switch", "ring", "mesh", "per_npu",
                                     "hierarchical",       NULL};

struct pool_section {
    const struct orr_conf *shape[SHAPES];
    uint64_t chunk, capacity;
    const char *accesses;
    unsigned pipeline, path;
    sim_time latency, link_latency;
};

#define AT(member) offsetof(struct pool_section, member)

static const struct orr_key keys[] = {
    {.name = "per_npu",
     .type = ORR_KEY_NODE,
     .offset = AT(shape[0]),
     .table = &orr_mem_per_npu_table,
     .doc = "CPU memory and NVMe behind each NPU (ZeRO-Infinity)"},
    {.name = "hierarchical",
     .type = ORR_KEY_NODE,
     .offset = AT(shape[1]),
     .table = &orr_mem_hierarchical_table,
     .doc = "memory groups, out-node switches, nodes"},
    {.name = "multi_level_switch",
     .type = ORR_KEY_NODE,
     .offset = AT(shape[2]),
     .table = &orr_mem_multi_level_table,
     .doc = "levels of switches below the memory"},
    {.name = "ring",
     .type = ORR_KEY_NODE,
     .offset = AT(shape[3]),
     .table = &orr_mem_ring_table,
     .doc = "stops with memory and NPUs round a ring"},
    {.name = "mesh",
     .type = ORR_KEY_NODE,
     .offset = AT(shape[4]),
     .table = &orr_mem_mesh_table,
     .doc = "stops with memory and NPUs on a mesh"},
    {.name = "chunk",
     .type = ORR_KEY_BYTES,
     .offset = AT(chunk),
     .default_text = "16 KiB",
     .doc = "what a link next to the memory moves in a pipeline stage"},
    {.name = "pipeline",
     .type = ORR_KEY_CHOICE,
     .offset = AT(pipeline),
     .choices = pipelines,
     .absent = "lockstep; with event_driven fifo",
     .doc = "lockstep: every step lasts as long as its longest transfer; fifo: a transfer waits "
            "for the link only"},
    {.name = "accesses",
     .type = ORR_KEY_TEXT,
     .offset = AT(accesses),
     .names = orr_mem_accesses_name,
     .default_text = orr_mem_default_accesses,
     .doc = "closed_form: as if all NPUs accessed the pool at the same time; event_driven: links "
            "are shared by the NPUs that do"},
    {.name = "path",
     .type = ORR_KEY_CHOICE,
     .offset = AT(path),
     .choices = paths,
     .default_text = "own",
     .doc =
         "path of an NPU to the pool: its own; or shared with the network, which an NPU uses for "
         "one access, collective or message at a time"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = AT(latency),
     .default_text = "0 ns",
     .doc = "latency of the memory"},
    {.name = "link_latency",
     .type = ORR_KEY_TIME,
     .offset = AT(link_latency),
     .default_text = "0 ns",
     .doc = "latency of each link on the path"},
    {.name = "capacity",
     .type = ORR_KEY_BYTES,
     .offset = AT(capacity),
     .low = 1,
     .high = 1e18,
     .absent = "no limit",
     .doc = "what the pool holds for all NPUs"},
};

const struct orr_key_table orr_mem_pool_table = {"the memory pool", keys,
                                                 sizeof keys / sizeof *keys, one_of};

static enum orr_status find_shape(const struct orr_conf *map,
                                  const struct pool_section *pool_section, unsigned *shape,
                                  struct orr_diag *diag)
{
    unsigned given = 0;
    for (unsigned i = 0; i < SHAPES; i++) {
        if (pool_section->shape[i] != NULL) {
            *shape = i;
            given++;
        }
    }
    const struct orr_location place = orr_conf_location(map);
    return given == 1 ? ORR_OK
                      : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                      "%s: expected exactly one of per_npu, hierarchical, "
                                      "multi_level_switch, ring, mesh; got %u",
                                      map->path, given);
}

static enum orr_status set_chunk(const struct orr_conf *map,
                                 const struct pool_section *pool_section, struct mem_fabric *fabric,
                                 struct orr_diag *diag)
{
    fabric->chunk_bytes = pool_section->chunk;
    if (pool_section->chunk == 0) {
        return orr_conf_expected(orr_conf_get(map, "chunk"), "a size > 0", diag);
    }
    if (pool_section->chunk > INT64_MAX / fabric->stage_bytes) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: chunks of %" PRIu64 " bytes on %" PRIu64
                             " links make more than 2^63 bytes",
                             map->path, pool_section->chunk, fabric->stage_bytes);
    }
    fabric->stage_bytes *= pool_section->chunk;
    fabric->gathered_stage_bytes *= pool_section->chunk;
    return ORR_OK;
}

static enum orr_status check_pipeline(const struct orr_conf *map,
                                      const struct pool_section *pool_section,
                                      const struct mem_ops *ops, struct orr_diag *diag)
{
    const struct orr_conf *given = orr_conf_get(map, "pipeline");
    if (!ops->requires_fifo || given == NULL || pool_section->pipeline == MEM_FIFO) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(given);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s: accesses: %s go through the links one after the other; expected "
                         "fifo, got lockstep",
                         given->path, ops->accesses);
}

enum orr_status orr_mem_pool_read(const struct orr_conf *map, uint32_t npus,
                                  struct mem_fabric *fabric, const struct mem_ops **ops,
                                  struct orr_diag *diag)
{
    struct pool_section pool_section = {0};
    unsigned shape = 0;
    enum orr_status status = orr_conf_read(map, orr_mem_pool_table.owner, keys,
                                           orr_mem_pool_table.count, &pool_section, diag);
    if (status == ORR_OK) {
        status = find_shape(map, &pool_section, &shape, diag);
    }
    if (status == ORR_OK) {
        *ops = orr_mem_accesses_find(pool_section.accesses);
        status = check_pipeline(map, &pool_section, *ops, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    *fabric = (struct mem_fabric){
        .npus = npus,
        .pipeline = (*ops)->requires_fifo ? MEM_FIFO : (enum mem_pipeline)pool_section.pipeline,
        .latency_ps = pool_section.latency,
        .link_latency_ps = pool_section.link_latency,
        .capacity_bytes = pool_section.capacity,
        .shares_path = pool_section.path == 1};
    status = orr_mem_shapes[shape]->fill(pool_section.shape[shape], fabric, diag);
    return status == ORR_OK ? set_chunk(map, &pool_section, fabric, diag) : status;
}
