/* Fits of compute that tests make: a platform of two nodes, small transformers, and rows that are
 * times of the model itself. */
#ifndef ORR_TESTS_UNIT_COMPFIT_FIXTURE_H
#define ORR_TESTS_UNIT_COMPFIT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "orrery/fit.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "orrery/results.h"

struct orrery;
struct orrery_fit;
struct orrery_platform;
struct orrery_workload;

enum { TEXT = 1 << 16, MAX_SETS = 16 };

static const char pod[] = "name: pod\n"
                          "network:\n"
                          "  topology: Switch(8)_Switch(2)\n"
                          "  bandwidth_is: npu\n"
                          "  dims: [{bandwidth: 300 GB/s}, {bandwidth: 25 GB/s, latency: 2 us}]\n"
                          "system: {chunks: 4}\n"
                          "memory: {local: {bandwidth: 1555 GB/s, capacity: 40 GB}}\n"
                          "compute: {peak: 312 TFLOP/s}\n";

static const char model[] =
    "workload:\n"
    "  transformer: {layers: 2, hidden: 2048, heads: 16, sequence: 1024, vocabulary: 32000}\n"
    "  parallel: {tensor: 8}\n"
    "  training: {batch: 16, micro_batch: 1, fused_attention: true}\n";

/* Hidden size, sequence, micro-batch, tensor: rows that tell all four parameters apart. */
static const unsigned shapes[][4] = {{1024, 1024, 1, 1},  {2048, 1024, 2, 2}, {4096, 1024, 4, 8},
                                     {8192, 1024, 1, 8},  {2048, 4096, 1, 4}, {2048, 8192, 2, 8},
                                     {4096, 512, 4, 4},   {1024, 256, 1, 1},  {8192, 2048, 2, 8},
                                     {4096, 16384, 1, 8}, {1024, 2048, 2, 2}, {2048, 512, 8, 8}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- runs ---- */

static inline char *set_text(const char *path, unsigned value, char text[64])
{
    (void)snprintf(text, 64, "%s=%u", path, value);
    return text;
}

/* The time of a step of a shape on the platform, with further values set. */
static inline double time_of(const char *platform_text, const unsigned shape[4],
                             const char *const *more, size_t count)
{
    static const char *const paths[] = {
        "workload.transformer.hidden", "workload.transformer.sequence",
        "workload.training.micro_batch", "workload.parallel.tensor"};
    char text[4][64];
    const char *set[MAX_SETS];
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    struct orrery *job = orrery_new();
    for (size_t i = 0; i < 4; i++) {
        set[i] = set_text(paths[i], shape[i], text[i]);
    }
    for (size_t i = 0; i < count; i++) {
        set[4 + i] = more[i];
    }
    set[4 + count] = "memory.ignore_capacity=true";
    assert_int_equal(orrery_platform_parse(platform, platform_text), ORRERY_OK);
    assert_int_equal(orrery_workload_parse(workload, model), ORRERY_OK);
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), platform, workload, set,
                                       5 + count};
    if (orrery_load_parts(job, &parts) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    const double time_s = (double)orrery_wall_ps(job) * 1e-12;
    orrery_free(job);
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return time_s;
}

/* ---- fits ---- */

struct fixture {
    char *csv;
    size_t bytes;
    struct orrery_fit *fit;
    struct orrery_fit_compute input;
    struct orrery_measured data;
    char warning[1024]; /* all, a line each */
};

static inline void keep_warning(void *user, const char *text)
{
    struct fixture *fixture = user;
    const size_t used = strlen(fixture->warning);
    (void)snprintf(fixture->warning + used, sizeof fixture->warning - used, "%s\n", text);
}

static inline int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    fixture->csv = calloc(1, TEXT);
    fixture->fit = orrery_fit_new();
    fixture->input =
        (struct orrery_fit_compute){ORRERY_SIZED(orrery_fit_compute), .text = pod,
                                    .workload_text = model, .data = &fixture->data, .files = 1};
    orrery_fit_on_warning(fixture->fit, keep_warning, fixture);
    return fixture->csv == NULL || fixture->fit == NULL;
}

static inline int end(void **state)
{
    struct fixture *fixture = *state;
    orrery_fit_free(fixture->fit);
    free(fixture->csv);
    free(fixture);
    return 0;
}

static inline void line(struct fixture *fixture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void line(struct fixture *fixture, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fixture->bytes +=
        (size_t)vsnprintf(fixture->csv + fixture->bytes, TEXT - fixture->bytes, format, values);
    va_end(values);
    fixture->csv[fixture->bytes++] = '\n';
}

static inline void clear(struct fixture *fixture)
{
    fixture->bytes = 0;
    fixture->warning[0] = '\0';
}

static const char header[] = "name,workload.transformer.hidden,workload.transformer.sequence,"
                             "workload.training.micro_batch,workload.parallel.tensor,time_s";

static inline void row(struct fixture *fixture, size_t i, double time_s)
{
    line(fixture, "shape %zu,%u,%u,%u,%u,%.15g", i, shapes[i][0], shapes[i][1], shapes[i][2],
         shapes[i][3], time_s);
}

/* Rows of all shapes by the model itself. */
static inline void made(struct fixture *fixture, const char *platform, const char *const *set,
                        size_t count)
{
    line(fixture, "%s", header);
    for (size_t i = 0; i < SHAPES; i++) {
        row(fixture, i, time_of(platform, shapes[i], set, count));
    }
}

static inline enum orrery_status try(struct fixture *fixture)
{
    fixture->data =
        (struct orrery_measured){.path = "t.csv", .data = fixture->csv, .bytes = fixture->bytes};
    return orrery_fit_compute(fixture->fit, &fixture->input);
}

static inline void fit(struct fixture *fixture)
{
    if (try(fixture) != ORRERY_OK) {
        fail_msg("%s", orrery_fit_error(fixture->fit));
    }
}

static inline void refuses(struct fixture *fixture, const char *message)
{
    assert_int_equal(try(fixture), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_fit_error(fixture->fit), message);
}

static inline struct orrery_value value_of(struct fixture *fixture, const char *name, size_t row)
{
    struct orrery_value value;
    if (orrery_fit_result(fixture->fit, name, row, &value) != ORRERY_OK) {
        fail_msg("%s", orrery_fit_error(fixture->fit));
    }
    return value;
}

static inline double number_of(struct fixture *fixture, const char *name, size_t row)
{
    const struct orrery_value value = value_of(fixture, name, row);
    return value.kind == ORRERY_VALUE_REAL ? value.real : (double)value.integer;
}

static inline const char *text_of(struct fixture *fixture, const char *name, size_t row)
{
    const struct orrery_value value = value_of(fixture, name, row);
    return value.kind == ORRERY_VALUE_TEXT ? value.text : "";
}

static inline size_t rows_of(struct fixture *fixture, const char *place)
{
    size_t rows = 0;
    assert_int_equal(orrery_fit_rows(fixture->fit, place, &rows), ORRERY_OK);
    return rows;
}

static inline void near(double value, double expected, double share)
{
    if (!(fabs(value / expected - 1) < share)) {
        fail_msg("expected %g, got %g", expected, value);
    }
}

#endif
