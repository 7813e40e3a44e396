/* Bounds and optima of collectives on a graph; see bound_report.h.
 *
 * In a block of b bytes an all-gather takes at least b x (NPUs in a side) / (bandwidth that leaves
 * it), for each side of a cut that lacks an NPU; a reduce-scatter the same where links enter; a
 * broadcast of b bytes b / bandwidth, for each side with the root. Spanning trees reach the largest
 * of these where switches send as much as they receive (ForestColl). An all-reduce is a
 * reduce-scatter and an all-gather of bytes / n. An all-to-all has bytes / n for each pair. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph.h"
#include "report/pictures/pictures.h"
#include "report/topology/bound_report.h"

bool orr_bound_supports(enum coll_kind kind)
{
    return kind == COLL_ALL_GATHER || kind == COLL_REDUCE_SCATTER || kind == COLL_ALL_REDUCE ||
           kind == COLL_BROADCAST || kind == COLL_ALL_TO_ALL;
}

static enum orr_status check(const struct orr_graph_view *view,
                             const struct orr_bound_request *request, struct orr_diag *diag)
{
    if (!view->has_bandwidths) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "bandwidth: expected that of links such as \"100 Gb/s\"");
    }
    return request->root < view->graph.npus
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "root: expected an NPU from 0 to %" PRIu32 ", got %" PRIu32,
                               view->graph.npus - 1, request->root);
}

static enum orr_status check_cut(const struct orr_graph_view *view, const struct net_cut *cut,
                                 bool reversed, struct orr_diag *diag)
{
    char from[NET_NPUS_BYTES], to[NET_NPUS_BYTES];
    const struct net_npu_flags side = {cut->side, view->graph.npus};
    if (cut->npus == 0 || cut->bytes_per_s > 0) {
        return ORR_OK;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: expected a path from every NPU to every other, got no link that "
                         "leads from the NPUs %s to the NPUs %s",
                         orr_net_describe_npus(side, !reversed, from, sizeof from),
                         orr_net_describe_npus(side, reversed, to, sizeof to));
}

static enum orr_status find_cut(const struct orr_bound *bound, bool reversed, struct net_cut *out,
                                struct orr_diag *diag)
{
    const struct orr_graph_view *view = bound->view;
    const enum orr_status status =
        bound->request.kind == COLL_BROADCAST
            ? orr_net_broadcast_cut(&view->graph, bound->request.root, view->arena, out, diag)
            : orr_net_gather_cut(&view->graph, reversed, view->arena, out, diag);
    return status == ORR_OK ? check_cut(view, out, reversed, diag) : status;
}

/* Time of `times` collectives that the cut limits. */
static sim_time time_of(const struct orr_bound *bound, const struct net_cut *cut, uint32_t times)
{
    const enum coll_kind kind = bound->request.kind;
    const bool is_whole = kind == COLL_ALL_GATHER || kind == COLL_BROADCAST;
    const struct net_cut_load load = {.bytes = cut->npus != 0 ? bound->request.bytes : 0,
                                      .parts = kind == COLL_BROADCAST ? 1 : cut->npus * times,
                                      .divisor = is_whole ? 1 : bound->view->graph.npus,
                                      .bytes_per_s = cut->bytes_per_s};
    return orr_net_cut_time(&load);
}

/* Whether two cuts take the same time. */
static bool are_equal(const struct net_cut *a, const struct net_cut *b)
{
    const double left = a->npus * b->bytes_per_s, right = b->npus * a->bytes_per_s;
    return !(left < right) && !(left > right);
}

/* The bound of an all-to-all; its NPUs reach each other. */
static enum orr_status compute_exchange(struct orr_bound *bound, struct orr_diag *diag)
{
    const struct orr_graph_view *view = bound->view;
    const uint32_t npus = view->graph.npus;
    const uint64_t bytes = bound->request.bytes;
    const enum orr_status status =
        orr_net_exchange_bound(&view->graph, view->arena, &bound->exchange, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct net_exchange found = bound->exchange;
    found.least = found.most;
    bound->cut = bound->exchange.cut;
    bound->bound_ps = orr_net_exchange_time(&bound->exchange, npus, bytes);
    bound->reached_ps = orr_net_exchange_time(&found, npus, bytes);
    bound->optimum_ps = bound->exchange.is_optimal ? bound->bound_ps : ORR_NO_OPTIMUM;
    bound->cut_ps =
        orr_net_cut_time(&(struct net_cut_load){.bytes = bytes,
                                                .parts = bound->cut.npus * (npus - bound->cut.npus),
                                                .divisor = npus,
                                                .bytes_per_s = bound->cut.bytes_per_s});
    return ORR_OK;
}

enum orr_status orr_bound_compute(const struct orr_graph_view *view,
                                  const struct orr_bound_request *request, struct orr_bound *out,
                                  struct orr_diag *diag)
{
    enum orr_status status = check(view, request, diag);
    *out = (struct orr_bound){.view = view, .request = *request, .optimum_ps = ORR_NO_OPTIMUM};
    status = status == ORR_OK ? find_cut(out, orr_bound_is_reversed(out), &out->cut, diag) : status;
    if (status == ORR_OK && request->kind == COLL_ALL_REDUCE) {
        status = find_cut(out, true, &out->reduce, diag);
    }
    if (status != ORR_OK || request->kind == COLL_ALL_TO_ALL) {
        return status == ORR_OK ? compute_exchange(out, diag) : status;
    }
    if (request->kind != COLL_ALL_REDUCE) {
        out->bound_ps = time_of(out, &out->cut, 1);
    } else if (are_equal(&out->cut, &out->reduce)) {
        out->bound_ps = time_of(out, &out->cut, 2);
    } else {
        out->bound_ps = orr_time_add(time_of(out, &out->cut, 1), time_of(out, &out->reduce, 1));
    }
    if (orr_net_switches_are_balanced(&view->graph, view->arena)) {
        out->optimum_ps = out->bound_ps;
    }
    out->cut_ps = out->bound_ps;
    out->reached_ps = out->optimum_ps;
    return ORR_OK;
}
