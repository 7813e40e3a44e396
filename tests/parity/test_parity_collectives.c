/* Every recorded single collective of the ASTRA-sim simulator, to the cycle on every rank: random
 * topologies, algorithms, chunk counts, queues and optimizations over both of its backends; and
 * those of a build that obeys the keys of dimension scheduling. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "parity_support.h"

enum { CASES = 148, SCHEDULED_CASES = 13, LINE_BYTES = 1 << 20 };

static const char plain[] = "parity/collectives.jsonl";
static const char scheduled[] = "parity/collectives_offline_greedy.jsonl";

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    assert_true(json_is_integer(number));
    return json_integer_value(number);
}

/* JSON is YAML: the lists go into the network file as they are. */
static void write_network(const char *path, const json_t *record)
{
    char *topology = json_dumps(json_object_get(record, "topology"), 0);
    char *npus = json_dumps(json_object_get(record, "npus"), 0);
    char *bandwidth = json_dumps(json_object_get(record, "bandwidth"), 0);
    char *latency = json_dumps(json_object_get(record, "latency"), 0);
    parity_write(path, "topology: %s\nnpus_count: %s\nbandwidth: %s\nlatency: %s\n", topology, npus,
                 bandwidth, latency);
    free(topology);
    free(npus);
    free(bandwidth);
    free(latency);
}

static void write_inputs(const struct parity_files *files, const json_t *record)
{
    write_network(files->network, record);
    assert_int_equal(json_dump_file(json_object_get(record, "system"), files->system, 0), 0);
    parity_write_collective(files->workload, parity_comm_of(text_of(record, "kind")),
                            (uint64_t)number_of(record, "size"));
}

/* "cycles" is one number for each rank, or "all equal" to "max_cycles". */
static unsigned wrong_ranks(const struct orrery *job, const json_t *record, const char *name)
{
    const json_t *cycles = json_object_get(record, "cycles");
    if (json_is_string(cycles)) {
        assert_string_equal(json_string_value(cycles), "all equal");
        return parity_wrong_ranks(job, name, number_of(record, "max_cycles"));
    }
    assert_int_equal(json_array_size(cycles), orrery_npus(job));
    unsigned wrong = 0;
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        const json_int_t expected = json_integer_value(json_array_get(cycles, rank));
        const int64_t actual_ps = parity_finish_ps(job, rank);
        if (actual_ps != expected * PARITY_PS_PER_CYCLE) {
            print_error("%s: rank %u: expected %lld cycles, got %lld ps\n", name, rank,
                        (long long)expected, (long long)actual_ps);
            wrong++;
        }
    }
    return wrong;
}

static uint32_t recorded_npus(const json_t *record)
{
    json_int_t npus = 1;
    const json_t *counts = json_object_get(record, "npus");
    for (size_t d = 0; d < json_array_size(counts); d++) {
        npus *= json_integer_value(json_array_get(counts, d));
    }
    return (uint32_t)npus;
}

static unsigned run_case(const struct parity_files *files, const json_t *record,
                         bool dimension_scheduling)
{
    write_inputs(files, record);
    struct orrery_astra_sim inputs = parity_inputs(files);
    const char *backend = text_of(record, "backend");
    inputs.backend = strcmp(backend, "aware") == 0 ? "congestion" : "analytical";
    inputs.dimension_scheduling = dimension_scheduling;
    inputs.queues_per_dim = (unsigned)number_of(record, "num_queues_per_dim");
    char name[128];
    (void)snprintf(name, sizeof name, "case %lld (%s, %s)", (long long)number_of(record, "i"),
                   text_of(record, "kind"), backend);
    struct orrery *job = parity_run(&inputs);
    assert_int_equal(orrery_npus(job), recorded_npus(record));
    const unsigned wrong = wrong_ranks(job, record, name);
    orrery_free(job);
    return wrong != 0;
}

static void run_file(const struct parity_files *files, const char *data, unsigned expected)
{
    char path[PARITY_PATH_BYTES];
    parity_find_data(data, path);
    FILE *file = fopen(path, "r");
    char *line = malloc(LINE_BYTES);
    assert_non_null(file);
    assert_non_null(line);
    unsigned cases = 0, wrong = 0;
    while (fgets(line, LINE_BYTES, file) != NULL) {
        json_t *record = json_loads(line, 0, NULL);
        assert_non_null(record);
        wrong += run_case(files, record, data == scheduled);
        cases++;
        json_decref(record);
    }
    free(line);
    (void)fclose(file);
    print_message("%u recorded collectives, %u differ\n", cases, wrong);
    assert_int_equal(wrong, 0);
    assert_int_equal(cases, expected);
}

static void test_run_recorded_collectives_every_rank_finishes_at_its_cycle(void **state)
{
    run_file(*state, plain, CASES);
}

static void test_run_scheduled_collectives_every_rank_finishes_at_its_cycle(void **state)
{
    run_file(*state, scheduled, SCHEDULED_CASES);
}

/* Before any file is written: without the data the program ends here. */
static int require_data(void **state)
{
    (void)state;
    char path[PARITY_PATH_BYTES];
    parity_find_data(plain, path);
    parity_find_data(scheduled, path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_run_recorded_collectives_every_rank_finishes_at_its_cycle, parity_files_open,
            parity_files_close),
        cmocka_unit_test_setup_teardown(
            test_run_scheduled_collectives_every_rank_finishes_at_its_cycle, parity_files_open,
            parity_files_close)};
    return cmocka_run_group_tests(tests, require_data, NULL);
}
