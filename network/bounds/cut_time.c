/* What a cut means: its bandwidth, and the time of what crosses it; see cut_bounds.h. */
#include <math.h>

#include "core/arena.h"
#include "core/divide.h"
#include "network/bounds/cut_bounds.h"
#include "network/bounds/side.h"
#include "network/graph.h"

void orr_net_cut_fill(const struct net_graph *graph, bool reversed, struct net_cut *cut)
{
    cut->npus = 0;
    cut->bytes_per_s = 0;
    for (uint32_t n = 0; n < graph->npus; n++) {
        cut->npus += cut->side[n];
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t from = reversed ? link->to : link->from;
        const uint32_t to = reversed ? link->from : link->to;
        cut->bytes_per_s += cut->side[from] && !cut->side[to] ? net_link_capacity(link) : 0;
    }
}

/* The quotient as a double, for bandwidths that are no whole bytes/s or quotients beyond 128 bits.
 */
static sim_time rounded_time(const struct net_cut_load *load)
{
    const double bytes = (double)load->bytes * load->parts / load->divisor;
    const double ps = ceil(bytes / load->bytes_per_s * (double)ORR_PS_PER_S);
    return ps < (double)ORR_TIME_MAX ? (sim_time)ps : ORR_TIME_MAX;
}

sim_time orr_net_cut_time(const struct net_cut_load *load)
{
    const double most = 9007199254740992.0; /* 2^53 */
    if (load->bytes == 0 || load->parts == 0) {
        return 0;
    }
    const bool is_whole = load->bytes_per_s >= 1 && load->bytes_per_s < most &&
                          !(load->bytes_per_s < floor(load->bytes_per_s)) &&
                          !(load->bytes_per_s > floor(load->bytes_per_s));
    if (!is_whole || (double)load->bytes * load->parts > 1e26) {
        return load->bytes_per_s > 0 ? rounded_time(load) : ORR_TIME_MAX;
    }
    const orr_wide number = (orr_wide)load->bytes * load->parts * (orr_wide)ORR_PS_PER_S;
    const orr_wide per = (orr_wide)load->divisor * (uint64_t)load->bytes_per_s;
    const orr_wide ps = (number + per - 1) / per;
    return ps < (orr_wide)ORR_TIME_MAX ? (sim_time)ps : ORR_TIME_MAX;
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(a, b);
}

bool orr_net_switches_are_balanced(const struct net_graph *graph, struct orr_arena *arena)
{
    double *sum = orr_arena_array(arena, (size_t)graph->nodes * 2, sizeof *sum);
    bool is_balanced = sum != NULL;
    for (uint32_t i = 0; i < graph->links && is_balanced; i++) {
        const double capacity = net_link_capacity(&graph->link[i]);
        sum[2 * (size_t)graph->link[i].from] += capacity;
        sum[2 * (size_t)graph->link[i].to + 1] += capacity;
    }
    for (size_t n = graph->npus; n < graph->nodes && is_balanced; n++) {
        is_balanced = is_close(sum[2 * n], sum[2 * n + 1]);
    }
    return is_balanced;
}
