/* The CSV tables of a plan; see plan_report.h. */
#include <inttypes.h>

#include "core/arena.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"
#include "planner/finder/nccl_graph.h"
#include "planner/finder/port_map.h"
#include "report/table_text.h"
#include "topoopt/plan/plan_report.h"
#include "topoopt/search/topoopt.h"

static int written(FILE *out)
{
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- rings ---- */

/* Writes the servers that forward a step, separated by spaces. */
static void write_over(FILE *out, const struct finder_ring *ring, uint32_t step)
{
    for (uint32_t i = ring->first_between != NULL ? ring->first_between[step] : 0;
         ring->first_between != NULL && i < ring->first_between[step + 1]; i++) {
        (void)fprintf(out, i > ring->first_between[step] ? " %" PRIu32 : "%" PRIu32,
                      ring->between[i]);
    }
}

int orr_plan_rings_csv(FILE *out, const struct plan_result *solution)
{
    const struct finder_topology *topology = &solution->result.best.topology;
    (void)fputs("ring,group,members,step,from,to,over\n", out);
    for (uint32_t r = 0; !solution->job->fixed && r < topology->rings; r++) {
        const struct finder_ring *ring = &topology->ring[r];
        for (uint32_t i = 0; i < ring->members; i++) {
            (void)fprintf(
                out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", r,
                ring->group, ring->members, i, ring->member[i],
                ring->member[(i + 1) % ring->members]);
            write_over(out, ring, i);
            (void)fputc('\n', out);
        }
    }
    return written(out);
}

/* ---- routes ---- */

int orr_plan_routes_csv(FILE *out, const struct plan_result *solution)
{
    const struct net_graph *graph = &solution->result.best.graph;
    (void)fputs("from,to,weight,hops,nodes\n", out);
    for (uint32_t i = 0; i < graph->paths; i++) {
        const struct net_path *path = &graph->path[i];
        (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%.17g,%" PRIu32 ",%" PRIu32, path->from,
                      path->to, path->chance, path->hops, path->from);
        for (uint32_t h = 0; h < path->hops; h++) {
            (void)fprintf(out, " %" PRIu32, graph->link[graph->path_link[path->first_link + h]].to);
        }
        (void)fputc('\n', out);
    }
    return written(out);
}

/* ---- ports ---- */

int orr_plan_ports_csv(FILE *out, const struct plan_result *solution)
{
    if (solution->job->fixed) {
        (void)fputs("panel,from,to,kind,layer\n", out);
        return written(out);
    }
    return orr_port_map_write(out, &solution->result.best.topology, &solution->ports) ? 0 : 1;
}

int orr_plan_nccl(FILE *out, const struct plan_result *solution)
{
    const struct plan_job *job = solution->job;
    const struct nccl_rings rings = {.topology = &solution->result.best.topology,
                                     .map = &solution->ports,
                                     .group = NCCL_ALL_GROUPS,
                                     .gpus = job->server.gpus > 1 ? job->server.gpus : 1,
                                     .inner_bytes_per_s = job->server.inside_bytes_per_s};
    struct orr_arena *scratch = orr_arena_create();
    const int status =
        scratch == NULL || (!job->fixed && orr_nccl_graph_write(scratch, out, &rings,
                                                                NCCL_ALL_SERVERS, NULL) != ORR_OK);
    orr_arena_destroy(scratch);
    return status;
}

/* ---- attempts ---- */

static void write_time(FILE *out, sim_time time_ps)
{
    if (time_ps != ORR_TIME_MAX) {
        (void)fprintf(out, "%" PRId64, (int64_t)time_ps);
    }
    (void)fputc(',', out);
}

int orr_plan_tried_csv(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_result *result = &solution->result;
    (void)fputs("round,strategy,select,ring_degree,discount,matched,before_ps,after_ps,"
                "missing_bytes,evaluations,outcome,why\n",
                out);
    for (uint32_t i = 0; i < result->attempts; i++) {
        const struct topoopt_attempt *tried = &result->attempt[i];
        (void)fprintf(out, "%" PRIu32 ",%s,%s,%" PRIu32 ",%s,%s,", tried->round,
                      orr_topoopt_origin_name(tried->origin),
                      orr_net_select_names[tried->options.select], tried->options.ring_degree,
                      orr_finder_discount_names[tried->options.discount],
                      tried->matched ? "yes" : "no");
        write_time(out, tried->before_ps);
        write_time(out, tried->after_ps);
        (void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s,", tried->missing_bytes, tried->evaluations,
                      orr_topoopt_outcome_name(tried->outcome));
        orr_csv_text(out, tried->why != NULL ? tried->why : "");
        (void)fputc('\n', out);
    }
    return written(out);
}

/* ---- other fabrics ---- */

int orr_plan_fabrics_csv(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_result *result = &solution->result;
    (void)fputs("fabric,notation,bandwidth_bytes_per_s,data_parallel_ps,strategy_ps,over_plan,"
                "rings,ring_link_share\n",
                out);
    for (uint32_t i = 0; i < solution->fabrics; i++) {
        const struct plan_fabric *fabric = &solution->fabric[i];
        const sim_time better = fabric->strategy_ps < fabric->data_parallel_ps
                                    ? fabric->strategy_ps
                                    : fabric->data_parallel_ps;
        orr_csv_text(out, fabric->name);
        (void)fputc(',', out);
        orr_csv_text(out, fabric->notation);
        (void)fprintf(out, ",%.17g,", fabric->bytes_per_s);
        write_time(out, fabric->data_parallel_ps);
        write_time(out, fabric->strategy_ps);
        if (better != ORR_TIME_MAX) {
            (void)fprintf(out, "%.4f", (double)better / (double)result->best.predicted_ps);
        }
        (void)fputs(fabric->rings.links != 0 ? "" : ",,", out);
        if (fabric->rings.links != 0) {
            (void)fprintf(out, ",%" PRIu32 ",%.4f", fabric->rings.rings,
                          (double)fabric->rings.links_used / (double)fabric->rings.links);
        }
        (void)fputc('\n', out);
    }
    return written(out);
}
