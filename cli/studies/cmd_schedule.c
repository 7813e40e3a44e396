/* orrery schedule: a pipeline schedule's total time, idle time, kept activations and order. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/study_output.h"
#include "cli/write_output.h"
#include "orrery/schedule.h"
#include "report/table_text.h"

struct arguments {
    const char *kind;
    struct orrery_schedule given;
    const char *json, *csv, *svg;
};

static const struct orr_option rows[] = {
    {NULL, "KIND|TABLE.csv", ORR_VALUE | ORR_POSITIONAL,
     "a schedule of the list above, or a table of your own: a line for each stage, a cell for each "
     "slot",
     ORR_TEXT(struct arguments, kind)},
    {"stages", "P", ORR_VALUE, "devices of the pipeline",
     ORR_NUMBER(struct arguments, given.stages, 1, 4096)},
    {"micro-batches", "M", ORR_VALUE, "micro-batches of a step",
     ORR_NUMBER(struct arguments, given.micro_batches, 1, 1 << 24)},
    {"chunks", "V", ORR_VALUE, "parts of the model on each stage (default: the schedule's)",
     ORR_NUMBER(struct arguments, given.chunks, 1, 64)},
    {"group", "N", ORR_VALUE,
     "interleaved: micro-batches in a row of a chunk (default: as many as stages, or an equal "
     "share that is larger)",
     ORR_NUMBER(struct arguments, given.group, 1, 1 << 24)},
    {"memory", "A", ORR_VALUE,
     "memory-limit: activations of a micro-batch and stage that a stage may keep (default: P)",
     ORR_NUMBER(struct arguments, given.memory, 1, 1 << 24)},
    ORR_HEAD("Times of a whole stage, in any one unit:"),
    {"forward", "F", ORR_VALUE, "a forward pass (default 1)",
     ORR_REAL(struct arguments, given.times.forward)},
    {"backward-inputs", "B", ORR_VALUE, "a backward pass of the inputs (default 1)",
     ORR_REAL(struct arguments, given.times.backward_inputs)},
    {"backward-weights", "W", ORR_VALUE, "a backward pass of the weights (default 1)",
     ORR_REAL(struct arguments, given.times.backward_weights)},
    {"send", "S", ORR_VALUE, "from a stage to the next one, beside computation (default 0)",
     ORR_REAL(struct arguments, given.times.send)},
    {"both", "FB", ORR_VALUE,
     "a forward pass beside a whole backward pass, of DualPipe (default F + B + W)",
     ORR_REAL(struct arguments, given.times.both)},
    ORR_HEAD("Output:"),
    ORR_ROW_JSON(struct arguments, json, "totals, peaks and order", ORR_DASH),
    ORR_ROW_CSV(struct arguments, csv, "the table of stages x slots, which can be read again"),
    {"svg", "FILE|-", ORR_OUTPUT, "a picture: a row for each stage, time to the right",
     ORR_TEXT(struct arguments, svg)},
    ORR_ROWS_END};

/* The schedules, for help and completions. */
static bool word(size_t index, struct orr_word *word)
{
    word->name = orrery_schedule_name(index, &word->text);
    return word->name != NULL;
}

static bool is_schedule(const char *name)
{
    for (size_t i = 0; orrery_schedule_name(i, NULL) != NULL; i++) {
        if (strcmp(orrery_schedule_name(i, NULL), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_table(const char *name)
{
    const size_t length = strlen(name);
    return !is_schedule(name) &&
           (strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".csv") == 0));
}

/* ---- output ---- */

static int write_svg(FILE *out, const void *study)
{
    return orrery_schedule_draw((struct orrery_study *)(uintptr_t)study, out) == ORRERY_OK ? 0 : 1;
}

static int report(const struct arguments *arguments, const struct orrery_study *study)
{
    const struct orr_output svg = {arguments->svg, write_svg};
    bool quiet = false;
    int result = orr_write_study_files(study, arguments->json, arguments->csv, &quiet);
    result = result == 0 ? orr_write_output(&svg, study, &quiet) : result;
    return result != 0 || quiet ? result : orr_write_study_table(stdout, study);
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {
        .given = {ORRERY_SIZED(orrery_schedule), .times = {1, 1, 1, 0, 0}}};
    const int usage = orr_parse_options(call, &argc, argv, &arguments);
    if (usage != 0) {
        return usage;
    }
    if (is_table(arguments.kind)) {
        arguments.given.table = arguments.kind;
    } else {
        arguments.given.kind = arguments.kind;
    }
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery schedule: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_schedule(study, &arguments.given);
    const int result = status == ORRERY_OK ? report(&arguments, study)
                                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}

const struct orr_command orr_command_schedule = {
    .name = "schedule",
    .summary = "time and memory of a pipeline schedule",
    .about =
        "Runs a pipeline schedule with given times of the passes of a stage: the total, what is "
        "idle, how many activations a stage keeps, and the order of its passes. F is a forward "
        "pass, B a backward pass of the inputs, W of the weights, X both as one.",
    .rows = rows,
    .word = word,
    .words = "Schedules",
    .run = run_command};
