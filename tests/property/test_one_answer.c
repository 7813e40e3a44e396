/* One file, one answer: on every platform that ships, an all-reduce and an all-gather of 1 GiB take
 * the same time, within 3 %, on the analytical, the congestion and the flow backend; and no more
 * than that apart for sizes at which latencies count (the second one with ORRERY_LONG). Two of
 * them know graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/orrery.h"

enum { TEXT = 512 };
#define MAX_DIFFERENCE 0.03

static const char *const backends[] = {"analytical", "congestion", "flow"};

static int64_t time_on(const char *platform, const char *workload, const char *backend)
{
    char network[TEXT];
    (void)snprintf(network, TEXT, "network.backend=%s", backend);
    /* A library's model is the analytical backend's alone. */
    const char *sets[] = {network, workload, "system.library.name=none"};
    const struct orrery_inputs inputs = {.platform = platform, .set = sets, .set_count = 3};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    const enum orrery_status loaded = orrery_load(job, &inputs);
    /* Rules of a paper that only the analytical backend has. */
    if (loaded != ORRERY_OK &&
        strstr(orrery_error(job), "dimension_service: phase needs") != NULL) {
        orrery_free(job);
        return -1;
    }
    if (loaded != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s, %s, %s: %s", platform, workload, backend, orrery_error(job));
    }
    const int64_t time = orrery_wall_ps(job);
    orrery_free(job);
    return time;
}

static bool is_graph(const char *platform, const char *workload)
{
    const struct orrery_inputs inputs = {.platform = platform, .set = &workload, .set_count = 1};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    assert_int_equal(orrery_load(job, &inputs), ORRERY_OK);
    const bool graph = orrery_links(job) != 0;
    orrery_free(job);
    return graph;
}

/* How far the longest time is above the shortest. */
static double spread(const char *platform, const char *workload)
{
    int64_t min = INT64_MAX, max = 0;
    for (size_t b = is_graph(platform, workload) ? 1 : 0; b < 3; b++) {
        const int64_t time = time_on(platform, workload, backends[b]);
        if (time < 0) {
            continue;
        }
        min = time < min ? time : min;
        max = time > max ? time : max;
    }
    return (double)max / (double)min - 1;
}

static bool is_platform(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".yml") == 0;
}

static unsigned check_platform(const char *folder, const char *name)
{
    static const char *const workloads[] = {
        "workload={generate: all_reduce, bytes: 1 GiB}",
        "workload={generate: all_gather, bytes: 16 MiB}",
        "workload={generate: all_reduce, bytes: 64 MiB}",
    };
    char path[2 * TEXT];
    unsigned apart = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const size_t count = sizeof workloads / sizeof *workloads - (getenv("ORRERY_LONG") == NULL);
    for (size_t w = 0; w < count; w++) {
        const double found = spread(path, workloads[w]);
        print_message("%-20s %-50s %.1f %%\n", name, workloads[w], 100 * found);
        apart += found > MAX_DIFFERENCE ? 1 : 0;
    }
    return apart;
}

static void test_one_answer_shipped_platforms_agree_on_all_backends(void **state)
{
    (void)state;
    char folder[TEXT];
    const char *source = getenv("ORRERY_SOURCE_DIR");
    (void)snprintf(folder, TEXT, "%s/inputs/platforms", source != NULL ? source : ".");
    DIR *files = opendir(folder);
    assert_non_null(files);
    unsigned platforms = 0, apart = 0;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (is_platform(file->d_name)) {
            platforms++;
            apart += check_platform(folder, file->d_name);
        }
    }
    (void)closedir(files);
    assert_true(platforms >= 10);
    assert_int_equal(apart, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_answer_shipped_platforms_agree_on_all_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
