/* A graph of operators as text: totals, and one line an operator; see model_report.h. */
#include <inttypes.h>
#include <string.h>

#include "core/saturate.h"
#include "core/strings.h"
#include "report/model/model_report.h"
#include "report/table_text.h"
#include "workload/model/kinds/kind.h"

/* ---- totals ---- */

static void print_weights(FILE *out, const struct orr_model_shown *shown)
{
    const struct model_totals *totals = &shown->totals;
    orr_print(out, "weights           %20" PRIu64 "  %.4g GB\n", totals->weights,
              (double)totals->weight_bytes / 1e9);
    if (shown->tables > 0) {
        orr_print(out, "weights of tables %20" PRIu64 "  %.4g GB in %" PRIu32 " tables\n",
                  totals->table_weights, (double)totals->table_bytes / 1e9, shown->tables);
    }
}

static void print_batch(FILE *out, const struct orr_model_shown *shown)
{
    const struct model_graph *graph = shown->graph;
    if (shown->batch == 0 && graph->batch_per_device != 0) {
        orr_print(out, "batch             %20" PRIu64 "  for each device\n",
                  graph->batch_per_device);
    } else if (shown->batch != 0) {
        orr_print(out, "batch             %20" PRIu64 "  on %" PRIu32 " device%s\n", shown->batch,
                  shown->devices, orr_plural(shown->devices));
    }
}

static double ms_of(sim_time ps)
{
    return (double)ps / 1e9;
}

static void print_times(FILE *out, const struct orr_model_shown *shown)
{
    if (shown->time == NULL) {
        return;
    }
    orr_print(out, "time forward  ms  %20.6g  of a device%s\n", ms_of(shown->sum.forward_ps),
              shown->tables > 0 ? ", without tables" : "");
    orr_print(out, "time backward ms  %20.6g\n", ms_of(shown->sum.backward_ps));
    if (shown->tables > 0) {
        orr_print(out, "tables forward ms %20.6g  of all tables, each on one device\n",
                  ms_of(shown->table_sum.forward_ps));
        orr_print(out, "tables backward ms%20.6g\n", ms_of(shown->table_sum.backward_ps));
    }
}

static void print_totals(FILE *out, const struct orr_model_shown *shown)
{
    const struct model_totals *totals = &shown->totals;
    const struct model_graph *graph = shown->graph;
    orr_print(out, "model             %20s\n", graph->name);
    orr_print(out, "operators         %20" PRIu32 "  %" PRIu32 " edge%s\n", graph->ops,
              graph->edges, orr_plural(graph->edges));
    print_weights(out, shown);
    orr_print(out, "FLOPs forward     %20" PRIu64 "  of a sample\n", totals->forward_flops);
    orr_print(out, "FLOPs backward    %20" PRIu64 "\n", totals->backward_flops);
    orr_print(out, "FLOPs of products %20" PRIu64 "  forward and backward\n",
              totals->product_flops);
    orr_print(out, "bytes of a number %20" PRIu64 "\n", graph->element_bytes);
    print_batch(out, shown);
    print_times(out, shown);
}

/* ---- operators ---- */

enum { MAX_NAME = 40, DIMS_BYTES = 160 };

static int name_width(const struct model_graph *graph)
{
    size_t width = strlen("operator");
    for (uint32_t i = 0; i < graph->ops; i++) {
        const size_t length = strlen(graph->op[i].name);
        width = length > width ? length : width;
    }
    return width > MAX_NAME ? MAX_NAME : (int)width;
}

static const char *dims_text(const struct model_op *op, char text[DIMS_BYTES])
{
    size_t at = 0;
    for (uint32_t d = 0; d < op->dims && at < DIMS_BYTES; d++) {
        at +=
            (size_t)snprintf(text + at, DIMS_BYTES - at, "%s%s", d > 0 ? "," : "", op->dim[d].name);
    }
    return text;
}

/* Bytes of a sample; weights as in a batch of one. */
static uint64_t bytes_of(const struct model_work *work)
{
    return sat_plus(sat_plus(work->input_bytes, work->output_bytes),
                    sat_plus(work->inner_bytes, work->weight_bytes));
}

static void print_op(FILE *out, const struct orr_model_shown *shown, uint32_t index, int width)
{
    const struct model_op *op = &shown->graph->op[index];
    char shape[MODEL_SHAPE_BYTES], dims[DIMS_BYTES];
    orr_print(out, "%5" PRIu32 " %-*.*s %-14s %18s %14" PRIu64 "%s %16" PRIu64 " %16" PRIu64, index,
              width, width, op->name, op->kind->name, orr_model_shape_text(&op->shape, shape),
              op->weights, op->owner == index ? " " : "*", op->forward.flops, op->backward.flops);
    orr_print(out, " %14" PRIu64 " %12" PRIu64, bytes_of(&op->forward), op->output_bytes);
    if (shown->time != NULL) {
        const struct model_times *time = &shown->time[index];
        orr_print(out, " %12.6g %12.6g %-9s", ms_of(time->forward_ps), ms_of(time->backward_ps),
                  time->measured ? "measured" : "estimated");
    }
    orr_print(out, "  %s\n", dims_text(op, dims));
}

int orr_model_show(FILE *out, const struct orr_model_shown *shown)
{
    const int width = name_width(shown->graph);
    bool shares = false;
    print_totals(out, shown);
    orr_print(out, "\n%5s %-*s %-14s %18s %14s  %16s %16s %14s %12s", "#", width, "operator",
              "kind", "output", "weights", "FLOPs forward", "backward", "bytes forward",
              "output bytes");
    if (shown->time != NULL) {
        orr_print(out, " %12s %12s %-9s", "forward ms", "backward ms", "time is");
    }
    orr_print(out, "  %s\n", "split in");
    for (uint32_t i = 0; i < shown->graph->ops; i++) {
        shares = shares || shown->graph->op[i].owner != i;
        print_op(out, shown, i, width);
    }
    if (shares) {
        orr_print(out, "* weights of an operator before it, which count once\n");
    }
    return ferror(out) != 0;
}

int orr_model_show_check(FILE *out, const struct orr_model_shown *shown)
{
    const struct model_graph *graph = shown->graph;
    const uint64_t weights = sat_plus(shown->totals.weights, shown->totals.table_weights);
    orr_print(out, "%s: ok, %" PRIu32 " operator%s, %" PRIu32 " edge%s, %" PRIu64 " weight%s\n",
              graph->file != NULL ? graph->file : graph->name, graph->ops, orr_plural(graph->ops),
              graph->edges, orr_plural(graph->edges), weights, orr_plural(weights));
    return ferror(out) != 0;
}
