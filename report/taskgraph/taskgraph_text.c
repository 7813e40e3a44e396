/* A task graph as text; see taskgraph_text.h. */
#include "report/taskgraph/taskgraph_text.h"

#include "core/strings.h"
#include "core/units.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_stats.h"

#include <inttypes.h>

/* "5 tasks of 2 NPUs, 5 dependencies" */
static void put_size(FILE *out, const struct tg_graph *graph, const struct tg_stats *stats)
{
    (void)fprintf(out, "%" PRIu64 " task%s of %" PRIu32 " NPU%s, %" PRIu64 " dependenc%s",
                  stats->tasks, orr_plural(stats->tasks), graph->npus, orr_plural(graph->npus),
                  stats->dependencies, stats->dependencies == 1 ? "y" : "ies");
}

static void put_roles(FILE *out, const struct tg_stats *stats)
{
    (void)fprintf(out, "\n%-12s %10s %10s %10s %10s %10s %10s\n", "role", "tasks", "forward",
                  "backward", "update", "barrier", "other");
    for (unsigned role = 0; role < TG_ROLES; role++) {
        static const uint8_t shown[] = {TG_FORWARD, TG_BACKWARD, TG_UPDATE, TG_BARRIER, TG_NO_PASS};
        const uint64_t *count = stats->count[role];
        uint64_t all = 0;
        for (unsigned pass = 0; pass < TG_PASSES; pass++) {
            all += count[pass];
        }
        if (all == 0) {
            continue;
        }
        (void)fprintf(out, "%-12s %10" PRIu64, orr_tg_role_name(role), all);
        for (size_t i = 0; i < sizeof shown; i++) {
            (void)fprintf(out, " %10" PRIu64, count[shown[i]]);
        }
        (void)fputc('\n', out);
    }
}

static void put_reduces(FILE *out, const struct tg_stats *stats)
{
    char text[ORR_FORMAT_BYTES];
    if (stats->sizes != 0) {
        (void)fprintf(out, "\n%-12s %10s %12s\n", "all-reduces", "NPUs", "bytes");
    }
    for (uint32_t i = 0; i < stats->sizes; i++) {
        const struct tg_reduces *of = &stats->reduces[i];
        (void)fprintf(out, "%-12" PRIu64 " %10" PRIu32 " %12s\n", of->count, of->members,
                      orr_format_sum_bytes(of->bytes, text, sizeof text));
    }
}

static void put_copies(FILE *out, const struct tg_graph *graph, const struct tg_stats *stats)
{
    if (graph->copies == 1) {
        return;
    }
    (void)fprintf(out,
                  "copies       %" PRIu32 " groups of %" PRIu32 " NPUs; the file has the %" PRIu32
                  " tasks of one",
                  graph->copies, orr_tg_group_npus(graph), graph->tasks);
    if (stats->across != 0) {
        (void)fprintf(out, ", %" PRIu64 " all-reduce%s across all", stats->across,
                      orr_plural(stats->across));
    }
    (void)fputc('\n', out);
}

enum orr_status orr_taskgraph_show(FILE *out, const struct tg_graph *graph, struct orr_diag *diag)
{
    char text[ORR_FORMAT_BYTES];
    struct tg_stats stats;
    struct orr_arena *arena = orr_arena_create();
    const enum orr_status status = arena != NULL ? orr_tg_count(arena, graph, &stats, diag)
                                                 : orr_diag_no_memory(diag, "a task graph");
    if (status == ORR_OK) {
        (void)fprintf(out, "%s: ", graph->file != NULL ? graph->file : "task graph");
        put_size(out, graph, &stats);
        (void)fputs("\n\n", out);
        put_copies(out, graph, &stats);
        (void)fprintf(out, "compute      %s on the NPU that computes most\n",
                      orr_format_time(stats.compute_max_ps, text, sizeof text));
        (void)fprintf(out, "transfers    %s between NPUs",
                      orr_format_sum_bytes(stats.transferred_bytes, text, sizeof text));
        (void)fprintf(out, ", %s inside of them\n",
                      orr_format_sum_bytes(stats.inside_bytes, text, sizeof text));
        put_roles(out, &stats);
        put_reduces(out, &stats);
    }
    orr_arena_destroy(arena);
    return status;
}

enum orr_status orr_taskgraph_show_check(FILE *out, const struct tg_graph *graph,
                                         struct orr_diag *diag)
{
    struct tg_stats stats;
    struct orr_arena *arena = orr_arena_create();
    const enum orr_status status = arena != NULL ? orr_tg_count(arena, graph, &stats, diag)
                                                 : orr_diag_no_memory(diag, "a task graph");
    if (status == ORR_OK) {
        (void)fprintf(out, "%s: ok, ", graph->file != NULL ? graph->file : "task graph");
        put_size(out, graph, &stats);
        (void)fputc('\n', out);
    }
    orr_arena_destroy(arena);
    return status;
}
