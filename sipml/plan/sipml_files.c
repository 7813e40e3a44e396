/* Input files of a plan of SiP-ML, its points and its traffic: see sipml_report.h. */
#include <inttypes.h>

#include "core/arena.h"
#include "planner/plan_file/plan_write.h"
#include "report/network_use.h"
#include "sipml/plan/sipml_report.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_traffic.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy_file.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

int orr_sipml_write_strategy(FILE *out, const struct sipml_result *result)
{
    return orr_strategy_write(out, &result->job.model, &result->placed.strategy);
}

int orr_sipml_write_model(FILE *out, const struct sipml_result *result)
{
    orr_plan_write_model(out, &result->job);
    return ferror(out) != 0 ? 1 : 0;
}

int orr_sipml_write_platform(FILE *out, const struct sipml_result *result)
{
    orr_plan_write_platform(out, &result->job, result->on.graph, &result->on.routes);
    return ferror(out) != 0 ? 1 : 0;
}

int orr_sipml_write_workload(FILE *out, const struct sipml_result *result,
                             const struct plan_names *names)
{
    return orr_plan_write_workload(out, &result->job, &result->placed.strategy, names);
}

int orr_sipml_write_tasks(FILE *out, const struct sipml_result *result)
{
    struct orr_arena *arena = orr_arena_create();
    struct strategy_times times;
    struct tg_graph graph;
    const bool done = arena != NULL &&
                      orr_strategy_times(arena, &result->job.model, &result->placed.strategy,
                                         &result->job.speed, &times, NULL) == ORR_OK &&
                      orr_strategy_lower(arena, &result->job.model, &result->placed.strategy,
                                         &times, &graph, NULL) == ORR_OK &&
                      orr_tg_write(&graph, TG_BINARY, out, NULL) == ORR_OK;
    orr_arena_destroy(arena);
    return done ? 0 : 1;
}

/* ---- points ---- */

int orr_sipml_points_csv(FILE *out, const struct sipml_result *result)
{
    (void)fputs("k,l,batch,outcome,parts,edges,repairs,rounds,fell_back,devices_used,memory_bytes,"
                "missing_bytes,estimated_ps,simulated_ps,steps,accuracy_s,order\n",
                out);
    for (uint32_t i = 0; i < result->found.points; i++) {
        const struct sipml_point *point = &result->found.point[i];
        (void)fprintf(out,
                      "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu32
                      ",%" PRIu32 ",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",",
                      point->group, point->copies, point->batch,
                      orr_sipml_outcome_name(point->outcome), point->parts, point->edges,
                      point->repairs, point->rounds, point->fell_back ? "yes" : "no",
                      point->devices_used, point->memory_bytes, point->missing_bytes);
        if (point->outcome == SIPML_FITS) {
            (void)fprintf(out, "%" PRId64, (int64_t)point->estimate.iteration_ps);
        }
        (void)fputc(',', out);
        if (point->simulated_ps != 0) {
            (void)fprintf(out, "%" PRId64, (int64_t)point->simulated_ps);
        }
        (void)fprintf(out, ",%.17g,", point->steps);
        if (point->outcome == SIPML_FITS) {
            (void)fprintf(out, "%.17g", orr_sipml_accuracy_s(point));
        }
        (void)fprintf(out, ",%s",
                      point->outcome == SIPML_FITS ? orr_sipml_order_name(point->order) : "");
        (void)fputc('\n', out);
    }
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- traffic ---- */

/* The number of GPUs in the matrix: all of a small job, else the first 32, or two whole groups, up
 * to the size of a table. */
static uint32_t shown(const struct sipml_result *result)
{
    enum { DEFAULT_SHOWN = 32, MAX = 256 };
    const struct sipml_point *best = sipml_best(result);
    uint32_t wanted = 2 * best->group > DEFAULT_SHOWN ? 2 * best->group : DEFAULT_SHOWN;
    wanted = wanted < MAX ? wanted : MAX;
    return wanted < result->job.servers ? wanted : result->job.servers;
}

static int write_traffic(FILE *out, const struct sipml_result *result,
                         int (*write)(FILE *out, const void *context))
{
    struct orr_arena *arena = orr_arena_create();
    const uint32_t first = shown(result);
    const uint64_t *matrix =
        arena != NULL ? orr_sipml_traffic_corner(arena, &result->traffic, first) : NULL;
    char title[256], part[64] = "";
    if (first < result->job.servers) {
        (void)snprintf(part, sizeof part, ", the first %" PRIu32 " of %" PRIu32, first,
                       result->job.servers);
    }
    (void)snprintf(title, sizeof title, "%s%s", result->job.model.name, part);
    const struct orr_network_use use = {.matrix = matrix, .servers = first, .title = title};
    const int status = matrix != NULL ? write(out, &use) : 1;
    orr_arena_destroy(arena);
    return status;
}

int orr_sipml_traffic_csv(FILE *out, const struct sipml_result *result)
{
    return write_traffic(out, result, orr_traffic_csv_write);
}

int orr_sipml_traffic_svg(FILE *out, const struct sipml_result *result)
{
    return write_traffic(out, result, orr_traffic_svg_write);
}
