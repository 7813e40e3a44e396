/* Edge-disjoint Hamiltonian rings: cycles through all members, no edge in two of them. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_search.h"

/* Upper bound: a cycle uses two edges of each member, and n edges in total. */
static uint32_t max_cycles(const struct embed_forest *edges)
{
    uint32_t min = edges->edges / edges->n;
    for (uint32_t i = 0; i < edges->n; i++) {
        const uint32_t degree = edges->first[i + 1] - edges->first[i];
        min = degree / 2 < min ? degree / 2 : min;
    }
    return min < SYS_MAX_TREES ? min : SYS_MAX_TREES;
}

static bool find_cycles(const struct sys_embed *embed, uint64_t seed, struct embed_cycles *cycles)
{
    if (!orr_embed_forest_open(&cycles->edges, embed, SYS_MAX_TREES, cycles->arena)) {
        return false;
    }
    cycles->max = max_cycles(&cycles->edges);
    cycles->order =
        orr_arena_array(cycles->arena, (size_t)cycles->max * embed->n + 1, sizeof *cycles->order);
    if (cycles->order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < cycles->edges.edges; i++) {
        cycles->edges.edge[i].owner = EMBED_NO_TREE;
    }
    if (embed->n <= EMBED_EXACT_MEMBERS) {
        return orr_embed_cycles_exact(cycles);
    }
    cycles->steps = embed->steps != 0 ? embed->steps : UINT64_MAX;
    return orr_embed_cycles_closed(embed, cycles) && orr_embed_cycles_search(cycles, seed);
}

/* ---- the result ---- */

/* false: no memory. */
static bool count_links(const struct sys_embed *embed, struct orr_arena *arena, uint32_t *links)
{
    const struct net_graph *graph = embed->graph;
    bool *member = orr_arena_array(arena, graph->npus, sizeof *member);
    for (uint32_t i = 0; member != NULL && i < embed->n; i++) {
        member[embed_npu(embed, i)] = true;
    }
    for (uint32_t l = 0; member != NULL && l < graph->links; l++) {
        const struct net_link *link = &graph->link[l];
        const bool among = link->from < graph->npus && link->to < graph->npus &&
                           member[link->from] && member[link->to];
        *links += among ? link->count : 0;
    }
    return member != NULL;
}

/* Each cycle, and its reverse from the same member on. */
static bool store_cycles(const struct embed_cycles *cycles, struct sys_rings *out)
{
    const uint32_t n = out->n;
    uint32_t *order =
        orr_arena_array(cycles->arena, 2 * (size_t)cycles->cycles * n + 1, sizeof *order);
    for (uint32_t i = 0; i < cycles->cycles && order != NULL; i++) {
        uint32_t *forward = order + (size_t)2 * i * n, *reverse = forward + n;
        memcpy(forward, cycles->order + (size_t)i * n, n * sizeof *forward);
        for (uint32_t place = 0; place < n; place++) {
            reverse[place] = forward[(n - place) % n];
        }
    }
    out->rings = 2 * cycles->cycles;
    out->order = order;
    out->max = cycles->complete || cycles->cycles == cycles->max;
    return order != NULL;
}

/* A ring of two members uses one duplex link. */
static bool pair_rings(const struct sys_embed *embed, struct orr_arena *arena,
                       struct sys_rings *out)
{
    struct embed_forest edges;
    if (!orr_embed_forest_open(&edges, embed, SYS_MAX_TREES, arena)) {
        return false;
    }
    uint32_t *order = orr_arena_array(arena, 2 * (size_t)edges.edges + 1, sizeof *order);
    for (uint32_t i = 0; i < edges.edges && order != NULL; i++) {
        order[2 * i + 1] = 1;
    }
    out->rings = edges.edges;
    out->order = order;
    out->max = true;
    return order != NULL;
}

static bool copy_npus(const struct sys_embed *embed, struct orr_arena *arena, struct sys_rings *out)
{
    uint32_t *npu = orr_arena_array(arena, embed->n, sizeof *npu);
    for (uint32_t i = 0; i < embed->n && npu != NULL; i++) {
        npu[i] = embed_npu(embed, i);
    }
    out->npu = npu;
    return npu != NULL;
}

enum orr_status orr_sys_find_rings(const struct sys_embed *embed, uint64_t seed,
                                   struct orr_arena *arena, struct sys_rings *out,
                                   struct orr_diag *diag)
{
    struct embed_cycles cycles = {.arena = arena};
    const enum orr_status status = orr_embed_check_members(embed, diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct sys_rings){.n = embed->n, .max = true};
    bool found = copy_npus(embed, arena, out);
    if (found && embed->n == 2) {
        found = pair_rings(embed, arena, out);
    } else if (found && embed->n > 2) {
        found = find_cycles(embed, seed, &cycles) && store_cycles(&cycles, out);
    }
    found = found && count_links(embed, arena, &out->links);
    out->unused = out->links - out->rings * out->n;
    return found ? ORR_OK : orr_diag_no_memory(diag, "a search of rings");
}
