/* The results of jobs that wait for servers of a cluster. */
#include "report/results/queue_results.h"

static struct orr_value optional_text(const char *text)
{
    return text != NULL ? orr_text_value(text) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

#define OPTIONAL(of, member)                                                                       \
    static struct orr_value of##_##member(const void *row)                                         \
    {                                                                                              \
        return optional_text(((const struct orr_##of##_row *)row)->member);                        \
    }
OPTIONAL(queue, technology)
OPTIONAL(queued, taskgraph)
OPTIONAL(queued, traces)
OPTIONAL(queued, workload)
OPTIONAL(queued, all_reduce)

/* Only for patch panels. */
static struct orr_value reconfiguration(const void *of)
{
    const struct orr_queue_row *row = of;
    return row->technology != NULL ? orr_integer_value(row->reconfiguration_ps)
                                   : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value look_ahead(const void *of)
{
    const struct orr_queue_row *row = of;
    struct orr_value value = orr_integer_value(row->look_ahead);
    value.kind = row->technology != NULL ? ORR_VALUE_BOOL : ORR_VALUE_NONE;
    return value;
}

static struct orr_value side(const void *of)
{
    const struct orr_queued_row *row = of;
    return row->of.side != ORR_QUEUE_NO_SIDE ? orr_integer_value(row->of.side)
                                             : (struct orr_value){.kind = ORR_VALUE_NONE};
}

/* Only for jobs placed in blocks. */
static struct orr_value of_block(const struct orr_queue_row *row, orr_sum integer)
{
    return row->block ? orr_integer_value(integer) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value ring_ocs(const void *of)
{
    const struct orr_queue_row *row = of;
    struct orr_value value = of_block(row, row->ring_ocs);
    value.kind = row->block ? ORR_VALUE_BOOL : ORR_VALUE_NONE;
    return value;
}

static struct orr_value for_block_mean(const void *row)
{
    return of_block(row, ((const struct orr_queue_row *)row)->of.for_block_mean_ps);
}

static struct orr_value idle(const void *row)
{
    return of_block(row, ((const struct orr_queue_row *)row)->of.idle_ps);
}

static struct orr_value fragmented(const void *row)
{
    return of_block(row, ((const struct orr_queue_row *)row)->of.fragmented_ps);
}

static struct orr_value largest_hole(const void *row)
{
    return of_block(row, ((const struct orr_queue_row *)row)->of.largest_hole);
}

#define AT(member) .offset = offsetof(struct orr_queue_row, member)

static const struct orr_result of_queue[] = {
    {.name = "file", ORR_TEXT_AT(file), .meaning = "of the jobs"},
    {.name = "fabric", ORR_TEXT_AT(fabric), .meaning = "the network"},
    {.name = "network", ORR_TEXT_AT(network), .meaning = "shared, sharded"},
    {.name = "flow_model", ORR_TEXT_AT(flow_model), .meaning = "maxmin, windows"},
    {.name = "placement", ORR_TEXT_AT(placement), .meaning = "contiguous, random, block"},
    {.name = "ring_ocs",
     .type = ORR_RESULT_BOOL,
     .value = ring_ocs,
     .meaning = "of block: whether a switch puts servers anywhere on the ring"},
    {.name = "queue", ORR_TEXT_AT(queue), .meaning = "fifo, backfill"},
    {.name = "panels",
     ORR_TEXT_OF(queue_technology),
     .meaning = "the switching technology, if it is set"},
    {.name = "reconfiguration_ps",
     ORR_PS_OF(reconfiguration),
     .meaning = "time to set up the links of a job"},
    {.name = "look_ahead",
     .type = ORR_RESULT_BOOL,
     .value = look_ahead,
     .meaning = "whether that happens while the servers run the previous job"},
    {.name = "seed", .type = ORR_RESULT_I64, AT(seed), .meaning = "of placement and arrivals"},
    {.name = "servers", ORR_COUNT32_AT(servers), .meaning = "servers of the cluster"},
    {.name = "sample_iterations",
     ORR_COUNT32_AT(sample),
     .meaning = "of a job that are simulated while the same jobs run"},
    {.name = "jobs",
     .type = ORR_RESULT_LIST,
     .list = orr_json_queued,
     .rows = &orr_queued_results,
     .meaning = "the jobs, in the order of the file"},
    {.name = "iterations", ORR_COUNT_AT(of.iterations), .meaning = "of all jobs"},
    {.name = "mean_ps",
     ORR_PS_AT(of.mean_ps),
     .meaning = "of an iteration, over those of all jobs"},
    {.name = "p99_ps", ORR_PS_AT(of.p99_ps), .meaning = "what 99 % of them do not exceed"},
    {.name = "wait_mean_ps",
     ORR_PS_AT(of.wait_mean_ps),
     .meaning = "of jobs, from arrival to start; the sum of the next two"},
    {.name = "for_servers_mean_ps",
     ORR_PS_AT(of.for_servers_mean_ps),
     .meaning = "the part until it was their turn and their servers were free"},
    {.name = "for_patching_mean_ps",
     ORR_PS_AT(of.for_patching_mean_ps),
     .meaning = "the part after that, until links were there"},
    {.name = "for_block_mean_ps",
     ORR_PS_OF(for_block_mean),
     .meaning =
         "of block: the part of waiting for servers in which enough were free, but no block"},
    {.name = "wait_p99_ps",
     ORR_PS_AT(of.wait_p99_ps),
     .meaning = "what 99 % of jobs do not exceed"},
    {.name = "makespan_ps",
     ORR_PS_AT(of.makespan_ps),
     .meaning = "from the first arrival to the last end"},
    {.name = "utilization",
     ORR_SHARE_AT(of.utilization),
     .meaning = "servers that run a job, of all, over the makespan"},
    {.name = "idle_ps",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_PS,
     .value = idle,
     .meaning = "of block: how long servers run no job over the makespan, all added up"},
    {.name = "fragmented_ps",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_PS,
     .value = fragmented,
     .meaning = "of block: time of free servers while a job waits for a block of no more servers, "
                "summed"},
    {.name = "largest_hole",
     ORR_COUNT32_OF(largest_hole),
     .meaning = "of block: the largest block of free servers at such a time"},
    {.name = "simulations",
     ORR_COUNT_AT(of.simulations),
     .meaning = "simulations of jobs, alone or together, that iteration times come from"},
    {.name = "events", ORR_COUNT_AT(of.events), .meaning = "events of these"}};
#undef AT

const struct orr_result_table orr_queue_results = {
    .title = "Jobs that wait for servers",
    .meaning = "The object of `orrery run --cluster --json` with `cluster.queue`.",
    ORR_RESULT_TABLE(of_queue),
    .forms = ORR_IN_JSON};

#define AT(member) .offset = offsetof(struct orr_queued_row, member)

static const struct orr_result of_queued[] = {
    {.name = "name", .label = "job", ORR_TEXT_AT(name), .width = -3, .meaning = "of the job"},
    {.name = "taskgraph",
     ORR_TEXT_OF(queued_taskgraph),
     .in_forms = ORR_IN_JSON,
     .meaning = "the file of what it runs, where that is a task graph"},
    {.name = "traces",
     ORR_TEXT_OF(queued_traces),
     .in_forms = ORR_IN_JSON,
     .meaning = "the prefix of the traces that it runs, where it does"},
    {.name = "workload",
     ORR_TEXT_OF(queued_workload),
     .in_forms = ORR_IN_JSON,
     .meaning = "the workload file that it runs, where it does"},
    {.name = "all_reduce",
     ORR_TEXT_OF(queued_all_reduce),
     .in_forms = ORR_IN_JSON,
     .meaning = "how all-reduces are done"},
    {.name = "servers",
     .type = ORR_RESULT_LIST,
     .list = orr_json_queued_servers,
     .in_forms = ORR_IN_JSON,
     .meaning = "those that it ran on, by number; tables and CSV have how many"},
    {.name = "servers",
     .label = "servers",
     ORR_COUNT32_AT(servers),
     .width = 7,
     .in_forms = ORR_IN_TABLE | ORR_IN_CSV},
    {.name = "arrival_ps",
     .label = "arrival",
     ORR_PS_AT(of.arrival_ps),
     .width = 12,
     .meaning = "when it arrived"},
    {.name = "for_servers_ps",
     .label = "for servers",
     ORR_PS_AT(of.for_servers_ps),
     .width = 12,
     .meaning = "waiting until it was its turn and all its servers were free"},
    {.name = "for_patching_ps",
     .label = "for patching",
     ORR_PS_AT(of.for_patching_ps),
     .width = 12,
     .meaning = "waiting after that, until its links were set up"},
    {.name = "wait_ps",
     ORR_PS_AT(wait_ps),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "both together"},
    {.name = "patching_ps",
     ORR_PS_AT(of.patching_ps),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "when its servers were known, so that patching began"},
    {.name = "side",
     .type = ORR_RESULT_I64,
     .value = side,
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "with look-ahead its panels: 0 the first d, 1 the d after them"},
    {.name = "start_ps",
     .label = "start",
     ORR_PS_AT(of.start_ps),
     .width = 12,
     .meaning = "when it started"},
    {.name = "iterations",
     .label = "iterations",
     ORR_COUNT32_AT(iterations),
     .width = 10,
     .meaning = "how many it has"},
    {.name = "mean_ps",
     .label = "mean",
     ORR_PS_AT(of.mean_ps),
     .width = 12,
     .meaning = "of an iteration"},
    {.name = "p99_ps",
     .label = "99 %",
     ORR_PS_AT(of.p99_ps),
     .width = 12,
     .meaning = "what 99 % of them do not exceed"},
    {.name = "end_ps",
     .label = "end",
     ORR_PS_AT(of.end_ps),
     .width = 12,
     .meaning = "when its last iteration ended"},
    {.name = "iterations_alike",
     .type = ORR_RESULT_LIST,
     .list = orr_json_queue_spans,
     .rows = &orr_queue_span_results,
     .in_forms = ORR_IN_JSON,
     .meaning = "its iterations, consecutive ones of equal time together"}};
#undef AT

const struct orr_result_table orr_queued_results = {
    .title = "A job that waited for servers",
    .meaning = "A row of the table and a line of `--csv` of `orrery run --cluster` with "
               "`cluster.queue`, an entry of `jobs`.",
    ORR_RESULT_TABLE(of_queued),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

#define AT(member) .offset = offsetof(struct orr_queued_row, member)

static const struct orr_result of_queued_block[] = {
    {.name = "for_block_ps",
     .label = "for a block",
     ORR_PS_AT(of.for_block_ps),
     .width = 12,
     .meaning =
         "the part of waiting for servers in which it was its turn and enough were free, but "
         "in no block"}};
#undef AT

const struct orr_result_table orr_queued_block_results = {
    .title = "A job that waited for a block of servers",
    .meaning = "What `cluster.placement: block` adds to these.",
    ORR_RESULT_TABLE(of_queued_block),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

#define AT(member) .offset = offsetof(struct orr_queue_span, member)

static const struct orr_result of_span[] = {
    {.name = "time_ps", ORR_PS_AT(iteration_ps), .meaning = "of an iteration"},
    {.name = "count", ORR_COUNT_AT(count), .meaning = "number of consecutive iterations"}};
#undef AT

const struct orr_result_table orr_queue_span_results = {
    .title = "Iterations of a job that waited for servers",
    .meaning = "An entry of `iterations_alike`.",
    ORR_RESULT_TABLE(of_span),
    .forms = ORR_IN_JSON};
