/* Time to simulate flows: bench_flows PATTERN HOSTS FLOWS [FABRIC [maxmin|windows]] prints one
 * line: flows, CPU time, solutions of shares and flows in each, peak memory, simulated time,
 * events, and the sum of the completion times of the flows. The links have 100 Gb/s and 1 us.
 * Patterns: all-to-all  every host sends 1 MB to every other, all at once; FLOWS is ignored random
 * from random hosts to random others, exponential sizes of 1 MB on average, at random times: hosts
 * send 60 % of the time ring        every host sends 1 MB to the next; repeated when all have
 * arrived */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/evq.h"
#include "core/rng.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "network/routing/routing.h"

enum { EVENT_START = ORR_EVENT_WORKLOAD, EVENT_ARRIVED, MEGABYTE = 1000000 };
static const double bytes_per_s = 12.5e9, load = 0.6;

struct bench {
    struct orr_evq *queue;
    struct net_flows *flows;
    struct orr_rng rng;
    uint32_t hosts;
    uint64_t left, key; /* flows still to start, and started */
    uint32_t in_flight; /* of a round */
    uint64_t ends;      /* the sum of the times at which flows end, in ps */
    bool ring;
};

static void start(struct bench *bench, uint32_t src, uint32_t dst, uint64_t bytes)
{
    orr_net_flows_start(bench->flows, src, dst, bytes, bench->key++, 0);
}

static void start_round(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->hosts; i++) {
        start(bench, i, (i + 1) % bench->hosts, MEGABYTE);
    }
    bench->in_flight = bench->hosts;
    bench->left -= bench->hosts < bench->left ? bench->hosts : bench->left;
}

static void start_all(struct bench *bench)
{
    for (uint32_t step = 1; step < bench->hosts; step++) {
        for (uint32_t i = 0; i < bench->hosts; i++) {
            start(bench, i, (i + step) % bench->hosts, MEGABYTE);
        }
    }
}

/* ---- events ---- */

static void post(struct bench *bench, sim_time time, uint16_t kind)
{
    const struct orr_event event = {.kind = kind};
    orr_evq_post(bench->queue, time, &event);
}

static void on_start(void *context, const struct orr_event *event)
{
    struct bench *bench = context;
    (void)event;
    const double mean_gap_s = MEGABYTE / (bytes_per_s * load * bench->hosts);
    const uint32_t src = (uint32_t)orr_rng_below(&bench->rng, bench->hosts);
    const uint32_t step = 1 + (uint32_t)orr_rng_below(&bench->rng, bench->hosts - 1);
    const double bytes = -log1p(-orr_rng_unit(&bench->rng)) * MEGABYTE;
    start(bench, src, (src + step) % bench->hosts, 1 + (uint64_t)bytes);
    if (--bench->left != 0) {
        const double wait_ps = -log1p(-orr_rng_unit(&bench->rng)) * mean_gap_s * 1e12;
        post(bench, orr_evq_now(bench->queue) + (sim_time)wait_ps, EVENT_START);
    }
}

static void on_ended(void *context, uint64_t cookie, sim_time time)
{
    struct bench *bench = context;
    (void)cookie;
    bench->ends += (uint64_t)time;
    if (bench->ring) {
        post(bench, time, EVENT_ARRIVED);
    }
}

static void on_arrived(void *context, const struct orr_event *event)
{
    struct bench *bench = context;
    (void)event;
    if (--bench->in_flight == 0 && bench->left != 0) {
        start_round(bench);
    }
}

/* ---- a case ---- */

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum orr_status run(struct bench *bench, const char *pattern, struct orr_diag *diag)
{
    orr_evq_handle(bench->queue, EVENT_START, on_start, bench);
    orr_evq_handle(bench->queue, EVENT_ARRIVED, on_arrived, bench);
    if (strcmp(pattern, "all-to-all") == 0) {
        start_all(bench);
    } else if (strcmp(pattern, "ring") == 0) {
        bench->ring = true;
        start_round(bench);
    } else {
        post(bench, 0, EVENT_START);
    }
    return orr_evq_run(bench->queue, diag);
}

static void report(const struct bench *bench, const char *pattern, double elapsed)
{
    struct rusage usage;
    const struct net_flows_counts counts = orr_net_flows_counts(bench->flows);
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%-10s %6" PRIu32 " %8" PRIu64 " %9.3f s %8.2f us/flow %8" PRIu64 " solutions %8.1f "
           "flows each %7.1f MB %" PRId64 " ps %" PRIu64 " events ends %" PRIu64 "\n",
           pattern, bench->hosts, counts.flows, elapsed, elapsed * 1e6 / (double)counts.flows,
           counts.solutions, (double)counts.shares / (double)counts.solutions,
           (double)usage.ru_maxrss * 1024 / 1e6, orr_evq_now(bench->queue),
           orr_evq_handled(bench->queue), bench->ends);
}

static int measure(struct bench *bench, char **argv, const char *fabric, bool windows)
{
    struct net_graph graph;
    struct net_router *router = NULL;
    struct net_route_options routes = {.routing = &orr_routing_shortest, .seed = 1};
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    const struct net_fabric named = {
        .text = fabric,
        .npus = bench->hosts,
        .kind = {.bytes_per_s = bytes_per_s, .latency_ps = ORR_PS_PER_US},
        .seed = 1};
    struct net_flows_config config = {.graph = &graph,
                                      .model = orr_net_flow_packets(windows),
                                      .queue = bench->queue,
                                      .ended = on_ended,
                                      .context = bench};
    orr_diag_init(&diag);
    enum orr_status status = orr_net_build_fabric(&named, arena, &graph, &routes.routing, &diag);
    if (status == ORR_OK) {
        status = orr_net_router_create(&router, &graph, &routes, arena, &diag);
        config.router = router;
    }
    if (status == ORR_OK) {
        status = orr_net_flows_create(&bench->flows, &config, &diag);
    }
    if (status == ORR_OK) {
        const double began = seconds();
        status = run(bench, argv[1], &diag);
        report(bench, argv[1], seconds() - began);
    }
    orr_net_flows_destroy(bench->flows);
    orr_arena_destroy(arena);
    return status == ORR_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "bench_flows PATTERN HOSTS FLOWS [FABRIC [maxmin|windows]]\n");
        return 2;
    }
    struct bench bench = {.queue = orr_evq_create(ORR_ORDER_INSERTION, 1),
                          .hosts = (uint32_t)strtoul(argv[2], NULL, 10),
                          .left = strtoull(argv[3], NULL, 10)};
    orr_rng_init(&bench.rng, 1, 0);
    const int result = measure(&bench, argv, argc > 4 ? argv[4] : "fat-tree",
                               argc > 5 && strcmp(argv[5], "windows") == 0);
    orr_evq_destroy(bench.queue);
    return result;
}
