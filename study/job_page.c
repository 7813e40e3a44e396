/* The JSON of a run for a page; see job_page.h. */
#include "study/job_page.h"

#include <inttypes.h>
#include <jansson.h>

#include "core/arena.h"
#include "core/diag.h"
#include "report/details/details.h"
#include "report/json_text.h"
#include "report/run_report.h"
#include "study/job_source.h"
#include "study/whatif.h"
#include "study/whatif_report.h"

/* An unfolded run has about as many events as the folded one times the NPUs of a class; above
 * MAX_TRAFFIC_EVENTS the picture of the traffic would take too long. */
enum { MAX_TRAFFIC_EVENTS = 100000000, REASON = 256 };

static double events_unfolded(const struct orrery *job)
{
    const uint32_t classes = orrery_fold_classes(job);
    const double members = classes > 0 ? (double)orrery_npus(job) / classes : 1;
    return (double)orrery_events(job) * members;
}

/* Runs the same job unfolded and records its traffic; NULL, with the reason. */
static struct orrery *run_for_traffic(const struct orr_job_page *page, char reason[REASON])
{
    const double events = events_unfolded(page->job);
    if (events > MAX_TRAFFIC_EVENTS) {
        const bool billions = events >= 1e10;
        (void)snprintf(reason, REASON,
                       "it is recorded where every NPU is simulated, which is some %.0f %s "
                       "events; with --traffic-matrix FILE.svg they are, and the page has it",
                       events / (billions ? 1e9 : 1e6), billions ? "billion" : "million");
        return NULL;
    }
    struct orrery *job = orrery_new();
    if (job != NULL) {
        const struct orr_job_source source = {.own = page->own, .astra_sim = page->astra_sim};
        orrery_record(job, ORRERY_RECORD_TRAFFIC);
        enum orrery_status status = orr_job_source_load(&source, NULL, 0, job);
        status = status == ORRERY_OK ? orrery_run(job) : status;
        if (status == ORRERY_OK) {
            return job;
        }
        (void)snprintf(reason, REASON, "the run that records it failed: %s", orrery_error(job));
    }
    orrery_free(job);
    return NULL;
}

static json_t *details_of(const struct orr_job_page *page, bool can_rerun)
{
    char reason[REASON] = "the job was not run once more to record it; --traffic-matrix has it";
    const bool recorded = orrery_pairs(page->job) != 0;
    struct orrery *traffic = can_rerun && !recorded ? run_for_traffic(page, reason) : NULL;
    const struct orr_details details = {.job = page->job,
                                        .traffic = recorded ? page->job : traffic,
                                        .no_traffic = reason,
                                        .command = page->command};
    json_t *object = orr_details_object(&details);
    orrery_free(traffic);
    return object;
}

static void add_whatif(json_t *result, const struct orr_job_page *page)
{
    struct orr_whatif *whatif = orr_heap_calloc(1, sizeof *whatif);
    json_t *missing = json_object_get(json_object_get(result, "details"), "missing");
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (whatif == NULL) {
        return;
    }
    whatif->own = page->own;
    whatif->astra_sim = page->own == NULL ? page->astra_sim : NULL;
    whatif->factor = 2;
    if (orr_whatif_run(whatif, &diag) == ORR_OK) {
        (void)json_object_set_new(result, "whatif", orr_whatif_object(whatif));
    } else {
        (void)json_object_set_new(missing, "whatif", orr_json_text(diag.message));
    }
    orr_whatif_fini(whatif);
    orr_heap_free(whatif);
}

json_t *orr_job_page_result(const struct orr_job_page *page)
{
    const bool can_rerun = page->own != NULL || page->astra_sim != NULL;
    json_t *result = orr_report_object(page->job, page->per_npu);
    (void)json_object_set_new(result, "details", details_of(page, can_rerun));
    if (can_rerun) {
        add_whatif(result, page);
    }
    return result;
}

void orr_job_page_make(struct orr_job_page *page)
{
    if (page->made == NULL) {
        page->made = orr_job_page_result(page);
    }
}

void orr_job_page_fini(struct orr_job_page *page)
{
    json_decref(page->made);
    page->made = NULL;
}

int orr_job_page_json(FILE *out, const void *context)
{
    const struct orr_job_page *page = context;
    return orr_json_write_and_free(
        page->made != NULL ? json_incref(page->made) : orr_job_page_result(page), out);
}
