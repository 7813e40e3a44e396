/* A bench of measured times: every row is simulated; see measured_bench.h. */
#include "study/bench/measured_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "orrery/study.h"
#include "sim/load/fitted_gpu.h"
#include "study/bench/measured_causes.h"
#include "study/bench/measured_statistics.h"
#include "study/job_source.h"
#include "system/collectives/program.h"

#define GROUP "measured"

static const char *platform_name(const struct orr_measured_bench *bench)
{
    return bench->platform != NULL && bench->platform->platform != NULL ? bench->platform->platform
                                                                        : "the platform";
}

static struct orrery *load(const struct orr_measured_bench *bench, const char *workload,
                           const struct orr_measured_change *change, enum orrery_status *status)
{
    enum { MAX_SETS = 1 + sizeof change->set / sizeof *change->set };
    const struct orr_job_source source = {.own = bench->platform, .parts = bench->parts};
    const char *set[MAX_SETS] = {workload};
    size_t sets = 1;
    struct orrery *job = orrery_new();
    *status = job == NULL ? ORRERY_ERROR_MEMORY : ORRERY_OK;
    for (unsigned i = 0; change != NULL && i < change->sets; i++) {
        set[sets++] = change->set[i];
    }
    for (unsigned i = 0; change != NULL && i < change->scales && *status == ORRERY_OK; i++) {
        *status = orrery_scale(job, &change->scale[i]);
    }
    *status = *status == ORRERY_OK ? orr_job_source_load(&source, set, sets, job) : *status;
    return job;
}

/* ---- points ---- */

/* Reads the dimensions: the node, and the least bandwidth between nodes. */
static void read_dims(struct orr_measured_bench *bench, const struct orrery *job)
{
    bench->dims = orrery_dims(job);
    for (unsigned d = 0; d < bench->dims; d++) {
        struct orrery_dim_stats dim;
        (void)orrery_dim(job, d, &dim);
        const bool is_switch = strcmp(dim.block, "switch") == 0;
        const double bytes_per_s = is_switch ? dim.bandwidth_bytes_per_s : 0;
        if (d == 0) {
            bench->machine.node_npus = dim.npus;
            bench->inner_bytes_per_s = bytes_per_s;
        } else if (d == 1 || bytes_per_s < bench->outer_bytes_per_s) {
            bench->outer_bytes_per_s = bytes_per_s;
        }
    }
}

/* Reads the platform's size. A graph counts as one node of all NPUs. */
static enum orr_status inspect_platform(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    enum orrery_status status;
    struct orrery *job = load(bench, "workload={generate: barrier}", NULL, &status);
    if (status == ORRERY_OK) {
        bench->machine = (struct orr_measured_machine){
            .name = platform_name(bench), .npus = orrery_npus(job), .node_npus = orrery_npus(job)};
        if (orrery_links(job) == 0) {
            read_dims(bench, job);
        }
        orr_measured_check_gpu(&bench->measured, &bench->machine, orr_own_gpu(job), diag);
    } else {
        (void)orr_diag_fail(diag, (enum orr_status)status, NULL, "%s", orr_job_error(job));
    }
    orrery_free(job);
    return (enum orr_status)status;
}

/* The group of a table, "[0,1,8,9]": the first NPUs of each of the first nodes. NULL: no memory. */
static const char *group_of(const struct orr_measured_bench *bench,
                            const struct orr_measured_table *table)
{
    enum { NUMBER_BYTES = 11 }; /* and a comma */
    const size_t room = (size_t)table->npus * NUMBER_BYTES + 3;
    char *text = orr_arena_array(bench->arena, room, 1);
    size_t at = 0;
    for (uint32_t i = 0; text != NULL && i < table->npus; i++) {
        const uint32_t rank = orr_measured_rank(&bench->machine, table->npus_per_node, i);
        at += (size_t)snprintf(text + at, room - at, "%c%" PRIu32, i == 0 ? '[' : ',', rank);
    }
    if (text != NULL) {
        (void)snprintf(text + at, room - at, "]");
    }
    return text;
}

/* Adds the rows of a table that have at least a byte for each NPU. */
static enum orr_status add_table(struct orr_measured_bench *bench,
                                 const struct orr_measured_table *table, struct orr_diag *diag)
{
    struct orr_measured_block *block = &bench->block[bench->blocks];
    *block = (struct orr_measured_block){.table = table, .first = bench->points};
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_measured_row *row = orr_measured_row_of(&bench->measured, table, i);
        const enum orr_status status =
            orr_measured_check_row(&bench->measured, row, &bench->machine, diag);
        if (status != ORR_OK) {
            return status;
        }
        if (row->bytes < row->npus) {
            block->skipped++;
            continue;
        }
        struct orr_measured_point *point = &bench->point[bench->points++];
        point->row = row;
        point->block = (uint32_t)bench->blocks;
        point->is_repeat = block->count > 0 && point[-1].row->bytes == row->bytes;
        block->count++;
    }
    bench->all.skipped += block->skipped;
    if (block->count == 0) {
        return ORR_OK;
    }
    bench->blocks++;
    block->group = table->npus < bench->machine.npus ? group_of(bench, table) : NULL;
    return table->npus < bench->machine.npus && block->group == NULL
               ? orr_diag_no_memory(diag, "a group")
               : ORR_OK;
}

static enum orr_status add_tables(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    bench->point = orr_arena_array(bench->arena, bench->measured.rows + 1, sizeof *bench->point);
    bench->block = orr_arena_array(bench->arena, bench->measured.tables + 1, sizeof *bench->block);
    if (bench->point == NULL || bench->block == NULL) {
        return orr_diag_no_memory(diag, "the runs of a bench");
    }
    memset(bench->point, 0, (bench->measured.rows + 1) * sizeof *bench->point);
    for (size_t t = 0; t < bench->measured.tables && status == ORR_OK; t++) {
        status = add_table(bench, &bench->measured.table[t], diag);
    }
    if (status == ORR_OK && bench->points == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: no row has a byte for each NPU, and none can be run",
                             bench->measured.file[0].path);
    }
    return status;
}

enum orr_status orr_measured_bench_open(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    bench->arena = bench->arena != NULL ? bench->arena : orr_arena_create();
    enum orr_status status =
        bench->arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "measured times");
    if (status == ORR_OK) {
        status = orr_measured_read(&bench->data, bench->arena, &bench->measured, diag);
    }
    if (status == ORR_OK) {
        status = inspect_platform(bench, diag);
    }
    return status == ORR_OK ? add_tables(bench, diag) : status;
}

/* ---- running ---- */

/* The workload of a point as YAML, on the heap; NULL: no memory. */
static char *workload_of(const struct orr_measured_bench *bench,
                         const struct orr_measured_point *point)
{
    const char *group = bench->block[point->block].group;
    const size_t room = 160 + (group != NULL ? strlen(group) : 0);
    char *text = orr_heap_calloc(room, 1);
    if (text != NULL) {
        (void)snprintf(text, room, "workload={generate: %s, bytes: %" PRIu64 " B%s%s%s}",
                       orr_coll_kind_name(point->row->kind), orr_measured_coll_bytes(point->row),
                       group != NULL ? ", group: " GROUP ", groups: {" GROUP ": " : "",
                       group != NULL ? group : "", group != NULL ? "}" : "");
    }
    return text;
}

static void set_algorithm(struct orrery *job, struct orr_measured_point *point)
{
    struct orrery_choice choice;
    size_t choices = 0;
    if (orrery_choices(job, &choices) == ORRERY_OK && choices > 0 &&
        orrery_choice(job, 0, &choice) == ORRERY_OK) {
        point->library = choice.library != NULL;
        point->launch_ps = choice.launch_ps;
        (void)snprintf(point->algorithm, sizeof point->algorithm, "%s%s",
                       choice.whole ? "whole " : "", choice.algorithms);
    }
}

void orr_measured_bench_run_point(const struct orr_measured_bench *bench,
                                  const struct orr_measured_change *change,
                                  struct orr_measured_point *point)
{
    char *workload = workload_of(bench, point);
    struct orrery *job = NULL;
    point->status = ORRERY_ERROR_MEMORY;
    if (workload != NULL) {
        job = load(bench, workload, change, &point->status);
    }
    if (point->status == ORRERY_OK) {
        point->status = orrery_run(job);
    }
    if (point->status == ORRERY_OK) {
        point->wall_ps = orrery_wall_ps(job);
        set_algorithm(job, point);
    } else {
        (void)snprintf(point->error, sizeof point->error, "%s", orr_job_error(job));
    }
    orrery_free(job);
    orr_heap_free(workload);
}

static void run_point(void *context, unsigned index)
{
    const struct orr_measured_bench *bench = context;
    if (!bench->point[index].is_repeat) {
        orr_measured_bench_run_point(bench, NULL, &bench->point[index]);
    }
}

static enum orr_status fail_point(const struct orr_measured_bench *bench,
                                  const struct orr_measured_point *point, struct orr_diag *diag)
{
    const struct orr_measured_row *row = point->row;
    const struct orr_location location =
        orr_location_text(bench->measured.file[row->file].path, row->line, 1);
    return point->status != ORRERY_OK
               ? orr_diag_fail(diag, (enum orr_status)point->status, &location,
                               "%s on %" PRIu32 " NPUs cannot be run: %s",
                               orr_coll_kind_name(row->kind), row->npus, point->error)
               : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "%s on %" PRIu32 " NPUs takes no time on %s",
                               orr_coll_kind_name(row->kind), row->npus, bench->machine.name);
}

enum orr_status orr_measured_bench_run(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    orrery_parallel(bench->threads, (unsigned)bench->points, run_point, bench);
    for (size_t i = 0; i < bench->points; i++) {
        struct orr_measured_point *point = &bench->point[i];
        if (point->is_repeat) {
            point->wall_ps = point[-1].wall_ps;
            memcpy(point->algorithm, point[-1].algorithm, sizeof point->algorithm);
        }
        if (point->status != ORRERY_OK || point->wall_ps <= 0) {
            return fail_point(bench, point, diag);
        }
        bench->uses_ccl |= point->library;
        bench->launch_ps =
            bench->launch_ps > point->launch_ps ? bench->launch_ps : point->launch_ps;
    }
    const enum orr_status status = orr_measured_statistics(bench, diag);
    return status == ORR_OK ? orr_measured_find_causes(bench, diag) : status;
}

void orr_measured_bench_fini(struct orr_measured_bench *bench)
{
    orr_arena_destroy(bench->arena);
    bench->arena = NULL;
}
