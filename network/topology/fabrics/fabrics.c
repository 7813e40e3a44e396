/* Networks by a short text, "NAME" or "NAME:NUMBERS": what --fabric takes. A new one is a row of
 * the table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network/network.h"

enum { MOST_NUMBERS = 64, MOST_LEVELS = 8, LIST_BYTES = 512 };

struct request {
    uint32_t npus;
    uint32_t number[MOST_NUMBERS]; /* behind the colon */
    size_t numbers;
    struct net_link_kind kind;
    uint64_t seed;
    struct orr_arena *arena;
};

typedef enum orr_status (*build_fn)(const struct request *, struct net_graph *, struct orr_diag *);

struct fabric {
    const char *name, *form;
    size_t least, most; /* numbers */
    char separator;
    enum net_routing routing;
    build_fn build;
};

static enum orr_status ideal_switch(const struct request *at, struct net_graph *graph,
                                    struct orr_diag *diag)
{
    return orr_net_build_star(at->arena, at->npus, at->kind, graph, diag);
}

static enum orr_status full_mesh(const struct request *at, struct net_graph *graph,
                                 struct orr_diag *diag)
{
    return orr_net_build_full_mesh(at->arena, at->npus, at->kind, graph, diag);
}

static enum orr_status circulant(const struct request *at, struct net_graph *graph,
                                 struct orr_diag *diag)
{
    return orr_net_build_circulant(at->arena, at->npus, at->number, at->numbers, at->kind, graph,
                                   diag);
}

static enum orr_status fat_tree(const struct request *at, struct net_graph *graph,
                                struct orr_diag *diag)
{
    if (at->numbers > 0 && at->number[0] == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fat-tree: expected switches with an even number of ports, 2 to %d, "
                             "got 0",
                             UINT16_MAX - 1);
    }
    const struct net_fat_tree shape = {.npus = at->npus,
                                       .ports = at->numbers > 0 ? at->number[0] : 0,
                                       .oversubscription =
                                           at->numbers > 1 ? (double)at->number[1] : 1};
    return orr_net_build_fat_tree(at->arena, &shape, at->kind, graph, diag);
}

static enum orr_status torus(const struct request *at, struct net_graph *graph,
                             struct orr_diag *diag)
{
    return orr_net_build_torus(at->arena, at->npus, at->number, at->numbers, at->kind, graph, diag);
}

static enum orr_status hypercube(const struct request *at, struct net_graph *graph,
                                 struct orr_diag *diag)
{
    uint32_t sizes[NET_MAX_DIMS] = {1}, dims = 0;
    while (dims < 31 && (UINT32_C(1) << dims) < at->npus) {
        sizes[dims++] = 2;
    }
    if ((UINT32_C(1) << dims) != at->npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "hypercube: expected a power of two of NPUs, got %" PRIu32, at->npus);
    }
    dims += dims == 0; /* of one NPU */
    return orr_net_build_torus(at->arena, at->npus, sizes, dims, at->kind, graph, diag);
}

static enum orr_status expander(const struct request *at, struct net_graph *graph,
                                struct orr_diag *diag)
{
    const struct net_expander shape = {.npus = at->npus, .degree = at->number[0], .seed = at->seed};
    return orr_net_build_expander(at->arena, &shape, at->kind, graph, diag);
}

static enum orr_status dragonfly(const struct request *at, struct net_graph *graph,
                                 struct orr_diag *diag)
{
    return orr_net_build_dragonfly(at->arena, at->npus, at->number[0], at->kind, graph, diag);
}

static enum orr_status clusters(const struct request *at, struct net_graph *graph,
                                struct orr_diag *diag)
{
    const struct net_clusters shape = {.npus = at->npus,
                                       .size = at->number[0],
                                       .oversubscription =
                                           at->numbers > 1 ? (double)at->number[1] : 1};
    return orr_net_build_clusters(at->arena, &shape, at->kind, graph, diag);
}

static enum orr_status dgx1(const struct request *at, struct net_graph *graph,
                            struct orr_diag *diag)
{
    if (at->npus != 8) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "dgx1: expected 8 NPUs, got %" PRIu32,
                             at->npus);
    }
    return orr_net_build_dgx1(at->arena, at->kind, graph, diag);
}

static const struct fabric fabrics[] = {
    {"ideal-switch", "ideal-switch", 0, 0, ',', NET_ROUTE_SHORTEST, ideal_switch},
    {"full-mesh", "full-mesh", 0, 0, ',', NET_ROUTE_SHORTEST, full_mesh},
    {"circulant", "circulant:JUMP,...", 1, MOST_NUMBERS, ',', NET_ROUTE_ECMP, circulant},
    {"fat-tree", "fat-tree[:PORTS[,OVERSUBSCRIPTION]]", 0, 2, ',', NET_ROUTE_ECMP, fat_tree},
    {"torus", "torus:AxBx...", 1, 32, 'x', NET_ROUTE_DIMENSIONS, torus},
    {"hypercube", "hypercube", 0, 0, ',', NET_ROUTE_DIMENSIONS, hypercube},
    {"expander", "expander:DEGREE", 1, 1, ',', NET_ROUTE_ECMP, expander},
    {"dragonfly", "dragonfly:HOSTS", 1, 1, ',', NET_ROUTE_ECMP, dragonfly},
    {"clusters", "clusters:SIZE[,OVERSUBSCRIPTION]", 1, 2, ',', NET_ROUTE_SHORTEST, clusters},
    {"dgx1", "dgx1", 0, 0, ',', NET_ROUTE_ECMP, dgx1},
    /* the form alone: see blocks() */
    {"", "Ring(4)_FC(2)_Switch(8)", 0, 0, ',', NET_ROUTE_DIMENSIONS, NULL},
};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

const char *orr_net_fabric_form(size_t index)
{
    return index < FABRICS ? fabrics[index].form : NULL;
}

static enum orr_status unknown(const char *text, struct orr_diag *diag)
{
    char list[LIST_BYTES] = "";
    for (size_t i = 0; i < FABRICS; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                       fabrics[i].form);
    }
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "fabric: expected one of %s; with /NPUS[xUPLINKS][@BANDWIDTH] for each level of "
        "switches below; got \"%s\"",
        list, text);
}

static const struct fabric *find(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < FABRICS; i++) {
        if (strlen(fabrics[i].name) == length && strncmp(text, fabrics[i].name, length) == 0) {
            return &fabrics[i];
        }
    }
    return NULL;
}

/* Anything with a parenthesis is a stacked topology; all dimensions have links of the same kind. */
static enum orr_status blocks(const struct net_fabric *given, struct orr_arena *arena,
                              struct net_graph *graph, struct orr_diag *diag)
{
    struct net_dim dim[NET_MAX_DIMS];
    struct net_config config = {.dim = dim};
    const enum orr_status status =
        orr_net_parse_notation(given->text, dim, &config.dims, NULL, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (unsigned d = 0; d < config.dims; d++) {
        dim[d] = (struct net_dim){.block = dim[d].block,
                                  .npus = dim[d].npus,
                                  .bandwidth_bytes_per_s = given->kind.bytes_per_s,
                                  .latency_ps = given->kind.latency_ps};
    }
    return orr_net_npus(&config) == given->npus
               ? orr_net_build_blocks(arena, &config, graph, diag)
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected sizes whose product is the number of NPUs, %" PRIu32
                               ", got %" PRIu32,
                               given->text, given->npus, orr_net_npus(&config));
}

/* Numbers between separators; false when something else is there. */
static bool read_numbers(const char *text, char separator, struct request *request)
{
    for (request->numbers = 0; request->numbers < MOST_NUMBERS;) {
        char *end = NULL;
        const unsigned long value = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || value > INT32_MAX) {
            return false;
        }
        request->number[request->numbers++] = (uint32_t)value;
        if (*end != separator) {
            return *end == '\0';
        }
        text = end + 1;
    }
    return false;
}

static enum orr_status build_named(const struct net_fabric *given, struct orr_arena *arena,
                                   struct net_graph *graph, enum net_routing *routing,
                                   struct orr_diag *diag)
{
    const struct fabric *fabric = find(given->text);
    const char *colon = strchr(given->text, ':');
    struct request request = {
        .npus = given->npus, .kind = given->kind, .seed = given->seed, .arena = arena};
    if (strchr(given->text, '(') != NULL) {
        *routing = NET_ROUTE_DIMENSIONS;
        return blocks(given, arena, graph, diag);
    }
    if (fabric == NULL || fabric->build == NULL ||
        (colon != NULL && !read_numbers(colon + 1, fabric->separator, &request)) ||
        request.numbers < fabric->least || request.numbers > fabric->most) {
        return unknown(given->text, diag);
    }
    *routing = fabric->routing;
    return fabric->build(&request, graph, diag);
}

/* ---- levels below ---- */

struct levels {
    const char *top; /* what comes before them */
    struct net_level level[MOST_LEVELS];
    size_t count;
    uint64_t npus; /* below one NPU of the top */
};

/* The next level begins at a slash before a digit (that of "GB/s" is none). */
static char *find_level(char *text)
{
    while ((text = strchr(text, '/')) != NULL && !(text[1] >= '0' && text[1] <= '9')) {
        text++;
    }
    return text;
}

/* "8", "8x4", "8@300GB/s", "8x4@300GB/s" */
static bool read_level(char *text, struct net_level *level)
{
    int64_t npus = 0, uplinks = 1;
    char *at = strchr(text, '@');
    if (at != NULL) {
        *at = '\0';
        if (!orr_parse_bandwidth(at + 1, &level->kind.bytes_per_s)) {
            return false;
        }
    }
    char *by = strchr(text, 'x');
    if (by != NULL) {
        *by = '\0';
        if (!orr_parse_integer(by + 1, &uplinks) || uplinks < 1 || uplinks > 1 << 20) {
            return false;
        }
    }
    if (!orr_parse_integer(text, &npus) || npus < 1 || npus > NET_MAX_NODES) {
        return false;
    }
    level->npus = (uint32_t)npus;
    level->uplinks = (uint32_t)uplinks;
    return true;
}

static enum orr_status read_levels(const struct net_fabric *given, struct orr_arena *arena,
                                   struct levels *levels, struct orr_diag *diag)
{
    char *text = orr_arena_strdup(arena, given->text);
    if (text == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    *levels = (struct levels){.top = text, .npus = 1};
    for (char *at = find_level(text); at != NULL;) {
        struct net_level *level = &levels->level[levels->count++];
        *at++ = '\0';
        char *next = find_level(at);
        if (next != NULL) {
            *next = '\0';
        }
        *level = (struct net_level){.kind = given->kind};
        if (!read_level(at, level) || (next != NULL && levels->count == MOST_LEVELS)) {
            return unknown(given->text, diag);
        }
        levels->npus = levels->npus > NET_MAX_NODES ? levels->npus : levels->npus * level->npus;
        at = next;
    }
    return given->npus % levels->npus == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected a multiple of %" PRIu64 " NPUs, got %" PRIu32,
                               given->text, levels->npus, given->npus);
}

enum orr_status orr_net_build_fabric(const struct net_fabric *given, struct orr_arena *arena,
                                     struct net_graph *graph, enum net_routing *routing,
                                     struct orr_diag *diag)
{
    struct levels levels;
    struct net_fabric top = *given;
    enum orr_status status = read_levels(given, arena, &levels, diag);
    if (status != ORR_OK) {
        return status;
    }
    top.text = levels.top;
    top.npus = (uint32_t)(given->npus / levels.npus);
    status = build_named(&top, arena, graph, routing, diag);
    for (size_t i = 0; i < levels.count && status == ORR_OK; i++) {
        const struct net_graph above = *graph;
        levels.level[i].servers = levels.level[i].kind.bytes_per_s > given->kind.bytes_per_s;
        status = orr_net_graph_put_below(arena, &above, &levels.level[i], graph, diag);
    }
    return status;
}
