/* The public API: handles that do not know of each other, errors, and freeing at any stage. */
#include <stdio.h>
#include <string.h>

#include "tests/parity/parity_support.h"

/* Ring of 4 at 50 GiB/s and 500 ns, reduce-scatter of 1 MiB as 4 chunks of 65536 B messages, one
 * chunk after another: D = 500 + floor(65536 / 53.687) = 1720, reduction 3 floor(65536 / 1600) =
 * 120; 4 (10 + 3 (1720 + 10 + 120)) = 22240 ns. */
enum { NPUS = 4, CYCLES = 22240 };
#define WALL_PS (INT64_C(1000) * CYCLES)

static void write_system(const struct parity_files *files, const char *more)
{
    parity_write(files->system,
                 "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                 " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,\n"
                 " \"reduce-scatter-implementation\": [\"ring\"], %s\n"
                 " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600}\n",
                 more);
}

static struct orrery_astra_sim write_inputs(const struct parity_files *files)
{
    parity_write(files->network, "topology: [ Ring ]\nnpus_count: [ 4 ]\n"
                                 "bandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
    write_system(files, "");
    parity_write_collective(files->workload, PARITY_REDUCE_SCATTER, 1048576);
    return parity_inputs(files);
}

static struct orrery *load(const struct orrery_astra_sim *inputs)
{
    struct orrery *job = orrery_new();
    assert_non_null(job);
    assert_int_equal(orrery_load_astra_sim(job, inputs), ORRERY_OK);
    return job;
}

static void assert_results(const struct orrery *job, int64_t cycles)
{
    assert_int_equal(orrery_wall_ps(job), cycles * PARITY_PS_PER_CYCLE);
    assert_int_equal(parity_wrong_ranks(job, "job", cycles), 0);
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        struct orrery_times times;
        assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
        assert_int_equal(times.exposed_communication_ps, cycles * PARITY_PS_PER_CYCLE);
        parity_assert_breakdown(job, rank);
    }
}

static void test_run_repeated_gives_equal_results(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    uint64_t events = 0;
    orrery_wide messages = 0;
    for (unsigned repeat = 0; repeat < 3; repeat++) {
        struct orrery *job = parity_run(&inputs);
        assert_int_equal(orrery_npus(job), NPUS);
        assert_results(job, CYCLES);
        assert_int_equal(orrery_messages(job), 4 * NPUS * (NPUS - 1)); /* chunks x ranks x steps */
        assert_true(orrery_events(job) > 0 && (repeat == 0 || orrery_events(job) == events));
        assert_true(repeat == 0 || orrery_messages(job) == messages);
        events = orrery_events(job);
        messages = orrery_messages(job);
        orrery_free(job);
    }
}

static void test_results_of_a_ring_name_its_dimension_and_order(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery *job = parity_run(&inputs);
    struct orrery_dim_stats stats;
    assert_int_equal(orrery_dims(job), 1);
    assert_int_equal(orrery_dim(job, 0, &stats), ORRERY_OK);
    assert_string_equal(stats.block, "ring");
    assert_int_equal(stats.npus, NPUS);
    assert_int_equal(stats.latency_ps, 500000);
    assert_true(stats.bandwidth_bytes_per_s > 53687091199.0 &&
                stats.bandwidth_bytes_per_s < 53687091201.0);
    assert_int_equal(stats.messages, 4 * NPUS * (NPUS - 1));
    assert_int_equal(stats.bytes, stats.messages * 65536);
    assert_int_equal(orrery_dim(job, 1, &stats), ORRERY_ERROR_INPUT);
    unsigned seen = 0;
    for (unsigned i = 0; i < NPUS; i++) {
        seen |= 1u << orrery_finish_order(job)[i];
    }
    assert_int_equal(seen, (1u << NPUS) - 1);
    orrery_free(job);
}

/* The second job has twice the endpoint delay: 4 (20 + 3 (1720 + 20 + 120)) = 22400 ns. */
static void test_run_some_two_jobs_in_turns_give_the_results_of_each_alone(void **state)
{
    const struct orrery_astra_sim first = write_inputs(*state);
    struct orrery_astra_sim second = first;
    second.injection_scale = 2;
    struct orrery *job[2] = {load(&first), load(&second)};
    bool finished[2] = {false, false};
    unsigned turns = 0;
    for (; !finished[0] || !finished[1]; turns++) {
        for (unsigned i = 0; i < 2; i++) {
            if (!finished[i]) {
                assert_int_equal(orrery_run_some(job[i], i + 1, &finished[i]), ORRERY_OK);
            }
        }
    }
    assert_true(turns > 10);
    assert_results(job[0], CYCLES);
    assert_results(job[1], 22400);
    orrery_free(job[0]);
    orrery_free(job[1]);
}

static void assert_load_fails(const struct orrery_astra_sim *inputs, enum orrery_status expected,
                              const char *part)
{
    struct orrery *job = orrery_new();
    assert_non_null(job);
    assert_string_equal(orrery_error(job), "");
    assert_int_equal(orrery_load_astra_sim(job, inputs), expected);
    if (strstr(orrery_error(job), part) == NULL) {
        print_error("expected \"%s\" in \"%s\"\n", part, orrery_error(job));
    }
    assert_non_null(strstr(orrery_error(job), part));
    bool finished = true;
    assert_int_equal(orrery_run_some(job, 1, &finished), ORRERY_ERROR_INPUT);
    assert_false(finished);
    orrery_free(job);
}

static void test_load_missing_file_is_an_error_naming_it(void **state)
{
    struct parity_files *files = *state;
    const struct orrery_astra_sim inputs = write_inputs(files);
    struct orrery_astra_sim wrong = inputs;
    wrong.network = "missing.yml";
    assert_load_fails(&wrong, ORRERY_ERROR_IO, "missing.yml");
    wrong = inputs;
    wrong.system = "missing.json";
    assert_load_fails(&wrong, ORRERY_ERROR_IO, "missing.json");
    wrong = inputs;
    wrong.remote_memory = "missing_memory.json";
    assert_load_fails(&wrong, ORRERY_ERROR_IO, "missing_memory.json");
    wrong = inputs;
    wrong.comm_group = "missing_groups.json";
    assert_load_fails(&wrong, ORRERY_ERROR_IO, "missing_groups.json");
    wrong = inputs;
    wrong.workload = "missing_trace";
    assert_load_fails(&wrong, ORRERY_ERROR_INPUT, "rank 0: no file missing_trace.0.et or ");
}

static void test_load_wrong_arguments_is_an_input_error(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery_astra_sim wrong = inputs;
    wrong.system = NULL;
    assert_load_fails(&wrong, ORRERY_ERROR_INPUT,
                      "a workload, a system file and a network file are needed");
    wrong = inputs;
    wrong.backend = "congested";
    assert_load_fails(&wrong, ORRERY_ERROR_INPUT, "congested");
}

static void test_load_second_time_is_refused_and_keeps_the_first(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery *job = load(&inputs);
    assert_int_equal(orrery_load_astra_sim(job, &inputs), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "a job is loaded already; use a new handle"));
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_results(job, CYCLES);
    orrery_free(job);
}

static void test_run_without_load_is_an_input_error(void **state)
{
    (void)state;
    struct orrery *job = orrery_new();
    struct orrery_times times;
    assert_non_null(job);
    assert_int_equal(orrery_run(job), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "no job is loaded to run"));
    assert_int_equal(orrery_npus(job), 0);
    assert_int_equal(orrery_wall_ps(job), 0);
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_ERROR_INPUT);
    assert_null(orrery_finish_order(job));
    orrery_free(job);
}

static void test_npu_times_before_the_end_or_out_of_range_is_an_input_error(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery *job = load(&inputs);
    struct orrery_times times;
    bool finished = true;
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_run_some(job, 1, &finished), ORRERY_OK);
    assert_false(finished);
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_npu_times(job, NPUS - 1, &times), ORRERY_OK);
    assert_int_equal(times.finish_ps, WALL_PS);
    assert_int_equal(orrery_npu_times(job, NPUS, &times), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_npu_times(job, UINT32_MAX, &times), ORRERY_ERROR_INPUT);
    orrery_free(job);
}

static void test_run_at_the_end_changes_nothing(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery *job = parity_run(&inputs);
    const uint64_t events = orrery_events(job);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_events(job), events);
    assert_results(job, CYCLES);
    orrery_free(job);
}

struct warnings {
    unsigned count;
    char last[512];
};

static void keep_warning(void *user, const char *text)
{
    struct warnings *warnings = user;
    warnings->count++;
    (void)snprintf(warnings->last, sizeof warnings->last, "%s", text);
}

static void test_warning_of_a_key_without_effect_reaches_the_callback(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    write_system(*state, "\"boost-mode\": 1,");
    struct warnings warnings = {.count = 0};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    orrery_on_warning(job, keep_warning, &warnings);
    assert_int_equal(orrery_load_astra_sim(job, &inputs), ORRERY_OK);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "boost-mode"));
    orrery_free(job);
    write_system(*state, "\"boost-mode\": 0,"); /* off: as it is */
    struct orrery *off = orrery_new();
    assert_non_null(off);
    orrery_on_warning(off, keep_warning, &warnings);
    assert_int_equal(orrery_load_astra_sim(off, &inputs), ORRERY_OK);
    assert_int_equal(warnings.count, 1);
    orrery_free(off);
    struct orrery *silent = load(&inputs); /* without a callback warnings are dropped */
    assert_string_equal(orrery_error(silent), "");
    orrery_free(silent);
}

static void test_memory_bytes_grow_from_new_to_loaded(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    struct orrery *job = orrery_new();
    assert_non_null(job);
    const size_t empty_bytes = orrery_memory_bytes(job);
    assert_true(empty_bytes > 0);
    assert_int_equal(orrery_load_astra_sim(job, &inputs), ORRERY_OK);
    assert_true(orrery_memory_bytes(job) > empty_bytes);
    assert_true(orrery_memory_bytes(job) < 1u << 24); /* 4 NPUs do not need 16 MiB */
    orrery_free(job);
}

/* Leaks and double frees are the sanitizers' to find. */
static void test_free_at_any_stage_is_clean(void **state)
{
    const struct orrery_astra_sim inputs = write_inputs(*state);
    orrery_free(NULL);
    orrery_free(orrery_new());
    orrery_free(load(&inputs));
    for (uint64_t instants = 1; instants < 50; instants += 7) {
        struct orrery *job = load(&inputs);
        bool finished;
        assert_int_equal(orrery_run_some(job, instants, &finished), ORRERY_OK);
        orrery_free(job);
    }
    orrery_free(parity_run(&inputs));
}

static void test_version_is_that_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(orrery_version(), ORRERY_VERSION);
}

#define WITH_FILES(test)                                                                           \
    cmocka_unit_test_setup_teardown(test, parity_files_open, parity_files_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILES(test_run_repeated_gives_equal_results),
        WITH_FILES(test_results_of_a_ring_name_its_dimension_and_order),
        WITH_FILES(test_run_some_two_jobs_in_turns_give_the_results_of_each_alone),
        WITH_FILES(test_load_missing_file_is_an_error_naming_it),
        WITH_FILES(test_load_wrong_arguments_is_an_input_error),
        WITH_FILES(test_load_second_time_is_refused_and_keeps_the_first),
        cmocka_unit_test(test_run_without_load_is_an_input_error),
        WITH_FILES(test_npu_times_before_the_end_or_out_of_range_is_an_input_error),
        WITH_FILES(test_run_at_the_end_changes_nothing),
        WITH_FILES(test_warning_of_a_key_without_effect_reaches_the_callback),
        WITH_FILES(test_memory_bytes_grow_from_new_to_loaded),
        WITH_FILES(test_free_at_any_stage_is_clean),
        cmocka_unit_test(test_version_is_that_of_the_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
