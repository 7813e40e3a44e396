/* User paths of edges: checks, and resolution to links. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_private.h"

const struct sys_detour *orr_embed_user_path(const struct sys_embed *embed, uint32_t from,
                                             uint32_t to, bool *backwards)
{
    for (uint32_t i = 0; i < embed->givens; i++) {
        const struct sys_detour *given = &embed->given[i];
        if ((given->from == from && given->to == to) || (given->from == to && given->to == from)) {
            *backwards = given->from != from;
            return given;
        }
    }
    return NULL;
}

/* ---- checks ---- */

struct detour_check {
    const struct net_graph *graph;
    const struct sys_detour *given;
    struct orr_diag *diag;
};

static enum orr_status fail(const struct detour_check *at, const char *what, uint32_t node)
{
    char name[NET_NODE_BYTES];
    return orr_diag_fail(at->diag, ORR_ERR_INPUT, NULL,
                         "the detour from %" PRIu32 " to %" PRIu32 " over %s: %s", at->given->from,
                         at->given->to,
                         node < at->graph->nodes ? orr_net_node_name(at->graph, node, name)
                                                 : "a node that the graph does not have",
                         what);
}

static enum orr_status check_node(const struct detour_check *at, uint32_t node)
{
    const struct net_graph *graph = at->graph;
    if (node >= graph->nodes) {
        return orr_diag_fail(at->diag, ORR_ERR_INPUT, NULL,
                             "the detour from %" PRIu32 " to %" PRIu32
                             ": expected an NPU from 0 to %" PRIu32 ", got %" PRIu32,
                             at->given->from, at->given->to, graph->npus - 1, node);
    }
    if (node >= graph->npus) {
        return fail(at, "expected an NPU, got a switch", node);
    }
    return node != at->given->from && node != at->given->to
               ? ORR_OK
               : fail(at, "expected an NPU that is neither end", node);
}

/* The node at an index of the path: an end, or a node between. */
static uint32_t node_at(const struct sys_detour *given, uint32_t index)
{
    return index == 0 ? given->from : index > given->count ? given->to : given->over[index - 1];
}

static enum orr_status check_links(const struct detour_check *at)
{
    for (uint32_t i = 0; i <= at->given->count; i++) {
        const uint32_t from = node_at(at->given, i), to = node_at(at->given, i + 1);
        if (orr_net_graph_find(at->graph, from, to) == NET_NO_LINK ||
            orr_net_graph_find(at->graph, to, from) == NET_NO_LINK) {
            return orr_diag_fail(at->diag, ORR_ERR_INPUT, NULL,
                                 "the detour from %" PRIu32 " to %" PRIu32
                                 ": there is no duplex link between %" PRIu32 " and %" PRIu32,
                                 at->given->from, at->given->to, from, to);
        }
    }
    return ORR_OK;
}

static enum orr_status check_repeats(const struct detour_check *at)
{
    for (uint32_t i = 0; i < at->given->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (at->given->over[i] == at->given->over[j]) {
                return fail(at, "expected each NPU once", at->given->over[i]);
            }
        }
    }
    return ORR_OK;
}

enum orr_status orr_embed_check_user_paths(const struct sys_embed *embed, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < embed->givens && status == ORR_OK; i++) {
        const struct sys_detour *given = &embed->given[i];
        const struct detour_check at = {.graph = embed->graph, .given = given, .diag = diag};
        if (given->from >= embed->graph->npus || given->to >= embed->graph->npus ||
            given->from == given->to) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "a detour: expected two NPUs from 0 to %" PRIu32 ", got %" PRIu32
                                 " and %" PRIu32,
                                 embed->graph->npus - 1, given->from, given->to);
        }
        for (uint32_t j = 0; j < given->count && status == ORR_OK; j++) {
            status = check_node(&at, given->over[j]);
        }
        status = status == ORR_OK ? check_repeats(&at) : status;
        status = status == ORR_OK ? check_links(&at) : status;
    }
    return status;
}

/* ---- as links ---- */

bool orr_embed_resolve_user_path(const struct sys_embed *embed, uint32_t from, uint32_t to,
                                 struct orr_arena *arena, struct embed_path *out)
{
    bool backwards = false;
    const struct sys_detour *given = orr_embed_user_path(embed, from, to, &backwards);
    const uint32_t hops = given->count + 1;
    uint32_t *link = orr_arena_array(arena, hops, sizeof *link);
    for (uint32_t i = 0; i < hops && link != NULL; i++) {
        link[i] = backwards
                      ? orr_net_graph_find(embed->graph, node_at(given, hops - i),
                                           node_at(given, hops - i - 1))
                      : orr_net_graph_find(embed->graph, node_at(given, i), node_at(given, i + 1));
    }
    *out = (struct embed_path){.link = link, .hops = hops, .between = given->count};
    return link != NULL;
}
