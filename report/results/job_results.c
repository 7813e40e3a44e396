/* The results of a job, of its NPUs and of its dimensions. */
#include "orrery/prefix.h"
#include "report/results/results.h"
#include "sim/load/compute_basis.h"
#include "sim/local_memory.h"
#include "sim/ring_use.h"
#include "system/sys_counts.h"

struct orr_job_row orr_job_row(const struct orrery *job)
{
    struct orr_job_row row = {.job = job,
                              .wall_ps = orrery_wall_ps(job),
                              .npus = orrery_npus(job),
                              .events = orrery_events(job),
                              .messages = orrery_messages(job)};
    orrery_rates(job, &row.rates);
    return row;
}

/* ---- the job ---- */

static struct orr_value bandwidth_tax(const void *of)
{
    const struct orr_job_row *row = of;
    return orrery_links(row->job) != 0 ? orr_real_value(orrery_bandwidth_tax(row->job))
                                       : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value rings(const void *of)
{
    struct sys_ring_use use;
    return orr_ring_use(((const struct orr_job_row *)of)->job, &use)
               ? orr_integer_value(use.rings)
               : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value ring_link_share(const void *of)
{
    struct sys_ring_use use;
    return orr_ring_use(((const struct orr_job_row *)of)->job, &use)
               ? orr_real_value((double)use.links_used / (double)use.links)
               : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value memory_bytes(const void *of)
{
    return orr_integer_value(orr_local_memory_bytes(((const struct orr_job_row *)of)->job));
}

static struct orr_value iterations(const void *of)
{
    const uint32_t count = orrery_iterations(((const struct orr_job_row *)of)->job);
    return count > 1 ? orr_integer_value(count) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value iteration_ps(const void *of)
{
    const struct orrery *job = ((const struct orr_job_row *)of)->job;
    const uint32_t count = orrery_iterations(job);
    return count > 1 ? orr_integer_value(orrery_wall_ps(job) / count)
                     : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static bool circuits_of(const void *of, struct orrery_circuits *circuits)
{
    return orrery_circuits(((const struct orr_job_row *)of)->job, circuits);
}

static struct orr_value circuit_group(const void *of)
{
    struct orrery_circuits circuits;
    return circuits_of(of, &circuits) ? orr_integer_value(circuits.group)
                                      : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value circuit_pairs(const void *of)
{
    struct orrery_circuits circuits;
    return circuits_of(of, &circuits) ? orr_integer_value(circuits.pairs)
                                      : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value circuit_weight(const void *of)
{
    struct orrery_circuits circuits;
    return circuits_of(of, &circuits) && circuits.once ? orr_real_value(circuits.weight)
                                                       : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value circuit_deficit(const void *of)
{
    struct orrery_circuits circuits;
    return circuits_of(of, &circuits) && circuits.once ? orr_integer_value(circuits.deficit)
                                                       : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value switch_ps(const void *of)
{
    struct orrery_circuits circuits;
    return circuits_of(of, &circuits) ? orr_integer_value(circuits.switch_ps)
                                      : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value of_queue(bool known, int64_t ps)
{
    return known ? orr_integer_value(ps) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value gradient_turnaround(const void *of)
{
    struct orrery_gradient_queue queue;
    const bool known = orrery_gradient_queue(((const struct orr_job_row *)of)->job, &queue);
    return of_queue(known, queue.turnaround_ps);
}

static struct orr_value first_wait(const void *of)
{
    struct orrery_gradient_queue queue;
    const bool known = orrery_gradient_queue(((const struct orr_job_row *)of)->job, &queue);
    return of_queue(known, queue.first_wait_ps);
}

static struct orr_value bubbles(const void *of)
{
    struct orrery_gradient_queue queue;
    const bool known = orrery_gradient_queue(((const struct orr_job_row *)of)->job, &queue);
    return of_queue(known, queue.bubbles_ps);
}

static struct orr_value compute_basis(const void *of)
{
    return orr_text_value(orr_compute_basis(((const struct orr_job_row *)of)->job));
}

static struct orr_value compute_stack(const void *of)
{
    return orr_text_value(orr_compute_stack(((const struct orr_job_row *)of)->job));
}

static struct orr_value wall_s(const void *of)
{
    return orr_real_value((double)((const struct orr_job_row *)of)->wall_ps * 1e-12);
}

#define AT(member) .offset = offsetof(struct orr_job_row, member)
#define FOUND(key) .name = #key, ORR_TEXT_OF(key), .optional = true, .missing_in_old_results = true

static const struct orr_result of_job[] = {
    {.name = "wall_ps",
     ORR_PS_AT(wall_ps),
     .sweep = ORR_COLUMN_TIME,
     .meaning = "the job's time: the latest finish"},
    {.name = "wall_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     .value = wall_s,
     .in_forms = ORR_IN_CSV,
     .missing_in_old_results = true,
     .sweep = ORR_COLUMN_TIME,
     .meaning = "the same in seconds"},
    {.name = "npus",
     ORR_COUNT32_AT(npus),
     .sweep = ORR_COLUMN_SIZE,
     .meaning = "NPUs of the platform"},
    {.name = "events",
     ORR_COUNT_AT(events),
     .sweep = ORR_COLUMN_COUNTS,
     .meaning = "events of the simulation; fewer where NPUs are folded"},
    {.name = "messages",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_COUNT,
     AT(messages),
     .sweep = ORR_COLUMN_COUNTS,
     .meaning = "messages sent"},
    {.name = "classes",
     .type = ORR_RESULT_LIST,
     .list = orr_json_classes,
     .rows = &orr_npu_results,
     .meaning = "NPUs with equal times; with `--per-npu` each NPU"},
    {.name = "dims",
     .type = ORR_RESULT_LIST,
     .list = orr_json_dims,
     .rows = &orr_dim_results,
     .meaning = "dimensions of the network, the innermost first"},
    {.name = "bandwidth_tax",
     ORR_RATIO_OF(bandwidth_tax),
     .meaning = "of a graph: bytes that NPUs sent, those they passed on for others too, over the "
                "bytes of messages"},
    {.name = "rings",
     ORR_COUNT32_OF(rings),
     .meaning = "of a graph: rings that all-reduces as a whole of the largest group went around"},
    {.name = "ring_link_share",
     ORR_RATIO_OF(ring_link_share),
     .meaning = "of the links between its members, those that steps of the rings take"},
    {.name = "tokens_per_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PER_S,
     AT(rates.tokens_per_s),
     .optional = true,
     .sweep = ORR_COLUMN_RATES,
     .meaning = "tokens a second, if the workload has their number"},
    {.name = "samples_per_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PER_S,
     AT(rates.samples_per_s),
     .optional = true,
     .meaning = "samples a second of a generated model"},
    {.name = "model_flops_per_s",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PER_S,
     AT(rates.model_flops_per_s),
     .optional = true,
     .meaning = "model operations a second of all NPUs, if the workload has their number"},
    {.name = "model_flops_utilization",
     ORR_SHARE_AT(rates.model_flops_utilization),
     .optional = true,
     .sweep = ORR_COLUMN_RATES,
     .meaning = "these over the peak of all NPUs, each type's operations over its own (MFU)"},
    {.name = "fp8_share",
     ORR_SHARE_AT(rates.fp8_share),
     .optional = true,
     .missing_in_old_results = true,
     .meaning = "of these operations, those in fp8, over `compute.fp8_peak`"},
    {.name = "fp4_share",
     ORR_SHARE_AT(rates.fp4_share),
     .optional = true,
     .missing_in_old_results = true,
     .meaning = "of these operations, those in fp4, over `compute.fp4_peak`"},
    {FOUND(compute_basis), .meaning = "compute times: fitted, taken over, stated or at the peak"},
    {FOUND(compute_stack), .meaning = "the software that they were fitted to"},
    {.name = "memory_bytes",
     ORR_BYTES_OF(memory_bytes),
     .optional = true,
     .missing_in_old_results = true,
     .sweep = ORR_COLUMN_RATES,
     .meaning =
         "the maximum local memory that an NPU needs: of a generated model, and of traces that "
         "list tensors where `memory.local.capacity` is given"},
    {.name = "gradient_turnaround_ps",
     ORR_PS_OF(gradient_turnaround),
     .missing_in_old_results = true,
     .meaning = "where nodes wait for parts of collectives, the longest: from when all NPUs have "
                "started one until its first chunk is there on every one"},
    {.name = "first_wait_ps",
     ORR_PS_OF(first_wait),
     .missing_in_old_results = true,
     .meaning = "the same, the longest: from when an NPU has started one until the first part that "
                "a node waits for is there"},
    {.name = "bubbles_ps",
     ORR_PS_OF(bubbles),
     .missing_in_old_results = true,
     .meaning =
         "the same, the longest: what an NPU only waits between that and the last such part"},
    {.name = "iterations",
     ORR_COUNT32_OF(iterations),
     .missing_in_old_results = true,
     .meaning = "where there are several (workload.iterations): how many"},
    {.name = "iteration_ps",
     ORR_PS_OF(iteration_ps),
     .missing_in_old_results = true,
     .meaning = "the mean of them"},
    {.name = "circuit_group",
     ORR_COUNT32_OF(circuit_group),
     .missing_in_old_results = true,
     .meaning = "for circuits set by traffic: NPUs at this distance have equal circuits"},
    {.name = "circuit_pairs",
     ORR_COUNT32_OF(circuit_pairs),
     .missing_in_old_results = true,
     .meaning = "the same: pairs with bytes that leave NPUs of the first group"},
    {.name = "circuit_weight",
     ORR_RATIO_OF(circuit_weight),
     .missing_in_old_results = true,
     .meaning = "the same, set once: what bytes inside of a group count for, the fastest of "
                "network.circuits.weights"},
    {.name = "circuit_deficit",
     ORR_COUNT32_OF(circuit_deficit),
     .missing_in_old_results = true,
     .meaning = "the same: wavelengths that were requested at first and that no edge coloring had"},
    {.name = "switch_ps",
     ORR_PS_OF(switch_ps),
     .missing_in_old_results = true,
     .meaning =
         "the same: what an iteration takes on one switch with the same bandwidth of an NPU"},
    {.name = "collectives",
     .type = ORR_RESULT_LIST,
     .list = orr_json_collectives,
     .rows = &orr_collective_results,
     .meaning = "collectives by kind, NPUs and size"},
    {.name = "operators",
     .type = ORR_RESULT_LIST,
     .list = orr_json_operators,
     .rows = &orr_operator_results,
     .meaning = "the other nodes by kind and name"},
    {.name = "critical_path",
     .type = ORR_RESULT_LIST,
     .list = orr_json_path,
     .meaning = "with `--why`: `parts` and `steps`"},
    {.name = "uncertainty",
     .type = ORR_RESULT_LIST,
     .list = orr_json_uncertainty,
     .rows = &orr_uncertainty_results,
     .meaning = "with `--uncertainty`: the uncertainty of the job's time"},
    {.name = "config",
     .type = ORR_RESULT_LIST,
     .list = orr_json_config,
     .meaning = "of Orrery's own files: every value in force by its key, as in `--explain=all`"},
    {.name = "warnings",
     .type = ORR_RESULT_LIST,
     .list = orr_json_warnings,
     .meaning = "the warnings on standard error, a list of texts; missing if there are none"}};

const struct orr_result_table orr_job_results = {
    .title = "A job",
    .place = "job",
    .meaning = "The object of `orrery run --json`, and what a point of a sweep has of it.",
    ORR_RESULT_TABLE(of_job),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
#undef AT

/* ---- NPUs ---- */

/* A time of an NPU: `member` of struct orrery_times. */
#define TIME(member)                                                                               \
    .name = #member, .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS,                                  \
    .offset = offsetof(struct orr_npu_row, times.member), .width = 14
/* A time of an NPU that is a part of the job's time. */
#define PART(member) TIME(member), .part = true, .sweep = ORR_COLUMN_PARTS

static struct orr_value contention(const void *of)
{
    const struct orr_npu_row *row = of;
    const int64_t lost_ps = orrery_contention_ps(row->job, row->rank);
    return lost_ps > 0 ? orr_integer_value(lost_ps) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

/* A time of the GPU's view. */
#define GPU(title, of)                                                                             \
    .name = (title), .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, .value = (of),                   \
    .in_forms = ORR_IN_CSV, .missing_in_old_results = true

static const struct orr_result of_npu[] = {
    {.name = "ranks",
     .label = "NPUs",
     .type = ORR_RESULT_TEXT,
     .offset = offsetof(struct orr_npu_row, ranks),
     .width = -24,
     .in_forms = ORR_IN_JSON | ORR_IN_TABLE,
     .meaning = "their ranks as text: \"0-511,1024\""},
    {.name = "rank",
     .type = ORR_RESULT_U32,
     .offset = offsetof(struct orr_npu_row, rank),
     .in_forms = ORR_IN_CSV,
     .meaning = "the NPU's rank, from 0"},
    {.name = "count",
     .label = "count",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     .offset = offsetof(struct orr_npu_row, members),
     .width = 6,
     .in_forms = ORR_IN_TABLE,
     .meaning = "how many NPUs have these times"},
    {TIME(finish_ps), .label = "finish", .meaning = "when its last node ended"},
    {PART(compute_ps), .label = "compute", .compared = "compute",
     .meaning = "the accelerator computes"},
    {PART(cpu_ps), .label = "CPU", .compared = "CPU", .needs_waiting_split = true,
     .meaning = "the CPU works and the accelerator does not; under the rules of ASTRA-sim 0: it is "
                "within compute"},
    {PART(exposed_local_memory_ps), .label = "local mem", .compared = "exposed local memory",
     .meaning = "local memory is read or written, and nothing computes"},
    {PART(exposed_remote_memory_ps), .label = "remote mem", .compared = "exposed remote memory",
     .meaning = "remote memory is, and none of the above happens"},
    {PART(exposed_communication_ps), .label = "communication", .compared = "exposed communication",
     .meaning = "messages and collectives are in flight, and none of the above happens"},
    {PART(waiting_ps), .label = "waiting", .compared = "waiting", .needs_waiting_split = true,
     .meaning = "for others to start what it has begun; under the rules of ASTRA-sim 0: it is "
                "within communication"},
    {PART(idle_ps), .label = "idle", .compared = "idle", .meaning = "nothing happens"},
    {.name = "contention_ps",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_PS,
     .value = contention,
     .optional = true,
     .in_forms = ORR_IN_JSON,
     .missing_in_old_results = true,
     .meaning = "of `compute_ps` what SMs cost that kernels which communicate held (compute.sms)"},
    {.name = "gpu",
     .type = ORR_RESULT_LIST,
     .list = orr_json_gpu,
     .in_forms = ORR_IN_JSON,
     .missing_in_old_results = true,
     .meaning = "the GPU's view, of NPUs with work of the CPU: an object with `span_ps`, "
                "`compute_ps`, `communication_ps`, `exposed_communication_ps`, `memory_copy_ps`, "
                "`idle_ps`, and `idle` by cause; see *An NPU from the view of its GPU*"},
    {GPU("gpu_compute_ps", orr_gpu_compute), .meaning = "`gpu.compute_ps`; empty without it"},
    {GPU("gpu_communication_ps", orr_gpu_communication), .meaning = "`gpu.communication_ps`"},
    {GPU("gpu_exposed_communication_ps", orr_gpu_exposed),
     .meaning = "`gpu.exposed_communication_ps`"},
    {GPU("gpu_memory_copy_ps", orr_gpu_copies), .meaning = "`gpu.memory_copy_ps`"},
    {GPU("gpu_idle_ps", orr_gpu_idle), .meaning = "`gpu.idle_ps`"}};

const struct orr_result_table orr_npu_results = {
    .title = "An NPU",
    .place = "npus",
    .meaning = "A row of the first table of `orrery run`, an entry of `classes`, a line of\n"
               "`orrery run --csv`; of the NPU that is last, columns of a sweep and what `orrery "
               "diff` compares.\nAll but `finish_ps` add up to the job's time: an instant belongs "
               "to the first of them that is active.",
    ORR_RESULT_TABLE(of_npu),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

/* ---- dimensions ---- */

bool orr_dim_row(const struct orrery *job, unsigned dim, struct orr_dim_row *row)
{
    *row = (struct orr_dim_row){.dim = dim + 1};
    if (orrery_dim(job, dim, &row->stats) != ORRERY_OK) {
        return false;
    }
    row->offered = (double)row->stats.servers * (double)orrery_wall_ps(job);
    row->utilization = row->offered > 0 ? (double)row->stats.busy_ps / row->offered : 0;
    return true;
}

/* Multiplies by 100 before dividing: otherwise the last digit may differ. */
static struct orr_value used_percent(const void *of)
{
    const struct orr_dim_row *row = of;
    return row->utilization > 0 ? orr_real_value(100.0 * (double)row->stats.busy_ps / row->offered)
                                : (struct orr_value){.kind = ORR_VALUE_NONE};
}

#define AT(member) .offset = offsetof(struct orr_dim_row, member)

static const struct orr_result of_dim[] = {
    {.name = "dim",
     .label = "dim",
     .type = ORR_RESULT_U32,
     AT(dim),
     .width = -4,
     .in_forms = ORR_IN_TABLE,
     .meaning = "its number, from 1"},
    {.name = "block",
     .label = "block",
     ORR_TEXT_AT(stats.block),
     .width = -16,
     .meaning = "building block"},
    {.name = "npus",
     .label = "NPUs",
     ORR_COUNT32_AT(stats.npus),
     .width = 6,
     .compared = "NPUs",
     .meaning = "NPUs along it"},
    {.name = "bandwidth_bytes_per_s",
     .label = "bandwidth",
     ORR_BYTES_PER_S_AT(stats.bandwidth_bytes_per_s),
     .width = 14,
     .compared = "bandwidth in bytes/s",
     .meaning = "of a link, one way"},
    {.name = "latency_ps",
     .label = "latency",
     ORR_PS_AT(stats.latency_ps),
     .width = 12,
     .compared = "latency",
     .meaning = "of a hop"},
    {.name = "messages",
     .label = "messages",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_COUNT,
     AT(stats.messages),
     .width = 12,
     .compared = "messages",
     .meaning = "messages that it carried"},
    {.name = "bytes",
     .label = "bytes",
     .type = ORR_RESULT_SUM,
     .unit = ORR_UNIT_BYTES,
     AT(stats.bytes),
     .width = 14,
     .compared = "bytes",
     .meaning = "bytes that it carried"},
    {.name = "utilization",
     ORR_SHARE_AT(utilization),
     .in_forms = ORR_IN_JSON,
     .meaning = "of its ports or links over the job's time; 0 where the backend does not count it"},
    {.name = "utilization",
     .label = "utilization",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PERCENT,
     .value = used_percent,
     .width = 12,
     .in_forms = ORR_IN_TABLE}};

const struct orr_result_table orr_dim_results = {
    .title = "A dimension",
    .place = "dims",
    .meaning = "A row of the second table of `orrery run`, an entry of `dims`.",
    ORR_RESULT_TABLE(of_dim),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
