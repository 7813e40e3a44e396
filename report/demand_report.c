/* The traffic and the memory of a strategy; see demand_report.h. */
#include "report/demand_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand_total.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"
#include "workload/strategy/strategy_file.h"

struct orr_network_use orr_demand_use(const struct orr_demand_report *report,
                                      const uint64_t *matrix)
{
    return (struct orr_network_use){
        .matrix = matrix, .servers = report->strategy->devices, .title = report->model->name};
}

/* ---- metrics ---- */

struct demand_metrics {
    uint64_t pairs;                    /* (sender, receiver) with traffic */
    uint64_t memory_bytes;             /* used on the fullest device */
    uint32_t fullest, max;             /* that device, and its operator with the most bytes */
    const struct demand_group **group; /* [groups] by descending bytes */
};

static int by_bytes(const void *a, const void *b)
{
    const struct demand_group *x = *(const struct demand_group *const *)a;
    const struct demand_group *y = *(const struct demand_group *const *)b;
    const int order = (x->bytes < y->bytes) - (x->bytes > y->bytes);
    return order != 0 ? order : (x > y) - (x < y); /* ties: in the order of the operators */
}

static bool find_fullest_device(const struct orr_demand_report *report,
                                struct demand_metrics *demand_metrics)
{
    const uint32_t group = orr_strategy_group(report->strategy);
    uint64_t *bytes = orr_heap_calloc(group, sizeof *bytes);
    uint32_t *max = orr_heap_calloc(group, sizeof *max);
    const bool made = bytes != NULL && max != NULL &&
                      orr_strategy_memory(report->model, report->strategy, bytes, max);
    for (uint32_t i = 0; i < group && made; i++) {
        if (i == 0 || bytes[i] > demand_metrics->memory_bytes) {
            demand_metrics->memory_bytes = bytes[i];
            demand_metrics->fullest = i;
            demand_metrics->max = max[i];
        }
    }
    orr_heap_free(bytes);
    orr_heap_free(max);
    return made;
}

static bool compute_metrics(const struct orr_demand_report *report,
                            struct demand_metrics *demand_metrics)
{
    const struct demand_total *total = report->total;
    *demand_metrics = (struct demand_metrics){
        .group = orr_heap_calloc((size_t)total->groups + 1, sizeof *demand_metrics->group)};
    for (size_t i = 0; i < (size_t)total->devices * total->devices; i++) {
        demand_metrics->pairs += total->transfers[i] != 0;
    }
    for (uint32_t g = 0; g < total->groups && demand_metrics->group != NULL; g++) {
        demand_metrics->group[g] = &total->group[g];
    }
    if (demand_metrics->group != NULL) {
        qsort(demand_metrics->group, total->groups, sizeof *demand_metrics->group, by_bytes);
    }
    return demand_metrics->group != NULL && find_fullest_device(report, demand_metrics);
}

static uint32_t rows_of(const struct orr_demand_report *report)
{
    const uint32_t groups = report->total->groups;
    return report->rows == 0 || report->rows > groups ? groups : report->rows;
}

/* ---- as text ---- */

static void print_groups(FILE *out, const struct orr_demand_report *report,
                         const struct demand_metrics *demand_metrics)
{
    const uint32_t rows = rows_of(report), groups = report->total->groups;
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "  %-7s  %12s  %s\n", "tensors", "bytes", "members");
    for (uint32_t g = 0; g < rows; g++) {
        const struct demand_group *group = demand_metrics->group[g];
        orr_print(out, "  %7" PRIu32 "  %12s  ", group->tensors,
                  orr_format_bytes(group->bytes, text, sizeof text));
        orr_strategy_write_devices(out, group->member, group->members);
        orr_print(out, "%s\n", group->across ? " of each group" : "");
    }
    if (rows < groups) {
        orr_print(out, "  and %" PRIu32 " more\n", groups - rows);
    }
}

enum orr_status orr_demand_print(FILE *out, const struct orr_demand_report *report,
                                 struct orr_diag *diag)
{
    const struct demand_total *total = report->total;
    struct demand_metrics demand_metrics;
    char text[4][ORR_FORMAT_BYTES];
    const uint64_t samples = orr_model_batch(report->model, report->strategy->devices);
    const bool made = compute_metrics(report, &demand_metrics);
    if (made) {
        orr_print(
            out,
            "model        %s, %" PRIu32 " operator%s, %" PRIu64 " sample%s\n"
            "strategy     %" PRIu32 " device%s: model %" PRIu32 " x data %" PRIu32 "\n"
            "memory       %s on device %" PRIu32 ", most of it for operator \"%s\"\n"
            "transfers    %s (%" PRIu64 " bytes) between %" PRIu64 " pair%s, at most %s of a pair\n"
            "all-reduces  %s (%" PRIu64 " bytes) in %" PRIu32 " group%s\n",
            report->model->name, report->model->ops, orr_plural(report->model->ops), samples,
            orr_plural(samples), report->strategy->devices, orr_plural(report->strategy->devices),
            orr_strategy_group(report->strategy), report->strategy->copies,
            orr_format_bytes(demand_metrics.memory_bytes, text[0], sizeof text[0]),
            demand_metrics.fullest, report->model->op[demand_metrics.max].name,
            orr_format_bytes(total->transfer_bytes, text[1], sizeof text[1]), total->transfer_bytes,
            demand_metrics.pairs, orr_plural(demand_metrics.pairs),
            orr_format_bytes(total->largest_bytes, text[2], sizeof text[2]),
            orr_format_bytes(total->reduce_bytes, text[3], sizeof text[3]), total->reduce_bytes,
            total->groups, orr_plural(total->groups));
    }
    if (made && total->groups != 0) {
        print_groups(out, report, &demand_metrics);
    }
    orr_heap_free(demand_metrics.group);
    return made ? ORR_OK : orr_diag_no_memory(diag, "the demand of a strategy");
}

/* ---- as JSON ---- */

static json_t *group_json(const struct demand_group *group)
{
    json_t *members = json_array();
    for (uint32_t i = 0; i < group->members; i++) {
        (void)json_array_append_new(members, json_integer(group->member[i]));
    }
    return json_pack("{s:i, s:I, s:b, s:o}", "tensors", (int)group->tensors, "bytes",
                     (json_int_t)group->bytes, "across_groups", (int)group->across, "members",
                     members);
}

enum orr_status orr_demand_print_json(FILE *out, const struct orr_demand_report *report,
                                      struct orr_diag *diag)
{
    const struct demand_total *total = report->total;
    const struct strategy *strategy = report->strategy;
    struct demand_metrics demand_metrics;
    const bool made = compute_metrics(report, &demand_metrics);
    json_t *groups = made ? json_array() : NULL;
    for (uint32_t g = 0; made && g < rows_of(report); g++) {
        (void)json_array_append_new(groups, group_json(demand_metrics.group[g]));
    }
    json_t *root =
        made ? json_pack("{s:o, s:I, s:I, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o}", "model",
                         orr_json_text(report->model->name), "operators",
                         (json_int_t)report->model->ops, "samples",
                         (json_int_t)orr_model_batch(report->model, strategy->devices), "devices",
                         (int)strategy->devices, "model_ways", (int)orr_strategy_group(strategy),
                         "data_ways", (int)strategy->copies, "device_bytes",
                         (json_int_t)demand_metrics.memory_bytes, "transfer_bytes",
                         (json_int_t)total->transfer_bytes, "transfer_pairs",
                         (json_int_t)demand_metrics.pairs, "largest_pair_bytes",
                         (json_int_t)total->largest_bytes, "all_reduce_bytes",
                         (json_int_t)total->reduce_bytes, "all_reduces", groups)
             : NULL;
    const bool written = root != NULL && orr_json_write(root, out, JSON_INDENT(2)) == 0;
    if (written) {
        (void)fputc('\n', out);
    }
    json_decref(root);
    orr_heap_free(demand_metrics.group);
    return written ? ORR_OK : orr_diag_no_memory(diag, "the demand of a strategy");
}
