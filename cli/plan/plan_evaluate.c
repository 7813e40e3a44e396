/* orrery plan evaluate: predicted iteration time of a strategy, and simulated time of the same
 * job. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "cli/plan/plan_command.h"
#include "cli/plan/plan_traffic.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/conf/conf.h"
#include "core/units.h"
#include "network/net_config.h"
#include "network/route_options.h"
#include "orrery/orrery.h"
#include "planner/evaluator/eval_job.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "report/table_text.h"
#include "sim/loaded_job.h"

struct arguments {
    struct orr_job_inputs job;
    const char *link_stats, *report, *json;
    char line[ORR_COMMAND_LINE_BYTES]; /* command line, for the page */
    bool no_run;
    bool by_pairs; /* routes by pair were set */
};

struct prediction {
    sim_time predicted_ps, simulated_ps;
    sim_time run_ps; /* of orrery run, which has other rules; 0: the same */
    struct eval_critical critical;
    struct eval_traffic traffic;
    struct eval_link_bytes *link; /* [links of the graph] */
    char resource[EVAL_RESOURCE_BYTES];
    const char *routing;
};

static const struct orr_option rows[] = {
    ORR_ROWS(orr_job_files, struct arguments, job, 0),
    ORR_ROWS(orr_job_platform, struct arguments, job, 0),
    ORR_ROWS(orr_job_workload, struct arguments, job, 0),
    ORR_ROWS(orr_platform_rows, struct arguments, job.network, ORR_HIDDEN),
    ORR_ROWS(orr_job_astra_files, struct arguments, job, ORR_HIDDEN),
    ORR_HEAD("Output:"),
    {"no-run", NULL, ORR_FLAG, "predict only", ORR_TRUE(struct arguments, no_run)},
    ORR_ROW_JSON(struct arguments, json, "the prediction", ORR_DASH),
    ORR_ROW_REPORT(struct arguments, report, "the prediction"),
    {"link-stats", "FILE|-", ORR_OUTPUT,
     "CSV: traffic of each link: bytes of transfers and of all-reduces",
     ORR_TEXT(struct arguments, link_stats)},
    ORR_ROWS_END};

/* ---- output ---- */

struct output_data {
    const struct arguments *arguments;
    const struct prediction *prediction;
};

/* A writer for struct orr_output; the context is a struct output_data. */
static int write_json(FILE *out, const void *context)
{
    static const char *const kinds[] = {"link", "device", "latency"};
    const struct output_data *output_data = context;
    const struct prediction *prediction = output_data->prediction;
    (void)fprintf(out, "{\n  \"predicted_ps\": %" PRId64 ",\n", (int64_t)prediction->predicted_ps);
    if (!output_data->arguments->no_run) {
        (void)fprintf(out, "  \"simulated_ps\": %" PRId64 ",\n", (int64_t)prediction->simulated_ps);
    }
    if (prediction->run_ps > 0) {
        (void)fprintf(out, "  \"run_ps\": %" PRId64 ",\n", (int64_t)prediction->run_ps);
    }
    orr_plan_traffic_json(out, &prediction->traffic);
    (void)fprintf(out,
                  "  \"critical\": \"%s\",\n  \"critical_resource\": \"%s\",\n"
                  "  \"critical_busy_ps\": %" PRId64 ",\n  \"routing\": \"%s\"\n}\n",
                  kinds[prediction->critical.resource], prediction->resource,
                  (int64_t)prediction->critical.busy_ps, prediction->routing);
    return ferror(out) != 0 ? 1 : 0;
}

/* The time of orrery run, and why it is another. */
static void print_run(const struct arguments *arguments, const struct prediction *prediction)
{
    char text[ORR_FORMAT_BYTES];
    if (prediction->run_ps == 0) {
        return;
    }
    printf("orrery run         %s   (predicted %+.2f %%): shares by congestion windows%s; as "
           "simulated here with --set network.shares=maxmin%s\n",
           orr_format_time(prediction->run_ps, text, sizeof text),
           100 * ((double)prediction->predicted_ps / (double)prediction->run_ps - 1),
           arguments->by_pairs ? ", a path of its own for each message" : "",
           arguments->by_pairs ? " --set network.routing=ecmp-pairs" : "");
}

static void print_table(const struct arguments *arguments, const struct prediction *prediction)
{
    const double predicted = (double)prediction->predicted_ps;
    char text[ORR_FORMAT_BYTES];
    printf("predicted          %s\n", orr_format_time(prediction->predicted_ps, text, sizeof text));
    if (!arguments->no_run) {
        printf("simulated          %s   (predicted %+.2f %%)\n",
               orr_format_time(prediction->simulated_ps, text, sizeof text),
               prediction->simulated_ps == 0
                   ? 0
                   : 100 * (predicted / (double)prediction->simulated_ps - 1));
        print_run(arguments, prediction);
    }
    printf("critical           %s, busy %s (%.1f %%)\n", prediction->resource,
           orr_format_time(prediction->critical.busy_ps, text, sizeof text),
           predicted == 0 ? 0 : 100 * (double)prediction->critical.busy_ps / predicted);
    printf("routes             %s\n", prediction->routing);
    orr_plan_traffic_table(&prediction->traffic);
}

/* ---- evaluating ---- */

/* Computes the traffic, and that of each link for --link-stats. */
static enum orr_status measure(const struct arguments *arguments, const struct orrery *job,
                               struct evaluator *evaluator, struct prediction *prediction,
                               struct orr_diag *diag)
{
    if (arguments->link_stats != NULL) {
        prediction->link = orr_heap_calloc((size_t)orr_loaded_network(job)->graph->links + 1,
                                           sizeof *prediction->link);
        if (prediction->link == NULL) {
            return orr_diag_no_memory(diag, "the bytes of links");
        }
    }
    return orr_eval_traffic(evaluator, &prediction->traffic, prediction->link, diag);
}

static int predict(const struct arguments *arguments, const struct orrery *job,
                   struct prediction *prediction)
{
    struct eval_strategy *evaluated = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = orr_eval_job(job, &evaluated, &diag);
    if (status == ORR_OK) {
        struct evaluator *evaluator = orr_eval_strategy_evaluator(evaluated);
        status = orr_evaluate(evaluator, &prediction->predicted_ps, &diag);
        if (status == ORR_OK) {
            status = orr_eval_report(evaluator, NULL, &prediction->critical, &diag);
        }
        if (status == ORR_OK) {
            status = measure(arguments, job, evaluator, prediction, &diag);
        }
    }
    orr_eval_strategy_destroy(evaluated);
    if (status != ORR_OK) {
        return orr_print_diag(&diag);
    }
    (void)orr_eval_job_resource(job, &prediction->critical, prediction->resource);
    prediction->routing = net_routing_of(&orr_loaded_network(job)->routes)->name;
    return 0;
}

static int run(struct orrery *job, struct prediction *prediction)
{
    const enum orrery_status status = orrery_run(job);
    if (status != ORRERY_OK) {
        orr_print_message("%s\n", orrery_error(job));
        return orr_exit_status(status);
    }
    prediction->simulated_ps = orrery_wall_ps(job);
    return 0;
}

/* Writes the file of links and the page, and prints the prediction unless a file went to standard
 * output. */
static int print_results(const struct arguments *arguments, const struct orrery *job,
                         const struct prediction *prediction)
{
    const struct orr_plan_link_stats links = {orr_loaded_network(job)->graph, prediction->link};
    const struct orr_output output = {arguments->link_stats, orr_plan_link_stats_write};
    bool quiet = false;
    const int result = orr_write_output(&output, &links, &quiet);
    if (result != 0) {
        return result;
    }
    const struct output_data output_data = {arguments, prediction};
    const struct orr_output json = {arguments->json, write_json};
    const int written = orr_write_output(&json, &output_data, &quiet);
    if (written != 0) {
        return written;
    }
    const struct orr_page_part part = {
        .json = write_json, .context = &output_data, .name = "prediction"};
    const int paged = orr_write_page(arguments->report, arguments->line, &part, 1, &quiet);
    if (paged != 0) {
        return paged;
    }
    if (!quiet) {
        print_table(arguments, prediction);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

static int print_job_error(const struct orrery *job, enum orrery_status status)
{
    orr_print_message("%s\n", orrery_error(job));
    return orr_exit_status(status);
}

/* Runs the job as orrery run does, without what was set for the prediction, if that makes a
 * difference: flows of models have congestion windows unless network.shares is given. What windows
 * refuse (a forwarding limit) has no other time. */
static void run_as_given(const struct arguments *arguments, struct prediction *prediction)
{
    struct orr_job_inputs given = arguments->job;
    const size_t own = arguments->by_pairs ? 2 : 1; /* first */
    given.own.set = given.sets + own;
    given.own.set_count -= own;
    struct orrery *job = orrery_new();
    enum orrery_status status = job == NULL ? ORRERY_ERROR_MEMORY : orr_job_load(job, &given);
    const struct orr_conf *network = status == ORRERY_OK ? orr_loaded_network_section(job) : NULL;
    const bool same =
        network == NULL || (orr_conf_get(network, "shares") != NULL && !arguments->by_pairs);
    if (status == ORRERY_OK && !same) {
        status = orrery_run(job);
        prediction->run_ps = status == ORRERY_OK ? orrery_wall_ps(job) : 0;
    }
    prediction->run_ps = prediction->run_ps != prediction->simulated_ps ? prediction->run_ps : 0;
    orrery_free(job);
}

static int evaluate(const struct arguments *arguments, struct orrery *job)
{
    struct prediction prediction = {.simulated_ps = 0};
    int result = predict(arguments, job, &prediction);
    if (result == 0 && !arguments->no_run) {
        result = run(job, &prediction);
        run_as_given(arguments, &prediction);
    }
    if (result == 0) {
        result = print_results(arguments, job, &prediction);
    }
    orr_heap_free(prediction.link);
    return result;
}

/* Inserts an assignment before those of the command line. */
static void prepend_set(struct orr_job_inputs *inputs, const char *set)
{
    memmove(inputs->sets + 1, inputs->sets, inputs->own.set_count * sizeof *inputs->sets);
    inputs->sets[0] = set;
    inputs->own.set = inputs->sets;
    inputs->own.set_count++;
}

/* Loads and evaluates the job; first checks whether routes can be chosen by pair (ecmp-pairs), and
 * if so loads it with those. */
static int load_and_evaluate(struct arguments *arguments, bool can_pair)
{
    struct orrery *job = orrery_new();
    if (job == NULL) {
        orr_print_message("orrery plan: out of memory\n");
        return 1;
    }
    orrery_on_warning(job, can_pair ? NULL : orr_print_warning, NULL);
    const enum orrery_status status = orr_job_load(job, &arguments->job);
    int result;
    if (status == ORRERY_OK && can_pair) {
        if (orr_eval_job_can_pair(job)) {
            prepend_set(&arguments->job, "network.routing=ecmp-pairs");
            arguments->by_pairs = true;
        }
        orrery_free(job);
        return load_and_evaluate(arguments, false);
    }
    result = status == ORRERY_OK ? evaluate(arguments, job) : print_job_error(job, status);
    orrery_free(job);
    return result;
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.job = {.command = "plan"}};
    (void)orr_command_line("orrery plan", argc, argv, arguments.line);
    int status = orr_parse_options(call, &argc, argv, &arguments);
    if (status == 0) {
        status =
            orr_job_check(&arguments.job, argc, argv, "evaluate needs Orrery files (PLATFORM.yml)");
    }
    if (status != 0) {
        return status;
    }
    if (arguments.job.own.set_count + 2 > ORR_MAX_SETS) {
        return orr_usage_error("plan", "too many --set options", NULL);
    }
    prepend_set(&arguments.job, "network.shares=maxmin");
    return load_and_evaluate(&arguments, true);
}

const struct orr_command orr_plan_evaluate = {
    .name = "evaluate",
    .parent = "plan",
    .summary = "predict the iteration time of a strategy, without simulating messages",
    .about =
        "Predicts the iteration time of a model under a strategy (workload.model, "
        "workload.strategy) on a graph, without simulating messages, names the bottleneck, and "
        "compares with a simulation. Flows have max-min fair shares (network.shares: maxmin). "
        "If the default routing of the fabric is ecmp, it is ecmp-pairs: "
        "docs/models.md, section 12.",
    .forms = "PLATFORM.yml WORKLOAD.yml [options]",
    .rows = rows,
    .simulates = true,
    .run = run_command};
