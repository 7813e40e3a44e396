/* Results for programs; see include/orrery/report.h. */
#include "orrery/report.h"

#include <errno.h>
#include <string.h>

#include "core/diag.h"
#include "report/network_use.h"
#include "report/run_report.h"
#include "report/timeline/timeline.h"
#include "sim/api_call.h"

/* Ends a call. `failed`: writing failed, with errno set. */
static enum orrery_status finish(struct orrery *job, FILE *out, bool failed, struct orr_diag *diag)
{
    if (diag->status == ORR_OK && (failed || ferror(out) != 0 || fflush(out) != 0)) {
        (void)orr_diag_fail(diag, ORR_ERR_IO, NULL, "the results cannot be written: %s",
                            strerror(errno));
    }
    return diag->status == ORR_OK ? ORRERY_OK : orr_fail_call(job, diag);
}

static bool begin(const struct orrery *job, const FILE *out, struct orr_diag *diag)
{
    orr_diag_init(diag);
    if (out == NULL) {
        (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a file to write to is needed");
    }
    return diag->status == ORR_OK && orr_check_ran(job, diag) == ORR_OK;
}

/* Begins a call whose report includes the summary of what was done. */
static bool begin_report(struct orrery *job, const FILE *out, struct orr_diag *diag)
{
    return begin(job, out, diag) && orr_prepare_report(job, diag) == ORR_OK;
}

enum orr_status orr_prepare_report(struct orrery *job, struct orr_diag *diag)
{
    size_t rows;
    enum orrery_status status = ORRERY_OK;
    if (orr_has_nodes(job)) {
        status = orrery_summarize(job, &rows);
        status = status == ORRERY_OK ? orrery_choices(job, &rows) : status;
    }
    return status == ORRERY_OK ? ORR_OK : orr_forward_error(job, status, diag);
}

enum orrery_status orrery_write_table(struct orrery *job, FILE *out, bool per_npu)
{
    struct orr_diag diag;
    if (begin_report(job, out, &diag)) {
        orr_report_table(out, job, per_npu);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_finishes(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin(job, out, &diag)) {
        orr_report_astra(out, job);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_json(struct orrery *job, FILE *out, bool per_npu)
{
    struct orr_diag diag;
    const bool ready = begin_report(job, out, &diag);
    return finish(job, out, ready && orr_report_json(out, job, per_npu) != 0, &diag);
}

enum orrery_status orrery_write_csv(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    const bool ready = begin(job, out, &diag);
    return finish(job, out, ready && orr_report_csv(out, job) != 0, &diag);
}

enum orrery_status orrery_write_timeline(struct orrery *job, FILE *out, const char *ranks,
                                         bool gzip)
{
    const struct orr_timeline timeline = {.path = gzip ? "timeline.gz" : "", .ranks = ranks};
    struct orr_diag diag;
    bool failed = false;
    if (begin(job, out, &diag) && !orr_has_nodes(job)) {
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
    if (begin(job, out, &diag)) {
        (void)orr_report_memory_csv(out, job, &diag);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_memory_peaks(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin(job, out, &diag)) {
        (void)orr_report_memory(out, job, &diag);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_links(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    bool failed = false;
    if (begin(job, out, &diag) && orr_link_stats_check(job, &diag) == ORR_OK) {
        const struct orr_network_use use = orr_network_use_of(job);
        failed = orr_link_stats_write(out, &use) != 0;
    }
    return finish(job, out, failed, &diag);
}

enum orrery_status orrery_write_traffic(struct orrery *job, FILE *out, bool picture)
{
    const char *path = picture ? ".svg" : ".csv";
    struct orr_diag diag;
    bool failed = false;
    if (begin(job, out, &diag) && !orr_has_traffic(job)) {
        (void)orr_diag_fail(&diag, ORR_ERR_INPUT, NULL,
                            "traffic needs ORRERY_RECORD_TRAFFIC before loading");
    }
    if (diag.status == ORR_OK && orr_traffic_check(path, orrery_npus(job), &diag) == ORR_OK) {
        const struct orr_network_use use = orr_network_use_of(job);
        failed = orr_traffic_output(path).write(out, &use) != 0;
    }
    return finish(job, out, failed, &diag);
}

/* Begins a call that needs a loaded job only. */
static bool begin_loaded(const struct orrery *job, const FILE *out, struct orr_diag *diag)
{
    orr_diag_init(diag);
    if (out == NULL || orrery_npus(job) == 0) {
        (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                            out == NULL ? "a file to write to is needed" : "no job is loaded");
    }
    return diag->status == ORR_OK;
}

enum orrery_status orrery_write_job(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin_loaded(job, out, &diag)) {
        (void)orr_report_job_file(out, job, &diag);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_config(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin_loaded(job, out, &diag)) {
        (void)orr_report_config(out, job, &diag);
    }
    return finish(job, out, false, &diag);
}

enum orrery_status orrery_write_fold(struct orrery *job, FILE *out)
{
    struct orr_diag diag;
    if (begin_loaded(job, out, &diag)) {
        orr_report_fold(out, job);
    }
    return finish(job, out, false, &diag);
}
