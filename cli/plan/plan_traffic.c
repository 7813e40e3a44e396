/* Traffic of a strategy; see plan_traffic.h. */
#include "cli/plan/plan_traffic.h"

#include <inttypes.h>

#include "core/units.h"
#include "network/graph.h"
#include "planner/evaluator/evaluator.h"
#include "report/table_text.h"

static int64_t ps_of(double seconds)
{
    return (int64_t)(seconds * 1e12 + 0.5);
}

static void print_load(const char *label, const struct eval_load *load)
{
    char mean[ORR_FORMAT_BYTES], max[ORR_FORMAT_BYTES];
    printf("%-18s mean %s, max %s (%.2f x), min %.1f %% below that\n", label,
           orr_format_time(ps_of(load->mean), mean, sizeof mean),
           orr_format_time(ps_of(load->max), max, sizeof max), load->max / load->mean,
           100 * (1 - load->min / load->max));
}

void orr_plan_traffic_table(const struct eval_traffic *traffic)
{
    if (!(traffic->all.max > 0)) {
        return; /* no traffic */
    }
    printf("bandwidth tax      %.3f\n", traffic->tax);
    print_load("links busy", &traffic->all);
    if (traffic->transfers.max > 0) {
        print_load("  by transfers", &traffic->transfers);
        printf("  hops             %.3f of a transferred byte\n", traffic->hops_mean);
    }
}

static void print_load_json(FILE *out, const char *name, const struct eval_load *load)
{
    (void)fprintf(out,
                  "  \"%s_mean_ps\": %" PRId64 ",\n  \"%s_least_ps\": %" PRId64
                  ",\n  \"%s_most_ps\": %" PRId64 ",\n",
                  name, ps_of(load->mean), name, ps_of(load->min), name, ps_of(load->max));
}

void orr_plan_traffic_json(FILE *out, const struct eval_traffic *traffic)
{
    (void)fprintf(out,
                  "  \"bandwidth_tax\": %.6f,\n  \"transfer_bytes\": %.0f,\n"
                  "  \"all_reduce_bytes\": %.0f,\n  \"transfer_hops\": %.6f,\n",
                  traffic->tax, traffic->transfer_bytes, traffic->reduce_bytes, traffic->hops_mean);
    print_load_json(out, "links", &traffic->all);
    print_load_json(out, "links_by_transfers", &traffic->transfers);
}

int orr_plan_link_stats_write(FILE *out, const void *context)
{
    const struct orr_plan_link_stats *stats = context;
    const struct net_graph *graph = stats->graph;
    char name[NET_NODE_BYTES];
    (void)fputs("from,to,links,bandwidth_bytes_per_s,transfer_bytes,all_reduce_bytes,busy_ps,"
                "transfers_busy_ps\n",
                out);
    for (uint32_t l = 0; l < graph->links; l++) {
        const struct net_link *link = &graph->link[l];
        const double transfers = (double)stats->link[l].transfers;
        const double all = transfers + (double)stats->link[l].reduces;
        const double capacity = net_link_capacity(link);
        orr_csv_text(out, orr_net_node_name(graph, link->from, name));
        (void)fputc(',', out);
        orr_csv_text(out, orr_net_node_name(graph, link->to, name));
        (void)fprintf(out, ",%" PRIu32 ",%.15g,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 "\n",
                      link->count, link->bytes_per_s, stats->link[l].transfers,
                      stats->link[l].reduces, ps_of(all / capacity), ps_of(transfers / capacity));
    }
    return ferror(out) ? 1 : 0;
}
