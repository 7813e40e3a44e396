/* Fabrics by their notation, "NAME" or "NAME:NUMBERS", as --fabric takes them. fabric_list.h lists
 * the fabrics; stacked topologies follow them with their own notation (notation.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/notation.h"
#include "network/topology/fabrics/fabric_ops.h"

enum { MAX_LEVELS = 8, LIST_BYTES = 1024 };

#define ORR_FABRIC(name) extern const struct net_fabric_ops name;
#include "network/topology/fabrics/fabric_list.h"
#undef ORR_FABRIC

static const struct net_fabric_ops *const fabrics[] = {
#define ORR_FABRIC(name) &name,
#include "network/topology/fabrics/fabric_list.h"
#undef ORR_FABRIC
};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

const char orr_net_default_fabric[] = "ideal-switch";

/* Listed after the fabrics: see build_stacked(). */
static const char stacked[] = "Ring(4)_FC(2)_Switch(8)";

const char *orr_net_fabric_form(size_t index)
{
    if (index < FABRICS) {
        return fabrics[index]->form;
    }
    return index == FABRICS ? stacked : NULL;
}

const char *orr_net_fabric_example(size_t index, uint32_t *npus)
{
    if (index < FABRICS) {
        *npus = fabrics[index]->example_npus;
        return fabrics[index]->example;
    }
    *npus = 4 * 2 * 8;
    return index == FABRICS ? stacked : NULL;
}

/* The fabric whose name is the first `length` characters of the text; NULL: none. */
static const struct net_fabric_ops *find_name(const char *text, size_t length)
{
    for (size_t i = 0; i < FABRICS; i++) {
        if (strlen(fabrics[i]->name) == length && strncmp(text, fabrics[i]->name, length) == 0) {
            return fabrics[i];
        }
    }
    return NULL;
}

static const struct net_fabric_ops *find(const char *text)
{
    return find_name(text, strcspn(text, ":"));
}

bool orr_net_fabric_named(const char *text)
{
    const size_t length = strcspn(text, ":/(");
    return find_name(text, length) != NULL && text[length] != '(';
}

bool orr_net_fabric_is_ring(const char *text)
{
    const struct net_fabric_ops *fabric = find_name(text, strcspn(text, ":/("));
    return fabric != NULL && fabric->ring_of_npus;
}

enum { NAME_BYTES = 64 };

/* Copies the name: the text up to its numbers and levels. */
static void copy_name(const char *text, char name[NAME_BYTES])
{
    (void)snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(text, ":/("), text);
}

/* The fabric with the nearest name, or NULL. */
static const struct net_fabric_ops *nearest(const char *name)
{
    const char *names[FABRICS];
    for (size_t i = 0; i < FABRICS; i++) {
        names[i] = fabrics[i]->name;
    }
    const char *found = orr_nearest_name(name, names, FABRICS);
    return found != NULL ? find(found) : NULL;
}

const char *orr_net_suggest_fabric(const char *text)
{
    char name[NAME_BYTES];
    copy_name(text, name);
    const struct net_fabric_ops *suggestion = nearest(name);
    return suggestion != NULL ? suggestion->name : NULL;
}

static const char levels_form[] =
    "/NPUS[xUPLINKS][@BANDWIDTH][:tor|:server] for each level of switches below, or "
    "/SERVERS@logical as the last one";

/* Explains why a text is no fabric: its numbers, an unknown name, or the list of forms. */
static enum orr_status fail_unknown(const char *text, struct orr_diag *diag)
{
    char list[LIST_BYTES] = "", name[NAME_BYTES];
    copy_name(text, name);
    const struct net_fabric_ops *suggestion = nearest(name);
    if (suggestion != NULL && find(name) == suggestion) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fabric: expected %s, such as %s, with %s; got \"%s\"",
                             suggestion->form, suggestion->example, levels_form, text);
    }
    if (suggestion != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "fabric: there is no \"%s\"; did you mean \"%s\" (%s)?", text,
                             suggestion->name, suggestion->form);
    }
    for (size_t i = 0; orr_net_fabric_form(i) != NULL; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                       orr_net_fabric_form(i));
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "fabric: expected one of %s; with %s; got \"%s\"", list, levels_form,
                         text);
}

/* A text with a parenthesis is a stacked topology; all dimensions have links of the same kind. */
static enum orr_status build_stacked(const struct net_fabric *spec, struct orr_arena *arena,
                                     struct net_graph *graph, struct orr_diag *diag)
{
    struct net_dim dim[NET_MAX_DIMS];
    struct net_config config = {.dim = dim};
    const enum orr_status status =
        orr_net_parse_notation(spec->text, dim, &config.dims, NULL, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (unsigned d = 0; d < config.dims; d++) {
        dim[d] = (struct net_dim){.block = dim[d].block,
                                  .npus = dim[d].npus,
                                  .bandwidth_bytes_per_s = spec->kind.bytes_per_s,
                                  .latency_ps = spec->kind.latency_ps};
    }
    return orr_net_npus(&config) == spec->npus
               ? orr_net_build_blocks(arena, &config, graph, diag)
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected sizes whose product is the number of NPUs, %" PRIu32
                               ", got %" PRIu32,
                               spec->text, spec->npus, orr_net_npus(&config));
}

/* Parses numbers between separators; a plus before a number is allowed if the fabric supports
 * one-way jumps. false if anything else is found. */
static bool read_numbers(const char *text, const struct net_fabric_ops *fabric,
                         struct fabric_request *request)
{
    const char separator = (char)(fabric->separator != 0 ? fabric->separator : ',');
    for (request->numbers = 0; request->numbers < FABRIC_MAX_NUMBERS;) {
        char *end = NULL;
        const bool plus = fabric->one_way && *text == '+';
        text += plus;
        const unsigned long value = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || value > INT32_MAX) {
            return false;
        }
        request->one_way[request->numbers] = plus;
        request->number[request->numbers++] = (uint32_t)value;
        if (*end != separator) {
            return *end == '\0';
        }
        text = end + 1;
    }
    return false;
}

static enum orr_status build_named(const struct net_fabric *spec, struct orr_arena *arena,
                                   struct net_graph *graph, const struct net_routing **routing,
                                   struct orr_diag *diag)
{
    const struct net_fabric_ops *fabric = find(spec->text);
    const char *colon = strchr(spec->text, ':');
    struct fabric_request request = {
        .npus = spec->npus, .kind = spec->kind, .seed = spec->seed, .arena = arena};
    if (strchr(spec->text, '(') != NULL) {
        *routing = orr_net_routing_for(NET_ROUTES_BY_DIMENSION);
        return build_stacked(spec, arena, graph, diag);
    }
    if (fabric == NULL || (colon != NULL && !read_numbers(colon + 1, fabric, &request)) ||
        request.numbers < fabric->min || request.numbers > fabric->max) {
        return fail_unknown(spec->text, diag);
    }
    *routing = orr_net_routing_for(fabric->routing);
    return fabric->build(&request, graph, diag);
}

/* ---- levels below ---- */

struct levels {
    const char *top; /* the text before the levels */
    struct net_level level[MAX_LEVELS];
    size_t count;
    uint64_t npus; /* NPUs below one NPU of the top */
};

/* Bandwidth between logical servers of one host: memory, not a link; formatted as unlimited. */
static const double inside_host = 1e30;

/* Finds the next level: a slash before a digit (the slash of "GB/s" is not). */
static char *find_level(char *text)
{
    while ((text = strchr(text, '/')) != NULL && !(text[1] >= '0' && text[1] <= '9')) {
        text++;
    }
    return text;
}

/* "8", "8x4", "8@300GB/s", "8x4@300GB/s", and these with ":tor" or ":server"; "2@logical" */
static bool read_level(char *text, struct net_level *level)
{
    int64_t npus = 0, uplinks = 1;
    char *colon = strchr(text, ':');
    if (colon != NULL) {
        level->rings = strcmp(colon, ":tor") == 0;
        level->called_servers = strcmp(colon, ":server") == 0;
        if (!level->rings && !level->called_servers) {
            return false;
        }
        *colon = '\0';
    }
    char *at = strchr(text, '@');
    if (at != NULL) {
        *at = '\0';
        level->logical = strcmp(at + 1, "logical") == 0;
        if (level->logical) {
            level->kind = (struct net_link_kind){.bytes_per_s = inside_host};
        } else if (!orr_parse_bandwidth(at + 1, &level->kind.bytes_per_s)) {
            return false;
        }
    }
    char *by = strchr(text, 'x');
    if (level->logical && (by != NULL || colon != NULL)) {
        return false;
    }
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

static enum orr_status read_levels(const struct net_fabric *spec, struct orr_arena *arena,
                                   struct levels *levels, struct orr_diag *diag)
{
    char *text = orr_arena_strdup(arena, spec->text);
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
        *level = (struct net_level){.kind = spec->kind};
        if (!read_level(at, level) ||
            (next != NULL && (level->logical || levels->count == MAX_LEVELS))) {
            return fail_unknown(spec->text, diag);
        }
        levels->npus = levels->npus > NET_MAX_NODES ? levels->npus : levels->npus * level->npus;
        at = next;
    }
    return spec->npus % levels->npus == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected a multiple of %" PRIu64 " NPUs, got %" PRIu32,
                               spec->text, levels->npus, spec->npus);
}

enum orr_status orr_net_build_fabric(const struct net_fabric *spec, struct orr_arena *arena,
                                     struct net_graph *graph, const struct net_routing **routing,
                                     struct orr_diag *diag)
{
    struct levels levels;
    struct net_fabric top = *spec;
    enum orr_status status = read_levels(spec, arena, &levels, diag);
    if (status != ORR_OK) {
        return status;
    }
    top.text = levels.top;
    top.npus = (uint32_t)(spec->npus / levels.npus);
    status = build_named(&top, arena, graph, routing, diag);
    for (size_t i = 0; i < levels.count && status == ORR_OK; i++) {
        const struct net_graph above = *graph;
        if (levels.level[i].logical && levels.level[i].npus == 1) {
            continue; /* the server itself */
        }
        levels.level[i].servers =
            levels.level[i].logical || levels.level[i].called_servers ||
            (!levels.level[i].rings && levels.level[i].kind.bytes_per_s > spec->kind.bytes_per_s);
        status = orr_net_graph_add_level(arena, &above, &levels.level[i], graph, diag);
    }
    return status;
}
