/* Pools of memory: loads of links against routes that are added up link by link, times against
 * calculations by hand, and accesses of different times against the closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "core/rng.h"
#include "memory/fabric.h"
#include "memory/mem.h"
#include "memory/mem_config_read.h"
#include "memory/mem_local.h"
#include "network/flows/maxmin_private.h"

#define US ORR_PS_PER_US

enum { MAX_NPUS = 256, MAX_LINKS = 4096, EVENT_ACCESS = ORR_EVENT_WORKLOAD };

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("expected %.17g, got %.17g", expected, found);
    }
}

/* ---- reading a pool ---- */

struct pool {
    struct orr_arena *arena;
    struct mem_config config;
    struct mem_local local;
    struct orr_diag diag;
    enum orr_status status;
};

static void open_pool(struct pool *pool, uint32_t npus, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memset(pool, 0, sizeof *pool);
    pool->arena = orr_arena_create();
    orr_diag_init(&pool->diag);
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_parse(pool->arena, text, strlen(text), "p.yml", &root, &pool->diag),
                     ORR_OK);
    pool->status =
        orr_mem_config_read(pool->arena, root, npus, &pool->local, &pool->config, &pool->diag);
}

static const struct mem_fabric *opened(struct pool *pool)
{
    if (pool->status != ORR_OK) {
        fail_msg("%s", pool->diag.message);
    }
    return pool->config.fabric;
}

static void close_pool(struct pool *pool)
{
    orr_arena_destroy(pool->arena);
}

static sim_time time_of(const char *text, uint32_t npus, uint64_t bytes, bool gathered)
{
    struct pool pool;
    open_pool(&pool, npus, "%s", text);
    const sim_time time = orr_mem_fabric_time(opened(&pool), bytes, gathered);
    close_pool(&pool);
    return time;
}

/* ---- the worked example of ASTRA-sim 2.0, section IV-D ---- */

/* 16 nodes x 16 GPUs, 4 switches, 8 groups. A link from a group to a switch has 400 / 4 = 100 GB/s,
 * one from a switch to a node 400 / 4 = 100 GB/s, a GPU 15.625 GB/s. */
#define EXAMPLE(pipeline, chunk)                                                                   \
    "pool: {hierarchical: {groups: 8, switches: 4, nodes: 16, group_bandwidth: 400 GB/s, "         \
    "node_bandwidth: 400 GB/s, fabric_bandwidth: 15.625 GB/s}, pipeline: " pipeline                \
    ", chunk: " chunk "}"

static void test_worked_example_loads_of_links(void **state)
{
    (void)state;
    struct pool pool;
    open_pool(&pool, 256, EXAMPLE("fifo", "1 MB"));
    const struct mem_fabric *fabric = opened(&pool);
    const struct mem_link_class *link = fabric->link;
    assert_int_equal(fabric->classes, 3);
    const double all = 256;                                     /* W of each of 256 GPUs, in W */
    assert_true(all / 8 == 32);                                 /* of a group: 32 W */
    assert_true(all / link[0].parallelism == 8);                /* group to switch: 8 W */
    assert_true(all / link[1].parallelism == 4);                /* switch to node: 4 W */
    assert_true(all / link[2].parallelism == 1);                /* to a GPU: W */
    assert_true(all / link[0].gathered_parallelism == 8);       /* in-switch: 8 w */
    assert_true(all / link[0].gathered_parallelism * 8 == 64);  /* of a switch: 64 w */
    assert_true(all / link[1].gathered_parallelism == 64);      /* to a node, from each switch */
    assert_true(all / link[1].gathered_parallelism * 4 == 256); /* of a node: 256 w */
    assert_true(all / link[2].gathered_parallelism == 256);     /* to a GPU: all */
    close_pool(&pool);
}

/* Every GPU loads W = 1 MB. stages = 256 W / (8 x 4 x c) = 8 W / c; t1 = c / 100 GB/s, t2 = 8 c /
 * (16 x 100 GB/s), t3 = 32 c / (256 x 15.625 GB/s):
 *   c = 1 MB    8 stages  t = 10, 5, 8 us     fifo 23 + 7 x 10 = 93   lockstep 8 x 10 + 8 + 8 = 96
 *   c = 500 kB  16        t = 5, 2.5, 4       11.5 + 15 x 5 = 86.5    16 x 5 + 4 + 4 = 88
 *   c = 250 kB  32        t = 2.5, 1.25, 2    5.75 + 31 x 2.5 = 83.25 32 x 2.5 + 2 + 2 = 84 */
static void test_worked_example_times_of_three_chunk_sizes(void **state)
{
    (void)state;
    assert_int_equal(time_of(EXAMPLE("fifo", "1 MB"), 256, 1000000, false), 93 * US);
    assert_int_equal(time_of(EXAMPLE("lockstep", "1 MB"), 256, 1000000, false), 96 * US);
    assert_int_equal(time_of(EXAMPLE("fifo", "500 kB"), 256, 1000000, false), 86500 * US / 1000);
    assert_int_equal(time_of(EXAMPLE("lockstep", "500 kB"), 256, 1000000, false), 88 * US);
    assert_int_equal(time_of(EXAMPLE("fifo", "250 kB"), 256, 1000000, false), 83250 * US / 1000);
    assert_int_equal(time_of(EXAMPLE("lockstep", "250 kB"), 256, 1000000, false), 84 * US);
}

/* In-switch, a tensor of 256 w = 256 MB, w = 1 MB: the same stages; t1 = c / 100 GB/s, t2 = 8 c /
 * 100 GB/s, t3 = 32 c / 15.625 GB/s: c = 1 MB    8 stages  t = 10, 80, 2048 us   fifo 2138 + 7 x
 * 2048 = 16474 lockstep 10 + 80 + 6 x 2048 + 2048 + 2048 = 16474 c = 500 kB  16        t = 5, 40,
 * 1024       fifo 1069 + 15 x 1024 = 16429 c = 250 kB  32        t = 2.5, 20, 512      fifo 534.5 +
 * 31 x 512 = 16406.5 */
static void test_worked_example_gathered(void **state)
{
    (void)state;
    assert_int_equal(time_of(EXAMPLE("fifo", "1 MB"), 256, 256000000, true), 16474 * US);
    assert_int_equal(time_of(EXAMPLE("lockstep", "1 MB"), 256, 256000000, true), 16474 * US);
    assert_int_equal(time_of(EXAMPLE("fifo", "500 kB"), 256, 256000000, true), 16429 * US);
    assert_int_equal(time_of(EXAMPLE("lockstep", "500 kB"), 256, 256000000, true), 16429 * US);
    assert_int_equal(time_of(EXAMPLE("fifo", "250 kB"), 256, 256000000, true), 164065 * US / 10);
    assert_int_equal(time_of(EXAMPLE("lockstep", "250 kB"), 256, 256000000, true),
                     164065 * US / 10);
}

/* MODELS: t = (3, 1, 2) and 3 stages: lockstep 3 + 3 + 3 + 2 + 2 = 13, fifo 6 + 2 x 3 = 12. */
#define STEPS(pipeline)                                                                            \
    "pool: {hierarchical: {groups: 1, switches: 1, nodes: 1, group_bandwidth: 2 MB/s, "            \
    "node_bandwidth: 6 MB/s, fabric_bandwidth: 3 MB/s}, pipeline: " pipeline ", chunk: 6 B, "      \
    "latency: 1 us, link_latency: 100 ns}"

static void test_lockstep_and_fifo_of_three_stages(void **state)
{
    (void)state;
    const sim_time latency = 1 * US + 3 * 100 * ORR_PS_PER_NS;
    assert_int_equal(time_of(STEPS("lockstep"), 1, 18, false), 13 * US + latency);
    assert_int_equal(time_of(STEPS("fifo"), 1, 18, false), 12 * US + latency);
    /* one stage: 3 + 1 + 2 */
    assert_int_equal(time_of(STEPS("lockstep"), 1, 6, false), 6 * US + latency);
    assert_int_equal(time_of(STEPS("fifo"), 1, 6, false), 6 * US + latency);
    /* 6 and 4 bytes, (3, 1, 2) and (2, 2/3, 4/3): steps 3, 2, 2, 4/3 and 3, 5, 17/3, 7 */
    assert_int_equal(time_of(STEPS("lockstep"), 1, 10, false), 8333334 + latency);
    assert_int_equal(time_of(STEPS("fifo"), 1, 10, false), 7333334 + latency);
    assert_int_equal(time_of(STEPS("fifo"), 1, 0, false), latency);
}

/* ---- loads, link by link ---- */

struct loads {
    double link[MEM_MAX_CLASSES][MAX_LINKS];
    uint32_t npus;
};

static void check_class(const struct mem_fabric *fabric, const struct loads *loads, unsigned class,
                        double all, bool gathered)
{
    const struct mem_link_class *link = &fabric->link[class];
    double busiest = 0, sum = 0;
    for (unsigned i = 0; i < MAX_LINKS; i++) {
        busiest = fmax(busiest, loads->link[class][i]);
        sum += loads->link[class][i];
        assert_true(i < link->links || loads->link[class][i] == 0);
    }
    assert_near(busiest, all / (gathered ? link->gathered_parallelism : link->parallelism),
                1e-6 * all);
    assert_near(sum, all * (gathered ? link->gathered_passes : link->passes), 1e-6 * all);
}

static void check_loads(const struct mem_fabric *fabric, const struct loads *loads, double all,
                        bool gathered)
{
    for (unsigned c = 0; c < fabric->classes; c++) {
        check_class(fabric, loads, c, all, gathered);
    }
}

/* Plain: a P-th of each group's part goes over every switch to every GPU. */
static void route_hierarchical(struct loads *loads, uint32_t groups, uint32_t switches,
                               uint32_t nodes, bool gathered)
{
    memset(loads->link, 0, sizeof loads->link);
    const double part = 1.0 / (groups * switches); /* of W = 1, or of a tensor of 1 */
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t s = 0; s < switches; s++) {
            for (uint32_t p = 0; p < loads->npus; p++) {
                const uint32_t node = p / (loads->npus / nodes);
                const bool first = p % (loads->npus / nodes) == 0; /* of its node */
                loads->link[0][g * switches + s] += !gathered || p == 0 ? part : 0;
                loads->link[1][s * nodes + node] += !gathered || first ? part : 0;
                loads->link[2][p] += part;
            }
        }
    }
}

static void test_hierarchical_loads_add_up(void **state)
{
    (void)state;
    static const uint32_t cases[][4] = {{256, 8, 4, 16}, {12, 5, 3, 4}, {8, 1, 1, 1}, {6, 7, 2, 6}};
    static struct loads loads;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t *c = cases[i];
        struct pool pool;
        open_pool(&pool, c[0],
                  "pool: {hierarchical: {groups: %u, switches: %u, nodes: %u, group_bandwidth: 1 "
                  "GB/s, fabric_bandwidth: 1 GB/s}}",
                  c[1], c[2], c[3]);
        const struct mem_fabric *fabric = opened(&pool);
        loads.npus = c[0];
        route_hierarchical(&loads, c[1], c[2], c[3], false);
        check_loads(fabric, &loads, c[0], false);
        route_hierarchical(&loads, c[1], c[2], c[3], true);
        check_loads(fabric, &loads, 1, true);
        /* by default the GPU-side links give what the groups give: G g / (N S) */
        assert_near(fabric->link[1].bandwidth_bytes_per_s, 1e9 * c[1] / (c[2] * c[3]), 1);
        close_pool(&pool);
    }
}

/* Levels {n_1, u_1, n_2, u_2} below the memory: up from a GPU's switch over any link of it. */
static void route_levels(struct loads *loads, const uint32_t *level, bool gathered)
{
    memset(loads->link, 0, sizeof loads->link);
    for (uint32_t p = 0; p < loads->npus; p++) {
        for (unsigned l = 0; l < 2; l++) {
            const uint32_t switches = level[2 * l], uplinks = level[2 * l + 1];
            const uint32_t each = loads->npus / switches, here = p / each;
            for (uint32_t u = 0; u < uplinks && (!gathered || p % each == 0); u++) {
                loads->link[1 - l][here * uplinks + u] += 1.0 / uplinks;
            }
        }
        loads->link[2][p] += 1;
    }
}

static void test_multi_level_switch_loads_add_up(void **state)
{
    (void)state;
    static const uint32_t cases[][5] = {{64, 16, 2, 4, 3}, {12, 6, 1, 2, 5}, {4, 1, 1, 1, 1}};
    static struct loads loads;
    for (size_t i = 0; i < 3; i++) {
        const uint32_t *c = cases[i];
        struct pool pool;
        open_pool(&pool, c[0],
                  "pool: {multi_level_switch: {levels: [{switches: %u, uplinks: %u, bandwidth: 1 "
                  "GB/s}, {switches: %u, uplinks: %u, bandwidth: 1 GB/s}], fabric_bandwidth: 1 "
                  "GB/s}}",
                  c[1], c[2], c[3], c[4]);
        loads.npus = c[0];
        route_levels(&loads, c + 1, false);
        check_loads(opened(&pool), &loads, c[0], false);
        route_levels(&loads, c + 1, true);
        check_loads(opened(&pool), &loads, 1, true);
        close_pool(&pool);
    }
}

/* From stop i to stop j, the shorter way, from the opposite one half each way. */
static void add_round(struct loads *loads, uint32_t stops, uint32_t i, uint32_t j, double bytes)
{
    const uint32_t forth = (j + stops - i) % stops, back = stops - forth;
    const double share = forth < back ? 1 : forth == back ? 0.5 : 0;
    for (uint32_t d = 0; d < forth; d++) {
        loads->link[1][2 * ((i + d) % stops)] += share * bytes;
    }
    for (uint32_t d = 0; d < back && forth > 0; d++) {
        loads->link[1][2 * ((i + stops - 1 - d) % stops) + 1] += (1 - share) * bytes;
    }
}

static void route_ring(struct loads *loads, uint32_t stops)
{
    memset(loads->link, 0, sizeof loads->link);
    for (uint32_t p = 0; p < loads->npus; p++) {
        for (uint32_t i = 0; i < stops; i++) {
            loads->link[0][i] += 1.0 / stops;
            add_round(loads, stops, i, p / (loads->npus / stops), 1.0 / stops);
        }
        loads->link[2][p] += 1;
    }
}

/* The shard of each stop goes round: half of it (K-1)/2 stops either way, for even K the last one
 * reached by a half from both. */
static void route_ring_gathered(struct loads *loads, uint32_t stops)
{
    memset(loads->link, 0, sizeof loads->link);
    for (uint32_t i = 0; i < stops; i++) {
        loads->link[0][i] += 1.0 / stops;
        for (uint32_t d = 0; d < stops / 2; d++) {
            const bool last = stops % 2 == 0 && d == stops / 2 - 1;
            const double bytes = (last ? 0.5 : 1) / stops;
            loads->link[1][2 * ((i + d) % stops)] += bytes;
            loads->link[1][2 * ((i + stops - 1 - d) % stops) + 1] += bytes;
        }
    }
    for (uint32_t p = 0; p < loads->npus; p++) {
        loads->link[2][p] += 1;
    }
}

static void test_ring_loads_add_up(void **state)
{
    (void)state;
    static const uint32_t cases[] = {2, 3, 4, 5, 8, 9, 16};
    static struct loads loads;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t stops = cases[i];
        struct pool pool;
        open_pool(&pool, 2 * stops,
                  "pool: {ring: {stops: %u, memory_bandwidth: 1 GB/s, link_bandwidth: 1 GB/s, "
                  "fabric_bandwidth: 1 GB/s}}",
                  stops);
        const struct mem_link_class *ring = &opened(&pool)->link[1];
        const double k = stops;
        /* PW / 8, or PW (K² - 1) / (8 K²); gathered Pw (K - 1) / (2 K) */
        assert_near(1 / ring->parallelism, stops % 2 == 0 ? 0.125 : (k * k - 1) / (8 * k * k),
                    1e-12);
        assert_near(1 / ring->gathered_parallelism, (k - 1) / (2 * k), 1e-12);
        loads.npus = 2 * stops;
        route_ring(&loads, stops);
        check_loads(opened(&pool), &loads, loads.npus, false);
        route_ring_gathered(&loads, stops);
        check_loads(opened(&pool), &loads, 1, true);
        close_pool(&pool);
    }
}

/* Links behind column k of row y, forth and back, and behind row k of column x. */
static void add_line(double *link, uint32_t from, uint32_t to, uint32_t first, uint32_t step,
                     double bytes)
{
    for (uint32_t k = from; k < to; k++) {
        link[2 * (first + k * step)] += bytes;
    }
    for (uint32_t k = to; k < from; k++) {
        link[2 * (first + k * step) + 1] += bytes;
    }
}

static void route_mesh(struct loads *loads, uint32_t columns, uint32_t rows)
{
    memset(loads->link, 0, sizeof loads->link);
    const uint32_t stops = columns * rows;
    for (uint32_t p = 0; p < loads->npus; p++) {
        const uint32_t x = p / (loads->npus / stops) % columns;
        const uint32_t y = p / (loads->npus / stops) / columns;
        for (uint32_t i = 0; i < stops; i++) {
            const uint32_t from_x = i % columns, from_y = i / columns;
            loads->link[0][i] += 1.0 / stops;
            add_line(loads->link[1], from_x, x, from_y * (columns - 1), 1, 1.0 / stops);
            add_line(loads->link[2], from_y, y, x, columns, 1.0 / stops);
        }
        loads->link[3][p] += 1;
    }
}

/* Each row gathers its shards, then each column the rows. */
static void route_mesh_gathered(struct loads *loads, uint32_t columns, uint32_t rows)
{
    memset(loads->link, 0, sizeof loads->link);
    const double shard = 1.0 / (columns * rows);
    for (uint32_t i = 0; i < columns * rows; i++) {
        const uint32_t x = i % columns, y = i / columns;
        loads->link[0][i] += shard;
        add_line(loads->link[1], x, 0, y * (columns - 1), 1, shard);
        add_line(loads->link[1], x, columns - 1, y * (columns - 1), 1, shard);
        add_line(loads->link[2], y, 0, x, columns, shard * columns);
        add_line(loads->link[2], y, rows - 1, x, columns, shard * columns);
    }
    for (uint32_t p = 0; p < loads->npus; p++) {
        loads->link[3][p] += 1;
    }
}

static void test_mesh_loads_add_up(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {{2, 2}, {4, 4}, {3, 5}, {5, 2}, {7, 3}};
    static struct loads loads;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t a = cases[i][0], b = cases[i][1];
        struct pool pool;
        open_pool(&pool, 2 * a * b,
                  "pool: {mesh: {columns: %u, rows: %u, memory_bandwidth: 1 GB/s, link_bandwidth: "
                  "1 GB/s, fabric_bandwidth: 1 GB/s}}",
                  a, b);
        loads.npus = 2 * a * b;
        route_mesh(&loads, a, b);
        check_loads(opened(&pool), &loads, loads.npus, false);
        route_mesh_gathered(&loads, a, b);
        check_loads(opened(&pool), &loads, 1, true);
        close_pool(&pool);
    }
}

/* 4 NPUs, 2 in a node, a quarter of the bytes on NVMe: 2 MB of each are 0.5 MB at 1 GB/s, 2 MB at
 * 10 GB/s, and 4 MB of a node at 16 GB/s: in chunks of 1 MB, of which 4 make a stage, 250, 100 and
 * 125 us. fifo: 475 + 250. */
static void test_per_npu_pool_shares_the_pcie_of_a_node(void **state)
{
    (void)state;
    assert_int_equal(
        time_of("pool: {per_npu: {bandwidth: 10 GB/s, nvme_bandwidth: 1 GB/s, nvme_share: 0.25, "
                "npus_per_node: 2, node_bandwidth: 16 GB/s}, chunk: 1 MB, pipeline: fifo}",
                4, 2000000, false),
        725 * US);
    assert_int_equal(
        time_of("pool: {per_npu: {bandwidth: 10 GB/s}, chunk: 1 MB}", 4, 2000000, false), 200 * US);
}

/* ---- accesses of different times ---- */

struct run {
    struct orr_evq *queue;
    struct mem *mem;
    struct mem_access access[MAX_NPUS];
    sim_time done[MAX_NPUS];
    unsigned accesses, completions;
};

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct run *run = context;
    assert_int_equal(run->access[cookie].npu.slot, npu.slot);
    run->done[cookie] = orr_evq_now(run->queue);
    run->completions++;
}

static void on_access(void *context, const struct orr_event *event)
{
    struct run *run = context;
    run->mem->ops->access(run->mem, &run->access[event->cookie]);
}

static void begin(struct run *run, struct pool *pool)
{
    const struct mem_fabric *fabric = opened(pool);
    memset(run, 0, sizeof *run);
    run->queue = orr_evq_create(ORR_ORDER_LABEL, fabric->npus);
    assert_int_equal(orr_mem_create(&run->mem, &pool->config, fabric->npus, run->queue, pool->arena,
                                    &pool->diag),
                     ORR_OK);
    run->mem->listener = (struct mem_listener){.context = run, .done = on_done};
    orr_evq_handle(run->queue, EVENT_ACCESS, on_access, run);
}

static void add_access(struct run *run, sim_time time, struct mem_access access)
{
    access.cookie = run->accesses;
    run->access[run->accesses++] = access;
    const struct orr_event event = {
        .cookie = access.cookie, .entity = access.npu.slot, .kind = EVENT_ACCESS};
    orr_evq_post(run->queue, time, &event);
}

static void finish(struct run *run)
{
    assert_int_equal(orr_evq_run(run->queue, NULL), ORR_OK);
    assert_int_equal(run->completions, run->accesses);
    orr_evq_destroy(run->queue);
}

static const char *const shapes[] = {
    "hierarchical: {groups: 3, switches: 2, nodes: 4, group_bandwidth: %d MB/s, node_bandwidth: %d "
    "MB/s, fabric_bandwidth: %d MB/s}",
    "multi_level_switch: {levels: [{switches: 6, uplinks: 2, bandwidth: %d MB/s}, {switches: 2, "
    "uplinks: 3, bandwidth: %d MB/s}], fabric_bandwidth: %d MB/s}",
    "ring: {stops: 4, memory_bandwidth: %d MB/s, link_bandwidth: %d MB/s, fabric_bandwidth: %d "
    "MB/s}",
    "ring: {stops: 3, memory_bandwidth: %d MB/s, link_bandwidth: %d MB/s, fabric_bandwidth: %d "
    "MB/s}",
    "mesh: {columns: 3, rows: 2, memory_bandwidth: %d MB/s, link_bandwidth: %d MB/s, "
    "fabric_bandwidth: %d MB/s}",
    "per_npu: {nvme_share: 0.5, nvme_bandwidth: %d MB/s, bandwidth: %d MB/s, npus_per_node: 3, "
    "node_bandwidth: %d MB/s}"};

enum { SHAPES = sizeof shapes / sizeof *shapes, NPUS = 12 };

static void open_shape(struct pool *pool, unsigned shape, const int *bandwidth, unsigned chunk,
                       bool events)
{
    char text[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, shapes[shape], bandwidth[0], bandwidth[1], bandwidth[2]);
#pragma GCC diagnostic pop
    open_pool(pool, NPUS, "pool: {%s, chunk: %u B, pipeline: fifo, accesses: %s, latency: 7 ns}",
              text, chunk, events ? "event_driven" : "closed_form");
}

static void random_pool(struct orr_rng *rng, int *bandwidth, unsigned *chunk)
{
    for (unsigned i = 0; i < 3; i++) {
        bandwidth[i] = 1 + (int)(orr_rng_next(rng) % 1000);
    }
    *chunk = 1 + (unsigned)(orr_rng_next(rng) % 5000);
}

static void test_events_of_all_at_once_are_the_closed_form(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 9, 0);
    for (unsigned i = 0; i < 600; i++) {
        const unsigned shape = i % SHAPES;
        const bool gathered = i / SHAPES % 2 == 1 && shape + 1 < SHAPES;
        int bandwidth[3];
        unsigned chunk;
        random_pool(&rng, bandwidth, &chunk);
        struct pool pool;
        struct run run;
        open_shape(&pool, shape, bandwidth, chunk, true);
        begin(&run, &pool);
        const uint64_t bytes = 1 + orr_rng_next(&rng) % 100000;
        for (uint32_t npu = 0; npu < NPUS; npu++) {
            add_access(&run, 5,
                       (struct mem_access){
                           .npu = orr_slot(NPUS - 1 - npu), .bytes = bytes, .gathered = gathered});
        }
        finish(&run);
        const sim_time expected = orr_mem_fabric_time(pool.config.fabric, bytes, gathered) + 5;
        for (unsigned a = 0; a < NPUS; a++) {
            assert_int_equal(run.done[a], expected);
        }
        close_pool(&pool);
    }
}

/* By hand: 2 GPUs with 1 MB each on one switch: group 1 MB/ms, node 1 MB/ms, GPU 0.5 MB/ms; chunks
 * of 0.5 MB. In a stage of both each moves 0.25 MB: 0.5, 0.5 and 0.5 ms. Alone a GPU's 4 stages
 * take 0.25, 0.25 and 0.5 ms: 0.25 + 0.25 + 4 x 0.5 = 2.5 ms. The other one comes at 0.2 ms, before
 * the first stage leaves the group's link: stage  who     begins  group     node       GPUs 1 A 0
 * 0 - 0.25  - 0.5      - 1.0 2      A B     0.25    - 0.75    - 1.25     - 1.75 3      A B     0.75
 * - 1.25    - 1.75     - 2.25 4      A B     1.25    - 1.75    - 2.25     - 2.75  A is done 5 B
 * 1.75    - 2.0     - 2.5      - 3.25  B is done (node free at 2.25: - 2.5) */
static void test_events_share_links_while_both_access(void **state)
{
    (void)state;
    struct pool pool;
    struct run run;
    open_pool(&pool, 2,
              "pool: {hierarchical: {groups: 1, switches: 1, nodes: 1, group_bandwidth: 1 GB/s, "
              "node_bandwidth: 1 GB/s, fabric_bandwidth: 0.5 GB/s}, chunk: 0.5 MB, accesses: "
              "events}");
    begin(&run, &pool);
    add_access(&run, 0, (struct mem_access){.npu = orr_slot(0), .bytes = 1000000});
    add_access(&run, 200 * US, (struct mem_access){.npu = orr_slot(1), .bytes = 1000000});
    finish(&run);
    assert_int_equal(run.done[0], 2750 * US);
    assert_int_equal(run.done[1], 3250 * US);
    begin(&run, &pool);
    add_access(&run, 0, (struct mem_access){.npu = orr_slot(1), .bytes = 1000000});
    add_access(&run, 0, (struct mem_access){.npu = orr_slot(0), .bytes = 1000000, .store = true});
    finish(&run); /* loads and stores go opposite ways: alone each, a store begins at the GPU */
    assert_int_equal(run.done[0], 2500 * US);
    assert_int_equal(run.done[1], 2500 * US);
    close_pool(&pool);
}

/* A gathered access begins when the last one asks: 2 x 0.5 ms on the group's link and on the
 * node's, 2 x 1 ms to each GPU: 0.5 + 0.5 + 2 x 1 = 3 ms from 1 ms on. */
static void test_events_gathered_wait_for_all(void **state)
{
    (void)state;
    struct pool pool;
    struct run run;
    open_pool(&pool, 2,
              "pool: {hierarchical: {groups: 1, switches: 1, nodes: 1, group_bandwidth: 1 GB/s, "
              "node_bandwidth: 1 GB/s, fabric_bandwidth: 0.5 GB/s}, chunk: 0.5 MB, accesses: "
              "events}");
    begin(&run, &pool);
    add_access(&run, 0,
               (struct mem_access){.npu = orr_slot(0), .bytes = 1000000, .gathered = true});
    add_access(&run, 1000 * US,
               (struct mem_access){.npu = orr_slot(1), .bytes = 1000000, .gathered = true});
    finish(&run);
    assert_int_equal(run.done[0], 4000 * US);
    assert_int_equal(run.done[1], 4000 * US);
    close_pool(&pool);
}

/* ---- properties ---- */

static void test_more_bandwidth_is_never_slower_and_no_time_beats_the_narrowest_cut(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 10, 0);
    for (unsigned i = 0; i < 1200; i++) {
        int bandwidth[3];
        unsigned chunk;
        random_pool(&rng, bandwidth, &chunk);
        struct pool pool, faster;
        open_shape(&pool, i % SHAPES, bandwidth, chunk, false);
        bandwidth[i / SHAPES % 3] += 1 + (int)(orr_rng_next(&rng) % 100);
        open_shape(&faster, i % SHAPES, bandwidth, chunk, false);
        struct mem_fabric *fabric = pool.config.fabric;
        fabric->pipeline = faster.config.fabric->pipeline = (enum mem_pipeline)(i / 7 % 2);
        const bool gathered = i / 11 % 2 == 1 && i % SHAPES + 1 < SHAPES;
        const uint64_t bytes = 1 + orr_rng_next(&rng) % 100000;
        const sim_time time = orr_mem_fabric_time(fabric, bytes, gathered);
        assert_true(orr_mem_fabric_time(faster.config.fabric, bytes, gathered) <= time);
        for (unsigned c = 0; c < fabric->classes; c++) {
            const uint64_t total = orr_mem_fabric_total(fabric, bytes, gathered);
            assert_true(time >= orr_mem_fabric_transfer(&fabric->link[c], total, gathered));
        }
        close_pool(&pool);
        close_pool(&faster);
    }
}

/* ---- bad input ---- */

static void assert_refused(uint32_t npus, const char *text, const char *message)
{
    struct pool pool;
    open_pool(&pool, npus, "%s", text);
    assert_int_equal(pool.status, ORR_ERR_INPUT);
    assert_string_equal(pool.diag.message, message);
    close_pool(&pool);
}

static void test_bad_pools_have_their_messages(void **state)
{
    (void)state;
    assert_refused(8,
                   "pool: {hierarchical: {groups: 8, switches: 4, nodes: 3, group_bandwidth: 1 "
                   "GB/s, fabric_bandwidth: 1 GB/s}}",
                   "pool.hierarchical.nodes: 3 does not divide the 8 NPUs");
    assert_refused(
        8,
        "pool: {hierarchical: {groups: 0, switches: 4, group_bandwidth: 1 GB/s, "
        "fabric_bandwidth: 1 GB/s}}",
        "pool.hierarchical.groups: expected a whole number from 1 to 1000000, got \"0\"");
    assert_refused(
        8,
        "pool: {hierarchical: {groups: 8, switches: 0, group_bandwidth: 1 GB/s, "
        "fabric_bandwidth: 1 GB/s}}",
        "pool.hierarchical.switches: expected a whole number from 1 to 1000000, got \"0\"");
    assert_refused(8,
                   "pool: {multi_level_switch: {levels: [{switches: 4, bandwidth: 1 GB/s}, "
                   "{switches: 3, bandwidth: 1 GB/s}], fabric_bandwidth: 1 GB/s}}",
                   "pool.multi_level_switch.levels[1].switches: 3 does not divide the 4 switches "
                   "of the level below");
    assert_refused(8,
                   "pool: {ring: {stops: 3, memory_bandwidth: 1 GB/s, link_bandwidth: 1 GB/s, "
                   "fabric_bandwidth: 1 GB/s}}",
                   "pool.ring.stops: 3 does not divide the 8 NPUs");
    assert_refused(8,
                   "pool: {mesh: {columns: 2, rows: 3, memory_bandwidth: 1 GB/s, link_bandwidth: "
                   "1 GB/s, fabric_bandwidth: 1 GB/s}}",
                   "pool.mesh.rows: 3 does not divide the 4 NPUs of a column");
    assert_refused(8, "pool: {per_npu: {bandwidth: 1 GB/s, npus_per_node: 3}}",
                   "pool.per_npu.npus_per_node: 3 does not divide the 8 NPUs");
    assert_refused(8, "pool: {per_npu: {bandwidth: 1 GB/s}, chunk: 0 B}",
                   "pool.chunk: expected a size > 0, got \"0 B\"");
    assert_refused(8, "pool: {chunk: 1 MB}",
                   "pool: expected exactly one of per_npu, hierarchical, multi_level_switch, ring, "
                   "mesh; got 0");
    assert_refused(
        8, "pool: {per_npu: {bandwidth: 1 GB/s}, accesses: event_driven, pipeline: lockstep}",
        "pool.pipeline: accesses: event_driven go through the links one after the other; "
        "expected fifo, got lockstep");
    assert_refused(8,
                   "remote: {type: per_npu, bandwidth: 1 GB/s}\npool: {per_npu: {bandwidth: 1 "
                   "GB/s}}",
                   "pool: a platform has one remote memory; give memory.remote or memory.pool");
}

static void assert_no_access(const char *text, struct mem_access access, const char *message)
{
    struct pool pool;
    open_pool(&pool, 8, "%s", text);
    assert_int_equal(pool.status, ORR_OK);
    assert_int_equal(orr_mem_check(&pool.config, &access, &pool.diag), ORR_ERR_INPUT);
    assert_string_equal(pool.diag.message, message);
    close_pool(&pool);
}

static void test_bad_accesses_have_their_messages(void **state)
{
    (void)state;
    assert_no_access("local: {bandwidth: 1 GB/s}", (struct mem_access){.bytes = 1},
                     "accesses remote memory, but the platform has none; give a remote memory file "
                     "with another memory-type than NO_MEMORY_EXPANSION");
    assert_no_access("pool: {per_npu: {bandwidth: 1 GB/s}}",
                     (struct mem_access){.bytes = 1 << 20, .gathered = true},
                     "gathers a tensor inside the memory pool, but the platform's remote memory "
                     "has no switches or stops that could; give another memory.pool");
}

/* A stage that is not full moves what there is: 1 kB at 1 GB/s take 1 us however large the chunk
 * is. Over a hierarchy of 2 groups, 2 switches and 2 nodes of 2 NPUs, the 4 x 1 kB are 1 kB on each
 * of 4 group links (0.5 GB/s) and of 4 links to nodes (1 GB/s), and 1 kB on each NPU's (4 GB/s): 2
 * + 1 + 0.25 us. A gathered kB is 250 B of each group's link, 500 B of each link to a node and all
 * of it on each NPU's: 0.5 + 0.5 + 0.25 us. */
static void test_tensors_below_a_chunk_are_messages_of_their_size(void **state)
{
    (void)state;
    static const char *const chunks[] = {"1 kB", "2 kB", "1 MB", "1 GB"};
    char text[512];
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        (void)snprintf(text, sizeof text, "pool: {per_npu: {bandwidth: 1 GB/s}, chunk: %s}",
                       chunks[i]);
        assert_int_equal(time_of(text, 8, 1000, false), 1 * US);
        assert_int_equal(time_of(text, 8, 1, false), 1 * ORR_PS_PER_NS);
        (void)snprintf(text, sizeof text,
                       "pool: {hierarchical: {groups: 2, switches: 2, nodes: 2, group_bandwidth: 1 "
                       "GB/s, node_bandwidth: 2 GB/s, fabric_bandwidth: 4 GB/s}, chunk: %s}",
                       chunks[i]);
        assert_int_equal(time_of(text, 4, 1000, false), 3250 * ORR_PS_PER_NS);
        assert_int_equal(time_of(text, 4, 1000, true), 1250 * ORR_PS_PER_NS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example_loads_of_links),
        cmocka_unit_test(test_tensors_below_a_chunk_are_messages_of_their_size),
        cmocka_unit_test(test_worked_example_times_of_three_chunk_sizes),
        cmocka_unit_test(test_worked_example_gathered),
        cmocka_unit_test(test_lockstep_and_fifo_of_three_stages),
        cmocka_unit_test(test_hierarchical_loads_add_up),
        cmocka_unit_test(test_multi_level_switch_loads_add_up),
        cmocka_unit_test(test_ring_loads_add_up),
        cmocka_unit_test(test_mesh_loads_add_up),
        cmocka_unit_test(test_per_npu_pool_shares_the_pcie_of_a_node),
        cmocka_unit_test(test_events_of_all_at_once_are_the_closed_form),
        cmocka_unit_test(test_events_share_links_while_both_access),
        cmocka_unit_test(test_events_gathered_wait_for_all),
        cmocka_unit_test(test_more_bandwidth_is_never_slower_and_no_time_beats_the_narrowest_cut),
        cmocka_unit_test(test_bad_pools_have_their_messages),
        cmocka_unit_test(test_bad_accesses_have_their_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
