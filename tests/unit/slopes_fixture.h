/* What the tests of slopes and of what is made of them share: jobs of texts. */
#ifndef ORR_TESTS_UNIT_SLOPES_FIXTURE_H
#define ORR_TESTS_UNIT_SLOPES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/parts.h"
#include "orrery/report.h"

enum { MAX_SETS = 8 };

struct slopes_case {
    const char *platform, *workload; /* NULL: the platform has it */
    const char *set[MAX_SETS];       /* until NULL */
    unsigned record;
    bool unfolded;
};

/* Of the case, loaded; the status is that of loading. */
static inline struct orrery *load_case(const struct slopes_case *of, enum orrery_status *status)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = of->workload != NULL ? orrery_workload_new() : NULL;
    struct orrery *job = orrery_new();
    struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                 .workload = workload, .set = of->set};
    while (parts.set_count < MAX_SETS && of->set[parts.set_count] != NULL) {
        parts.set_count++;
    }
    if (orrery_platform_parse(platform, of->platform) != ORRERY_OK) {
        fail_msg("%s", orrery_platform_error(platform));
    }
    if (workload != NULL && orrery_workload_parse(workload, of->workload) != ORRERY_OK) {
        fail_msg("%s", orrery_workload_error(workload));
    }
    orrery_record(job, of->record);
    orrery_fold(job, !of->unfolded);
    *status = orrery_load_parts(job, &parts);
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return job;
}

static inline struct orrery *run_case(const struct slopes_case *of)
{
    enum orrery_status status;
    struct orrery *job = load_case(of, &status);
    if (status != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

#endif
