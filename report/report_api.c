/* Results for programs; see include/orrery/report.h. */
#include "orrery/report.h"

#include <errno.h>
#include <string.h>

#include "report/run_report.h"
#include "report/timeline/timeline.h"
#include "sim/sim.h"

/* The end of a call: `failed` says that writing did, with errno set. */
static enum orrery_status finish(struct orrery *job, FILE *out, bool failed, struct orr_diag *diag)
{
    if (diag->status == ORR_OK && (failed || fflush(out) != 0)) {
        (void)orr_diag_fail(diag, ORR_ERR_IO, NULL, "the results cannot be written: %s",
                            strerror(errno));
    }
    return diag->status == ORR_OK ? ORRERY_OK : orr_fail_call(job, diag);
}

static bool begin(const struct orrery *job, struct orr_diag *diag)
{
    orr_diag_init(diag);
    return orr_check_ran(job, diag) == ORR_OK;
}

enum orrery_status orrery_write_table(struct orrery *job, FILE *out, bool per_npu)
{
    struct orr_diag diag;
    if (begin(job, &diag)) {
        orr_report_table(out, job, per_npu);
    }
    return finish(job, out, ferror(out) != 0, &diag);
}

enum orrery_status orrery_write_json(struct orrery *job, FILE *out, bool per_npu)
{
    struct orr_diag diag;
    return finish(job, out, begin(job, &diag) && orr_report_json(out, job, per_npu) != 0, &diag);
}

enum orrery_status orrery_write_csv(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    return finish(job, out, begin(job, &diag) && orr_report_csv(out, job) != 0, &diag);
}

enum orrery_status orrery_write_timeline(struct orrery *job, FILE *out, const char *ranks,
                                         bool gzip)
{
    const struct orr_timeline timeline = {.path = gzip ? ".gz" : "", .ranks = ranks};
    struct orr_diag diag;
    bool failed = false;
    if (begin(job, &diag) && !orr_has_nodes(job)) {
        (void)orr_diag_fail(&diag, ORR_ERR_INPUT, NULL,
                            "a timeline needs ORRERY_RECORD_NODES before loading");
    }
    if (diag.status == ORR_OK) {
        (void)orr_timeline_check(&timeline, &diag);
    }
    if (diag.status == ORR_OK &&
        orr_timeline_check_npus(&timeline, orrery_npus(job), &diag) == ORR_OK) {
        failed = orr_timeline_write(out, &timeline, job) != 0;
    }
    return finish(job, out, failed, &diag);
}

enum orrery_status orrery_write_memory(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin(job, &diag)) {
        (void)orr_report_memory_csv(out, job, &diag);
    }
    return finish(job, out, ferror(out) != 0, &diag);
}
