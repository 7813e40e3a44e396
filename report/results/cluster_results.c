/* The results of task graphs and of jobs on one cluster. */
#include "report/results/cluster_results.h"

/* ---- task graphs ---- */

static struct orr_value known_tax(const void *of)
{
    const struct orr_taskgraph_row *row = of;
    return row->wire_bytes > 0 ? orr_real_value(row->bandwidth_tax)
                               : (struct orr_value){.kind = ORR_VALUE_NONE};
}

/* A text that is stored in the row itself. */
#define TEXT_IN(of, member)                                                                        \
    static struct orr_value of##_##member(const void *row)                                         \
    {                                                                                              \
        return orr_text_value(((const struct orr_##of##_row *)row)->member);                       \
    }
TEXT_IN(taskgraph, all_reduce)
TEXT_IN(taskgraph, compute)
TEXT_IN(taskgraph, all_reduces)
TEXT_IN(taskgraph, flows)
TEXT_IN(cluster_job, all_reduce)

static struct orr_value taskgraph_passed_on(const void *row)
{
    const char *text = ((const struct orr_taskgraph_row *)row)->passed_on;
    return text[0] != '\0' ? orr_text_value(text) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value taskgraph_rings(const void *row)
{
    const char *text = ((const struct orr_taskgraph_row *)row)->rings;
    return text[0] != '\0' ? orr_text_value(text) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value ring_link_share(const void *row)
{
    const struct sys_ring_use *use = &((const struct orr_taskgraph_row *)row)->result.rings;
    return use->links != 0 ? orr_real_value((double)use->links_used / (double)use->links)
                           : (struct orr_value){.kind = ORR_VALUE_NONE};
}

/* What a job runs is one of three. */
#define PATH_IN(member)                                                                            \
    static struct orr_value run_##member(const void *row)                                          \
    {                                                                                              \
        const char *path = ((const struct orr_cluster_job_row *)row)->member;                      \
        return path != NULL ? orr_text_value(path) : (struct orr_value){.kind = ORR_VALUE_NONE};   \
    }
PATH_IN(taskgraph)
PATH_IN(traces)
PATH_IN(workload)
PATH_IN(plan)

#define AT(member) .offset = offsetof(struct orr_taskgraph_row, member)
#define SHOWN(text) ORR_TEXT_OF(text), .in_forms = ORR_IN_TABLE

/* Only with network.forwarding_limit. */
#define FORWARDED                                                                                  \
    {.name = "forwarded_bytes",                                                                    \
     .type = ORR_RESULT_U64,                                                                       \
     .unit = ORR_UNIT_BYTES,                                                                       \
     AT(forwarded.bytes),                                                                          \
     .in_forms = ORR_IN_JSON,                                                                      \
     .optional = true,                                                                             \
     .meaning = "bytes that hosts forwarded for others, in whole packets, with "                   \
                "network.forwarding_limit"},                                                       \
        {.name = "forwarded_most_bytes",                                                           \
         .type = ORR_RESULT_U64,                                                                   \
         .unit = ORR_UNIT_BYTES,                                                                   \
         AT(forwarded.max),                                                                        \
         .in_forms = ORR_IN_JSON,                                                                  \
         .optional = true,                                                                         \
         .meaning = "the bytes of the host that forwarded the most"},                              \
    {                                                                                              \
        .name = "forwarding_utilization", .type = ORR_RESULT_REAL, .unit = ORR_UNIT_RATIO,         \
        AT(forwarded.utilization), .in_forms = ORR_IN_JSON, .optional = true,                      \
        .meaning = "of its limit over the whole run"                                               \
    }

static const struct orr_result of_taskgraph[] = {
    {.name = "taskgraph", ORR_TEXT_AT(file), .meaning = "its file"},
    {.name = "fabric", ORR_TEXT_AT(fabric), .meaning = "the network"},
    {.name = "flow_model",
     ORR_TEXT_AT(flow_model),
     .meaning = "how flows share links: maxmin, windows"},
    {.name = "all_reduce",
     ORR_TEXT_OF(taskgraph_all_reduce),
     .meaning = "how all-reduces are done"},
    {.name = "servers", ORR_COUNT32_AT(servers), .meaning = "servers of the task graph"},
    {.name = "tasks", ORR_COUNT_AT(tasks), .meaning = "tasks of all groups"},
    {.name = "wall_ps",
     .label = "iteration",
     ORR_PS_AT(result.iteration_ps),
     .meaning = "time of the iteration"},
    {.name = "compute_ps",
     ORR_PS_AT(result.compute_max_ps),
     .in_forms = ORR_IN_JSON,
     .meaning = "of the server that computes longest"},
    {.name = "compute_ps", .label = "compute", SHOWN(taskgraph_compute)},
    {.name = "all_reduces",
     ORR_COUNT_AT(result.all_reduces),
     .in_forms = ORR_IN_JSON,
     .meaning = "how many there are"},
    {.name = "all_reduces", .label = "all-reduces", SHOWN(taskgraph_all_reduces)},
    {.name = "all_reduces_by_ring_instead",
     ORR_COUNT_AT(result.ring_fallbacks),
     .meaning = "those that fell back to `ring`, because their number of servers does not suit the "
                "algorithm"},
    {.name = "rings",
     ORR_COUNT32_AT(result.rings.rings),
     .in_forms = ORR_IN_JSON,
     .optional = true,
     .meaning = "that all-reduces of the largest group went around, where its members have links"},
    {.name = "ring_link_share",
     ORR_RATIO_OF(ring_link_share),
     .in_forms = ORR_IN_JSON,
     .meaning = "of the links between these members, those that steps of the rings take"},
    {.name = "rings", .label = "rings", ORR_TEXT_OF(taskgraph_rings), .in_forms = ORR_IN_TABLE},
    {.name = "rounds",
     ORR_COUNT_AT(result.rounds),
     .meaning = "of all-reduces that end with a barrier"},
    {.name = "flows",
     ORR_COUNT_AT(result.flows.flows),
     .in_forms = ORR_IN_JSON,
     .meaning = "flows"},
    {.name = "flows", .label = "flows", SHOWN(taskgraph_flows)},
    {.name = "wire_bytes",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_BYTES,
     AT(wire_bytes),
     .meaning = "bytes of flows, in whole packets"},
    {.name = "bandwidth_tax",
     ORR_RATIO_AT(bandwidth_tax),
     .in_forms = ORR_IN_JSON,
     .meaning = "bytes that servers sent, for themselves and passing on, over bytes that they had "
                "to send: 1 where no server forwards"},
    {.name = "bandwidth_tax",
     .label = "bandwidth tax",
     ORR_RATIO_OF(known_tax),
     .in_forms = ORR_IN_TABLE},
    FORWARDED,
    {.name = "forwarded_bytes",
     .label = "passed on",
     ORR_TEXT_OF(taskgraph_passed_on),
     .in_forms = ORR_IN_TABLE},
    {.name = "share_solutions",
     ORR_COUNT_AT(result.flows.solutions),
     .meaning = "how often shares of links were solved for; fewer where NPUs are folded"},
    {.name = "shares",
     ORR_COUNT_AT(result.flows.shares),
     .meaning = "shares that this gave; fewer where NPUs are folded"},
    {.name = "events", ORR_COUNT_AT(result.events), .meaning = "events of the simulation"}};
#undef AT

const struct orr_result_table orr_taskgraph_results = {
    .title = "A task graph",
    .meaning = "The object of `orrery run --taskgraph --json`; the table has a line for each.",
    ORR_RESULT_TABLE(of_taskgraph),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};

/* ---- jobs on one cluster ---- */

static struct orr_value shared_tax(const void *of)
{
    const struct orr_cluster_row *row = of;
    return row->report->run->jobs->network == ORR_JOBS_SHARED
               ? orr_real_value(row->bandwidth_tax)
               : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value ring_ocs(const void *of)
{
    const struct orr_jobs *jobs = ((const struct orr_cluster_row *)of)->report->run->jobs;
    struct orr_value value = orr_integer_value(jobs->ring_ocs);
    value.kind = jobs->placement == ORR_JOBS_BLOCK ? ORR_VALUE_BOOL : ORR_VALUE_NONE;
    return value;
}

#define AT(member) .offset = offsetof(struct orr_cluster_row, member)

static const struct orr_result of_cluster[] = {
    {.name = "file", ORR_TEXT_AT(file), .meaning = "of the jobs"},
    {.name = "fabric", ORR_TEXT_AT(fabric), .meaning = "the network"},
    {.name = "network", ORR_TEXT_AT(network), .meaning = "shared, sharded"},
    {.name = "placement", ORR_TEXT_AT(placement), .meaning = "contiguous, random, block"},
    {.name = "ring_ocs",
     .type = ORR_RESULT_BOOL,
     .value = ring_ocs,
     .meaning = "of block: whether a switch puts servers anywhere on the ring"},
    {.name = "seed", .type = ORR_RESULT_I64, AT(seed), .meaning = "of placement and starts"},
    {.name = "servers", ORR_COUNT32_AT(servers), .meaning = "servers of the cluster"},
    {.name = "servers_used", ORR_COUNT32_AT(servers_used), .meaning = "those that jobs have"},
    {.name = "jobs",
     .type = ORR_RESULT_LIST,
     .list = orr_json_jobs,
     .rows = &orr_cluster_job_results,
     .meaning = "the jobs, in the order of the file"},
    {.name = "iterations", ORR_COUNT_AT(iterations), .meaning = "of all jobs"},
    {.name = "mean_ps", ORR_PS_AT(mean_ps), .meaning = "of an iteration, over those of all jobs"},
    {.name = "p99_ps", ORR_PS_AT(p99_ps), .meaning = "what 99 % of them do not exceed"},
    {.name = "end_ps", ORR_PS_AT(end_ps), .meaning = "when the last one ended"},
    {.name = "events", ORR_COUNT_AT(events), .meaning = "events of the simulation"},
    {.name = "bandwidth_tax",
     ORR_RATIO_OF(shared_tax),
     .meaning = "of a shared network, as of a task graph"},
    FORWARDED};
#undef AT

const struct orr_result_table orr_cluster_results = {
    .title = "Jobs on one cluster",
    .meaning = "The object of `orrery run --cluster --json`.",
    ORR_RESULT_TABLE(of_cluster),
    .forms = ORR_IN_JSON};

#define AT(member) .offset = offsetof(struct orr_cluster_job_row, member)

static const struct orr_result of_job[] = {
    {.name = "name", .label = "job", ORR_TEXT_AT(name), .width = -3, .meaning = "of the job"},
    {.name = "taskgraph",
     ORR_TEXT_OF(run_taskgraph),
     .meaning = "the file of what it runs, where that is a task graph"},
    {.name = "traces",
     ORR_TEXT_OF(run_traces),
     .meaning = "the prefix of the traces that it runs, where it does"},
    {.name = "workload",
     ORR_TEXT_OF(run_workload),
     .meaning = "the workload file that it runs, where it does"},
    {.name = "flow_model", ORR_TEXT_AT(flow_model), .meaning = "maxmin, windows"},
    {.name = "all_reduce",
     ORR_TEXT_OF(cluster_job_all_reduce),
     .meaning = "how all-reduces are done"},
    {.name = "servers",
     .type = ORR_RESULT_LIST,
     .list = orr_json_servers,
     .in_forms = ORR_IN_JSON,
     .meaning = "its servers, by number; tables have how many"},
    {.name = "servers",
     .label = "servers",
     ORR_COUNT32_AT(servers),
     .width = 7,
     .in_forms = ORR_IN_TABLE},
    {.name = "start_ps",
     .label = "start",
     ORR_PS_AT(start_ps),
     .width = 12,
     .meaning = "when it started"},
    {.name = "end_ps", ORR_PS_AT(result.end_ps), .meaning = "when its last iteration ended"},
    {.name = "iterations_ps",
     .type = ORR_RESULT_LIST,
     .list = orr_json_iterations,
     .meaning = "the time of each iteration"},
    {.name = "iterations",
     .label = "iterations",
     ORR_COUNT32_AT(iterations),
     .width = 10,
     .in_forms = ORR_IN_TABLE,
     .meaning = "how many there are"},
    {.name = "mean_ps",
     .label = "mean",
     ORR_PS_AT(result.mean_ps),
     .width = 12,
     .meaning = "of an iteration"},
    {.name = "p99_ps",
     .label = "99 %",
     ORR_PS_AT(result.p99_ps),
     .width = 12,
     .meaning = "what 99 % of them do not exceed"},
    {.name = "compute_ps",
     ORR_PS_AT(result.compute_max_ps),
     .meaning = "in an iteration, of the server that computes longest"},
    {.name = "all_reduces", ORR_COUNT_AT(result.all_reduces), .meaning = "of all iterations"},
    {.name = "all_reduces_by_ring_instead",
     ORR_COUNT_AT(result.ring_fallbacks),
     .meaning = "those that fell back to `ring`, because their number of servers does not suit the "
                "algorithm"},
    {.name = "rounds",
     ORR_COUNT_AT(result.rounds),
     .meaning = "of all-reduces that end with a barrier"},
    {.name = "flows", ORR_COUNT_AT(result.flows), .meaning = "of all iterations"}};

const struct orr_result_table orr_cluster_job_results = {
    .title = "A job on a cluster",
    .meaning = "A row of the table of `orrery run --cluster`, an entry of `jobs`.",
    ORR_RESULT_TABLE(of_job),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};

static const struct orr_result alone[] = {
    {.name = "alone_mean_ps",
     .label = "alone",
     ORR_PS_AT(alone_ps),
     .width = 12,
     .meaning = "mean of an iteration, alone on the same servers"},
    {.name = "slowdown",
     .label = "slowdown",
     ORR_RATIO_AT(slowdown),
     .width = 8,
     .meaning = "the mean over that"}};

static const struct orr_result private_network[] = {
    {.name = "fabric", ORR_TEXT_AT(fabric), .in_forms = ORR_IN_JSON, .meaning = "its network"},
    {.name = "plan",
     ORR_TEXT_OF(run_plan),
     .in_forms = ORR_IN_JSON,
     .meaning = "the folder of the plan whose network it is"},
    {.name = "fabric", .label = "network", ORR_TEXT_AT(network), .in_forms = ORR_IN_TABLE}};
#undef AT

const struct orr_result_table orr_alone_results = {.title = "A job on a cluster, and alone",
                                                   .meaning = "What `--alone` adds to a job.",
                                                   ORR_RESULT_TABLE(alone),
                                                   .forms = ORR_IN_JSON | ORR_IN_TABLE};

const struct orr_result_table orr_private_network_results = {
    .title = "A job on a network of its own",
    .meaning = "What the keys `fabric` and `plan` of jobs add to each.",
    ORR_RESULT_TABLE(private_network),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};

#define AT(member) .offset = offsetof(struct orr_comparison_row, member)
#define RATIOS                                                                                     \
    {.name = "mean_ratio",                                                                         \
     .type = ORR_RESULT_REAL,                                                                      \
     .unit = ORR_UNIT_RATIO,                                                                       \
     AT(mean_ratio),                                                                               \
     .meaning = "the mean over that of the first run"},                                            \
    {                                                                                              \
        .name = "p99_ratio", ORR_RATIO_AT(p99_ratio),                                              \
        .meaning = "the 99th percentile over that of the first run"                                \
    }

static const struct orr_result comparison[] = {
    {.name = "name", ORR_TEXT_AT(name), .meaning = "of the run"},
    {.name = "set",
     .type = ORR_RESULT_LIST,
     .list = orr_json_variant_set,
     .meaning = "the values that are set for it"},
    RATIOS};

const struct orr_result_table orr_comparison_results = {
    .title = "Jobs on one cluster, compared",
    .meaning =
        "An entry of `runs` of `orrery run --cluster --compare --json`, followed by the results of "
        "*Jobs on one cluster* or of "
        "*Jobs that wait for servers*; the first entry is the file without changes.",
    ORR_RESULT_TABLE(comparison),
    .forms = ORR_IN_JSON};

static const struct orr_result comparison_job[] = {RATIOS};
#undef AT

const struct orr_result_table orr_comparison_ratio_results = {
    .title = "A job of one of several runs",
    .meaning = "What `--compare` adds to a job.",
    ORR_RESULT_TABLE(comparison_job),
    .forms = ORR_IN_JSON};

#define AT(member) .offset = offsetof(struct orr_iteration_row, member)

static const struct orr_result of_iteration[] = {
    {.name = "job", ORR_TEXT_AT(job), .meaning = "its name"},
    {.name = "servers", ORR_COUNT32_AT(servers), .meaning = "how many it has"},
    {.name = "iteration", .type = ORR_RESULT_U32, AT(iteration), .meaning = "its number, from 0"},
    {.name = "start_ps", ORR_PS_AT(start_ps), .meaning = "when it started"},
    {.name = "time_ps", ORR_PS_AT(time_ps), .meaning = "what it took"}};

const struct orr_result_table orr_iteration_results = {
    .title = "An iteration of a job on a cluster",
    .meaning = "A line of `orrery run --cluster --csv`; with `--compare` after the name of its "
               "run, `run`.",
    ORR_RESULT_TABLE(of_iteration),
    .forms = ORR_IN_CSV};
