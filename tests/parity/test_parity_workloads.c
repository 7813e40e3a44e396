/* Every recorded job of the ASTRA-sim simulator (random graphs of compute, memory, point-to-point
 * and collective nodes over 8 NPUs, with groups and remote memory): when each NPU finishes, and how
 * much of that is not compute. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "parity_support.h"

enum { CASES = 53, NPUS = 8, LINE_BYTES = 1 << 16, FILE_PATH_BYTES = PARITY_PATH_BYTES + 32 };

struct job_files {
    char workload[FILE_PATH_BYTES], system[FILE_PATH_BYTES], network[FILE_PATH_BYTES];
    char memory[FILE_PATH_BYTES], groups[FILE_PATH_BYTES];
};

static struct orrery *run_folder(const char *folder, const char *backend)
{
    struct job_files files;
    (void)snprintf(files.workload, FILE_PATH_BYTES, "%s/et", folder);
    (void)snprintf(files.system, FILE_PATH_BYTES, "%s/sys.json", folder);
    (void)snprintf(files.network, FILE_PATH_BYTES, "%s/net.yml", folder);
    (void)snprintf(files.memory, FILE_PATH_BYTES, "%s/rem.json", folder);
    (void)snprintf(files.groups, FILE_PATH_BYTES, "%s/groups.json", folder);
    const struct orrery_astra_sim inputs = {
        .workload = files.workload,
        .system = files.system,
        .network = files.network,
        .remote_memory = files.memory,
        .comm_group = files.groups,
        .backend = strcmp(backend, "aware") == 0 ? "congestion" : "analytical"};
    return parity_run(&inputs);
}

/* `pair` is [finish, exposed] in ns. */
static unsigned wrong_rank(const struct orrery *job, uint32_t rank, const json_t *pair,
                           const char *folder)
{
    const json_int_t finish_ns = json_integer_value(json_array_get(pair, 0));
    const json_int_t exposed_ns = json_integer_value(json_array_get(pair, 1));
    const int64_t finish_ps = parity_finish_ps(job, rank);
    const int64_t exposed_ps = parity_exposed_ps(job, rank);
    if (finish_ps == finish_ns * PARITY_PS_PER_CYCLE &&
        exposed_ps == exposed_ns * PARITY_PS_PER_CYCLE) {
        return 0;
    }
    print_error("%s: rank %u: expected finish %lld ns, exposed %lld ns; got %lld ps, %lld ps\n",
                folder, rank, (long long)finish_ns, (long long)exposed_ns, (long long)finish_ps,
                (long long)exposed_ps);
    return 1;
}

static unsigned run_case(const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "dir"));
    const char *backend = json_string_value(json_object_get(record, "backend"));
    const json_t *answers = json_object_get(record, "finish_and_exposed_ns_per_npu");
    assert_non_null(name);
    assert_non_null(backend);
    assert_int_equal(json_array_size(answers), NPUS);
    char relative[128], folder[PARITY_PATH_BYTES];
    (void)snprintf(relative, sizeof relative, "parity/%s", name);
    parity_find_data(relative, folder);
    struct orrery *job = run_folder(folder, backend);
    assert_int_equal(orrery_npus(job), NPUS);
    unsigned wrong = 0;
    for (uint32_t rank = 0; rank < NPUS; rank++) {
        wrong += wrong_rank(job, rank, json_array_get(answers, rank), folder);
        parity_assert_breakdown(job, rank);
    }
    orrery_free(job);
    return wrong != 0;
}

static void test_run_recorded_jobs_every_npu_finishes_and_waits_as_recorded(void **state)
{
    (void)state;
    char path[PARITY_PATH_BYTES], line[LINE_BYTES];
    parity_find_data("parity/workloads.jsonl", path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned cases = 0, wrong = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        json_t *record = json_loads(line, 0, NULL);
        assert_non_null(record);
        wrong += run_case(record);
        cases++;
        json_decref(record);
    }
    (void)fclose(file);
    print_message("%u recorded jobs, %u differ\n", cases, wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(cases, CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_recorded_jobs_every_npu_finishes_and_waits_as_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
