/* All tables of results in the order of the reference; see result_tables.h and
 * include/orrery/results.h. */
#include "study/result_tables.h"

#include "orrery/results.h"
#include "report/results/cluster_results.h"
#include "report/results/fit_results.h"
#include "report/results/queue_results.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "study/bench/bench_comparison.h"
#include "study/bench/bench_results.h"
#include "study/bench/measured_report.h"
#include "study/diff_results.h"
#include "study/failures/failures_results.h"
#include "study/sweep/sweep_columns.h"
#include "study/whatif_results.h"

const struct orr_result_table *orr_result_table_at(size_t index)
{
    static const struct orr_result_table *const tables[] = {&orr_job_results,
                                                            &orr_npu_results,
                                                            &orr_dim_results,
                                                            &orr_collective_results,
                                                            &orr_operator_results,
                                                            &orr_path_part_results,
                                                            &orr_path_step_results,
                                                            &orr_uncertainty_results,
                                                            &orr_slope_results,
                                                            &orr_link_results,
                                                            &orr_memory_results,
                                                            &orr_sweep_results,
                                                            &orr_whatif_results,
                                                            &orr_failure_class_results,
                                                            &orr_failure_results,
                                                            &orr_diff_run_results,
                                                            &orr_diff_results,
                                                            &orr_diff_setting_results,
                                                            &orr_fit_head_results,
                                                            &orr_fit_time_results,
                                                            &orr_fit_iteration_results,
                                                            &orr_fit_error_results,
                                                            &orr_fit_parameter_results,
                                                            &orr_bench_results,
                                                            &orr_bench_part_results,
                                                            &orr_bench_comparison_results,
                                                            &orr_measured_run_results,
                                                            &orr_measured_block_results,
                                                            &orr_taskgraph_results,
                                                            &orr_cluster_results,
                                                            &orr_cluster_job_results,
                                                            &orr_alone_results,
                                                            &orr_private_network_results,
                                                            &orr_comparison_results,
                                                            &orr_comparison_ratio_results,
                                                            &orr_iteration_results,
                                                            &orr_queue_results,
                                                            &orr_queued_results,
                                                            &orr_queued_block_results,
                                                            &orr_queue_span_results};
    return index < sizeof tables / sizeof *tables ? tables[index] : NULL;
}

/* Search for the n-th result. */
struct result_search {
    size_t left;
    const struct orr_result *found;
};

static bool is_wanted(struct result_search *result_search, const struct orr_result *result)
{
    if (result->meaning == NULL || result->type == ORR_RESULT_LIST || result_search->left-- != 0) {
        return false;
    }
    result_search->found = result;
    return true;
}

/* Searches the columns of a sweep's points that come from other tables. */
static bool search_columns(struct result_search *result_search)
{
    struct orr_sweep_columns columns;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        if (columns.column[c].table != &orr_sweep_results &&
            is_wanted(result_search, columns.column[c].result)) {
            return true;
        }
    }
    return false;
}

static bool search_table(struct result_search *result_search, const struct orr_result_table *table)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (is_wanted(result_search, result)) {
            return true;
        }
    }
    return table == &orr_sweep_results && search_columns(result_search);
}

bool orrery_result_info(size_t index, struct orrery_result_info *info)
{
    const struct orr_result_table *table;
    struct result_search result_search = {.left = index};
    for (size_t t = 0; (table = orr_result_table_at(t)) != NULL; t++) {
        if (table->place != NULL && search_table(&result_search, table)) {
            *info = (struct orrery_result_info){.place = table->place,
                                                .name = result_search.found->name,
                                                .unit = orr_unit_name(result_search.found->unit),
                                                .meaning = result_search.found->meaning};
            return true;
        }
    }
    return false;
}
