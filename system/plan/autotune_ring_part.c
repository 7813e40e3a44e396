/* Loads of a group that has a part of a ring, or is on a mesh: its messages are laid on the ports
 * that they pass.
 *
 * A part is no ring: what closes it goes back over the ports between, or on around the ring over
 * those of other NPUs, whichever is shorter. Ports differ in load, so the fullest counts. A message
 * adds its bytes to consecutive ports: sums of differences at its ends give all loads. */
#include "network/coordinates.h"
#include "system/plan/autotune.h"
#include "system/plan/companions.h"
#include "system/plan/planning.h"

enum { MAX_MEMBERS = 512, MAX_SENDS = 8192 };

struct net_route orr_sys_ring_part_route(const struct net_dim *block, struct sys_row row,
                                         uint32_t from, uint32_t to)
{
    const struct net_config line = {.dims = 1, .dim = block};
    return orr_net_route(&line, (row.first + from * row.step) % block->npus,
                         (row.first + to * row.step) % block->npus);
}

/* Differences of the loads of neighboring ports, by direction and NPU. */
struct loads {
    double *of[2]; /* [npus + 1] */
    uint32_t npus;
};

/* Adds bytes to the ports of `hops` NPUs, from `first` up. */
static void add(struct loads *loads, unsigned way, uint32_t first, uint32_t hops, double bytes)
{
    const uint32_t end = first + hops;
    loads->of[way][first] += bytes;
    loads->of[way][end < loads->npus ? end : loads->npus] -= bytes;
    if (end > loads->npus) {
        loads->of[way][0] += bytes;
        loads->of[way][end - loads->npus] -= bytes;
    }
}

static void add_rank(struct loads *loads, const struct sys_phase *phase,
                     const struct coll_args *args, const struct sys_ring_part *part)
{
    const uint32_t sends = phase->algorithm->sends(args), npus = loads->npus;
    const uint32_t every = sends > MAX_SENDS ? sends / MAX_SENDS : 1;
    for (uint32_t k = 0; k < sends; k += every) {
        struct coll_send send;
        phase->algorithm->send(args, k, &send);
        const struct net_route route =
            orr_sys_ring_part_route(part->block, part->row, args->rank, send.peer);
        const uint32_t at = (part->row.first + args->rank * part->row.step) % npus;
        const double bytes = ((double)send.bytes + part->overhead_bytes) * every;
        if (net_goes_down(part->block, &route, send.backwards)) {
            const uint32_t hops = route.hops; /* of the NPUs down to the one above the peer */
            add(loads, part->ports > 1, (at + npus - hops + 1) % npus, hops, bytes);
        } else {
            add(loads, 0, at, route.hops, bytes);
        }
    }
}

/* ---- companions on the same line ---- */

static bool is_on_line(const struct sys *sys, const struct sys_group *group,
                       const struct sys_group *other, unsigned dim)
{
    bool on = other->box_dims != 0;
    for (unsigned d = 0; d < sys->net->config->dims && on; d++) {
        const struct sys_row a = orr_sys_group_row(sys, group, d);
        const struct sys_row b = orr_sys_group_row(sys, other, d);
        on = a.n == b.n && a.step == b.step && (d == dim || a.first == b.first);
    }
    return on;
}

static void add_group(const struct sys_operation *operation, const struct sys_phase *phase,
                      const struct sys_ring_part *part, struct loads *loads)
{
    struct coll_args args = orr_sys_phase_args(operation, phase);
    for (args.rank = 0; args.rank < args.n; args.rank++) {
        add_rank(loads, phase, &args, part);
    }
}

static void add_companions(const struct sys *sys, const struct sys_operation *operation,
                           const struct sys_phase *phase, const struct sys_ring_part *part,
                           struct loads *loads)
{
    const struct sys_companions *with = orr_sys_companions_of(sys, operation->group);
    for (uint32_t c = 0; with != NULL && c < with->count; c++) {
        if (is_on_line(sys, operation->group, with->of[c], part->dim)) {
            struct sys_ring_part other = *part;
            other.row = orr_sys_group_row(sys, with->of[c], part->dim);
            add_group(operation, phase, &other, loads);
        }
    }
}

static double fullest(const struct loads *loads)
{
    double max = 0;
    for (unsigned way = 0; way < 2; way++) {
        double bytes = 0;
        for (uint32_t i = 0; i < loads->npus; i++) {
            bytes += loads->of[way][i];
            max = bytes > max ? bytes : max;
        }
    }
    return max;
}

double orr_sys_ring_part_bytes(const struct sys *sys, const struct sys_operation *operation,
                               const struct sys_phase *phase, const struct sys_ring_part *part)
{
    const uint32_t npus = sys->net->config->dim[part->dim].npus;
    struct loads loads = {.npus = npus};
    double bytes = 0;
    loads.of[0] = orr_heap_calloc((size_t)npus + 1, sizeof(double));
    loads.of[1] = orr_heap_calloc((size_t)npus + 1, sizeof(double));
    if (loads.of[0] != NULL && loads.of[1] != NULL && part->row.n <= MAX_MEMBERS) {
        add_group(operation, phase, part, &loads);
        add_companions(sys, operation, phase, part, &loads);
        bytes = fullest(&loads);
    }
    orr_heap_free(loads.of[0]);
    orr_heap_free(loads.of[1]);
    return bytes;
}
