/* Results as JSON and CSV; the fields are those of the tables (docs/results.md). */
#include <jansson.h>

#include "core/arena.h"
#include "core/conf/conf_read.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/results/results.h"
#include "report/run_report.h"
#include "sim/time_classes.h"

static json_t *class_object(const struct orrery *job, const struct orr_class *class)
{
    const size_t bytes = orr_format_ranks(class->rank, class->members, NULL, 0);
    char *ranks = orr_heap_alloc(bytes);
    json_t *object = json_object();
    if (ranks != NULL) {
        (void)orr_format_ranks(class->rank, class->members, ranks, bytes);
    }
    orr_result_add_json(object, &orr_npu_results,
                        &(struct orr_npu_row){.job = job,
                                              .rank = class->rank[0],
                                              .members = class->members,
                                              .ranks = ranks,
                                              .times = class->times});
    orr_heap_free(ranks);
    return object;
}

json_t *orr_json_classes(const void *of)
{
    const struct orr_job_row *row = of;
    json_t *array = json_array();
    struct orr_classes classes;
    if (!orr_classes_init(&classes, row->job)) {
        return array;
    }
    for (uint32_t c = 0; c < classes.count && !row->per_npu; c++) {
        (void)json_array_append_new(array, class_object(row->job, &classes.item[c]));
    }
    for (uint32_t rank = 0; row->per_npu && rank < row->npus; rank++) {
        struct orr_class one = {.rank = &rank, .members = 1};
        (void)orrery_npu_times(row->job, rank, &one.times);
        (void)json_array_append_new(array, class_object(row->job, &one));
    }
    orr_classes_fini(&classes);
    return array;
}

json_t *orr_json_dims(const void *of)
{
    const struct orr_job_row *row = of;
    json_t *array = json_array();
    struct orr_dim_row dim;
    for (unsigned d = 0; d < orrery_dims(row->job); d++) {
        if (orr_dim_row(row->job, d, &dim)) {
            orr_result_append_json(array, &orr_dim_results, &dim);
        }
    }
    return array;
}

static void add_value(void *user, const char *key, const char *value, const char *origin)
{
    if (origin != orr_conf_omitted_default) {
        (void)json_object_set_new(user, key, orr_json_text(value != NULL ? value : ""));
    }
}

/* The list; NULL, with the list freed, if it is empty. */
static json_t *unless_empty(json_t *list)
{
    if (json_object_size(list) == 0 && json_array_size(list) == 0) {
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *orr_json_config(const void *of)
{
    json_t *config = json_object();
    orrery_explain(((const struct orr_job_row *)of)->job, add_value, config);
    return unless_empty(config);
}

json_t *orr_json_warnings(const void *of)
{
    const struct orrery *job = ((const struct orr_job_row *)of)->job;
    json_t *warnings = json_array();
    for (size_t i = 0; orrery_warning(job, i) != NULL; i++) {
        (void)json_array_append_new(warnings, orr_json_text(orrery_warning(job, i)));
    }
    return unless_empty(warnings);
}

json_t *orr_report_object(const struct orrery *job, bool per_npu)
{
    json_t *root = json_object();
    struct orr_job_row row = orr_job_row(job);
    row.per_npu = per_npu;
    orr_result_add_json(root, &orr_job_results, &row);
    return root;
}

int orr_report_json(FILE *out, const struct orrery *job, bool per_npu)
{
    json_t *root = orr_report_object(job, per_npu);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

int orr_report_csv(FILE *out, const struct orrery *job)
{
    orr_result_csv_head(out, &orr_npu_results);
    (void)fputc('\n', out);
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        struct orr_npu_row row = {.job = job, .rank = rank, .members = 1};
        (void)orrery_npu_times(job, rank, &row.times);
        orr_result_csv_line(out, &orr_npu_results, &row);
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}
