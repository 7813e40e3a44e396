/* A sweep that its progress callback stops: what is done is a result, the rest has failed, or stays
 * to be run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "orrery/results.h"
#include "orrery/study.h"

static const char sweep_text[] =
    "sweep:\n"
    "  set:\n"
    "    network: {topology: Ring(4), latency: 1 us, bandwidth: 1 GB/s}\n"
    "    system: {chunks: 1, algorithms: {default: by_block}}\n"
    "    workload: {generate: all_reduce, bytes: 8000 B}\n"
    "  axes:\n"
    "    network.bandwidth: [1 GB/s, 2 GB/s, 4 GB/s, 8 GB/s, 16 GB/s]\n";

enum { POINTS = 5, STOP_AT = 2 };

struct listener {
    volatile sig_atomic_t stop;
    unsigned heard;
};

static void hear(void *user, const struct orrery_sweep_progress *progress)
{
    struct listener *listener = user;
    listener->heard++;
    listener->stop = progress->done == STOP_AT;
}

static struct orrery_sweep stopping(struct listener *listener)
{
    return (struct orrery_sweep){
        ORRERY_SIZED(orrery_sweep), .text = sweep_text, .threads = true,        .jobs = 1,
        .progress = hear,           .user = listener,   .stop = &listener->stop};
}

static void test_points_that_did_not_run_have_failed(void **state)
{
    (void)state;
    struct listener listener = {0};
    struct orrery_study *study = orrery_study_new();
    const struct orrery_sweep sweep = stopping(&listener);
    struct orrery_value value;
    size_t rows = 0;
    assert_int_equal(orrery_sweep(study, &sweep), ORRERY_OK);
    assert_int_equal(listener.heard, STOP_AT);
    assert_int_equal(orrery_study_rows(study, "by_time", &rows), ORRERY_OK);
    assert_int_equal(rows, STOP_AT);
    for (size_t point = 0; point < POINTS; point++) {
        assert_int_equal(orrery_study_result(study, "points.error", point, &value), ORRERY_OK);
        if (point < STOP_AT) {
            assert_null(value.text);
        } else {
            assert_string_equal(value.text, "the sweep was stopped before it");
        }
    }
    orrery_study_free(study);
}

static void test_files_keep_what_is_done(void **state)
{
    (void)state;
    char folder[] = "/tmp/orrery_stop_XXXXXX", prefix[64], file[80], expected[256];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(prefix, sizeof prefix, "%s/out", folder);
    struct listener listener = {0};
    struct orrery_study *study = orrery_study_new();
    struct orrery_sweep sweep = stopping(&listener);
    sweep.output = prefix;
    assert_int_equal(orrery_sweep(study, &sweep), ORRERY_ERROR_INPUT);
    (void)snprintf(
        expected, sizeof expected,
        "the sweep was stopped: 2 of 5 points are in %s.jsonl; started again, it goes on "
        "with the others",
        prefix);
    assert_string_equal(orrery_study_error(study), expected);
    listener = (struct listener){0};
    sweep.stop = NULL;
    assert_int_equal(orrery_sweep(study, &sweep), ORRERY_OK);
    assert_int_equal(listener.heard, POINTS - STOP_AT);
    orrery_study_free(study);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const ends[] = {"jsonl", "csv", "lock"};
        (void)snprintf(file, sizeof file, "%s.%s", prefix, ends[i]);
        (void)unlink(file);
    }
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points_that_did_not_run_have_failed),
                                       cmocka_unit_test(test_files_keep_what_is_done)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
