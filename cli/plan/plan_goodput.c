/* orrery plan goodput: useful time of a training job whose machines fail. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/plan/plan_command.h"
#include "cli/study_output.h"
#include "core/price.h"
#include "core/span.h"
#include "orrery/goodput.h"
#include "report/table_text.h"

enum { HOUR_S = 3600, DAY_S = 86400, MAX_COUNT = INT32_MAX };

struct arguments {
    struct orrery_goodput given;
    double checkpoint_s, restart_s, stall_s; /* < 0: not given */
    int64_t spares;                          /* likewise */
    const char *json, *csv;
};

static int set_interval(void *context, const char *text)
{
    struct orrery_goodput *given = &((struct arguments *)context)->given;
    given->daly = strcmp(text, "daly") == 0;
    given->interval_s = 0;
    if (given->daly || strcmp(text, "young") == 0 ||
        (orr_parse_span(text, 1, &given->interval_s) && given->interval_s > 0)) {
        return 0;
    }
    return orr_reject_value("plan", "interval",
                            "young, daly, or a time above 0 such as \"20 min\" or 1200 (seconds)",
                            text, "");
}

static int set_price(void *context, const char *text)
{
    struct orrery_goodput *given = &((struct arguments *)context)->given;
    return orr_parse_price(text, "h", &given->dollars_per_gpu_hour)
               ? 0
               : orr_reject_value("plan", "price", "dollars an hour, such as \"2.95 $/h\"", text,
                                  "");
}

static int set_factor(void *context, const char *text)
{
    struct orrery_goodput *given = &((struct arguments *)context)->given;
    return orr_parse_number(text, &given->straggler_factor) && given->straggler_factor > 1
               ? 0
               : orr_reject_value("plan", "straggler-factor", "a number above 1, such as 1.2", text,
                                  "");
}

static const struct orr_option rows[] = {
    ORR_HEAD("The job:"),
    {"gpus", "N", ORR_VALUE | ORR_NEEDED, "GPUs of the job",
     ORR_NUMBER(struct arguments, given.gpus, 1, MAX_COUNT)},
    {"gpus-per-node", "N", ORR_VALUE, "GPUs in a node (default 8)",
     ORR_NUMBER(struct arguments, given.gpus_per_node, 1, MAX_COUNT)},
    {"step", "TIME", ORR_VALUE, "time of a training step: 7.5 s",
     ORR_SPAN(struct arguments, given.step_s, 1, 0)},
    {"step-tokens", "N", ORR_VALUE, "tokens of a step: 16.8e6",
     ORR_REAL(struct arguments, given.step_tokens)},
    {"tokens-per-s", "R", ORR_VALUE, "tokens a second without failures, instead of a step's",
     ORR_REAL(struct arguments, given.tokens_per_s)},
    {"tokens", "N", ORR_VALUE, "tokens of the whole training: how long does it take?",
     ORR_REAL(struct arguments, given.tokens)},
    {"price", "PRICE", ORR_VALUE, "of a GPU for an hour: '2.95 $/h'", ORR_CALL(set_price)},
    ORR_HEAD("Failures (mean times between failures; a number without a unit is hours):"),
    {"mtbf-gpu", "TIME", ORR_VALUE, "of one GPU: 50000 h",
     ORR_SPAN(struct arguments, given.mtbf_gpu_s, HOUR_S, 0)},
    {"mtbf-node", "TIME", ORR_VALUE, "of one node but its GPUs: 154 d",
     ORR_SPAN(struct arguments, given.mtbf_node_s, HOUR_S, 0)},
    {"mtbf-link", "TIME", ORR_VALUE, "of one link",
     ORR_SPAN(struct arguments, given.mtbf_link_s, HOUR_S, 0)},
    {"links", "N", ORR_VALUE, "links that can fail (default: one for each GPU)",
     ORR_NUMBER(struct arguments, given.links, 1, MAX_COUNT)},
    {"mtbf-job", "TIME", ORR_VALUE, "of the job by anything else, such as software",
     ORR_SPAN(struct arguments, given.mtbf_job_s, HOUR_S, 0)},
    ORR_HEAD("Recovery (a number without a unit is seconds):"),
    {"checkpoint", "TIME", ORR_VALUE | ORR_NEEDED, "until a checkpoint is written: 30 s",
     ORR_SPAN(struct arguments, checkpoint_s, 1, 0)},
    {"stall", "TIME", ORR_VALUE,
     "asynchronous checkpoints: the job stands still only this long (default: until it is written)",
     ORR_SPAN(struct arguments, stall_s, 1, 1)},
    {"restart", "TIME", ORR_VALUE | ORR_NEEDED,
     "from a failure until the job works again: detection, restart, loading: 10 min",
     ORR_SPAN(struct arguments, restart_s, 1, 1)},
    {"interval", "TIME|young|daly", ORR_VALUE,
     "work between checkpoints: given, or the best by Young's or Daly's formula (default young)",
     ORR_CALL(set_interval)},
    {"spares", "N", ORR_VALUE,
     "spare nodes: with more nodes under repair the job waits (default: a node is replaced at "
     "once)",
     ORR_NUMBER(struct arguments, spares, 0, 1 << 24)},
    {"repair-time", "TIME", ORR_VALUE, "of a node whose GPU or other part failed (default 1 d)",
     ORR_SPAN(struct arguments, given.repair_s, 1, 0)},
    ORR_HEAD("Stragglers:"),
    {"straggler-mtbf", "TIME", ORR_VALUE,
     "mean time between two slow spells of one node (a number is hours)",
     ORR_SPAN(struct arguments, given.straggler_mtbf_s, HOUR_S, 0)},
    {"straggler-time", "TIME", ORR_VALUE, "how long one lasts: until it is found",
     ORR_SPAN(struct arguments, given.straggler_s, 1, 0)},
    {"straggler-factor", "F", ORR_VALUE, "how much longer the job takes meanwhile: 1.2",
     ORR_CALL(set_factor)},
    ORR_HEAD("Simulation and output:"),
    {"days", "D", ORR_VALUE, "days that are simulated (default 30)",
     ORR_SPAN(struct arguments, given.seconds, DAY_S, 0)},
    {"runs", "N", ORR_VALUE, "simulations (default 100, fewer with very many failures)",
     ORR_NUMBER(struct arguments, given.runs, 1, 100000)},
    {"seed", "S", ORR_VALUE, "seed of the failures (default 1)",
     ORR_NUMBER(struct arguments, given.seed, 1, INT64_MAX)},
    ORR_ROW_JSON(struct arguments, json, "the results", 0),
    ORR_ROW_CSV(struct arguments, csv, "a line of results"),
    ORR_ROWS_END};

/* What a caller of the library says by 0 must be said here. */
static int complete(struct arguments *arguments)
{
    struct orrery_goodput *given = &arguments->given;
    const char *missing = given->gpus == 0              ? "--gpus N"
                          : arguments->checkpoint_s < 0 ? "--checkpoint TIME"
                          : arguments->restart_s < 0    ? "--restart TIME"
                                                        : NULL;
    if (missing != NULL) {
        return orr_usage_error("plan", "goodput needs ", missing);
    }
    given->checkpoint_s = arguments->checkpoint_s;
    given->restart_s = arguments->restart_s;
    given->asynchronous = arguments->stall_s >= 0;
    given->stall_s = given->asynchronous ? arguments->stall_s : 0;
    if (arguments->spares >= 0) {
        given->spares = (uint32_t)arguments->spares;
        given->repair_s = given->repair_s > 0 ? given->repair_s : DAY_S;
    }
    return 0;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.given = {ORRERY_SIZED(orrery_goodput)},
                                  .checkpoint_s = -1,
                                  .restart_s = -1,
                                  .stall_s = -1,
                                  .spares = -1};
    int result = orr_parse_options(call, &argc, argv, &arguments);
    result = result == 0 ? complete(&arguments) : result;
    if (result != 0) {
        return result;
    }
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_goodput(study, &arguments.given);
    result = status == ORRERY_OK ? orr_report_study(study, arguments.json, arguments.csv)
                                 : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}

const struct orr_command orr_plan_goodput = {
    .name = "goodput",
    .parent = "plan",
    .summary = "useful time of a training job whose machines fail, and its checkpoints",
    .about =
        "Tells which share of its time a training job works usefully (ETTR, effective training "
        "time ratio) if GPUs, nodes, links and software fail, and how often to take checkpoints: "
        "by closed form, and by simulations of the failures.",
    .forms = "--gpus --checkpoint --restart [options]",
    .rows = rows,
    .run = run_command};
