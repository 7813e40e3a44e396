/* Which NPUs of a task graph do alike on a network that is a graph; see fold_job.h.
 *
 * NPUs' numbers have digits, those of the network's builder. Of each the least step is looked for
 * by which it can be turned so that everything stays the same: links, with the switches moved
 * along; traces, node by node, with peers and groups turned; speeds; rings and the routes of all
 * messages. NPUs that turns take to each other are a class. Since nothing depends on the order of
 * events in an instant (workload/engine/issue_fifo.c) and shares are those of all flows that are
 * there, the states of a class are images of each other after every instant. */
#include <string.h>

#include "sim/fold_job.h"
#include "sim/fold_routes.h"

struct rotation_finder {
    const struct wl_fold_job *job;
    struct sys *planner;
    struct net_router *router;
    const struct net_graph *graph;
    struct orr_arena *notes;   /* of texts */
    struct orr_arena *scratch; /* of one turn */
    uint32_t npus;
    struct net_rotation turn;
    struct fold_routes ways; /* under it */
    uint32_t *group_seen;    /* [groups], one more than the image of a group that turns */
    bool no_memory;
};

/* ---- routes ---- */

static bool way_turns(void *context, struct orr_rank src, struct orr_rank dst, bool over_link)
{
    struct rotation_finder *rotation_finder = context;
    const bool named =
        over_link && net_keeps_ring_links(rotation_finder->job->network) &&
        orr_net_graph_find(rotation_finder->graph, src.rank, dst.rank) != NET_NO_LINK;
    return named || orr_fold_route_rotates(&rotation_finder->ways, src, dst, false);
}

/* ---- nodes ---- */

/* A trace, and that of the NPU that its NPU is taken to. */
struct view {
    const struct orr_trace *trace, *image;
    uint32_t rank, to;
};

static const char *note(struct rotation_finder *rotation_finder, const struct view *view,
                        uint32_t index, const char *what)
{
    const struct orr_node *node = &view->trace->node[index];
    const char *text = orr_arena_printf(rotation_finder->notes, "node %llu (%s) of NPU %u %s",
                                        (unsigned long long)node->id, node->name, view->rank, what);
    rotation_finder->no_memory |= text == NULL;
    return text;
}

static const char *peer_tells(struct rotation_finder *rotation_finder, const struct view *view,
                              uint32_t index)
{
    const struct orr_node *a = &view->trace->node[index], *b = &view->image->node[index];
    const uint32_t peer = orr_node_peer(a, view->rank, rotation_finder->npus);
    if (orr_node_peer(b, view->to, rotation_finder->npus) !=
            net_rotated(&rotation_finder->turn, peer) ||
        a->of.p2p.tag != b->of.p2p.tag) {
        return "has a peer in another place, or another tag";
    }
    const bool sends = a->kind == ORR_NODE_SEND;
    return way_turns(rotation_finder, orr_rank(sends ? view->rank : peer),
                     orr_rank(sends ? peer : view->rank), false)
               ? NULL
               : "sends over a route that is not the same for all";
}

/* Groups go by their numbers in the planner; no name, or "0", is that of all. */
static uint32_t group_of(const struct rotation_finder *rotation_finder,
                         const struct orr_trace *trace, const struct orr_node *node, uint32_t rank)
{
    const char *name = node->group != 0 ? trace->groups[node->group - 1] : "";
    return name[0] == '\0' || strcmp(name, "0") == 0
               ? 0
               : orr_sys_group_find(rotation_finder->planner, name, orr_rank(rank));
}

static const char *collective_tells(struct rotation_finder *rotation_finder,
                                    const struct view *view, uint32_t index)
{
    const struct orr_node *a = &view->trace->node[index], *b = &view->image->node[index];
    const uint32_t group = group_of(rotation_finder, view->trace, a, view->rank);
    const uint32_t image = group_of(rotation_finder, view->image, b, view->to);
    if (group == UINT32_MAX || image == UINT32_MAX || a->comm != ORR_COMM_ALL_REDUCE) {
        return a->comm != ORR_COMM_ALL_REDUCE ? "is no all-reduce" : "names an unknown group";
    }
    const struct sys_mono_turn turn = {.choice = &rotation_finder->job->all_reduce,
                                       .group = group,
                                       .image = image,
                                       .member = orr_rank(view->rank),
                                       .turn = &rotation_finder->turn,
                                       .link_image = rotation_finder->ways.images.link,
                                       .way_turns = way_turns,
                                       .context = rotation_finder};
    if (rotation_finder->group_seen[group] == image + 1) {
        return NULL; /* as seen from another member */
    }
    const char *why = orr_sys_mono_turns(rotation_finder->planner, &turn);
    rotation_finder->group_seen[group] = why == NULL ? image + 1 : 0;
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

static const char *node_tells(struct rotation_finder *rotation_finder, const struct view *view,
                              uint32_t index)
{
    const struct orr_node *node = &view->trace->node[index];
    const char *why = NULL;
    if (!same_node(node, &view->image->node[index])) {
        why = "has no equal one further along";
    } else if (node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV) {
        why = peer_tells(rotation_finder, view, index);
    } else if (node->kind == ORR_NODE_COLL) {
        why = collective_tells(rotation_finder, view, index);
    }
    return why != NULL ? note(rotation_finder, view, index, why) : NULL;
}

/* What waits for what, and in which order it begins. */
static bool same_children(const struct orr_trace *a, const struct orr_trace *b)
{
    return a == b || (a->nodes == b->nodes && a->edges == b->edges && a->prefix == NULL &&
                      b->prefix == NULL &&
                      (a->edges == 0 ||
                       memcmp(a->children, b->children, a->edges * sizeof *a->children) == 0));
}

/* A message of the NPU to which its routing leads by one of several ways. */
static const char *chance_tells(struct rotation_finder *rotation_finder, uint32_t rank)
{
    const struct view view = {.trace = wl_trace_of(rotation_finder->job->traces, orr_rank(rank)),
                              .rank = rank};
    for (uint32_t i = 0; i < view.trace->nodes; i++) {
        const struct orr_node *node = &view.trace->node[i];
        if (node->kind == ORR_NODE_SEND &&
            orr_net_router_depends_on_key(rotation_finder->router, rank,
                                          orr_node_peer(node, rank, rotation_finder->npus))) {
            return note(rotation_finder, &view, i,
                        "sends where several ways are equally good, and one is taken by chance");
        }
    }
    return NULL;
}

static const char *trace_tells(struct rotation_finder *rotation_finder, uint32_t rank)
{
    const uint32_t to = net_rotated(&rotation_finder->turn, rank);
    const struct view view = {.trace = wl_trace_of(rotation_finder->job->traces, orr_rank(rank)),
                              .image = wl_trace_of(rotation_finder->job->traces, orr_rank(to)),
                              .rank = rank,
                              .to = to};
    const char *why = NULL;
    for (uint32_t i = 0; i < view.trace->nodes && i < view.image->nodes && why == NULL; i++) {
        why = node_tells(rotation_finder, &view, i);
    }
    if (why == NULL && !same_children(view.trace, view.image)) {
        why = "its ranks have different traces";
    }
    const char *chance = why != NULL ? chance_tells(rotation_finder, rank) : NULL;
    return chance != NULL ? chance : why;
}

/* ---- one turn ---- */

static bool speeds_turn(const struct rotation_finder *rotation_finder)
{
    const struct wl_compute *compute = rotation_finder->job->compute;
    const double *factor = compute->slowdown != NULL ? compute->slowdown->factor : NULL;
    bool same = true;
    for (uint32_t rank = 0; rank < rotation_finder->npus && factor != NULL && same; rank++) {
        const double other = factor[net_rotated(&rotation_finder->turn, rank)];
        same = !(factor[rank] < other) && !(factor[rank] > other);
    }
    return same;
}

/* Why the turn does not keep everything as it is; NULL: it does. */
static const char *turn_tells(struct rotation_finder *rotation_finder)
{
    if (!speeds_turn(rotation_finder)) {
        return "its ranks compute at different speeds (compute.slowdown)";
    }
    const char *why = orr_fold_routes_open(&rotation_finder->ways, rotation_finder->job->network,
                                           rotation_finder->router, &rotation_finder->turn,
                                           rotation_finder->scratch);
    for (uint32_t rank = 0; rank < rotation_finder->npus && why == NULL; rank++) {
        why = trace_tells(rotation_finder, rank);
    }
    return why;
}

static const char *look_at_turn(struct rotation_finder *rotation_finder)
{
    rotation_finder->scratch = orr_arena_create();
    rotation_finder->group_seen =
        rotation_finder->scratch != NULL
            ? orr_arena_array(rotation_finder->scratch, orr_sys_groups(rotation_finder->planner),
                              sizeof(uint32_t))
            : NULL;
    rotation_finder->no_memory |= rotation_finder->group_seen == NULL;
    const char *why = rotation_finder->no_memory ? "memory" : turn_tells(rotation_finder);
    rotation_finder->no_memory |= rotation_finder->ways.no_memory;
    orr_arena_destroy(rotation_finder->scratch);
    return why;
}

/* ---- digits ---- */

/* Cuts a digit into what is kept and what is folded, by the least step that holds. */
static bool cut_digit(struct rotation_finder *rotation_finder, uint32_t stride, uint32_t size,
                      struct orr_fold *fold, struct wl_fold_notes *notes)
{
    const char *first = NULL;
    for (uint32_t step = 1; step < size; step++) {
        rotation_finder->turn = (struct net_rotation){.stride = stride, .size = size, .step = step};
        const char *why = size % step == 0 ? look_at_turn(rotation_finder) : "";
        first = step == 1 ? why : first;
        if (why != NULL) {
            continue;
        }
        notes->why[fold->digits] = first;
        if (step > 1 && !orr_fold_add_digit(fold, step)) {
            return false;
        }
        if (!orr_fold_add_digit(fold, size / step)) {
            return false;
        }
        fold->digit[fold->digits - 1].folded = true;
        notes->why[fold->digits - 1] = NULL;
        return true;
    }
    notes->why[fold->digits] = first;
    return orr_fold_add_digit(fold, size);
}

static bool cut_digits(struct rotation_finder *rotation_finder, struct orr_fold *fold,
                       struct wl_fold_notes *notes)
{
    const struct net_graph *graph = rotation_finder->graph;
    uint32_t stride = 1;
    for (unsigned d = 0; d < graph->digits; d++) {
        if (!cut_digit(rotation_finder, stride, graph->digit[d], fold, notes)) {
            return false;
        }
        stride *= graph->digit[d];
    }
    return stride == rotation_finder->npus ||
           cut_digit(rotation_finder, stride, rotation_finder->npus / stride, fold, notes);
}

/* ---- the classes ---- */

/* Why all-reduces of those that stand for their classes do not stand for those of all. */
static const char *classes_tell(struct rotation_finder *rotation_finder,
                                const struct orr_fold *fold)
{
    for (uint32_t slot = 0; slot < fold->slots; slot++) {
        const struct orr_rank rank = orr_fold_rank(fold, orr_slot(slot));
        const struct view view = {.trace = wl_trace_of(rotation_finder->job->traces, rank),
                                  .rank = rank.rank};
        uint32_t last = UINT32_MAX;
        for (uint32_t i = 0; i < view.trace->nodes; i++) {
            const struct orr_node *node = &view.trace->node[i];
            if (node->kind != ORR_NODE_COLL || node->group == last) {
                continue;
            }
            const uint32_t group = group_of(rotation_finder, view.trace, node, rank.rank);
            const char *why = orr_sys_mono_fold_check(rotation_finder->planner, group,
                                                      &rotation_finder->job->all_reduce, fold);
            if (why != NULL) {
                return note(rotation_finder, &view, i, why);
            }
            last = node->group;
        }
    }
    return NULL;
}

static const char *links_tell(struct rotation_finder *rotation_finder, const struct orr_fold *fold)
{
    uint32_t *stands = orr_heap_calloc((size_t)rotation_finder->graph->links + 1, sizeof *stands);
    const enum orr_status status =
        stands != NULL ? orr_net_graph_representatives(rotation_finder->graph, fold, stands)
                       : ORR_ERR_MEMORY;
    orr_heap_free(stands);
    rotation_finder->no_memory |= status == ORR_ERR_MEMORY;
    return status == ORR_OK ? NULL : "its ranks share links between switches";
}

/* Keeps digits, the lowest first, until those that are left go together. */
static void settle(struct rotation_finder *rotation_finder, struct orr_fold *fold,
                   struct wl_fold_notes *notes)
{
    orr_fold_finish(fold);
    for (unsigned d = 0; d < fold->digits && !fold->none; d++) {
        const char *why = classes_tell(rotation_finder, fold);
        why = why == NULL ? links_tell(rotation_finder, fold) : why;
        if (why == NULL) {
            return;
        }
        if (fold->digit[d].folded) {
            fold->digit[d].folded = false;
            notes->why[d] = why;
            orr_fold_finish(fold);
        }
    }
}

enum orr_status orr_wl_fold_rotations(struct orr_arena *arena, const struct wl_fold_job *job,
                                      struct sys *planner, struct orr_fold *fold,
                                      struct wl_fold_notes *notes, struct orr_diag *diag)
{
    struct orr_arena *routes = orr_arena_create();
    struct rotation_finder rotation_finder = {.job = job,
                                              .planner = planner,
                                              .graph = job->network->graph,
                                              .notes = arena,
                                              .npus = job->network->graph->npus};
    if (rotation_finder.npus > FOLD_WAYS_MAX_NPUS) {
        notes->whole = "there are more than 16384 NPUs";
        orr_arena_destroy(routes);
        return ORR_OK;
    }
    enum orr_status status =
        routes != NULL ? orr_net_router_create(&rotation_finder.router, rotation_finder.graph,
                                               &job->network->routes, routes, diag)
                       : orr_diag_no_memory(diag, "the routes of the network");
    if (status == ORR_OK && cut_digits(&rotation_finder, fold, notes)) {
        settle(&rotation_finder, fold, notes);
    } else if (status == ORR_OK) {
        orr_fold_init(fold, rotation_finder.npus);
        notes->whole = "its NPUs' numbers have too many digits";
    }
    orr_arena_destroy(routes);
    return status == ORR_OK && rotation_finder.no_memory ? orr_diag_no_memory(diag, "the fold")
                                                         : status;
}
