/* See demand_report.h. */
#include "report/demand_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "report/json_text.h"
#include "report/table_text.h"

struct orr_network_use orr_demand_use(const struct orr_demand_report *told, const uint64_t *matrix)
{
    return (struct orr_network_use){
        .matrix = matrix, .servers = told->strategy->devices, .title = told->model->name};
}

/* ---- what is told ---- */

struct figures {
    uint64_t pairs;                    /* of devices that send to each other, each way by itself */
    uint64_t memory_bytes;             /* of the fullest device */
    uint32_t fullest, max;             /* it, and the operator with most there */
    const struct demand_group **group; /* [groups] by falling bytes */
};

static int by_bytes(const void *a, const void *b)
{
    const struct demand_group *x = *(const struct demand_group *const *)a;
    const struct demand_group *y = *(const struct demand_group *const *)b;
    const int order = (x->bytes < y->bytes) - (x->bytes > y->bytes);
    return order != 0 ? order : (x > y) - (x < y); /* then as operators have them */
}

static bool find_fullest(const struct orr_demand_report *told, struct figures *figures)
{
    const uint32_t group = orr_strategy_group(told->strategy);
    uint64_t *bytes = orr_heap_calloc(group, sizeof *bytes);
    uint32_t *max = orr_heap_calloc(group, sizeof *max);
    const bool made = bytes != NULL && max != NULL &&
                      orr_strategy_memory(told->model, told->strategy, bytes, max);
    for (uint32_t i = 0; i < group && made; i++) {
        if (i == 0 || bytes[i] > figures->memory_bytes) {
            figures->memory_bytes = bytes[i];
            figures->fullest = i;
            figures->max = max[i];
        }
    }
    orr_heap_free(bytes);
    orr_heap_free(max);
    return made;
}

static bool find_figures(const struct orr_demand_report *told, struct figures *figures)
{
    const struct demand_total *total = told->total;
    *figures = (struct figures){
        .group = orr_heap_calloc((size_t)total->groups + 1, sizeof *figures->group)};
    for (size_t i = 0; i < (size_t)total->devices * total->devices; i++) {
        figures->pairs += total->transfers[i] != 0;
    }
    for (uint32_t g = 0; g < total->groups && figures->group != NULL; g++) {
        figures->group[g] = &total->group[g];
    }
    if (figures->group != NULL) {
        qsort(figures->group, total->groups, sizeof *figures->group, by_bytes);
    }
    return figures->group != NULL && find_fullest(told, figures);
}

static uint32_t rows_of(const struct orr_demand_report *told)
{
    const uint32_t groups = told->total->groups;
    return told->rows == 0 || told->rows > groups ? groups : told->rows;
}

/* ---- as text ---- */

static void print_groups(FILE *out, const struct orr_demand_report *told,
                         const struct figures *figures)
{
    const uint32_t rows = rows_of(told), groups = told->total->groups;
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "  %-7s  %12s  %s\n", "tensors", "bytes", "members");
    for (uint32_t g = 0; g < rows; g++) {
        const struct demand_group *group = figures->group[g];
        orr_print(out, "  %7" PRIu32 "  %12s  ", group->tensors,
                  orr_format_bytes(group->bytes, text, sizeof text));
        orr_strategy_write_devices(out, group->member, group->members);
        orr_print(out, "%s\n", group->across ? " of each group" : "");
    }
    if (rows < groups) {
        orr_print(out, "  and %" PRIu32 " more\n", groups - rows);
    }
}

enum orr_status orr_demand_print(FILE *out, const struct orr_demand_report *told,
                                 struct orr_diag *diag)
{
    const struct demand_total *total = told->total;
    struct figures figures;
    char text[4][ORR_FORMAT_BYTES];
    const uint64_t samples = orr_model_batch(told->model, told->strategy->devices);
    const bool made = find_figures(told, &figures);
    if (made) {
        orr_print(out,
                  "model        %s, %" PRIu32 " operator%s, %" PRIu64 " sample%s\n"
                  "strategy     %" PRIu32 " device%s: model %" PRIu32 " x data %" PRIu32 "\n"
                  "memory       %s on device %" PRIu32 ", most of it for operator \"%s\"\n"
                  "transfers    %s (%" PRIu64 " bytes) between %" PRIu64
                  " pair%s, at most %s of a pair\n"
                  "all-reduces  %s (%" PRIu64 " bytes) in %" PRIu32 " group%s\n",
                  told->model->name, told->model->ops, orr_plural(told->model->ops), samples,
                  orr_plural(samples), told->strategy->devices, orr_plural(told->strategy->devices),
                  orr_strategy_group(told->strategy), told->strategy->copies,
                  orr_format_bytes(figures.memory_bytes, text[0], sizeof text[0]), figures.fullest,
                  told->model->op[figures.max].name,
                  orr_format_bytes(total->transfer_bytes, text[1], sizeof text[1]),
                  total->transfer_bytes, figures.pairs, orr_plural(figures.pairs),
                  orr_format_bytes(total->largest_bytes, text[2], sizeof text[2]),
                  orr_format_bytes(total->reduce_bytes, text[3], sizeof text[3]),
                  total->reduce_bytes, total->groups, orr_plural(total->groups));
    }
    if (made && total->groups != 0) {
        print_groups(out, told, &figures);
    }
    orr_heap_free(figures.group);
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

enum orr_status orr_demand_print_json(FILE *out, const struct orr_demand_report *told,
                                      struct orr_diag *diag)
{
    const struct demand_total *total = told->total;
    const struct strategy *strategy = told->strategy;
    struct figures figures;
    const bool made = find_figures(told, &figures);
    json_t *groups = made ? json_array() : NULL;
    for (uint32_t g = 0; made && g < rows_of(told); g++) {
        (void)json_array_append_new(groups, group_json(figures.group[g]));
    }
    json_t *root =
        made
            ? json_pack("{s:o, s:I, s:I, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o}", "model",
                        orr_json_text(told->model->name), "operators", (json_int_t)told->model->ops,
                        "samples", (json_int_t)orr_model_batch(told->model, strategy->devices),
                        "devices", (int)strategy->devices, "model_ways",
                        (int)orr_strategy_group(strategy), "data_ways", (int)strategy->copies,
                        "device_bytes", (json_int_t)figures.memory_bytes, "transfer_bytes",
                        (json_int_t)total->transfer_bytes, "transfer_pairs",
                        (json_int_t)figures.pairs, "largest_pair_bytes",
                        (json_int_t)total->largest_bytes, "all_reduce_bytes",
                        (json_int_t)total->reduce_bytes, "all_reduces", groups)
            : NULL;
    const bool written = root != NULL && orr_json_write(root, out, JSON_INDENT(2)) == 0;
    if (written) {
        (void)fputc('\n', out);
    }
    json_decref(root);
    orr_heap_free(figures.group);
    return written ? ORR_OK : orr_diag_no_memory(diag, "the demand of a strategy");
}
