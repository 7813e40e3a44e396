/* Bounds of collectives as a table. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/pictures/pictures.h"
#include "report/table_text.h"
#include "report/topology/bound_report.h"

/* What the bytes of a request are. */
static const char *meaning_of(enum coll_kind kind)
{
    switch (kind) {
    case COLL_ALL_GATHER:
        return "from each NPU";
    case COLL_REDUCE_SCATTER:
        return "of each NPU's input";
    case COLL_ALL_TO_ALL:
        return "from each NPU to all";
    case COLL_BROADCAST:
        return "from the root";
    default:
        return "of each NPU";
    }
}

/* "all but 3" where that is shorter. */
static void print_side(FILE *out, const struct orr_bound *bound, const struct net_cut *cut)
{
    char text[NET_NPUS_BYTES];
    const uint32_t npus = bound->view->graph.npus;
    const struct net_npu_flags side = {cut->side, npus};
    const bool most = cut->npus > npus / 2;
    orr_print(out, "%" PRIu32 " NPU%s, %s%s", cut->npus, orr_plural(cut->npus),
              most ? "all but " : "", orr_net_describe_npus(side, !most, text, sizeof text));
}

static void print_cut(FILE *out, const struct orr_bound *bound, const struct net_cut *cut,
                      bool reversed)
{
    char text[ORR_FORMAT_BYTES];
    if (cut->npus == 0) {
        return;
    }
    const char *name = bound->request.kind != COLL_ALL_REDUCE ? "bottleneck cut"
                       : reversed                             ? "cut of the reduction"
                                                              : "cut of the gathering";
    orr_print(out, "%-21s ", name);
    print_side(out, bound, cut);
    orr_print(out, ": %s %s\n", orr_format_bandwidth(cut->bytes_per_s, text, sizeof text),
              reversed ? "enter them" : "leave them");
    if (bound->request.kind == COLL_ALL_TO_ALL) {
        orr_print(out, "%-21s %s\n", "by that cut alone",
                  orr_format_time(bound->cut_ps, text, sizeof text));
    }
}

bool orr_bound_text(FILE *out, const struct orr_bound *bound)
{
    const struct orr_bound_request *request = &bound->request;
    const uint32_t npus = bound->view->graph.npus;
    char bytes[ORR_FORMAT_BYTES], time[ORR_FORMAT_BYTES];
    orr_print(out, "%s: %s over %" PRIu32 " NPU%s, %s %s\n\n", bound->view->name,
              orr_coll_kind_name(request->kind), npus, orr_plural(npus),
              orr_format_bytes(request->bytes, bytes, sizeof bytes), meaning_of(request->kind));
    orr_print(out, "%-21s %s, latency not counted\n", "bound",
              orr_format_time(bound->bound_ps, time, sizeof time));
    if (bound->optimum_ps == ORR_NO_OPTIMUM && request->kind == COLL_ALL_TO_ALL) {
        orr_print(out, "%-21s at most %s, by the flows that were found\n", "optimum",
                  orr_format_time(bound->reached_ps, time, sizeof time));
    } else if (bound->optimum_ps == ORR_NO_OPTIMUM) {
        orr_print(out, "%-21s not known: a switch receives more than it sends, or less\n",
                  "optimum");
    } else {
        orr_print(out, "%-21s %s%s\n", "optimum",
                  orr_format_time(bound->optimum_ps, time, sizeof time),
                  request->kind == COLL_ALL_REDUCE   ? ", of a reduce-scatter, then an all-gather"
                  : request->kind == COLL_ALL_TO_ALL ? ", by flows"
                                                     : ", by spanning trees");
    }
    if (request->kind == COLL_ALL_REDUCE) {
        print_cut(out, bound, &bound->reduce, true);
    }
    print_cut(out, bound, &bound->cut, orr_bound_is_reversed(bound));
    return fflush(out) == 0 && !ferror(out);
}
