/* Symmetry reduction: finds the classes of NPUs with equal histories; see fold_job.h.
 *
 * Ranks get digits: the dimensions of the platform, cut further at the axes of a model. At first
 * every digit is folded whose ranks have equal traces and speeds. Then, until a fixpoint, the nodes
 * of the representatives are checked: a collective or message that distinguishes ranks of a class
 * keeps the digits in which they differ. The result is an equitable partition. By induction over
 * events the ranks of a class have equal histories, because labels are relative, and each message
 * of a class has one receiver in the class of its peer. */
#include "sim/fold/fold_job.h"

#include <string.h>

#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_dims.h"
#include "sim/fold/fold_graph.h"
#include "system/sys_collective.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"
#include "workload/engine/node_requests.h"
#include "workload/gen/models.h"
#include "workload/trace/trace.h"

/* ---- traces and speeds ---- */

static uint32_t next_along(const struct orr_fold_digit *digit, uint32_t rank)
{
    const uint32_t own = rank / digit->stride % digit->size;
    return own + 1 < digit->size ? rank + digit->stride : rank - own * digit->stride;
}

/* Whether ranks of a model that differ in the digit have traces of their own. */
static bool has_own_traces(const struct gen_layout *layout, const struct orr_fold_digit *digit)
{
    struct gen_digit own[GEN_MAX_DIGITS];
    const unsigned count = orr_gen_differing_digits(layout, own);
    for (unsigned i = 0; i < count; i++) {
        if (digit->stride >= own[i].stride &&
            digit->stride < (uint64_t)own[i].stride * own[i].size) {
            return true;
        }
    }
    return false;
}

static bool same_traces(const struct wl_fold_job *job, const struct orr_fold *fold,
                        const struct orr_fold_digit *digit)
{
    const struct wl_traces *traces = job->traces;
    if (traces->layout != NULL) {
        return !has_own_traces(traces->layout, digit);
    }
    for (uint32_t rank = 0; rank < fold->npus && traces->count > 1; rank++) {
        if (traces->trace[rank] != traces->trace[next_along(digit, rank)]) {
            return false;
        }
    }
    return true;
}

static bool same_speed(const struct wl_fold_job *job, const struct orr_fold *fold,
                       const struct orr_fold_digit *digit)
{
    const double *factor = job->compute->slowdown != NULL ? job->compute->slowdown->factor : NULL;
    for (uint32_t rank = 0; rank < fold->npus && factor != NULL; rank++) {
        const double other = factor[next_along(digit, rank)];
        if (factor[rank] < other || factor[rank] > other) {
            return false;
        }
    }
    return true;
}

/* ---- explicit groups ---- */

/* Whether the group, shifted by one along a digit, is a group of the same name in the same order;
 * or, if the group spans the digit, the group itself as a box. */
static bool group_shifts(const struct sys *planner, uint32_t group,
                         const struct orr_fold_digit *digit)
{
    const uint32_t size = orr_sys_group_size(planner, group);
    const uint32_t first =
        next_along(digit, orr_sys_group_rank(planner, group, sys_position(0)).rank);
    const uint32_t image =
        orr_sys_group_find(planner, orr_sys_group_name(planner, group), orr_rank(first));
    if (image == UINT32_MAX || orr_sys_group_size(planner, image) != size) {
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t next =
            next_along(digit, orr_sys_group_rank(planner, group, sys_position(i)).rank);
        const struct sys_position at = orr_sys_group_position(planner, image, orr_rank(next));
        if (!sys_in_group(at) || (image != group && at.position != i)) {
            return false;
        }
    }
    return image != group || orr_sys_group_is_box(planner, group);
}

static bool groups_shift(const struct sys *planner, const struct orr_fold_digit *digit)
{
    const uint32_t groups = orr_sys_groups(planner);
    for (uint32_t group = 1; group < groups; group++) {
        if (!group_shifts(planner, group, digit)) {
            return false;
        }
    }
    return true;
}

/* Whether a node can run on a listed group; groups that no trace names do not matter. */
static bool names_groups(const struct wl_fold_job *job, uint32_t npus)
{
    const struct orr_trace *last = NULL;
    for (uint32_t rank = 0; rank < npus; rank++) {
        const struct orr_trace *trace = wl_trace_of(job->traces, orr_rank(rank));
        if (trace != last && trace->group_count != 0) {
            return true;
        }
        last = trace;
    }
    return false;
}

/* ---- nodes ---- */

struct fold_finder {
    const struct wl_fold_job *job;
    struct orr_arena *arena;
    struct orr_fold *fold;
    struct wl_fold_reasons *reasons;
    struct sys *planner;
    struct fold_graph *graph; /* NULL: no graph, or equivalent groups are folded */
    struct orr_diag *diag;
};

static void keep(struct fold_finder *fold_finder, uint64_t digits, const char *why)
{
    for (unsigned i = 0; i < fold_finder->fold->digits; i++) {
        if ((digits >> i & 1) != 0 && fold_finder->fold->digit[i].folded) {
            fold_finder->fold->digit[i].folded = false;
            fold_finder->reasons->why[i] = why;
        }
    }
}

static const char *describe_node(struct fold_finder *fold_finder, struct orr_rank rank,
                                 const struct orr_node *node, const char *what)
{
    const char *text = orr_arena_printf(fold_finder->arena, "node %llu (%s) of NPU %u %s",
                                        (unsigned long long)node->id, node->name, rank.rank, what);
    return text != NULL ? text : "a node distinguishes its ranks";
}

/* A peer at a fixed offset is in one class for all ranks of a class only if the offset changes kept
 * digits alone. A common peer of all ranks is not allowed. */
static void check_peer(struct fold_finder *fold_finder, struct orr_rank rank,
                       const struct orr_node *node)
{
    const struct orr_fold *fold = fold_finder->fold;
    const uint32_t peer = orr_node_peer(node, rank.rank, fold->npus);
    uint64_t digits = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        const struct orr_fold_digit *digit = &fold->digit[i];
        const bool changes =
            rank.rank / digit->stride % digit->size != peer / digit->stride % digit->size;
        const bool relative = (node->flags & ORR_NODE_RELATIVE_PEER) != 0;
        digits |= digit->folded && (changes || !relative) ? UINT64_C(1) << i : 0;
    }
    if (digits != 0) {
        keep(fold_finder, digits,
             describe_node(fold_finder, rank, node, "has a peer at another offset"));
    }
}

/* Collectives of equal kind, size, group and dimensions are equivalent: checked once. */
struct checked_collective {
    uint32_t group, mask;
    uint8_t comm;
    bool uneven;
    uint64_t bytes;
};

enum { MAX_CHECKED = 64 };

static bool was_checked(struct checked_collective *checked_collective, unsigned *count,
                        const struct checked_collective *one)
{
    for (unsigned i = 0; i < *count; i++) {
        if (checked_collective[i].group == one->group && checked_collective[i].mask == one->mask &&
            checked_collective[i].comm == one->comm && checked_collective[i].bytes == one->bytes &&
            checked_collective[i].uneven == one->uneven) {
            return true;
        }
    }
    checked_collective[*count < MAX_CHECKED ? (*count)++ : 0] = *one;
    return false;
}

/* Checks an all-reduce of equivalent groups. */
static void check_monolithic(struct fold_finder *fold_finder, struct orr_rank rank,
                             const struct orr_node *node, uint32_t group)
{
    const struct wl_fold_job *job = fold_finder->job;
    const char *why = node->comm != ORR_COMM_ALL_REDUCE
                          ? "is no all-reduce"
                          : orr_sys_mono_fold_check(fold_finder->planner, group, &job->all_reduce,
                                                    fold_finder->fold);
    if (why != NULL) {
        keep(fold_finder, UINT64_MAX, describe_node(fold_finder, rank, node, why));
    }
}

static enum orr_status check_collective(struct fold_finder *fold_finder, struct orr_rank rank,
                                        const struct orr_trace *trace, const struct orr_node *node,
                                        const struct checked_collective *one)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    const char *name = one->group != 0 ? trace->groups[one->group - 1] : "";
    const uint32_t group = orr_sys_group_named(fold_finder->planner, name, rank);
    uint64_t differing = 0;
    if (group == UINT32_MAX) {
        keep(fold_finder, UINT64_MAX,
             describe_node(fold_finder, rank, node, "names an unknown group"));
        return ORR_OK;
    }
    if (fold_finder->job->group_npus != 0) {
        check_monolithic(fold_finder, rank, node, group);
        return ORR_OK;
    }
    /* A class has one trace, so copies of a group have equal sizes; members of a group have not. */
    static const struct sys_sizes uneven;
    const struct sys_collective request = {.npu = orr_sys_slot_of_rank(fold_finder->planner, rank),
                                           .group = group,
                                           .sizes = one->uneven ? &uneven : NULL,
                                           .kind = orr_wl_coll_kind(node->comm),
                                           .bytes = node->amount,
                                           .root = orr_rank(extra != NULL ? extra->root : 0),
                                           .dim_mask = group == 0 ? one->mask : UINT32_MAX};
    struct orr_diag reason; /* a bad collective is reported when the engine is built */
    orr_diag_init(&reason);
    if (orr_sys_fold_check(fold_finder->planner, &request, fold_finder->fold, &differing,
                           &reason) != ORR_OK) {
        differing = UINT64_MAX;
    }
    if (differing != 0) {
        keep(fold_finder, differing,
             describe_node(fold_finder, rank, node,
                           one->uneven ? "is uneven: a size for each of its ranks"
                                       : "distinguishes its ranks"));
    }
    return ORR_OK;
}

static bool all_equal(const uint64_t *bytes, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && bytes[i] == bytes[0]) {
        i++;
    }
    return i >= count;
}

static bool all_have(const struct fold_finder *fold_finder, const struct orr_trace *trace)
{
    uint32_t rank = 0;
    while (rank < fold_finder->fold->npus &&
           wl_trace_of(fold_finder->job->traces, orr_rank(rank)) == trace) {
        rank++;
    }
    return rank == fold_finder->fold->npus;
}

/* Whether members of the group may have other sizes to send or receive. Equal sizes to and from all
 * are an even collective if all have this trace. */
static bool is_uneven(const struct fold_finder *fold_finder, const struct orr_trace *trace,
                      const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    return extra != NULL && orr_comm_is_uneven(&extra->sizes) &&
           (!all_equal(extra->sizes.send, extra->sizes.send_count) ||
            !all_equal(extra->sizes.recv, extra->sizes.recv_count) ||
            !all_have(fold_finder, trace));
}

static enum orr_status check_trace(struct fold_finder *fold_finder, struct orr_rank rank)
{
    const struct orr_trace *trace = wl_trace_of(fold_finder->job->traces, rank);
    struct checked_collective checked_collective[MAX_CHECKED];
    unsigned count = 0;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV) {
            check_peer(fold_finder, rank, node);
        } else if (node->kind == ORR_NODE_COLL) {
            const struct checked_collective one = {.group = node->group,
                                                   .mask = orr_wl_dim_mask(trace, node),
                                                   .comm = node->comm,
                                                   .uneven = is_uneven(fold_finder, trace, node),
                                                   .bytes = node->amount};
            if (!was_checked(checked_collective, &count, &one)) {
                status = check_collective(fold_finder, rank, trace, node, &one);
            }
        }
    }
    return status;
}

/* ---- the fixpoint ---- */

static uint64_t folded_of(const struct orr_fold *fold)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < fold->digits; i++) {
        digits |= fold->digit[i].folded ? UINT64_C(1) << i : 0;
    }
    return digits;
}

/* Whether messages between other NPUs can cross an NPU's links of the dimension. */
static bool can_have_transit(const struct net_config *network, unsigned d)
{
    const struct net_ops *ops = orr_net_backend_find(network->backend);
    return ops->folding != NULL && ops->folding->has_transit(network, d);
}

/* A link with transit messages represents the links of its class only if the entire dimension is
 * shifted: if one digit of such a dimension is kept, keeps the others. */
static void keep_entire_dims(struct fold_finder *fold_finder)
{
    const struct net_config *network = fold_finder->job->network;
    struct orr_fold *fold = fold_finder->fold;
    uint64_t stride = 1, end;
    if (fold_finder->job->group_npus != 0) {
        return; /* a flat graph has no transit */
    }
    for (unsigned d = 0; d < network->dims; d++, stride = end) {
        end = stride * network->dim[d].npus;
        if (!can_have_transit(network, d)) {
            continue;
        }
        uint64_t digits = 0, kept = 0;
        for (unsigned i = 0; i < fold->digits; i++) {
            const bool inside = fold->digit[i].stride >= stride && fold->digit[i].stride < end;
            digits |= inside ? UINT64_C(1) << i : 0;
            kept |= inside && !fold->digit[i].folded ? UINT64_C(1) << i : 0;
        }
        if (kept != 0) {
            keep(fold_finder, digits, "its links carry messages of ranks that are distinguished");
        }
    }
}

static void finish_round(struct fold_finder *fold_finder)
{
    keep_entire_dims(fold_finder);
    orr_fold_finish(fold_finder->fold);
}

/* Whether a digit's ranks are at different places of a mesh. Those of a mesh of two are alike. */
static bool is_in_mesh(const struct net_config *network, const struct orr_fold_digit *digit)
{
    uint64_t stride = 1, end;
    const uint64_t from = digit->stride, to = from * digit->size;
    bool in_mesh = false;
    for (unsigned d = 0; d < network->dims; d++, stride = end) {
        end = stride * network->dim[d].npus;
        const bool is_line = network->dim[d].block == NET_MESH && network->dim[d].npus > 2;
        in_mesh |= is_line && from < end && to > stride;
    }
    return in_mesh;
}

static void fold_equal_digits(struct fold_finder *fold_finder)
{
    struct orr_fold *fold = fold_finder->fold;
    const uint32_t groups = fold_finder->job->group_npus;
    const bool grouped = groups == 0 && fold_finder->job->traces->layout == NULL &&
                         names_groups(fold_finder->job, fold->npus);
    for (unsigned i = 0; i < fold->digits; i++) {
        struct orr_fold_digit *digit = &fold->digit[i];
        const char *why = NULL;
        if (groups != 0 && digit->stride < groups) {
            why = "only the equivalent groups of a task graph are folded";
        } else if (fold_finder->graph != NULL && fold_finder->reasons->why[i] != NULL) {
            why = fold_finder->reasons->why[i];
        } else if (groups == 0 && is_in_mesh(fold_finder->job->network, digit)) {
            why = "its ranks are on a mesh, whose ends differ from its middle";
        } else if (!same_traces(fold_finder->job, fold, digit)) {
            why = "its ranks have different traces";
        } else if (!same_speed(fold_finder->job, fold, digit)) {
            why = "its ranks compute at different speeds (compute.slowdown)";
        } else if (grouped && !groups_shift(fold_finder->planner, digit)) {
            why = "a communicator group has no equal one further along";
        }
        digit->folded = why == NULL;
        fold_finder->reasons->why[i] = why;
    }
    finish_round(fold_finder);
}

static enum orr_status check_nodes(struct fold_finder *fold_finder)
{
    uint64_t before;
    enum orr_status status = ORR_OK;
    do {
        struct orr_fold *fold = fold_finder->fold;
        before = folded_of(fold);
        if (before != 0 && fold_finder->job->model->ops != NULL) {
            status = orr_wl_add_model_groups(fold_finder->planner, fold_finder->job->model, fold,
                                             fold_finder->diag);
        }
        const uint32_t slots = fold->slots; /* representatives of this round */
        for (uint32_t slot = 0; slot < slots && before != 0 && status == ORR_OK; slot++) {
            status = check_trace(fold_finder, orr_fold_rank(fold, orr_slot(slot)));
        }
        finish_round(fold_finder);
    } while (status == ORR_OK && folded_of(fold_finder->fold) != before);
    return status;
}

static enum orr_status find_digits(struct fold_finder *fold_finder)
{
    fold_equal_digits(fold_finder);
    return check_nodes(fold_finder);
}

/* The graph, unless it is one switch and equivalent groups are folded. */
static const struct net_graph *graph_of(const struct wl_fold_job *job)
{
    return job->group_npus == 0 ? job->network->graph : NULL;
}

/* Incompatible digits are all kept: such graphs are rare. */
static enum orr_status find_on_graph(struct fold_finder *fold_finder)
{
    struct fold_graph *graph = orr_arena_alloc(fold_finder->arena, sizeof *graph);
    const struct net_config *network = fold_finder->job->network;
    bool fits = true;
    if (graph == NULL) {
        return orr_diag_no_memory(fold_finder->diag, "the fold");
    }
    fold_finder->graph = graph;
    enum orr_status status = orr_fold_graph_open(graph, network, fold_finder->fold,
                                                 fold_finder->reasons->why, fold_finder->diag);
    if (status == ORR_OK) {
        orr_sys_planner_set_symmetry(fold_finder->planner, &graph->planner_routes);
        status = find_digits(fold_finder);
    }
    if (status == ORR_OK) {
        status =
            orr_fold_graph_failed(graph)
                ? orr_diag_no_memory(fold_finder->diag, "the fold")
                : orr_fold_graph_fits(network->graph, fold_finder->fold, &fits, fold_finder->diag);
    }
    if (!fits) {
        keep(fold_finder, UINT64_MAX, "its ranks share links between switches");
        orr_fold_finish(fold_finder->fold);
    }
    orr_fold_graph_close(graph);
    return status;
}

enum orr_status orr_wl_fold_find(struct orr_arena *arena, const struct wl_fold_job *job,
                                 struct orr_fold *fold, struct wl_fold_reasons *reasons,
                                 struct orr_diag *diag)
{
    struct fold_finder fold_finder = {
        .job = job, .arena = arena, .fold = fold, .reasons = reasons, .diag = diag};
    orr_fold_init(fold, orr_net_npus(job->network));
    *reasons = (struct wl_fold_reasons){.why_nothing = orr_wl_unfoldable(job)};
    if (reasons->why_nothing != NULL) {
        return ORR_OK;
    }
    enum orr_status status =
        orr_sys_planner_create(&fold_finder.planner, job->system, job->network, arena, diag);
    if (status == ORR_OK && job->add_groups != NULL) {
        status = job->add_groups(job->context, fold_finder.planner, diag);
    }
    if (status == ORR_OK && orr_wl_folds_by_rotation(job)) {
        return orr_wl_fold_rotations(arena, job, fold_finder.planner, fold, reasons, diag);
    }
    if (status == ORR_OK && !orr_wl_fold_cut(job, fold_finder.planner, fold)) {
        orr_fold_init(fold, orr_net_npus(job->network));
        reasons->why_nothing = "the axes of the model end inside of the platform's dimensions";
        return ORR_OK;
    }
    if (status == ORR_OK) {
        status = graph_of(job) != NULL ? find_on_graph(&fold_finder) : find_digits(&fold_finder);
    }
    if (status != ORR_OK) {
        orr_fold_init(fold, orr_net_npus(job->network));
    }
    return status;
}
