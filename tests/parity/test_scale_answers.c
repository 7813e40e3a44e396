/* Answers of the ASTRA-sim simulator for all-reduces on three-dimensional tori of up to 13,824
 * NPUs: links of 50 GiB/s and 500 ns, endpoint delay 10 ns, one active chunk, local memory 1600
 * GB/s.
 *
 * 64 NPUs, 1 MiB, one chunk, by hand (ns). A link moves 50 * 1.073741824 = 53.687 B/ns; every ring
 * phase over n = 4 starts with 10, and a reduction reads twice and writes once, 3 floor(m / 1600):
 *   reduce-scatter d0  m = 262144: 10 + 3 (500 + 4882 + 10 + 3 * 163)                      = 17653
 *   reduce-scatter d1  m =  65536: 10 + 3 (500 + 1220 + 10 + 3 *  40)                      =  5560
 *   all-reduce     d2  m =  16384: 10 + 6 (500 +  305 + 10)           + 3 (3 * 10)         =  4990
 *   all-gather     d1  m =  65536: 10 + 3 (500 + 1220 + 10)                                =  5200
 *   all-gather     d0  m = 262144: 10 + 3 (500 + 4882 + 10)                                = 16186
 *                                                                                      sum 49589 */
#include <stdio.h>

#include "parity_support.h"

#define MIB UINT64_C(1048576)
#define GIB (UINT64_C(1024) * MIB)

struct scale_case {
    unsigned side; /* NPUs of a dimension; the cube of it in all */
    uint64_t bytes;
    unsigned splits;
    int64_t cycles; /* of every rank */
};

static void write_inputs(const struct parity_files *files, const struct scale_case *given)
{
    parity_write(files->network,
                 "topology: [ Ring, Ring, Ring ]\nnpus_count: [ %u, %u, %u ]\n"
                 "bandwidth: [ 50.0, 50.0, 50.0 ]\nlatency: [ 500.0, 500.0, 500.0 ]\n",
                 given->side, given->side, given->side);
    parity_write(files->system,
                 "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                 " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": %u,\n"
                 " \"all-reduce-implementation\": [\"ring\", \"ring\", \"ring\"],\n"
                 " \"all-gather-implementation\": [\"ring\", \"ring\", \"ring\"],\n"
                 " \"reduce-scatter-implementation\": [\"ring\", \"ring\", \"ring\"],\n"
                 " \"all-to-all-implementation\": [\"ring\", \"ring\", \"ring\"],\n"
                 " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600}\n",
                 given->splits);
    parity_write_collective(files->workload, PARITY_ALL_REDUCE, given->bytes);
}

static void run_cases(const struct parity_files *files, const struct scale_case *given,
                      size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        write_inputs(files, &given[i]);
        const struct orrery_astra_sim inputs = parity_inputs(files);
        struct orrery *job = parity_run(&inputs);
        assert_int_equal(orrery_npus(job), given[i].side * given[i].side * given[i].side);
        char name[96];
        (void)snprintf(name, sizeof name, "Ring(%u)^3, %llu bytes, %u splits", given[i].side,
                       (unsigned long long)given[i].bytes, given[i].splits);
        wrong += parity_wrong_ranks(job, name, given[i].cycles);
        orrery_free(job);
    }
    assert_int_equal(wrong, 0);
}

static void test_all_reduce_64_npus_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {{4, MIB, 1, 49589},
                                              {4, MIB, 4, 43040},
                                              {4, GIB, 1, 41366030},
                                              {4, GIB, 4, 31522268},
                                              {4, GIB, 64, 31706816}};
    run_cases(*state, cases, sizeof cases / sizeof *cases);
}

static void test_all_reduce_512_npus_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {
        {8, MIB, 1, 62378}, {8, MIB, 4, 64480}, {8, GIB, 4, 36790204}};
    run_cases(*state, cases, sizeof cases / sizeof *cases);
}

/* Sanitizers make the large cases ten times slower and find nothing there that they do not find in
 * the small ones. */
static bool is_instrumented(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||
           __has_feature(memory_sanitizer);
#else
    return false;
#endif
}

static void run_large(void **state, const struct scale_case *cases, size_t count)
{
    if (is_instrumented()) {
        skip();
    }
    run_cases(*state, cases, count);
}

static void test_all_reduce_512_npus_64_chunks_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {{8, GIB, 64, 37218432}};
    run_large(state, cases, sizeof cases / sizeof *cases);
}

static void test_all_reduce_4096_npus_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {{16, MIB, 1, 86840}, {16, MIB, 4, 104455}};
    run_large(state, cases, sizeof cases / sizeof *cases);
}

static void test_all_reduce_8000_npus_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {{20, MIB, 1, 99059}};
    run_large(state, cases, sizeof cases / sizeof *cases);
}

static void test_all_reduce_13824_npus_gives_the_reference_cycles(void **state)
{
    static const struct scale_case cases[] = {{24, MIB, 1, 111324}};
    run_large(state, cases, sizeof cases / sizeof *cases);
}

#define WITH_FILES(test)                                                                           \
    cmocka_unit_test_setup_teardown(test, parity_files_open, parity_files_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILES(test_all_reduce_64_npus_gives_the_reference_cycles),
        WITH_FILES(test_all_reduce_512_npus_gives_the_reference_cycles),
        WITH_FILES(test_all_reduce_512_npus_64_chunks_gives_the_reference_cycles),
        WITH_FILES(test_all_reduce_4096_npus_gives_the_reference_cycles),
        WITH_FILES(test_all_reduce_8000_npus_gives_the_reference_cycles),
        WITH_FILES(test_all_reduce_13824_npus_gives_the_reference_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
