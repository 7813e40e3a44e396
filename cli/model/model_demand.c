/* orrery model demand: traffic and memory of a strategy, as a table and as heatmaps. */
#include <stdlib.h>
#include <string.h>

#include "cli/model/model_command.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "report/demand_report.h"
#include "report/network_use.h"
#include "report/table_text.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand_total.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_file.h"

enum { MAX_JUMPS = 64 };

struct demand_job {
    struct orr_arena *arena;
    struct model_graph model;
    struct strategy strategy;
    struct demand_total total;
    struct orr_demand_report report;
};

/* ---- the matrix with rings ---- */

/* "1,3,7" */
static enum orr_status parse_jumps(const char *text, uint32_t jump[MAX_JUMPS], uint32_t *count,
                                   struct orr_diag *diag)
{
    const char *at = text;
    *count = 0;
    while (*count < MAX_JUMPS) {
        char *end;
        const unsigned long value = strtoul(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || value < 1 || value > DEMAND_MAX_DEVICES) {
            break;
        }
        jump[(*count)++] = (uint32_t)value;
        if (*end == '\0') {
            return ORR_OK;
        }
        at = *end == ',' ? end + 1 : "";
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "expected jumps of rings such as \"1\" or \"1,3,7\", got \"%s\"", text);
}

static const uint64_t *add_reduced(const struct demand_job *plan,
                                   const struct orr_model_arguments *arguments,
                                   struct orr_diag *diag)
{
    const bool trees = arguments->trees != NULL;
    uint32_t jump[MAX_JUMPS], jumps = 0;
    const size_t cells = (size_t)plan->total.devices * plan->total.devices;
    uint64_t *matrix = orr_arena_array(plan->arena, cells, sizeof *matrix);
    if (matrix == NULL) {
        (void)orr_diag_no_memory(diag, "the bytes between devices");
        return NULL;
    }
    memcpy(matrix, plan->total.transfers, cells * sizeof *matrix);
    enum orr_status status =
        parse_jumps(trees ? arguments->trees : arguments->rings, jump, &jumps, diag);
    if (status == ORR_OK) {
        status = trees ? orr_demand_add_trees(&plan->total, jump, jumps, matrix, diag)
                       : orr_demand_add_rings(&plan->total, jump, jumps, matrix, diag);
    }
    return status == ORR_OK ? matrix : NULL;
}

/* ---- outputs ---- */

static int save_strategy(FILE *out, const void *context)
{
    const struct demand_job *plan = context;
    return orr_strategy_write(out, &plan->model, &plan->strategy);
}

static int write_json(FILE *out, const void *report)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_demand_print_json(out, report, &diag);
    return orr_print_diag(&diag);
}

static int write_text(FILE *out, const void *report)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_demand_print(out, report, &diag);
    return orr_print_diag(&diag);
}

static int write_files(const struct demand_job *plan, const struct orr_model_arguments *arguments,
                       bool *standard)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    const bool reduced = arguments->rings != NULL || arguments->trees != NULL;
    const uint64_t *matrix = reduced ? add_reduced(plan, arguments, &diag) : plan->total.transfers;
    if (matrix == NULL) {
        return orr_print_option_diag("model", arguments->trees != NULL ? "trees" : "rings", &diag);
    }
    const struct orr_network_use use = orr_demand_use(&plan->report, matrix);
    const struct orr_output csv = {arguments->csv, orr_traffic_csv_write};
    const struct orr_output svg = {arguments->svg, orr_traffic_svg_write};
    const struct orr_output saved = {arguments->save, save_strategy};
    int result = orr_write_output(&csv, &use, standard);
    result = result == 0 ? orr_write_output(&svg, &use, standard) : result;
    return result == 0 ? orr_write_output(&saved, plan, standard) : result;
}

static enum orr_status load(struct demand_job *plan, const struct orr_model_arguments *arguments,
                            struct orr_diag *diag)
{
    enum orr_status status =
        orr_model_load_inputs(plan->arena, arguments, &plan->model, &plan->strategy, diag);
    if (status == ORR_OK) {
        status = orr_demand_total(plan->arena, &plan->model, &plan->strategy, &plan->total, diag);
    }
    plan->report = (struct orr_demand_report){.model = &plan->model,
                                              .strategy = &plan->strategy,
                                              .total = &plan->total,
                                              .rows = arguments->top};
    return status;
}

int orr_model_demand_command(const struct orr_model_arguments *arguments)
{
    struct demand_job plan = {.arena = orr_arena_create()};
    struct orr_diag diag;
    bool quiet = false;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    enum orr_status status = plan.arena != NULL ? load(&plan, arguments, &diag)
                                                : orr_diag_no_memory(&diag, "a strategy");
    int result = status == ORR_OK ? write_files(&plan, arguments, &quiet) : 0;
    if (status == ORR_OK && result == 0) {
        result = orr_write_json_or_text(arguments->json, write_json, &plan.report,
                                        quiet ? NULL : write_text, &plan.report);
    }
    result = status != ORR_OK ? orr_print_diag(&diag) : result;
    orr_arena_destroy(plan.arena);
    return result;
}
