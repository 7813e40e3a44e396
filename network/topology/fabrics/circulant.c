/* Circulants: NPU i is linked to i + jump and i - jump for each jump, 1 <= jump < npus. A jump
 * coprime to npus makes a ring in each direction. A jump with a plus is one-way: i is linked to i +
 * jump only, with one transmitter and one receiver (TopoOpt, NSDI'23, Figs. 7 and 9), and makes one
 * ring. */
#include <inttypes.h>
#include <stdio.h>

#include "core/diag.h"
#include "core/divide.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { JUMP_BYTES = 16 };

static const char *text_of(const struct fabric_request *request, size_t i, char *text)
{
    (void)snprintf(text, JUMP_BYTES, "%s%" PRIu32, request->one_way[i] ? "+" : "",
                   request->number[i]);
    return text;
}

/* Whether two jumps link an NPU to the same other one. */
static bool is_same_jump(const struct fabric_request *request, size_t i, size_t j)
{
    const uint32_t one = request->number[i], two = request->number[j];
    const bool both_one_way = request->one_way[i] && request->one_way[j];
    return one == two || (one + two == request->npus && !both_one_way);
}

static enum orr_status check_jump(const struct fabric_request *request, size_t i,
                                  struct orr_diag *diag)
{
    const uint32_t npus = request->npus, *jumps = request->number;
    if (jumps[i] == 0 || jumps[i] >= npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "circulant: expected jumps from 1 to %" PRIu32 " among %" PRIu32
                             " NPUs, got %" PRIu32,
                             npus - 1, npus, jumps[i]);
    }
    for (size_t j = 0; j < i; j++) {
        if (is_same_jump(request, i, j)) {
            char one[JUMP_BYTES], two[JUMP_BYTES];
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "circulant: expected each jump once, in either direction; got %s "
                                 "and %s among %" PRIu32 " NPUs",
                                 text_of(request, j, one), text_of(request, i, two), npus);
        }
    }
    return ORR_OK;
}

static enum orr_status check(const struct fabric_request *request, struct orr_diag *diag)
{
    const uint32_t npus = request->npus;
    uint32_t divisor = npus;
    for (size_t i = 0; i < request->numbers; i++) {
        if (check_jump(request, i, diag) != ORR_OK) {
            return ORR_ERR_INPUT;
        }
        divisor = orr_gcd(divisor, request->number[i]);
    }
    if (divisor != 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "circulant: expected jumps that reach every NPU, got multiples of "
                             "%" PRIu32 " among %" PRIu32 " NPUs: the graph has %" PRIu32 " "
                             "components",
                             divisor, npus, divisor);
    }
    return npus <= NET_MAX_NODES && (uint64_t)npus * request->numbers <= NET_MAX_LINKS / 2
               ? ORR_OK
               : orr_fabric_too_large(npus, 2.0 * npus * (double)request->numbers, diag);
}

static void join_one_way(const struct fabric_request *request, uint32_t jump,
                         struct net_graph_builder *builder)
{
    const uint32_t npus = request->npus;
    for (uint32_t i = 0; i < npus; i++) {
        orr_net_graph_link(builder,
                           &(struct net_link){.from = i,
                                              .to = (uint32_t)(((uint64_t)i + jump) % npus),
                                              .count = 1,
                                              .bytes_per_s = request->kind.bytes_per_s,
                                              .latency_ps = request->kind.latency_ps});
    }
    (void)orr_net_graph_ring(builder, npus, (int32_t)jump);
}

static void join_jump(const struct fabric_request *request, uint32_t jump,
                      struct net_graph_builder *builder)
{
    const uint32_t npus = request->npus;
    const bool half = 2 * (uint64_t)jump == npus; /* i + jump and i - jump are the same NPU */
    for (uint32_t i = 0; i < npus && !half; i++) {
        orr_fabric_join(builder, i, (uint32_t)(((uint64_t)i + jump) % npus), request->kind);
    }
    for (uint32_t i = 0; i < npus / 2 && half; i++) {
        orr_fabric_join(builder, i, i + jump, request->kind);
    }
    (void)orr_net_graph_ring(builder, npus, (int32_t)jump);
    if (!half) {
        (void)orr_net_graph_ring(builder, npus, -(int32_t)jump);
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    const enum orr_status status = check(request, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_net_graph_begin(&builder, request->arena, request->npus, 0);
    for (size_t j = 0; j < request->numbers; j++) {
        if (request->one_way[j]) {
            join_one_way(request, request->number[j], &builder);
        } else {
            join_jump(request, request->number[j], &builder);
        }
    }
    return orr_net_graph_end(&builder, graph, diag);
}

const struct net_fabric_ops orr_fabric_circulant = {.name = "circulant",
                                                    .form = "circulant:JUMP,...",
                                                    .example = "circulant:1,5",
                                                    .example_npus = 16,
                                                    .min = 1,
                                                    .max = FABRIC_MAX_NUMBERS,
                                                    .one_way = true,
                                                    .routing = NET_ROUTES_SPREAD,
                                                    .build = build};
