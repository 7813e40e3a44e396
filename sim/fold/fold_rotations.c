/* Symmetry reduction of task graphs on a graph: finds the rotations of NPU numbers that are
 * automorphisms of the job; see fold_job.h.
 *
 * For each digit of the builder's NPU numbers, the smallest step is searched whose rotation keeps
 * everything: links, with switches mapped along; traces, node by node, with peers and groups
 * rotated; speeds; rings; and the routes of all messages. NPUs that rotations map to each other are
 * a class. Nothing depends on the order of events in an instant (workload/engine/issue_fifo.c), and
 * shares depend on the set of flows alone; so the states of a class are images of each other after
 * every instant. */
#include <string.h>

#include "core/diag.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/ring_links.h"
#include "network/routing/routing.h"
#include "sim/fold/fold_job.h"
#include "sim/fold/fold_routes.h"
#include "system/sys_fold.h"
#include "system/sys_groups.h"
#include "workload/engine/engine.h"
#include "workload/trace/trace.h"

struct finder {
    const struct wl_fold_job *job;
    struct sys *planner;
    struct net_router *router;
    const struct net_graph *graph;
    struct orr_arena *reasons; /* arena of texts */
    struct orr_arena *scratch; /* arena of one rotation */
    uint32_t npus;
    struct net_rotation rotation;
    struct fold_routes rotated_routes; /* of the rotation */
    uint32_t *group_image;             /* [groups] 1 + the image of a group that rotates */
    bool no_memory;
};

/* ---- routes ---- */

static bool keeps_route(void *context, struct orr_rank src, struct orr_rank dst, bool over_link)
{
    struct finder *finder = context;
    const bool named = over_link && net_keeps_ring_links(finder->job->network) &&
                       orr_net_graph_find(finder->graph, src.rank, dst.rank) != NET_NO_LINK;
    return named || orr_fold_route_rotates(&finder->rotated_routes, src, dst, false);
}

/* ---- nodes ---- */

/* A trace, and the trace of its NPU's image. */
struct trace_image {
    const struct orr_trace *trace, *image;
    uint32_t rank, to;
};

static const char *describe_node(struct finder *finder, const struct trace_image *trace_image,
                                 uint32_t index, const char *what)
{
    const struct orr_node *node = &trace_image->trace->node[index];
    const char *text =
        orr_arena_printf(finder->reasons, "node %llu (%s) of NPU %u %s",
                         (unsigned long long)node->id, node->name, trace_image->rank, what);
    finder->no_memory |= text == NULL;
    return text;
}

static const char *peer_asymmetry(struct finder *finder, const struct trace_image *trace_image,
                                  uint32_t index)
{
    const struct orr_node *a = &trace_image->trace->node[index],
                          *b = &trace_image->image->node[index];
    const uint32_t peer = orr_node_peer(a, trace_image->rank, finder->npus);
    if (orr_node_peer(b, trace_image->to, finder->npus) != net_rotated(&finder->rotation, peer) ||
        a->of.p2p.tag != b->of.p2p.tag) {
        return "has a peer at another offset, or another tag";
    }
    const bool sends = a->kind == ORR_NODE_SEND;
    return keeps_route(finder, orr_rank(sends ? trace_image->rank : peer),
                       orr_rank(sends ? peer : trace_image->rank), false)
               ? NULL
               : "sends over a route that is not the same for all";
}

/* The group's number in the planner; no name is the group of all. */
static uint32_t group_of(const struct finder *finder, const struct orr_trace *trace,
                         const struct orr_node *node, uint32_t rank)
{
    const char *name = node->group != 0 ? trace->groups[node->group - 1] : "";
    return orr_sys_group_named(finder->planner, name, orr_rank(rank));
}

static const char *collective_asymmetry(struct finder *finder,
                                        const struct trace_image *trace_image, uint32_t index)
{
    const struct orr_node *a = &trace_image->trace->node[index],
                          *b = &trace_image->image->node[index];
    const uint32_t group = group_of(finder, trace_image->trace, a, trace_image->rank);
    const uint32_t image = group_of(finder, trace_image->image, b, trace_image->to);
    if (group == UINT32_MAX || image == UINT32_MAX || a->comm != ORR_COMM_ALL_REDUCE) {
        return a->comm != ORR_COMM_ALL_REDUCE ? "is no all-reduce" : "names an unknown group";
    }
    const struct sys_mono_rotation rotation = {.choice = &finder->job->all_reduce,
                                               .group = group,
                                               .image = image,
                                               .member = orr_rank(trace_image->rank),
                                               .rotation = &finder->rotation,
                                               .link_image = finder->rotated_routes.images.link,
                                               .keeps_route = keeps_route,
                                               .context = finder};
    if (finder->group_image[group] == image + 1) {
        return NULL; /* checked from another member */
    }
    const char *why = orr_sys_mono_check_rotation(finder->planner, &rotation);
    finder->group_image[group] = why == NULL ? image + 1 : 0;
    return why;
}

static bool same_node(const struct orr_node *a, const struct orr_node *b)
{
    const bool p2p = a->kind == ORR_NODE_SEND || a->kind == ORR_NODE_RECV;
    return a->kind == b->kind && a->comm == b->comm && a->op == b->op && a->flags == b->flags &&
           a->duration_ps == b->duration_ps && a->amount == b->amount &&
           a->first_child == b->first_child && a->extra == 0 && b->extra == 0 &&
           (p2p || a->of.tensor_bytes == b->of.tensor_bytes) &&
           (a->name == b->name || strcmp(a->name, b->name) == 0);
}

static const char *node_asymmetry(struct finder *finder, const struct trace_image *trace_image,
                                  uint32_t index)
{
    const struct orr_node *node = &trace_image->trace->node[index];
    const char *why = NULL;
    if (!same_node(node, &trace_image->image->node[index])) {
        why = "has no equal one further along";
    } else if (node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV) {
        why = peer_asymmetry(finder, trace_image, index);
    } else if (node->kind == ORR_NODE_COLL) {
        why = collective_asymmetry(finder, trace_image, index);
    }
    return why != NULL ? describe_node(finder, trace_image, index, why) : NULL;
}

/* Whether dependencies, and the order of children, are equal. */
static bool same_children(const struct orr_trace *a, const struct orr_trace *b)
{
    return a == b || (a->nodes == b->nodes && a->edges == b->edges && a->prefix == NULL &&
                      b->prefix == NULL &&
                      (a->edges == 0 ||
                       memcmp(a->children, b->children, a->edges * sizeof *a->children) == 0));
}

/* Finds a message of the NPU whose routing chooses among several paths. */
static const char *chance_asymmetry(struct finder *finder, uint32_t rank)
{
    const struct trace_image trace_image = {
        .trace = wl_trace_of(finder->job->traces, orr_rank(rank)), .rank = rank};
    for (uint32_t i = 0; i < trace_image.trace->nodes; i++) {
        const struct orr_node *node = &trace_image.trace->node[i];
        if (node->kind == ORR_NODE_SEND &&
            orr_net_router_depends_on_key(finder->router, rank,
                                          orr_node_peer(node, rank, finder->npus))) {
            return describe_node(finder, &trace_image, i,
                                 "sends over one of several equal paths, chosen at random");
        }
    }
    return NULL;
}

static const char *trace_asymmetry(struct finder *finder, uint32_t rank)
{
    const uint32_t to = net_rotated(&finder->rotation, rank);
    const struct trace_image trace_image = {.trace =
                                                wl_trace_of(finder->job->traces, orr_rank(rank)),
                                            .image = wl_trace_of(finder->job->traces, orr_rank(to)),
                                            .rank = rank,
                                            .to = to};
    const char *why = NULL;
    for (uint32_t i = 0;
         i < trace_image.trace->nodes && i < trace_image.image->nodes && why == NULL; i++) {
        why = node_asymmetry(finder, &trace_image, i);
    }
    if (why == NULL && !same_children(trace_image.trace, trace_image.image)) {
        why = "its ranks have different traces";
    }
    const char *chance = why != NULL ? chance_asymmetry(finder, rank) : NULL;
    return chance != NULL ? chance : why;
}

/* ---- one rotation ---- */

static bool speeds_rotate(const struct finder *finder)
{
    const struct wl_compute *compute = finder->job->compute;
    const double *factor = compute->slowdown != NULL ? compute->slowdown->factor : NULL;
    bool same = true;
    for (uint32_t rank = 0; rank < finder->npus && factor != NULL && same; rank++) {
        const double other = factor[net_rotated(&finder->rotation, rank)];
        same = !(factor[rank] < other) && !(factor[rank] > other);
    }
    return same;
}

/* Why the rotation is no automorphism of the job; NULL: it is one. */
static const char *rotation_asymmetry(struct finder *finder)
{
    if (!speeds_rotate(finder)) {
        return "its ranks compute at different speeds (compute.slowdown)";
    }
    const char *why = orr_fold_routes_open(&finder->rotated_routes, finder->job->network,
                                           finder->router, &finder->rotation, finder->scratch);
    for (uint32_t rank = 0; rank < finder->npus && why == NULL; rank++) {
        why = trace_asymmetry(finder, rank);
    }
    return why;
}

static const char *check_rotation(struct finder *finder)
{
    finder->scratch = orr_arena_create();
    finder->group_image =
        finder->scratch != NULL
            ? orr_arena_array(finder->scratch, orr_sys_groups(finder->planner), sizeof(uint32_t))
            : NULL;
    finder->no_memory |= finder->group_image == NULL;
    const char *why = finder->no_memory ? "memory" : rotation_asymmetry(finder);
    finder->no_memory |= finder->rotated_routes.no_memory;
    orr_arena_destroy(finder->scratch);
    return why;
}

/* ---- digits ---- */

/* Cuts a digit into a kept and a folded part, by the smallest step that is an automorphism. */
static bool cut_digit(struct finder *finder, uint32_t stride, uint32_t size, struct orr_fold *fold,
                      struct wl_fold_reasons *reasons)
{
    const char *first = NULL;
    for (uint32_t step = 1; step < size; step++) {
        finder->rotation = (struct net_rotation){.stride = stride, .size = size, .step = step};
        const char *why = size % step == 0 ? check_rotation(finder) : "";
        first = step == 1 ? why : first;
        if (why != NULL) {
            continue;
        }
        reasons->why[fold->digits] = first;
        if (step > 1 && !orr_fold_add_digit(fold, step)) {
            return false;
        }
        if (!orr_fold_add_digit(fold, size / step)) {
            return false;
        }
        fold->digit[fold->digits - 1].folded = true;
        reasons->why[fold->digits - 1] = NULL;
        return true;
    }
    reasons->why[fold->digits] = first;
    return orr_fold_add_digit(fold, size);
}

static bool cut_digits(struct finder *finder, struct orr_fold *fold,
                       struct wl_fold_reasons *reasons)
{
    const struct net_graph *graph = finder->graph;
    uint32_t stride = 1;
    for (unsigned d = 0; d < graph->digits; d++) {
        if (!cut_digit(finder, stride, graph->digit[d], fold, reasons)) {
            return false;
        }
        stride *= graph->digit[d];
    }
    return stride == finder->npus ||
           cut_digit(finder, stride, finder->npus / stride, fold, reasons);
}

/* ---- the classes ---- */

/* Why the all-reduces of the representatives do not represent all all-reduces; NULL: they do. */
static const char *classes_asymmetry(struct finder *finder, const struct orr_fold *fold)
{
    for (uint32_t slot = 0; slot < fold->slots; slot++) {
        const struct orr_rank rank = orr_fold_rank(fold, orr_slot(slot));
        const struct trace_image trace_image = {.trace = wl_trace_of(finder->job->traces, rank),
                                                .rank = rank.rank};
        uint32_t last = UINT32_MAX;
        for (uint32_t i = 0; i < trace_image.trace->nodes; i++) {
            const struct orr_node *node = &trace_image.trace->node[i];
            if (node->kind != ORR_NODE_COLL || node->group == last) {
                continue;
            }
            const uint32_t group = group_of(finder, trace_image.trace, node, rank.rank);
            const char *why =
                orr_sys_mono_fold_check(finder->planner, group, &finder->job->all_reduce, fold);
            if (why != NULL) {
                return describe_node(finder, &trace_image, i, why);
            }
            last = node->group;
        }
    }
    return NULL;
}

static const char *links_asymmetry(struct finder *finder, const struct orr_fold *fold)
{
    uint32_t *representative =
        orr_heap_calloc((size_t)finder->graph->links + 1, sizeof *representative);
    const enum orr_status status =
        representative != NULL ? orr_net_graph_representatives(finder->graph, fold, representative)
                               : ORR_ERR_MEMORY;
    orr_heap_free(representative);
    finder->no_memory |= status == ORR_ERR_MEMORY;
    return status == ORR_OK ? NULL : "its ranks share links between switches";
}

/* Keeps digits, lowest first, until the others are compatible. */
static void settle(struct finder *finder, struct orr_fold *fold, struct wl_fold_reasons *reasons)
{
    orr_fold_finish(fold);
    for (unsigned d = 0; d < fold->digits && !fold->none; d++) {
        const char *why = classes_asymmetry(finder, fold);
        why = why == NULL ? links_asymmetry(finder, fold) : why;
        if (why == NULL) {
            return;
        }
        if (fold->digit[d].folded) {
            fold->digit[d].folded = false;
            reasons->why[d] = why;
            orr_fold_finish(fold);
        }
    }
}

enum orr_status orr_wl_fold_rotations(struct orr_arena *arena, const struct wl_fold_job *job,
                                      struct sys *planner, struct orr_fold *fold,
                                      struct wl_fold_reasons *reasons, struct orr_diag *diag)
{
    struct orr_arena *routes = orr_arena_create();
    struct finder finder = {.job = job,
                            .planner = planner,
                            .graph = job->network->graph,
                            .reasons = arena,
                            .npus = job->network->graph->npus};
    if (finder.npus > FOLD_ROUTES_MAX_NPUS) {
        reasons->why_nothing = "there are more than 16384 NPUs";
        orr_arena_destroy(routes);
        return ORR_OK;
    }
    enum orr_status status = routes != NULL
                                 ? orr_net_router_create(&finder.router, finder.graph,
                                                         &job->network->routes, routes, diag)
                                 : orr_diag_no_memory(diag, "the routes of the network");
    if (status == ORR_OK && cut_digits(&finder, fold, reasons)) {
        settle(&finder, fold, reasons);
    } else if (status == ORR_OK) {
        orr_fold_init(fold, finder.npus);
        reasons->why_nothing = "its NPUs' numbers have too many digits";
    }
    orr_arena_destroy(routes);
    return status == ORR_OK && finder.no_memory ? orr_diag_no_memory(diag, "the fold") : status;
}
