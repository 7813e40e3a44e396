/* 1,000 simulations of a platform and a workload made in memory, on all processors; the timeline of
 * the fastest goes to standard output. */
#include <orrery/report.h>
#include <orrery/study.h>

enum { POINTS = 1000, LAYERS = 8 };
static struct orrery_platform *platform;
static struct orrery_workload *workload;
static int64_t wall_ps[POINTS];

/* A job that has run: each point has two bandwidths of its own. */
static struct orrery *run(unsigned point)
{
    char inner[64], outer[64];
    const char *set[] = {inner, outer};
    struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), platform, workload, set, 2};
    struct orrery *job = orrery_new();
    (void)snprintf(inner, sizeof inner, "network.dims[0].bandwidth=%u GB/s", 10 + point % 40 * 10);
    (void)snprintf(outer, sizeof outer, "network.dims[1].bandwidth=%u GB/s", 10 + point / 40 * 10);
    orrery_record(job, ORRERY_RECORD_NODES);
    if (orrery_load_parts(job, &parts) != ORRERY_OK || orrery_run(job) != ORRERY_OK)
        (void)fprintf(stderr, "point %u: %s\n", point, orrery_error(job));
    return job;
}

static void run_point(void *context, unsigned point)
{
    struct orrery *job = run(point);
    (void)context;
    wall_ps[point] = orrery_wall_ps(job);
    orrery_free(job);
}

int main(void)
{
    unsigned best = 0;
    platform = orrery_platform_new(), workload = orrery_workload_new();
    orrery_platform_parse(platform,
                          "network: {topology: Ring(8)_Switch(16), latency: 1 us, dims: [{}, {}]}\n"
                          "system: {chunks: 8}\ncompute: {peak: 300 TFLOP/s}\n");
    for (uint64_t i = 0; i < LAYERS; i++) { /* an all-reduce beside the layers that follow */
        const uint64_t layer = 2 * i, before = layer - 2;
        struct orrery_trace_node compute = {ORRERY_SIZED(orrery_trace_node), .id = layer};
        struct orrery_trace_node reduce = {ORRERY_SIZED(orrery_trace_node), .id = layer + 1};
        compute.kind = ORRERY_NODE_COMPUTE, compute.flops = 3000000000000;
        compute.after = &before, compute.after_count = i > 0;
        reduce.kind = ORRERY_NODE_COLLECTIVE, reduce.collective = "all_reduce";
        reduce.bytes = 64 << 20, reduce.after = &layer, reduce.after_count = 1;
        orrery_workload_add(workload, 0, &compute);
        orrery_workload_add(workload, 0, &reduce);
    }
    orrery_parallel(0, POINTS, run_point, NULL);
    for (unsigned point = 1; point < POINTS; point++)
        best = wall_ps[point] < wall_ps[best] ? point : best;
    struct orrery *job = run(best);
    const enum orrery_status status = orrery_write_timeline(job, stdout, NULL, false);
    (void)fprintf(stderr, "point %u takes %.3f ms\n", best, (double)wall_ps[best] / 1e9);
    orrery_free(job), orrery_platform_free(platform), orrery_workload_free(workload);
    return (int)status;
}
