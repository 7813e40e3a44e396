/* Slim Fly (Besta and Hoefler, SC'14): switches in a graph of McKay, Miller and Širáň, in which any
 * two are at most two links apart. For a prime q = 4w + d, d = 1 or -1, it has 2 q^2 switches of
 * degree (3q - d)/2: (0,x,y) and (0,x,y') are linked if y - y' is in X, (1,m,c) and (1,m,c') if c -
 * c' is in X', (0,x,y) and (1,m,c) if y = mx + c. X are the even powers of a primitive element, X'
 * the odd ones; for d = -1 each half of them, and the negatives. Half as many hosts as links,
 * rounded up, are at a switch, unless it is said; NPUs fill the switches in order. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { MAX_Q = 181 };

static bool is_prime(uint32_t q)
{
    for (uint32_t f = 2; f * f <= q; f++) {
        if (q % f == 0) {
            return false;
        }
    }
    return q > 1;
}

/* The least element whose powers are all of 1 to q - 1. */
static uint32_t primitive_of(uint32_t q)
{
    for (uint32_t g = 2; g < q; g++) {
        uint32_t power = g, order = 1;
        for (; power != 1; power = power * g % q) {
            order++;
        }
        if (order == q - 1) {
            return g;
        }
    }
    return 1;
}

/* Marks X (which = 0) or X' (which = 1). */
static void mark_set(uint32_t q, unsigned which, bool *in)
{
    const uint32_t g = primitive_of(q), count = q % 4 == 1 ? (q - 1) / 2 : (q + 1) / 4;
    uint32_t power = which == 0 ? 1 : g;
    for (uint32_t i = 0; i < count; i++) {
        in[power] = true;
        in[q - power] = true; /* for d = 1 it is in the set by itself */
        power = power * g % q * g % q;
    }
}

static void join_switches(const struct fabric_request *request, uint32_t q, const bool *in,
                          struct net_graph_builder *builder)
{
    const uint32_t first = request->npus, second = first + q * q;
    for (uint32_t x = 0; x < q; x++) {
        for (uint32_t y = 0; y < q; y++) {
            for (uint32_t other = y + 1; other < q; other++) {
                if (in[other - y]) {
                    orr_fabric_join(builder, first + x * q + y, first + x * q + other,
                                    request->kind);
                }
                if (in[q + other - y]) {
                    orr_fabric_join(builder, second + x * q + y, second + x * q + other,
                                    request->kind);
                }
            }
            for (uint32_t m = 0; m < q; m++) {
                const uint32_t c = (y + q - m * x % q) % q;
                orr_fabric_join(builder, first + x * q + y, second + m * q + c, request->kind);
            }
        }
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const uint32_t q = request->number[0], npus = request->npus;
    if (q < 3 || q > MAX_Q || !is_prime(q)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "slim-fly: expected an odd prime up to %d, got %" PRIu32, MAX_Q, q);
    }
    const uint32_t degree = (3 * q - (q % 4 == 1 ? 1 : 0) + (q % 4 == 3 ? 1 : 0)) / 2;
    const uint32_t hosts = request->numbers > 1 ? request->number[1] : (degree + 1) / 2;
    if (hosts == 0 || npus > 2 * (uint64_t)q * q * hosts) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "slim-fly: expected at most %" PRIu64 " NPUs with %" PRIu32
                             " at each of %" PRIu32 " switches, got %" PRIu32,
                             2 * (uint64_t)q * q * hosts, hosts, 2 * q * q, npus);
    }
    if (npus > NET_MAX_NODES - 2 * q * q) {
        return orr_fabric_too_large(npus + 2.0 * q * q, 2.0 * q * q * degree + 2.0 * npus, diag);
    }
    bool *in = orr_arena_array(request->arena, 2 * (size_t)q, sizeof *in);
    if (in == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    mark_set(q, 0, in);
    mark_set(q, 1, in + q);
    orr_net_graph_begin(&builder, request->arena, npus, 2 * q * q);
    orr_fabric_join_hosts(&builder, request, npus, hosts);
    join_switches(request, q, in, &builder);
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_slim_fly = {.name = "slim-fly",
                                                   .form = "slim-fly:Q[,HOSTS]",
                                                   .example = "slim-fly:3",
                                                   .example_npus = 54,
                                                   .min = 1,
                                                   .max = 2,
                                                   .routing = NET_ROUTES_SPREAD,
                                                   .build = build};
