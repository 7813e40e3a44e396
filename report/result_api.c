/* Results of a job by name; see include/orrery/results.h. */
#include <inttypes.h>

#include "orrery/results.h"
#include "report/network_use.h"
#include "report/results/result.h"
#include "report/results/result_rows.h"
#include "report/results/results.h"
#include "report/run_report.h"
#include "sim/api_call.h"

enum { RANK_BYTES = 16 };

/* A row of any table. */
union any_row {
    struct orr_job_row job;
    struct {
        struct orr_npu_row row;
        char text[RANK_BYTES];
    } npu;
    struct orr_dim_row dim;
    struct orr_work_row work;
    struct orrery_path_part part;
    struct orr_path_step_row step;
    struct orr_link_row link;
    struct orr_uncertainty_row uncertainty;
    struct orrery_slope slope;
};

/* ---- tables ---- */

static size_t one(const void *job)
{
    (void)job;
    return 1;
}

static void get_job(const void *job, size_t index, void *row)
{
    (void)index;
    *(struct orr_job_row *)row = orr_job_row(job);
}

static size_t count_npus(const void *job)
{
    return orrery_npus(job);
}

static void get_npu(const void *job, size_t index, void *row)
{
    union any_row *any = row;
    const uint32_t rank = (uint32_t)index;
    any->npu.row =
        (struct orr_npu_row){.job = job, .rank = rank, .members = 1, .ranks = any->npu.text};
    (void)snprintf(any->npu.text, sizeof any->npu.text, "%" PRIu32, rank);
    (void)orrery_npu_times(job, rank, &any->npu.row.times);
}

static size_t count_dims(const void *job)
{
    return orrery_dims(job);
}

static void get_dim(const void *job, size_t index, void *row)
{
    (void)orr_dim_row(job, (unsigned)index, row);
}

static size_t count_work(const void *job, bool collectives)
{
    struct orrery_summary_row row;
    size_t count = 0;
    for (size_t i = 0; orrery_summary(job, i, &row) == ORRERY_OK; i++) {
        count += (row.kind == ORRERY_NODE_COLLECTIVE) == collectives ? 1 : 0;
    }
    return count;
}

static size_t count_collectives(const void *job)
{
    return count_work(job, true);
}

static void get_collective(const void *job, size_t index, void *row)
{
    (void)orr_work_row(job, true, index, row);
}

static size_t count_operators(const void *job)
{
    return count_work(job, false);
}

static void get_operator(const void *job, size_t index, void *row)
{
    (void)orr_work_row(job, false, index, row);
}

static size_t count_parts(const void *job)
{
    return orrery_path_parts(job);
}

static void get_part(const void *job, size_t index, void *row)
{
    (void)orrery_path_part(job, index, row);
}

static size_t count_steps(const void *job)
{
    return orrery_path_steps(job);
}

static void get_step(const void *job, size_t index, void *row)
{
    (void)orr_path_step_row(job, index, row);
}

static size_t count_links(const void *job)
{
    return orrery_links(job);
}

static void get_link(const void *job, size_t index, void *row)
{
    const struct orr_network_use use = orr_network_use_of(job);
    struct orrery_link link;
    (void)orrery_link(job, index, &link);
    orr_link_row(&use, &link, row);
}

static void get_uncertainty(const void *job, size_t index, void *row)
{
    struct orr_uncertainty_row *uncertainty = row;
    (void)index;
    uncertainty->job = job;
    (void)orrery_uncertainty(job, &uncertainty->of);
}

static size_t count_slopes(const void *job)
{
    struct orrery_uncertainty of;
    (void)orrery_uncertainty(job, &of);
    return of.slopes;
}

static void get_slope(const void *job, size_t index, void *row)
{
    (void)orrery_slope(job, index, row);
}

static enum orr_status need_uncertainty(void *job, struct orr_diag *diag)
{
    struct orrery_uncertainty of;
    const enum orrery_status status = orrery_uncertainty(job, &of);
    return status == ORRERY_OK ? ORR_OK : orr_forward_error(job, status, diag);
}

static enum orr_status need_links(void *job, struct orr_diag *diag)
{
    return orr_link_stats_check(job, diag);
}

static enum orr_status need_nodes(void *job, struct orr_diag *diag)
{
    return orr_has_nodes(job) ? orr_prepare_report(job, diag)
                              : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                              "what was done needs ORRERY_RECORD_NODES before "
                                              "loading");
}

static enum orr_status need_path(void *job, struct orr_diag *diag)
{
    return orr_has_path(job) ? ORR_OK
                             : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                             "the critical path needs ORRERY_RECORD_PATH before "
                                             "loading");
}

static const struct orr_result_rows rows_of_job[] = {
    {&orr_job_results, one, get_job, NULL},
    {&orr_npu_results, count_npus, get_npu, NULL},
    {&orr_gpu_results, count_npus, get_npu, NULL},
    {&orr_dim_results, count_dims, get_dim, NULL},
    {&orr_collective_results, count_collectives, get_collective, need_nodes},
    {&orr_operator_results, count_operators, get_operator, need_nodes},
    {&orr_path_part_results, count_parts, get_part, need_path},
    {&orr_path_step_results, count_steps, get_step, need_path},
    {&orr_slope_results, count_slopes, get_slope, need_uncertainty}, /* before its prefix */
    {&orr_uncertainty_results, one, get_uncertainty, need_uncertainty},
    {&orr_link_results, count_links, get_link, need_links},
    {NULL, NULL, NULL, NULL}};

static const struct orr_result_sources of_job = {rows_of_job, "a job"};

/* ---- calls ---- */

enum orrery_status orrery_result_rows(struct orrery *job, const char *place, size_t *rows)
{
    const struct orr_result_query query = {&of_job, job, NULL};
    struct orr_diag diag;
    *rows = 0;
    orr_diag_init(&diag);
    if (orr_check_ran(job, &diag) == ORR_OK &&
        orr_result_count_rows(&query, place, rows, &diag) == ORR_OK) {
        return ORRERY_OK;
    }
    return orr_fail_call(job, &diag);
}

enum orrery_status orrery_result(struct orrery *job, const char *name, size_t row,
                                 struct orrery_value *value)
{
    union any_row any;
    const struct orr_result_query query = {&of_job, job, &any};
    struct orr_value found = {.kind = ORR_VALUE_NONE};
    struct orr_diag diag;
    *value = (struct orrery_value){.kind = ORRERY_VALUE_NONE};
    orr_diag_init(&diag);
    if (orr_check_ran(job, &diag) != ORR_OK ||
        orr_result_get(&query, name, row, &found, &diag) != ORR_OK) {
        return orr_fail_call(job, &diag);
    }
    if (found.kind == ORR_VALUE_TEXT && (found.text = orr_keep_text(job, found.text)) == NULL) {
        (void)orr_diag_no_memory(&diag, "a text");
        return orr_fail_call(job, &diag);
    }
    *value = orr_result_public_value(&found);
    return ORRERY_OK;
}
