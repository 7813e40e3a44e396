/* Points per second of a program that runs the 1,000 points of bench/sweep.sh from memory: a
 * platform and a workload that all simulations share, no file, with one thread and with one for
 * each processor. */
#include <stdio.h>
#include <time.h>

#include "orrery/study.h"

enum { POINTS = 1000, REPEATS = 3 };

static const char platform_text[] =
    "network:\n"
    "  topology: Ring(4)_FC(4)_Switch(4)\n"
    "  dims: [{bandwidth: 100 GB/s}, {bandwidth: 50 GB/s}, {bandwidth: 25 GB/s}]\n"
    "system: {chunks: 32, algorithms: {default: by_block}}\n";
static const char workload_text[] = "workload: {generate: all_reduce, bytes: 64 MiB}\n";

struct study {
    struct orrery_platform *platform;
    struct orrery_workload *workload;
    int64_t wall_ps[POINTS];
};

static void run_point(void *context, unsigned point)
{
    struct study *study = context;
    char inner[64], outer[64];
    const char *set[] = {inner, outer,
                         point % 2 != 0 ? "system.scheduler=themis" : "system.scheduler=baseline"};
    (void)snprintf(inner, sizeof inner, "network.dims[0].bandwidth=%u GB/s", 1 + point / 20);
    (void)snprintf(outer, sizeof outer, "network.dims[1].bandwidth=%u GB/s",
                   5 + point / 2 % 10 * 5);
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), study->platform, study->workload,
                                       set, 3};
    struct orrery *job = orrery_new();
    const bool ran = orrery_load_parts(job, &parts) == ORRERY_OK && orrery_run(job) == ORRERY_OK;
    study->wall_ps[point] = ran ? orrery_wall_ps(job) : -1;
    orrery_free(job);
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double best_s(struct study *study, unsigned threads)
{
    double best = 1e9;
    for (unsigned i = 0; i < REPEATS; i++) {
        const double begin = now_s();
        orrery_parallel(threads, POINTS, run_point, study);
        const double took = now_s() - begin;
        best = took < best ? took : best;
    }
    return best;
}

int main(void)
{
    static struct study study;
    unsigned failed = 0;
    study.platform = orrery_platform_new();
    study.workload = orrery_workload_new();
    (void)orrery_platform_parse(study.platform, platform_text);
    (void)orrery_workload_parse(study.workload, workload_text);
    for (unsigned all = 0; all < 2; all++) {
        const double took = best_s(&study, 1 - all);
        (void)printf("%s: %d points in %.3f s, %.0f points/s\n",
                     all != 0 ? "a thread for each processor" : "one thread", POINTS, took,
                     POINTS / took);
    }
    for (unsigned point = 0; point < POINTS; point++) {
        failed += study.wall_ps[point] < 0;
    }
    orrery_platform_free(study.platform);
    orrery_workload_free(study.workload);
    if (failed != 0) {
        (void)printf("%u points failed\n", failed);
    }
    return failed != 0 ? 1 : 0;
}
