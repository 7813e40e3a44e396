/* Ring and mesh pools: K stops, each with a memory and P / K of the NPUs. Tensors are spread over
 * all memories, so of the P W bytes of an access P W / K² go from each stop to each stop.
 *
 * Ring: the shorter direction; from the opposite stop half each way. One link carries the flows
 * of distance d from d stops: (sum of d to K/2 - 1) + K/4 = K²/8 of them for even K,
 * (K² - 1)/8 for odd. Gathered, a shard P w / K goes to all other stops, half of them in each
 * direction:
 *
 *   class             links  busiest link, plain          gathered
 *   memory to stop    K      P W / K                      P w / K
 *   ring              2 K    P W / 8, P W (K²-1) / (8 K²)   P w (K-1) / (2 K)
 *   stop to NPU       P      W                            P w
 *
 * Mesh of a columns and b rows, along the row first. The link after column k of a row carries
 * flows from k stops to (a-k) b, the link after row k of a column from a k stops to (b-k); the
 * maximum is in the middle, at k = ⌊a/2⌋. Gathered, first the rows gather their shards, so that the
 * link into the last column carries a-1 of them, then the columns the rows:
 *
 *   row links     2 (a-1) b  P W ⌊a/2⌋⌈a/2⌉ / (a² b)      P w (a-1) / (a b)
 *   column links  2 a (b-1)  P W ⌊b/2⌋⌈b/2⌉ / (a b²)      P w (b-1) / b */
#include <math.h>

#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"

struct ring_mesh_section {
    int64_t stops, columns, rows;
    double memory, link, fabric;
};

#define AT(member) offsetof(struct ring_mesh_section, member)
#define COUNT_KEY(key, text)                                                                       \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = 1, .high = 30000,         \
        .required = true, .example = #key ": 1", .doc = text                                       \
    }
#define BANDWIDTH_KEY(key, field, text)                                                            \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_BANDWIDTH, .offset = AT(field), .required = true,            \
        .doc = text                                                                                \
    }

static const struct orr_key ring_keys[] = {
    COUNT_KEY(stops, "stops round the ring, each with a memory and as many NPUs"),
    BANDWIDTH_KEY(memory_bandwidth, memory, "of the memory at a stop"),
    BANDWIDTH_KEY(link_bandwidth, link, "between neighbours, each way"),
    BANDWIDTH_KEY(fabric_bandwidth, fabric, "between an NPU and its stop"),
};

static const struct orr_key mesh_keys[] = {
    COUNT_KEY(columns, "columns of the mesh"),
    COUNT_KEY(rows, "rows of the mesh; each stop has a memory and as many NPUs"),
    BANDWIDTH_KEY(memory_bandwidth, memory, "of the memory at a stop"),
    BANDWIDTH_KEY(link_bandwidth, link, "between neighbours, each way"),
    BANDWIDTH_KEY(fabric_bandwidth, fabric, "between an NPU and its stop"),
};

const struct orr_key_table orr_mem_ring_table = {"a ring pool", ring_keys,
                                                 sizeof ring_keys / sizeof *ring_keys, NULL},
                           orr_mem_mesh_table = {"a mesh pool", mesh_keys,
                                                 sizeof mesh_keys / sizeof *mesh_keys, NULL};

static void add_class(struct mem_fabric *fabric, struct mem_link_class link)
{
    fabric->link[fabric->classes++] = link;
}

static void add_memories(struct mem_fabric *fabric, const struct ring_mesh_section *s,
                         uint32_t stops)
{
    add_class(fabric, (struct mem_link_class){.name = "memory to stop",
                                              .links = stops,
                                              .bandwidth_bytes_per_s = s->memory,
                                              .parallelism = stops,
                                              .gathered_parallelism = stops,
                                              .passes = 1,
                                              .gathered_passes = 1,
                                              .hops = 1,
                                              .parts = 1});
    fabric->stage_bytes = fabric->gathered_stage_bytes = stops;
}

static void add_npus(struct mem_fabric *fabric, const struct ring_mesh_section *s)
{
    add_class(fabric, (struct mem_link_class){.name = "stop to NPU",
                                              .links = fabric->npus,
                                              .bandwidth_bytes_per_s = s->fabric,
                                              .parallelism = fabric->npus,
                                              .gathered_parallelism = 1,
                                              .passes = 1,
                                              .gathered_passes = fabric->npus,
                                              .hops = 1,
                                              .parts = fabric->npus});
}

static enum orr_status fill_ring(const struct orr_conf *map, struct mem_fabric *fabric,
                                 struct orr_diag *diag)
{
    struct ring_mesh_section s = {0};
    enum orr_status status =
        orr_conf_read(map, orr_mem_ring_table.owner, ring_keys, orr_mem_ring_table.count, &s, diag);
    if (status == ORR_OK) {
        status = orr_mem_check_divides(map, "stops", (uint64_t)s.stops, fabric->npus, "NPUs", diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const double k = (double)s.stops, crossing = s.stops % 2 == 0 ? k * k : k * k - 1;
    add_memories(fabric, &s, (uint32_t)s.stops);
    add_class(fabric, (struct mem_link_class){.name = "ring",
                                              .links = s.stops > 1 ? 2 * (uint64_t)s.stops : 0,
                                              .bandwidth_bytes_per_s = s.link,
                                              .parallelism = 8 * k * k / crossing,
                                              .gathered_parallelism = 2 * k / (k - 1),
                                              .passes = crossing / (4 * k),
                                              .gathered_passes = k - 1,
                                              .hops = (uint32_t)s.stops / 2,
                                              .spread = MEM_SPREAD_RING,
                                              .parts = (uint32_t)s.stops});
    add_npus(fabric, &s);
    return ORR_OK;
}

/* Links of `across` lines of `along` stops. */
static struct mem_link_class mesh_links(double along, double across, double bandwidth)
{
    const double middle = floor(along / 2) * ceil(along / 2);
    return (struct mem_link_class){.links = (uint64_t)(2 * (along - 1) * across),
                                   .bandwidth_bytes_per_s = bandwidth,
                                   .parallelism = along * along * across / middle,
                                   .passes = (along * along - 1) / (3 * along),
                                   .hops = (uint32_t)along - 1};
}

static enum orr_status check_mesh(const struct orr_conf *map, const struct ring_mesh_section *s,
                                  const struct mem_fabric *fabric, struct orr_diag *diag)
{
    enum orr_status status =
        orr_mem_check_divides(map, "columns", (uint64_t)s->columns, fabric->npus, "NPUs", diag);
    return status != ORR_OK ? status
                            : orr_mem_check_divides(map, "rows", (uint64_t)s->rows,
                                                    fabric->npus / (uint64_t)s->columns,
                                                    "NPUs of a column", diag);
}

static enum orr_status fill_mesh(const struct orr_conf *map, struct mem_fabric *fabric,
                                 struct orr_diag *diag)
{
    struct ring_mesh_section s = {0};
    enum orr_status status =
        orr_conf_read(map, orr_mem_mesh_table.owner, mesh_keys, orr_mem_mesh_table.count, &s, diag);
    if (status == ORR_OK) {
        status = check_mesh(map, &s, fabric, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const double a = (double)s.columns, b = (double)s.rows;
    struct mem_link_class row = mesh_links(a, b, s.link), column = mesh_links(b, a, s.link);
    row.name = "rows";
    row.gathered_parallelism = a * b / (a - 1);
    row.gathered_passes = a - 1;
    row.spread = MEM_SPREAD_ROWS;
    column.name = "columns";
    column.gathered_parallelism = b / (b - 1);
    column.gathered_passes = a * (b - 1);
    column.spread = MEM_SPREAD_COLUMNS;
    row.parts = column.parts = (uint32_t)s.rows;
    row.length = column.length = (uint32_t)s.columns;
    add_memories(fabric, &s, (uint32_t)(s.columns * s.rows));
    add_class(fabric, row);
    add_class(fabric, column);
    add_npus(fabric, &s);
    return ORR_OK;
}

const struct mem_shape orr_mem_shape_ring = {
    .name = "ring",
    .summary = "stops with memory and NPUs round a ring",
    .fill = fill_ring,
};

const struct mem_shape orr_mem_shape_mesh = {
    .name = "mesh",
    .summary = "stops with memory and NPUs on a mesh",
    .fill = fill_mesh,
};
