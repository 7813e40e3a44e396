/* Folded Clos networks: extended generalized fat-trees (Öhring et al., IPPS'95), M1,W1,M2,W2,...: a
 * switch of level i has Mi nodes of the level below, each of which has Wi switches of level i. M1
 * is the hosts of a leaf, W1 the leaves of a host: 1, or 2 for a dual ToR, or one for each plane.
 * Mi over W(i+1) is the oversubscription of level i. The j-th switches of all tiers above a host's
 * j-th leaf are a plane of their own.
 *
 * A node of level i has the digits a(h)...a(i+1) of which subtree it is in, and b(i)...b(1) of
 * which switch of that subtree; two nodes of neighbouring levels are linked if all digits that both
 * have are equal. */
#include <inttypes.h>

#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_rotation.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { MAX_LEVELS = 6 };

struct clos {
    unsigned levels;
    uint64_t below[MAX_LEVELS + 1], above[MAX_LEVELS + 1]; /* [i] M and W of level i, from 1 */
    uint64_t first[MAX_LEVELS + 1], nodes[MAX_LEVELS + 1]; /* of a level; level 0: hosts */
};

static enum orr_status fail(const struct fabric_request *request, struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "clos: expected pairs M,W of each level, M nodes below a switch and W "
                         "switches above each of these, 1 or more, whose M multiply to the number "
                         "of NPUs, %" PRIu32 ", such as clos:8,1,4,4 for 32",
                         request->npus);
}

static enum orr_status read_shape(const struct fabric_request *request, struct clos *shape,
                                  struct orr_diag *diag)
{
    uint64_t hosts = 1, links = 0;
    *shape = (struct clos){.levels = (unsigned)request->numbers / 2, .nodes = {request->npus}};
    for (unsigned i = 1; i <= shape->levels; i++) {
        shape->below[i] = request->number[2 * i - 2];
        shape->above[i] = request->number[2 * i - 1];
        hosts *= shape->below[i];
        if (hosts == 0 || hosts > request->npus || shape->above[i] == 0) {
            return fail(request, diag);
        }
    }
    if (request->numbers % 2 != 0 || hosts != request->npus) {
        return fail(request, diag);
    }
    for (unsigned i = 1; i <= shape->levels; i++) {
        shape->first[i] = shape->first[i - 1] + shape->nodes[i - 1];
        links += shape->nodes[i - 1] * shape->above[i];
        shape->nodes[i] = shape->nodes[i - 1] / shape->below[i] * shape->above[i];
        if (shape->first[i] + shape->nodes[i] > NET_MAX_NODES || links > NET_MAX_LINKS / 2) {
            return orr_fabric_too_large((double)(shape->first[i] + shape->nodes[i]),
                                        2 * (double)links, diag);
        }
    }
    return ORR_OK;
}

/* Nodes of a level are numbered by subtree, then by switch: number = subtree x switches + switch,
 * with b(i) as the highest digit of the switch. */
static void join_level(const struct clos *shape, unsigned level, struct net_link_kind kind,
                       struct net_graph_builder *builder)
{
    uint64_t switches = 1; /* of a subtree at the level below */
    for (unsigned i = 1; i < level; i++) {
        switches *= shape->above[i];
    }
    for (uint64_t node = 0; node < shape->nodes[level - 1]; node++) {
        const uint64_t subtree = node / switches / shape->below[level], digit = node % switches;
        for (uint64_t w = 0; w < shape->above[level]; w++) {
            const uint64_t up = subtree * switches * shape->above[level] + w * switches + digit;
            orr_fabric_join(builder, (uint32_t)(shape->first[level - 1] + node),
                            (uint32_t)(shape->first[level] + up), kind);
        }
    }
}

static enum orr_status build(const struct fabric_request *request, struct net_graph *graph,
                             struct orr_diag *diag)
{
    struct net_graph_builder builder;
    struct clos shape;
    uint32_t sizes[MAX_LEVELS];
    enum orr_status status = read_shape(request, &shape, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t nodes = shape.first[shape.levels] + shape.nodes[shape.levels];
    orr_net_graph_begin(&builder, request->arena, request->npus, (uint32_t)(nodes - request->npus));
    for (unsigned i = 1; i <= shape.levels; i++) {
        join_level(&shape, i, request->kind, &builder);
        sizes[i - 1] = (uint32_t)shape.below[i];
    }
    status = orr_net_graph_end(&builder, graph, diag);
    orr_net_graph_number(graph, sizes, shape.levels);
    return status;
}

const struct net_fabric_ops orr_fabric_clos = {.name = "clos",
                                               .form = "clos:M,W[,M,W...]",
                                               .example = "clos:8,1,4,4",
                                               .example_npus = 32,
                                               .min = 2,
                                               .max = 2 * (size_t)MAX_LEVELS,
                                               .routing = NET_ROUTES_SPREAD,
                                               .build = build};
