/* Fits of collectives' times that tests make, row by row. */
#ifndef ORR_TESTS_UNIT_COLLFIT_FIXTURE_H
#define ORR_TESTS_UNIT_COLLFIT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "planner/fit_collectives/fit_collectives.h"
#include "study/measured/measured.h"

struct orr_arena;

#define MIB (UINT64_C(1) << 20)

enum { TEXT = 1 << 20 };

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct collfit fit;
    char *csv;    /* rows that are made */
    size_t bytes; /* of them */
    const char *holdout;
    bool keep;
};

static inline int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    fixture->arena = orr_arena_create();
    fixture->csv = calloc(1, TEXT);
    orr_diag_init(&fixture->diag);
    fixture->bytes = (size_t)sprintf(fixture->csv, "collective,npus,npus_per_node,bytes,time_us\n");
    return fixture->arena == NULL || fixture->csv == NULL;
}

static inline int end(void **state)
{
    struct fixture *fixture = *state;
    orr_arena_destroy(fixture->arena);
    free(fixture->csv);
    free(fixture);
    return 0;
}

static inline const struct orr_conf *tree(struct fixture *fixture, const char *text)
{
    const struct orr_conf *root = NULL;
    if (orr_conf_parse(fixture->arena, text, strlen(text), "pod.yml", &root, &fixture->diag) !=
        ORR_OK) {
        fail_msg("%s", fixture->diag.message);
    }
    return root;
}

static inline enum orr_status try(struct fixture *fixture, const char *platform)
{
    const struct orr_measured_source source = {"t.csv", fixture->csv, fixture->bytes};
    const struct collfit_input input = {.root = tree(fixture, platform),
                                        .platform = "pod.yml",
                                        .data = {.source = &source, .sources = 1},
                                        .holdout = fixture->holdout,
                                        .keep = fixture->keep};
    enum orr_status status =
        orr_collfit_load(fixture->arena, &input, &fixture->fit, &fixture->diag);
    return status == ORR_OK ? orr_collfit_solve(fixture->arena, &fixture->fit, &fixture->diag)
                            : status;
}

static inline const struct collfit *fit(struct fixture *fixture, const char *platform)
{
    if (try(fixture, platform) != ORR_OK) {
        fail_msg("%s", fixture->diag.message);
    }
    return &fixture->fit;
}

static inline void row(struct fixture *fixture, const char *collective, uint32_t npus,
                       uint32_t per_node, uint64_t bytes, double us)
{
    fixture->bytes += (size_t)snprintf(fixture->csv + fixture->bytes, TEXT - fixture->bytes,
                                       "%s,%u,%u,%llu,%.12g\n", collective, npus, per_node,
                                       (unsigned long long)bytes, us);
}

#endif
