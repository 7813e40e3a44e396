/* orrery plan evaluate: the iteration time that the evaluator predicts of a strategy, and what a
 * run of the same job takes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_traffic.h"
#include "cli/write_output.h"
#include "planner/planner.h"

enum { OPT_NO_RUN = 256, OPT_JSON, OPT_LINK_STATS, OPT_REPORT };

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"no-run", no_argument, NULL, OPT_NO_RUN},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"report", required_argument, NULL, OPT_REPORT},
                                        {"link-stats", required_argument, NULL, OPT_LINK_STATS},
                                        {NULL, 0, NULL, 0}};

struct arguments {
    struct orr_job_inputs job;
    const char *link_stats, *report;
    char line[ORR_COMMAND_LINE_BYTES]; /* what a page is made by */
    bool no_run, json;
};

struct answer {
    sim_time predicted_ps, simulated_ps;
    struct eval_critical critical;
    struct eval_traffic traffic;
    struct eval_link_bytes *link; /* [links of the graph] */
    char resource[EVAL_RESOURCE_BYTES];
    const char *routing;
};

static int apply(void *context, int option, const char *value)
{
    struct arguments *arguments = context;
    switch (option) {
    case OPT_NO_RUN:
        arguments->no_run = true;
        break;
    case OPT_REPORT:
        arguments->report = value;
        return orr_check_page("plan", "report", value);
    case OPT_LINK_STATS:
        arguments->link_stats = value;
        break;
    default:
        arguments->json = true;
        break;
    }
    return 0;
}

/* ---- the answer ---- */

struct told {
    const struct arguments *arguments;
    const struct answer *answer;
};

/* For struct orr_output; the context is a struct told. */
static int write_json(FILE *out, const void *context)
{
    static const char *const kinds[] = {"link", "device", "latency"};
    const struct told *told = context;
    const struct answer *answer = told->answer;
    (void)fprintf(out, "{\n  \"predicted_ps\": %" PRId64 ",\n", (int64_t)answer->predicted_ps);
    if (!told->arguments->no_run) {
        (void)fprintf(out, "  \"simulated_ps\": %" PRId64 ",\n", (int64_t)answer->simulated_ps);
    }
    orr_plan_traffic_json(out, &answer->traffic);
    (void)fprintf(out,
                  "  \"critical\": \"%s\",\n  \"critical_resource\": \"%s\",\n"
                  "  \"critical_busy_ps\": %" PRId64 ",\n  \"routing\": \"%s\"\n}\n",
                  kinds[answer->critical.resource], answer->resource,
                  (int64_t)answer->critical.busy_ps, answer->routing);
    return ferror(out) != 0 ? 1 : 0;
}

static void print_table(const struct arguments *arguments, const struct answer *answer)
{
    const double predicted = (double)answer->predicted_ps;
    char text[ORR_FORMAT_BYTES];
    printf("predicted          %s\n", orr_format_time(answer->predicted_ps, text, sizeof text));
    if (!arguments->no_run) {
        printf("simulated          %s   (predicted %+.2f %%)\n",
               orr_format_time(answer->simulated_ps, text, sizeof text),
               answer->simulated_ps == 0 ? 0
                                         : 100 * (predicted / (double)answer->simulated_ps - 1));
    }
    printf("critical           %s, busy %s (%.1f %%)\n", answer->resource,
           orr_format_time(answer->critical.busy_ps, text, sizeof text),
           predicted == 0 ? 0 : 100 * (double)answer->critical.busy_ps / predicted);
    printf("routes             %s\n", answer->routing);
    orr_plan_traffic_table(&answer->traffic);
}

/* ---- evaluating ---- */

/* Traffic, and where it is asked for that of each link. */
static enum orr_status measure(const struct arguments *arguments, const struct orrery *job,
                               struct evaluator *evaluator, struct answer *answer,
                               struct orr_diag *diag)
{
    if (arguments->link_stats != NULL) {
        answer->link = orr_heap_calloc((size_t)job->network.graph->links + 1, sizeof *answer->link);
        if (answer->link == NULL) {
            return orr_diag_no_memory(diag, "the bytes of links");
        }
    }
    return orr_eval_traffic(evaluator, &answer->traffic, answer->link, diag);
}

static int predict(const struct arguments *arguments, const struct orrery *job,
                   struct answer *answer)
{
    struct eval_strategy *evaluated = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = orr_eval_job(job, &evaluated, &diag);
    if (status == ORR_OK) {
        struct evaluator *evaluator = orr_eval_strategy_evaluator(evaluated);
        status = orr_evaluate(evaluator, &answer->predicted_ps, &diag);
        if (status == ORR_OK) {
            status = orr_eval_report(evaluator, NULL, &answer->critical, &diag);
        }
        if (status == ORR_OK) {
            status = measure(arguments, job, evaluator, answer, &diag);
        }
    }
    orr_eval_strategy_destroy(evaluated);
    if (status != ORR_OK) {
        return orr_print_diag(&diag);
    }
    (void)orr_eval_job_resource(job, &answer->critical, answer->resource);
    answer->routing = orr_net_routing_name(job->network.routes.routing);
    return 0;
}

static int run(struct orrery *job, struct answer *answer)
{
    const enum orrery_status status = orrery_run(job);
    if (status != ORRERY_OK) {
        orr_print_message("%s\n", orrery_error(job));
        return orr_exit_status(status);
    }
    answer->simulated_ps = orr_engine_wall(job->engine);
    return 0;
}

/* The file of links, and the answer unless that went to standard output. */
static int tell(const struct arguments *arguments, const struct orrery *job,
                const struct answer *answer)
{
    const struct orr_plan_link_stats links = {job->network.graph, answer->link};
    const struct orr_output output = {arguments->link_stats, orr_plan_link_stats_write};
    bool quiet = false;
    const int result = orr_write_output(&output, &links, &quiet);
    if (result != 0) {
        return result;
    }
    const struct told told = {arguments, answer};
    const struct orr_page_part part = {.json = write_json, .context = &told, .name = "prediction"};
    const int paged = orr_write_page(arguments->report, arguments->line, &part, 1, &quiet);
    if (paged != 0) {
        return paged;
    }
    if (!quiet && arguments->json) {
        (void)write_json(stdout, &told);
    } else if (!quiet) {
        print_table(arguments, answer);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

static int evaluate(const struct arguments *arguments, struct orrery *job)
{
    struct answer answer = {.simulated_ps = 0};
    int result = predict(arguments, job, &answer);
    if (result == 0 && !arguments->no_run) {
        result = run(job, &answer);
    }
    if (result == 0) {
        result = tell(arguments, job, &answer);
    }
    orr_heap_free(answer.link);
    return result;
}

static int refused(const struct orrery *job, enum orrery_status status)
{
    orr_print_message("%s\n", orrery_error(job));
    return orr_exit_status(status);
}

/* Sets a value before those of the command line. */
static void set_first(struct orr_job_inputs *inputs, const char *set)
{
    memmove(inputs->sets + 1, inputs->sets, inputs->own.set_count * sizeof *inputs->sets);
    inputs->sets[0] = set;
    inputs->own.set = inputs->sets;
    inputs->own.set_count++;
}

/* Loads the job; again with routes by pairs where that is known to suit it. */
static int load_and_evaluate(struct arguments *arguments, bool may_pair)
{
    struct orrery *job = orrery_new();
    if (job == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    orrery_on_warning(job, may_pair ? NULL : orr_print_warning, NULL);
    const enum orrery_status status = orr_job_load(job, &arguments->job);
    int result;
    if (status == ORRERY_OK && may_pair) {
        if (orr_eval_job_may_pair(job)) {
            set_first(&arguments->job, "network.routing=ecmp-pairs");
        }
        orrery_free(job);
        return load_and_evaluate(arguments, false);
    }
    result = status == ORRERY_OK ? evaluate(arguments, job) : refused(job, status);
    orrery_free(job);
    return result;
}

int orr_plan_evaluate(int argc, char **argv)
{
    struct arguments arguments = {.job = {.command = "plan"}};
    (void)orr_command_line("orrery plan", argc, argv, arguments.line);
    const struct orr_own_options own = {.context = &arguments, .apply = apply};
    int status = orr_job_parse(&arguments.job, argc, argv, options, &own);
    if (status < 0) {
        orr_plan_print_help();
        return 0;
    }
    if (status == 0) {
        status = orr_job_check(&arguments.job, argc, argv, "expected own files (PLATFORM.yml)");
    }
    if (status != 0) {
        return status;
    }
    if (arguments.job.own.set_count + 2 > ORR_MAX_SETS) {
        return orr_usage_error("plan", "too many --set options", NULL);
    }
    set_first(&arguments.job, "network.shares=maxmin");
    return load_and_evaluate(&arguments, true);
}
