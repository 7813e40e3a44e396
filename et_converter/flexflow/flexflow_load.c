/* Task graphs for running: see flexflow_load.h. */
#include "et_converter/flexflow/flexflow_load.h"

#include <inttypes.h>
#include <stdlib.h>

#include "et_converter/converter.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "et_converter/source.h"

/* ---- tasks ---- */

static uint8_t kind_of(uint8_t role)
{
    switch (role) {
    case FLEXFLOW_COMPUTES:
        return ORR_TASK_COMPUTE;
    case FLEXFLOW_COMPUTES_CPU:
        return ORR_TASK_HOST;
    case FLEXFLOW_TRANSFERS:
    case FLEXFLOW_SENDS:
        return ORR_TASK_TRANSFER;
    case FLEXFLOW_REDUCES:
        return ORR_TASK_REDUCE;
    default:
        return ORR_TASK_DELAY;
    }
}

sim_time orr_flexflow_runtime(const struct flexflow_task *task, uint8_t role)
{
    const bool timed = role == FLEXFLOW_COMPUTES || role == FLEXFLOW_COMPUTES_CPU ||
                       role == FLEXFLOW_DELAYS || role == FLEXFLOW_REDUCES;
    if (!timed || task->type == FLEXFLOW_UPDATE || task->type == FLEXFLOW_BARRIER) {
        return 0;
    }
    const double ps = (double)((float)task->runtime_ms * 1e9f); /* floats, as in FlexNetPacket */
    return ps < 9e18 ? (sim_time)ps : ORR_TIME_MAX;
}

/* A sending end also goes on to the other end, which so waits for the transfer. */
static uint32_t nexts_of(const struct flexflow_plan *plan, uint32_t index)
{
    const uint8_t role = plan->step[index].role;
    return role == FLEXFLOW_ALONE ? 0
           : role == FLEXFLOW_REDUCES
               ? plan->members[index]
               : (uint32_t)plan->graph->task[index].next_count + (role == FLEXFLOW_SENDS);
}

static void fill(const struct flexflow_plan *plan, struct orr_task *task, uint32_t *next)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < plan->graph->tasks; i++) {
        const struct flexflow_step *step = &plan->step[i];
        const struct flexflow_task *from = &plan->graph->task[i];
        const bool sends = step->role == FLEXFLOW_SENDS;
        task[i] = (struct orr_task){.kind = kind_of(step->role),
                                    .from = step->from,
                                    .to = sends ? step->peer : step->to,
                                    .first_next = used,
                                    .nexts = nexts_of(plan, i),
                                    .runtime_ps = orr_flexflow_runtime(from, step->role),
                                    .bytes = from->bytes};
        for (uint32_t n = 0; n + sends < task[i].nexts; n++) {
            next[used++] = plan->next[from->first_next + n];
        }
        if (sends) {
            next[used++] = step->mate;
        }
    }
}

static enum orr_status make(struct orr_arena *arena, struct flexflow_job *job,
                            struct orr_diag *diag)
{
    struct flexflow_plan plan;
    const enum orr_status status = orr_flexflow_plan_make(&plan, &job->graph, arena, diag);
    if (status != ORR_OK) {
        return status;
    }
    size_t nexts = 1;
    for (uint32_t i = 0; i < job->graph.tasks; i++) {
        nexts += nexts_of(&plan, i);
    }
    struct orr_task *task = orr_arena_array(arena, job->graph.tasks, sizeof *task);
    uint32_t *next = orr_arena_array(arena, nexts, sizeof *next);
    if (task == NULL || next == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    fill(&plan, task, next);
    job->taskgraph = (struct orr_taskgraph){
        .servers = plan.npus, .tasks = (uint32_t)job->graph.tasks, .task = task, .next = next};
    return ORR_OK;
}

enum orr_status orr_flexflow_load(struct orr_arena *arena, const char *path,
                                  struct flexflow_job *job, struct orr_diag *diag)
{
    struct conv_source source = {.data = NULL};
    const struct conv_progress silent = {.show = NULL};
    enum orr_status status = orr_convert_source_read(&source, path, INT32_MAX, &silent, diag);
    if (status == ORR_OK) {
        const struct flexflow_bytes bytes = {
            .name = path, .data = source.data, .count = source.count};
        status = orr_flexflow_read(arena, &bytes, &job->graph, diag);
    }
    orr_convert_source_free(&source);
    return status == ORR_OK ? make(arena, job, diag) : status;
}

/* ---- the network ---- */

static enum orr_status add_links(struct net_graph_builder *builder,
                                 const struct flexflow_graph *from, struct net_link_kind kind,
                                 struct orr_diag *diag)
{
    const struct orr_place place = orr_place_file(from->file);
    const double bytes_per_s =
        kind.bytes_per_s > 0 ? kind.bytes_per_s : from->link_bytes_per_ms * 1e3;
    if (from->connections == 0 || !(bytes_per_s > 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             from->connections == 0
                                 ? "the task graph has no network of its own (conn is empty)"
                                 : "the task graph has no bandwidth of its own (netbw is 0)");
    }
    for (size_t i = 0; i < from->connections; i++) {
        const struct flexflow_connection *at = &from->connection[i];
        if (at->from == at->to) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "conn[%zu]: expected a link between two nodes, got one from node "
                                 "%" PRIu32 " to itself",
                                 i, at->from);
        }
        const struct net_link link = {.from = at->from,
                                      .to = at->to,
                                      .count = at->count,
                                      .bytes_per_s = bytes_per_s,
                                      .latency_ps = kind.latency_ps};
        orr_net_graph_both(builder, &link);
    }
    for (size_t i = 0; i < from->rings; i++) {
        int64_t jump = 0;
        for (uint64_t j = 0; j < from->ring[i].jumps; j++) {
            jump += from->jump[from->ring[i].first_jump + j];
        }
        if (from->ring[i].servers != 0 && from->ring[i].servers <= from->servers) {
            (void)orr_net_graph_ring(builder, (uint32_t)from->ring[i].servers,
                                     (int32_t)(jump % (int64_t)from->ring[i].servers));
        }
    }
    return ORR_OK;
}

static enum orr_status take_path(const struct net_graph *graph, const struct flexflow_graph *from,
                                 size_t index, uint32_t *link, struct orr_diag *diag)
{
    const struct flexflow_path *path = &from->path[index];
    for (uint64_t h = 0; h + 1 < path->hops; h++) {
        const uint32_t *hop = from->hop + path->first_hop + h;
        link[h] = orr_net_graph_find(graph, hop[0], hop[1]);
        if (link[h] == NET_NO_LINK) {
            const struct orr_place place = orr_place_file(from->file);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "paths[%zu]: expected a way over links, got node %" PRIu32
                                 " before node %" PRIu32 ", between which there is none",
                                 index, hop[0], hop[1]);
        }
    }
    return ORR_OK;
}

static enum orr_status add_paths(struct orr_arena *arena, const struct flexflow_graph *from,
                                 struct net_graph *out, struct orr_diag *diag)
{
    struct net_path *path = orr_arena_array(arena, from->paths + 1, sizeof *path);
    uint32_t *links = orr_arena_array(arena, from->hop_count + 1, sizeof *links);
    enum orr_status status =
        path != NULL && links != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's paths");
    uint32_t kept = 0, used = 0;
    for (size_t i = 0; i < from->paths && status == ORR_OK; i++) {
        const struct flexflow_path *at = &from->path[i];
        if (at->hops < 2) {
            continue;
        }
        status = take_path(out, from, i, links + used, diag);
        path[kept++] = (struct net_path){.from = at->from,
                                         .to = at->to,
                                         .chance = (double)at->chance,
                                         .first_link = used,
                                         .hops = (uint32_t)(at->hops - 1)};
        used += (uint32_t)(at->hops - 1);
    }
    orr_net_graph_take_paths(out, path, kept, links);
    return status;
}

enum orr_status orr_flexflow_network(struct orr_arena *arena, const struct flexflow_graph *from,
                                     struct net_link_kind kind, struct net_graph *out,
                                     struct orr_diag *diag)
{
    struct net_graph_builder builder;
    enum orr_status status = orr_flexflow_topology_check(from, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_net_graph_begin(&builder, arena, from->servers, from->switches);
    status = add_links(&builder, from, kind, diag);
    if (status == ORR_OK) {
        status = orr_net_graph_end(&builder, out, diag);
    }
    return status == ORR_OK ? add_paths(arena, from, out, diag) : status;
}
