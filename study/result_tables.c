/* All tables of results in the order of the reference; see result_tables.h and
 * include/orrery/results.h. */
#include "study/result_tables.h"

#include "orrery/results.h"
#include "report/results/cluster_results.h"
#include "report/results/queue_results.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "study/study_ops.h"
#include "study/sweep/sweep_columns.h"

#define ORR_STUDY(name) extern const struct orr_study_ops name;
#include "study/study_list.h"
#undef ORR_STUDY

const struct orr_study_ops *orr_study_at(size_t index)
{
    static const struct orr_study_ops *const studies[] = {
#define ORR_STUDY(name) &name,
#include "study/study_list.h"
#undef ORR_STUDY
        NULL};
    return studies[index];
}

static const struct orr_result_table *const of_runs[] = {&orr_job_results,
                                                         &orr_npu_results,
                                                         &orr_gpu_results,
                                                         &orr_dim_results,
                                                         &orr_collective_results,
                                                         &orr_operator_results,
                                                         &orr_path_part_results,
                                                         &orr_path_step_results,
                                                         &orr_uncertainty_results,
                                                         &orr_slope_results,
                                                         &orr_link_results,
                                                         &orr_memory_results,
                                                         NULL};

static const struct orr_result_table *const of_clusters[] = {&orr_taskgraph_results,
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
                                                             &orr_queue_span_results,
                                                             NULL};

/* The index-th of the tables, or NULL; *index is then less by their number. */
static const struct orr_result_table *pick(const struct orr_result_table *const *tables,
                                           size_t *index)
{
    for (; *tables != NULL && *index != 0; tables++) {
        (*index)--;
    }
    return *tables;
}

const struct orr_result_table *orr_result_table_at(size_t index)
{
    const struct orr_result_table *found = pick(of_runs, &index);
    for (size_t s = 0; found == NULL && orr_study_at(s) != NULL; s++) {
        found = pick(orr_study_at(s)->tables, &index);
    }
    return found != NULL ? found : pick(of_clusters, &index);
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
