/* User-defined all-reduce rings of a graph: see graph_read_private.h. A ring is one of
 *
 *   npus, jumps     for any group of `npus`: each step adds the sum of the jumps to the position
 *   npus, order     for any group of `npus`: the positions in the order of the ring
 *   members         for the group of these NPUs, in the order of the ring
 *   steps           for one group: the nodes on the path of each step */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/graph.h"
#include "network/read/graph_read_private.h"

struct ring_section {
    int64_t npus;
    struct orr_conf_list jumps, order, members, steps;
};

static const struct orr_key ring_keys[] = {
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct ring_section, npus),
     .absent = "one group only",
     .low = 2,
     .high = NET_MAX_NODES,
     .example = "npus: 2",
     .doc = "size of a group; the ring is for any group of this size"},
    {.name = "jumps",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct ring_section, jumps),
     .absent = "1, or the order given",
     .list = true,
     .min = 1,
     .low = -NET_MAX_NODES,
     .high = NET_MAX_NODES,
     .example = "jumps: [1]",
     .doc = "positions that a step of the ring adds, over as many links"},
    {.name = "order",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct ring_section, order),
     .absent = "by the jumps",
     .list = true,
     .min = 2,
     .high = NET_MAX_NODES,
     .example = "order: [0, 1]",
     .doc = "the positions in the order of the ring, each once, instead of jumps"},
    {.name = "members",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct ring_section, members),
     .absent = "any group of this size",
     .list = true,
     .min = 2,
     .example = "members: [0, 1]",
     .doc = "the NPUs of the one group of the ring, in its order"},
    {.name = "steps",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct ring_section, steps),
     .absent = "by routes from one to the next",
     .list = true,
     .min = 2,
     .example = "steps: [0 1, 1 0]",
     .doc = "instead of members: each step's nodes, from a member to the next, with those between"},
};

static const char *const one_of[] = {"members", "steps", "npus", NULL};
const struct orr_key_table orr_graph_ring_table = {"a ring", ring_keys,
                                                   sizeof ring_keys / sizeof *ring_keys, one_of};

struct rings {
    struct graph_reader *reader;
    const struct net_graph *graph;
    struct net_graph_builder builder; /* collects the rings */
    struct net_route_links *way;
    size_t ways, way_alloc;
    uint32_t *last_visit; /* [nodes], stamp of the last ring or step with it; from 1 on */
    uint32_t stamp;
};

/* ---- members ---- */

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the network's rings");
}

static enum orr_status read_npu(const struct rings *rings, const struct orr_conf *at,
                                const char *text, uint32_t *out)
{
    const enum orr_status status = orr_graph_read_node(rings->reader, at, text, out);
    return status != ORR_OK || *out < rings->graph->npus
               ? status
               : orr_graph_read_fail(rings->reader, at, "expected an NPU, which is no switch",
                                     text);
}

/* Stamps the node; false if it had this stamp already. */
static bool mark(struct rings *rings, uint32_t node)
{
    const bool fresh = rings->last_visit[node] != rings->stamp;
    rings->last_visit[node] = rings->stamp;
    return fresh;
}

static enum orr_status add_ring(struct rings *rings, const uint32_t *member, size_t count,
                                uint32_t way)
{
    const struct net_ring ring = {.npus = (uint32_t)count, .member = member, .way = way};
    orr_net_graph_add_ring(&rings->builder, &ring);
    return ORR_OK;
}

static enum orr_status read_members(struct rings *rings, const struct orr_conf *map,
                                    const struct ring_section *section)
{
    const struct orr_conf *at = orr_conf_get(map, "members");
    const char *const *listed = section->members.values;
    const size_t count = section->members.count;
    uint32_t *member = orr_arena_array(rings->reader->arena, count, sizeof *member);
    enum orr_status status = member != NULL ? ORR_OK : no_memory(rings->reader->diag);
    rings->stamp++;
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        status = read_npu(rings, at->item[i], listed[i], &member[i]);
        if (status == ORR_OK && !mark(rings, member[i])) {
            status = orr_graph_read_fail(rings->reader, at->item[i], "expected every member once",
                                         listed[i]);
        }
    }
    return status == ORR_OK ? add_ring(rings, member, count, 0) : status;
}

/* ---- steps ---- */

/* Splits "0 4 8": returns the next word, NULL after the last. Modifies the text. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " ,");
    const size_t length = strcspn(word, " ,");
    *text = word + length + (word[length] != '\0' ? 1 : 0);
    word[length] = '\0';
    return length != 0 ? word : NULL;
}

/* The links of one step and its two ends. */
struct step {
    const struct orr_conf *at;
    uint32_t *link;
    uint32_t hops, nodes;
    uint32_t ends[2];
    bool broken; /* contains a failed link: the step uses routes */
};

static enum orr_status add_node(struct rings *rings, struct step *step, const char *word)
{
    struct graph_reader *reader = rings->reader;
    const uint32_t before = step->ends[1];
    const enum orr_status status = orr_graph_read_node(reader, step->at, word, &step->ends[1]);
    if (status != ORR_OK) {
        return status;
    }
    if (!mark(rings, step->ends[1])) {
        return orr_graph_read_fail(reader, step->at, "expected every node of a step once", word);
    }
    if (step->nodes++ == 0) {
        step->ends[0] = step->ends[1];
        return ORR_OK;
    }
    const uint32_t link = orr_net_graph_find(rings->graph, before, step->ends[1]);
    if (link == NET_NO_LINK && rings->graph->failed_links == 0) {
        return orr_graph_read_fail(reader, step->at, "expected a link to each node of the step",
                                   word);
    }
    step->broken |= link == NET_NO_LINK;
    step->link[step->hops++] = link;
    return ORR_OK;
}

/* Fails unless the step leads from an NPU to another one over fewer than UINT16_MAX links. */
static enum orr_status check_step(const struct rings *rings, const struct step *step)
{
    const uint32_t npus = rings->graph->npus;
    return step->hops != 0 && step->hops < UINT16_MAX && step->ends[0] < npus &&
                   step->ends[1] < npus
               ? ORR_OK
               : orr_graph_read_fail(rings->reader, step->at,
                                     "expected nodes from one NPU to another", step->at->text);
}

static enum orr_status read_step(struct rings *rings, const struct orr_conf *at, struct step *step)
{
    struct graph_reader *reader = rings->reader;
    const size_t bytes = strlen(at->text) + 1;
    char *text = orr_arena_array(reader->arena, bytes, 1);
    *step =
        (struct step){.at = at, .link = orr_arena_array(reader->arena, bytes, sizeof(uint32_t))};
    struct net_route_links *grown = orr_arena_grow(reader->arena, rings->way, &rings->way_alloc,
                                                   rings->ways + 1, sizeof *grown);
    if (text == NULL || step->link == NULL || grown == NULL) {
        return no_memory(reader->diag);
    }
    memcpy(text, at->text, bytes);
    rings->stamp++;
    enum orr_status status = ORR_OK;
    for (const char *word; status == ORR_OK && (word = next_word(&text)) != NULL;) {
        status = add_node(rings, step, word);
    }
    rings->way = grown;
    rings->way[rings->ways++] =
        (struct net_route_links){.link = step->link, .hops = step->broken ? 0 : step->hops};
    return status == ORR_OK ? check_step(rings, step) : status;
}

/* Each step must start where the previous one ends, the first where the last one ends. */
static enum orr_status read_chain(struct rings *rings, const struct orr_conf *at, uint32_t *member)
{
    struct step step = {.hops = 0};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < at->count && status == ORR_OK; i++) {
        const uint32_t before = step.ends[1];
        status = read_step(rings, at->item[i], &step);
        member[i] = step.ends[0];
        if (status == ORR_OK && i != 0 && step.ends[0] != before) {
            status = orr_graph_read_fail(rings->reader, at->item[i],
                                         "expected a step from where the one before ends",
                                         at->item[i]->text);
        }
    }
    return status != ORR_OK || step.ends[1] == member[0]
               ? status
               : orr_graph_read_fail(rings->reader, at->item[at->count - 1],
                                     "expected the last step to end where the first begins",
                                     at->item[at->count - 1]->text);
}

static enum orr_status read_steps(struct rings *rings, const struct orr_conf *map)
{
    const struct orr_conf *at = orr_conf_get(map, "steps");
    const uint32_t first = (uint32_t)rings->ways;
    uint32_t *member = orr_arena_array(rings->reader->arena, at->count, sizeof *member);
    enum orr_status status =
        member != NULL ? read_chain(rings, at, member) : no_memory(rings->reader->diag);
    rings->stamp++;
    for (size_t i = 0; i < at->count && status == ORR_OK; i++) {
        if (!mark(rings, member[i])) {
            status = orr_graph_read_fail(rings->reader, at->item[i],
                                         "expected one step from every member", at->item[i]->text);
        }
    }
    return status == ORR_OK ? add_ring(rings, member, at->count, first + 1) : status;
}

/* ---- rings for groups of a size ---- */

static enum orr_status read_order(struct rings *rings, const struct orr_conf *map,
                                  const struct ring_section *section)
{
    const struct graph_reader *reader = rings->reader;
    const int64_t *listed = section->order.values;
    uint32_t *order = orr_arena_array(reader->arena, section->order.count, sizeof *order);
    for (size_t i = 0; order != NULL && i < section->order.count; i++) {
        order[i] = (uint32_t)listed[i];
    }
    if (order == NULL) {
        return no_memory(reader->diag);
    }
    if ((int64_t)section->order.count == section->npus &&
        orr_net_graph_ring_of(&rings->builder, (uint32_t)section->npus, order)) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(map);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "%s.order: expected each of the positions 0 to %" PRId64 " once",
                         map->path, section->npus - 1);
}

static enum orr_status read_jumps(struct rings *rings, const struct orr_conf *map,
                                  const struct ring_section *section)
{
    const int64_t *jumps = section->jumps.values;
    int64_t jump = section->jumps.count == 0 ? 1 : 0;
    for (size_t i = 0; i < section->jumps.count; i++) {
        jump += jumps[i];
    }
    if (!orr_net_graph_ring(&rings->builder, (uint32_t)section->npus,
                            (int32_t)(jump % section->npus))) {
        const struct orr_location place = orr_conf_location(map);
        orr_diag_warn(rings->reader->diag, &place,
                      "%s is left out: steps of %" PRId64 " do not lead around all of the %" PRId64
                      " NPUs",
                      map->path, jump, section->npus);
    }
    return ORR_OK;
}

static enum orr_status read_sized(struct rings *rings, const struct orr_conf *map,
                                  const struct ring_section *section)
{
    if (section->npus > rings->graph->npus) {
        const struct orr_location place = orr_conf_location(map);
        orr_diag_warn(rings->reader->diag, &place,
                      "%s is never used: the graph has %" PRIu32 " NPUs, not %" PRId64, map->path,
                      rings->graph->npus, section->npus);
    }
    if (section->order.count != 0 && section->jumps.count != 0) {
        return orr_graph_read_fail(rings->reader, map, "expected jumps or an order", "both");
    }
    return section->order.count != 0 ? read_order(rings, map, section)
                                     : read_jumps(rings, map, section);
}

/* ---- all of them ---- */

/* The one key of npus, members and steps that the ring has; NULL: none or several. */
static const char *kind_of(const struct orr_conf *map)
{
    const char *kind = NULL;
    size_t kinds = 0;
    for (size_t i = 0; one_of[i] != NULL; i++) {
        if (orr_conf_get(map, one_of[i]) != NULL) {
            kind = one_of[i];
            kinds++;
        }
    }
    return kinds == 1 ? kind : NULL;
}

static enum orr_status read_ring(struct rings *rings, const struct orr_conf *map)
{
    struct ring_section section = {0};
    struct graph_reader *reader = rings->reader;
    const enum orr_status status =
        orr_conf_read(map, "a ring", KEYS(ring_keys), &section, reader->diag);
    if (status != ORR_OK) {
        return status;
    }
    const char *kind = kind_of(map);
    if (kind == NULL) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: a ring needs exactly one of the keys \"npus\" (any group of "
                             "that size), \"members\" and \"steps\" (one group)",
                             map->path);
    }
    if (strcmp(kind, "npus") == 0) {
        return read_sized(rings, map, &section);
    }
    if (section.jumps.count != 0 || section.order.count != 0) {
        return orr_graph_read_fail(reader, map, "expected jumps and order only with npus", kind);
    }
    return strcmp(kind, "members") == 0 ? read_members(rings, map, &section)
                                        : read_steps(rings, map);
}

/* Keeps the graph's rings for group sizes that the list has no ring for. */
static void keep_others(struct rings *rings)
{
    const size_t listed = rings->builder.rings;
    for (uint32_t i = 0; i < rings->graph->rings; i++) {
        const struct net_ring *graph_ring = &rings->graph->ring[i];
        bool replaced = false;
        for (size_t g = 0; g < listed && !replaced; g++) {
            const struct net_ring *ring = &rings->builder.ring[g];
            replaced = ring->member == NULL && ring->npus == graph_ring->npus;
        }
        if (!replaced) {
            orr_net_graph_add_ring(&rings->builder, graph_ring);
        }
    }
}

/* "auto", "own"; "totient:4", for groups of any size. */
static enum orr_status read_choice(const struct graph_reader *reader, const struct orr_conf *text,
                                   struct net_graph *graph)
{
    if (!orr_net_graph_choose_rings(graph, text->text)) {
        return orr_conf_expected(text, "rings, or " NET_RING_CHOICE_EXPECTED, reader->diag);
    }
    const struct orr_location place = orr_conf_location(text);
    if (graph->totient != 0) {
        orr_net_graph_warn_totient(graph, &place, text->path, reader->diag);
    }
    return ORR_OK;
}

enum orr_status orr_graph_read_rings(struct graph_reader *reader, const struct orr_conf *node,
                                     const struct orr_conf_list *list, struct net_graph *graph)
{
    const struct orr_conf *const *listed = list->values;
    struct rings rings = {.reader = reader, .graph = graph};
    if (list->count == 0) {
        return ORR_OK;
    }
    if (node->kind == ORR_CONF_SCALAR) {
        return read_choice(reader, node, graph);
    }
    orr_net_graph_begin(&rings.builder, reader->arena, graph->npus, graph->nodes - graph->npus);
    rings.last_visit = orr_arena_array(reader->arena, graph->nodes, sizeof *rings.last_visit);
    enum orr_status status = rings.last_visit != NULL ? ORR_OK : no_memory(reader->diag);
    for (size_t i = 0; i < list->count && status == ORR_OK; i++) {
        status = read_ring(&rings, listed[i]);
    }
    if (status != ORR_OK) {
        return status;
    }
    keep_others(&rings);
    graph->rings = (uint32_t)rings.builder.rings;
    graph->ring = rings.builder.ring;
    graph->ways = (uint32_t)rings.ways;
    graph->way = rings.way;
    return rings.builder.no_memory ? no_memory(reader->diag) : ORR_OK;
}
