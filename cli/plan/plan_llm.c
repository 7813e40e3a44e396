/* orrery plan llm: the best layouts of a language model on a platform. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/plan/plan_command.h"
#include "cli/study_output.h"
#include "core/arena.h"
#include "core/price.h"
#include "orrery/layouts.h"
#include "report/table_text.h"
#include "study/parallel.h"

struct arguments {
    struct orr_job_inputs job;
    struct orrery_layout_search search;
    const char *json, *csv;
};

static int set_price(void *context, const char *text)
{
    struct orrery_layout_search *search = &((struct arguments *)context)->search;
    return orr_parse_price(text, "h", &search->dollars_per_gpu_hour)
               ? 0
               : orr_reject_value("plan", "price", "dollars an hour, such as \"2.95 $/h\"", text,
                                  "");
}

static const struct orr_option rows[] = {
    ORR_ROWS(orr_job_files, struct arguments, job, 0),
    ORR_ROWS(orr_job_platform, struct arguments, job, 0),
    ORR_ROWS(orr_job_workload, struct arguments, job, 0),
    ORR_ROWS(orr_platform_rows, struct arguments, job.network, ORR_HIDDEN),
    ORR_HEAD("Limits and costs:"),
    {"memory", "SIZE", ORR_VALUE, "of an NPU: 80 GB (default: memory.local.capacity)",
     ORR_BYTES(struct arguments, search.memory_bytes)},
    {"tokens", "N", ORR_VALUE, "tokens of the whole training: how many days?",
     ORR_REAL(struct arguments, search.tokens)},
    {"price", "PRICE", ORR_VALUE, "of an NPU for an hour: '2.95 $/h'; with --tokens",
     ORR_CALL(set_price)},
    ORR_HEAD("Search and output:"),
    {"best", "N", ORR_VALUE,
     "layouts that are simulated, those with the least estimates (default 20)",
     ORR_NUMBER(struct arguments, search.best, 1, ORRERY_MAX_BEST_LAYOUTS)},
    ORR_ROW_JOBS(struct arguments, search.threads, "simulations"),
    ORR_ROW_JSON(struct arguments, json, "the results", 0),
    ORR_ROW_CSV(struct arguments, csv, "a line for each layout that was simulated"),
    ORR_ROWS_END};

static int run_search(struct arguments *arguments)
{
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    arguments->search.files = &arguments->job.own;
    const enum orrery_status status = orrery_search_layouts(study, &arguments->search);
    const int result = status == ORRERY_OK
                           ? orr_report_study(study, arguments->json, arguments->csv)
                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments *arguments = orr_heap_calloc(1, sizeof *arguments);
    if (arguments == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    arguments->job.command = "plan";
    arguments->search = (struct orrery_layout_search){ORRERY_SIZED(orrery_layout_search)};
    int result = orr_parse_options(call, &argc, argv, arguments);
    result = result == 0 ? orr_job_check(&arguments->job, argc, argv, NULL) : result;
    result = result == 0 ? run_search(arguments) : result;
    orr_heap_free(arguments);
    return result;
}

const struct orr_command orr_plan_llm = {
    .name = "llm",
    .parent = "plan",
    .summary = "the best layouts of a language model on a platform",
    .about =
        "Searches every layout of a transformer on a platform's NPUs: tensor, context, expert, "
        "pipeline and data parallelism, chunks of the schedule, micro-batches, ZeRO, "
        "recomputation. "
        "Layouts that fit into memory are estimated, the fastest are simulated. The batch "
        "(workload.training.batch) is given; the order of ranks, overlap and precision are the "
        "workload's.",
    .forms = "PLATFORM.yml [WORKLOAD.yml] [options]\nPLATFORM.yml --from [options]",
    .rows = rows,
    .run = run_command};
