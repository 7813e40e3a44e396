/* orrery plan llm: the best layouts of a language model on a platform. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/plan/plan_command.h"
#include "cli/study_output.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/price.h"
#include "core/strings.h"
#include "orrery/layouts.h"
#include "report/table_text.h"
#include "study/parallel.h"

enum { MAX_FRONT = 8 };

struct arguments {
    struct orr_job_inputs job;
    struct orrery_layout_search search;
    const char *json, *csv, *emit, *output, *report;
    char line[ORR_COMMAND_LINE_BYTES];
    struct orr_texts axes, wheres;
    char *front; /* of --front; on the heap */
    const char *front_goal[MAX_FRONT];
};

static int set_price(void *context, const char *text)
{
    struct orrery_layout_search *search = &((struct arguments *)context)->search;
    return orr_parse_price(text, "h", &search->dollars_per_gpu_hour)
               ? 0
               : orr_reject_value("plan", "price", "dollars an hour, such as \"2.95 $/h\"", text,
                                  "");
}

static int set_energy(void *context, const char *text)
{
    struct orrery_layout_search *search = &((struct arguments *)context)->search;
    return orr_parse_price(text, "kWh", &search->dollars_per_kwh)
               ? 0
               : orr_reject_value("plan", "energy-price",
                                  "dollars for a unit of energy, such as \"0.08 $/kWh\"", text, "");
}

static int set_emit(void *context, const char *text)
{
    static const char *const names[] = {"megatron", "deepspeed", "torchtitan"};
    struct arguments *arguments = context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        arguments->emit = strcmp(text, names[i]) == 0 ? names[i] : arguments->emit;
    }
    return arguments->emit != NULL
               ? 0
               : orr_reject_value("plan", "emit", "megatron, deepspeed or torchtitan", text, "");
}

static int set_front(void *context, const char *text)
{
    struct arguments *arguments = context;
    orr_heap_free(arguments->front);
    arguments->front = orr_heap_strdup(text);
    if (arguments->front == NULL) {
        orr_print_message("orrery plan: out of memory\n");
    }
    return arguments->front != NULL ? 0 : 1;
}

static int set_power(void *context, const char *text)
{
    struct orrery_layout_search *search = &((struct arguments *)context)->search;
    return orr_parse_power(text, &search->watts_per_gpu)
               ? 0
               : orr_reject_value("plan", "gpu-power", "a power such as \"700 W\"", text, "");
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
    {"gpu-power", "POWER", ORR_VALUE, "of an NPU with its share of the server: '700 W'",
     ORR_CALL(set_power)},
    {"energy-price", "PRICE", ORR_VALUE, "of energy: '0.08 $/kWh'; with --gpu-power",
     ORR_CALL(set_energy)},
    {"where", "EXPRESSION", ORR_VALUE | ORR_REPEATED,
     "a limit on results of a layout (docs/results.md): 'cost <= 5e6', 'npus <= 512 && MFU > "
     "0.4'; may be given several times",
     ORR_LIST(struct arguments, wheres)},
    ORR_HEAD("Search and output:"),
    {"axis", "PATH=VALUES", ORR_VALUE | ORR_REPEATED,
     "search at each of these values too, all combinations: 'npus=64:512' (doubled), "
     "'batch=256,384', 'platform=hgx_h100_256,hgx_b200_64', 'network.dims[1].bandwidth=25 GB/s,50 "
     "GB/s'; may be given several times",
     ORR_LIST(struct arguments, axes)},
    {"rank-by", "EXPRESSION", ORR_VALUE,
     "of results, less is better (but for tokens_per_s, MFU and memory_left_bytes); default: the "
     "time of a token",
     ORR_TEXT(struct arguments, search.rank_by)},
    {"front", "A,B[,C]", ORR_VALUE,
     "two or three expressions of results: also simulates the layouts that no other equals or "
     "beats in all",
     ORR_CALL(set_front)},
    {"best", "N", ORR_VALUE,
     "layouts that are simulated, those with the least estimates (default 20)",
     ORR_NUMBER(struct arguments, search.best, 1, ORRERY_MAX_BEST_LAYOUTS)},
    ORR_ROW_JOBS(struct arguments, search.threads, "simulations"),
    ORR_ROW_JSON(struct arguments, json, "the results", 0),
    ORR_ROW_CSV(struct arguments, csv, "a line for each layout that was simulated"),
    ORR_ROW_REPORT(struct arguments, report, "the search and a run of the best layout"),
    {"emit", "megatron|deepspeed|torchtitan", ORR_CHOICE,
     "the arguments that make the framework run the best layout, instead of the table",
     ORR_CALL(set_emit)},
    {"output", "FOLDER", ORR_FOLDER,
     "a job file of each layout that was simulated: FOLDER/1.yml is the best, for orrery run",
     ORR_TEXT(struct arguments, output)},
    ORR_ROWS_END};

/* Splits the expressions of --front; returns their number. */
static size_t split_front(struct arguments *arguments)
{
    size_t count = 0;
    for (char *at = arguments->front; at != NULL && *at != '\0' && count < MAX_FRONT;) {
        const size_t length = orr_comma_part(at);
        arguments->front_goal[count++] = at;
        at = at[length] == ',' ? at + length : NULL;
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    return count;
}

/* ---- outputs ---- */

struct layout_output {
    struct orrery_study *study;
    size_t index;
    const char *form;
};

static int write_layout(FILE *out, const void *context)
{
    const struct layout_output *output = context;
    return orrery_write_layout(output->study, output->index, output->form, out) == ORRERY_OK ? 0
                                                                                             : 1;
}

/* FOLDER/1.yml and so on. */
static int write_jobs(const char *folder, struct orrery_study *study)
{
    size_t count = 0;
    int result = 0;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        orr_print_message("orrery plan: %s: %s\n", folder, strerror(errno));
        return 1;
    }
    (void)orrery_study_rows(study, "best", &count);
    for (size_t i = 0; i < count && result == 0; i++) {
        char path[PATH_MAX];
        const int length = snprintf(path, sizeof path, "%s/%zu.yml", folder, i + 1);
        const struct orr_output output = {path, write_layout};
        const struct layout_output of = {study, i, "job"};
        bool standard = false;
        result = length > 0 && (size_t)length < sizeof path
                     ? orr_write_output(&output, &of, &standard)
                     : 1;
    }
    return result;
}

static int write_page(const struct arguments *arguments, struct orrery_study *study, bool *quiet)
{
    const struct layout_output best = {study, 0, "page"};
    const struct orr_page_part parts[] = {
        {.json = orr_write_study_json, .context = study, .name = "the search"},
        {.json = write_layout, .context = &best, .name = "the best layout"}};
    return arguments->report != NULL
               ? orr_write_page(arguments->report, arguments->line, parts, 2, quiet)
               : 0;
}

static int report(const struct arguments *arguments, struct orrery_study *study)
{
    bool quiet = false;
    int result = orr_write_study_files(study, arguments->json, arguments->csv, &quiet);
    result = result == 0 ? write_page(arguments, study, &quiet) : result;
    if (result == 0 && arguments->output != NULL) {
        result = write_jobs(arguments->output, study);
    }
    if (result != 0 || quiet) {
        return result;
    }
    if (arguments->emit == NULL) {
        return orr_write_study_table(stdout, study);
    }
    const enum orrery_status status = orrery_write_layout(study, 0, arguments->emit, stdout);
    return status == ORRERY_OK ? 0 : orr_print_api_error(status, orrery_study_error(study));
}

static int run_search(struct arguments *arguments)
{
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    struct orrery_layout_search *search = &arguments->search;
    search->files = &arguments->job.own;
    search->axis = arguments->axes.text;
    search->axes = arguments->axes.count;
    search->where = arguments->wheres.text;
    search->wheres = arguments->wheres.count;
    search->front = arguments->front_goal;
    search->fronts = split_front(arguments);
    const enum orrery_status status = orrery_search_layouts(study, &arguments->search);
    const int result = status == ORRERY_OK ? report(arguments, study)
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
    (void)orr_command_line("orrery plan", argc, argv, arguments->line);
    arguments->job.command = "plan";
    arguments->search = (struct orrery_layout_search){ORRERY_SIZED(orrery_layout_search)};
    int result = orr_parse_options(call, &argc, argv, arguments);
    result = result == 0 ? orr_job_check(&arguments->job, argc, argv, NULL) : result;
    if (result == 0 && arguments->output != NULL) {
        result = orr_plan_check_folder(arguments->output);
    }
    result = result == 0 ? run_search(arguments) : result;
    orr_heap_free(arguments->front);
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
        "Layouts that fit into memory are estimated, the best are simulated. The batch "
        "(workload.training.batch) is given, or an axis; the order of ranks, overlap and precision "
        "are the workload's.",
    .forms = "PLATFORM.yml [WORKLOAD.yml] [options]\nPLATFORM.yml --from [options]",
    .rows = rows,
    .run = run_command};
