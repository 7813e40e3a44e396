/* Access times of pools from the loads of their links; see fabric.h and
 * docs/how-to/remote-memory.md. */
#include "memory/fabric.h"

uint64_t orr_mem_fabric_total(const struct mem_fabric *fabric, uint64_t bytes, bool gathered)
{
    uint64_t total;
    if (gathered) {
        return bytes;
    }
    return __builtin_mul_overflow(bytes, (uint64_t)fabric->npus, &total) ? UINT64_MAX : total;
}

static uint64_t stage_of(const struct mem_fabric *fabric, bool gathered)
{
    return gathered ? fabric->gathered_stage_bytes : fabric->stage_bytes;
}

uint64_t orr_mem_fabric_stages(const struct mem_fabric *fabric, uint64_t total, bool gathered)
{
    const uint64_t stage = stage_of(fabric, gathered);
    return total / stage + (total % stage != 0 ? 1 : 0);
}

sim_time orr_mem_fabric_transfer(const struct mem_link_class *link, uint64_t stage_bytes,
                                 bool gathered)
{
    return orr_time_of_bytes(stage_bytes,
                             link->bandwidth_bytes_per_s *
                                 (gathered ? link->gathered_parallelism : link->parallelism));
}

sim_time orr_mem_fabric_latency(const struct mem_fabric *fabric)
{
    sim_time latency = fabric->latency_ps;
    for (unsigned i = 0; i < fabric->classes; i++) {
        latency =
            orr_time_add(latency, orr_time_mul(fabric->link_latency_ps, fabric->link[i].hops));
    }
    return latency;
}

/* ---- the pipeline ---- */

/* Stages 1 to n - 1 take time[i] in class i, and the last one, which may be smaller, last[i]. */
struct pipeline {
    sim_time time[MEM_MAX_CLASSES], last[MEM_MAX_CLASSES];
    unsigned classes;
    uint64_t stages;
};

/* Step k = 1, 2, ...: class i moves stage k - i; the step lasts as long as its longest transfer. */
static sim_time lockstep_step(const struct pipeline *pipeline, uint64_t step)
{
    sim_time longest = 0;
    for (unsigned i = 0; i < pipeline->classes; i++) {
        if (step <= i || step - i > pipeline->stages) {
            continue;
        }
        const sim_time each = step - i == pipeline->stages ? pipeline->last[i] : pipeline->time[i];
        longest = each > longest ? each : longest;
    }
    return longest;
}

/* Steps in which all classes move a full stage take equal times. */
static sim_time lockstep(const struct pipeline *pipeline)
{
    const uint64_t steps = pipeline->stages + pipeline->classes - 1;
    const uint64_t first = pipeline->classes, end = pipeline->stages; /* full: [first, end) */
    sim_time time = 0;
    for (uint64_t step = 1; step <= steps; step++) {
        if (step == first && first < end) {
            time = orr_time_add(time, orr_time_mul(lockstep_step(pipeline, step), end - first));
            step = end;
        }
        time = orr_time_add(time, lockstep_step(pipeline, step));
    }
    return time;
}

/* A stage passes the classes in order and waits in each for the stages before it: stage n - 1
 * leaves class i at the sum of the times of classes 0 .. i plus (n - 2) x the longest of them. */
static sim_time fifo(const struct pipeline *pipeline)
{
    sim_time sum = 0, longest = 0, done = 0;
    for (unsigned i = 0; i < pipeline->classes; i++) {
        longest = pipeline->time[i] > longest ? pipeline->time[i] : longest;
        sum = orr_time_add(sum, pipeline->time[i]);
        const sim_time before =
            pipeline->stages < 2 ? 0
                                 : orr_time_add(sum, orr_time_mul(longest, pipeline->stages - 2));
        done = orr_time_add(before > done ? before : done, pipeline->last[i]);
    }
    return done;
}

sim_time orr_mem_fabric_time(const struct mem_fabric *fabric, uint64_t bytes, bool gathered)
{
    const uint64_t total = orr_mem_fabric_total(fabric, bytes, gathered);
    if (total == UINT64_MAX) {
        return ORR_TIME_MAX;
    }
    struct pipeline pipeline = {.classes = fabric->classes,
                                .stages = orr_mem_fabric_stages(fabric, total, gathered)};
    const sim_time latency = orr_mem_fabric_latency(fabric);
    if (pipeline.stages == 0) {
        return latency;
    }
    const uint64_t stage = stage_of(fabric, gathered);
    const uint64_t last = total - (pipeline.stages - 1) * stage;
    for (unsigned i = 0; i < fabric->classes; i++) {
        pipeline.time[i] = orr_mem_fabric_transfer(&fabric->link[i], stage, gathered);
        pipeline.last[i] = orr_mem_fabric_transfer(&fabric->link[i], last, gathered);
    }
    const bool in_steps = fabric->pipeline == MEM_LOCKSTEP;
    return orr_time_add(latency, in_steps ? lockstep(&pipeline) : fifo(&pipeline));
}

/* ---- accesses of some NPUs ---- */

static double sum_of(const double *weight, uint32_t from, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weight[from + i];
    }
    return sum;
}

/* Load of the busiest ring link. Of the bytes of stop j = s + 1 + m, the clockwise link after stop
 * s carries the share of the stops whose shorter path to j contains it; the opposite stop sends
 * half each way. */
static double ring_busiest(const double *stop, uint32_t stops)
{
    double busiest = 0;
    for (uint32_t s = 0; s < stops; s++) {
        double clockwise = 0, counterclockwise = 0;
        for (uint32_t m = 0; m < stops / 2; m++) {
            const double from = (double)stops / 2 - 0.5 - (double)m; /* = stops on that side */
            clockwise += from * stop[(s + 1 + m) % stops];
            counterclockwise += from * stop[(s + stops - m) % stops];
        }
        const double more = clockwise > counterclockwise ? clockwise : counterclockwise;
        busiest = more > busiest ? more : busiest;
    }
    return busiest / stops;
}

/* Load of the busiest link of a line of stops, in either direction, if each stop sends `from` of
 * every byte that stop j receives. */
static double line_busiest(const double *stop, uint32_t stops, double from)
{
    double busiest = 0, before = 0, all = sum_of(stop, 0, stops);
    for (uint32_t k = 1; k < stops; k++) {
        before += stop[k - 1];
        const double forth = from * k * (all - before), back = from * (stops - k) * before;
        const double more = forth > back ? forth : back;
        busiest = more > busiest ? more : busiest;
    }
    return busiest;
}

/* Rows first: every row carries the same load, the bytes from its memories to each column. */
static double rows_busiest(const double *stop, uint32_t length, uint32_t rows, double *column)
{
    for (uint32_t x = 0; x < length; x++) {
        column[x] = 0;
        for (uint32_t y = 0; y < rows; y++) {
            column[x] += stop[y * length + x];
        }
    }
    return line_busiest(column, length, 1.0 / ((double)length * rows));
}

static double columns_busiest(const double *stop, uint32_t length, uint32_t rows, double *line)
{
    double busiest = 0;
    for (uint32_t x = 0; x < length; x++) {
        for (uint32_t y = 0; y < rows; y++) {
            line[y] = stop[y * length + x];
        }
        const double more = line_busiest(line, rows, 1.0 / rows);
        busiest = more > busiest ? more : busiest;
    }
    return busiest;
}

double orr_mem_fabric_busiest(const struct mem_fabric *fabric, const struct mem_link_class *link,
                              const double *weight, double *scratch)
{
    const bool mesh = link->spread == MEM_SPREAD_ROWS || link->spread == MEM_SPREAD_COLUMNS;
    const uint32_t parts = mesh ? link->parts * link->length : link->parts;
    const uint32_t each = fabric->npus / parts;
    double busiest = 0;
    for (uint32_t p = 0; p < parts; p++) {
        scratch[p] = sum_of(weight, p * each, each);
        busiest = scratch[p] > busiest ? scratch[p] : busiest;
    }
    switch (link->spread) {
    case MEM_SPREAD_RING:
        return ring_busiest(scratch, parts);
    case MEM_SPREAD_ROWS:
        return rows_busiest(scratch, link->length, link->parts, scratch + parts);
    case MEM_SPREAD_COLUMNS:
        return columns_busiest(scratch, link->length, link->parts, scratch + parts);
    default:
        return busiest * parts / link->parallelism;
    }
}

void orr_mem_fabric_scale(struct mem_fabric *fabric, double factor)
{
    for (unsigned i = 0; i < fabric->classes; i++) {
        fabric->link[i].bandwidth_bytes_per_s *= factor;
    }
    fabric->latency_ps = orr_time_scale(fabric->latency_ps, 1 / factor);
    fabric->link_latency_ps = orr_time_scale(fabric->link_latency_ps, 1 / factor);
}
