/* Graphs from DOT, read with libcgraph (docs/file-formats.md). kind=switch: switches; kind=server:
 * switches inside servers; all other nodes: NPUs. Each kind is numbered in order of appearance:
 * NPUs, then servers, then switches. */
#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/library_lock.h"
#include "core/unconst.h"
#include "core/units.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_source.h"

enum { LARGEST_MIB = 256, MAX_COUNT = 1 << 20, ENDS_BYTES = 256 };

static const char *const kinds[] = {"npu", "server", "switch"};
enum { NPU, SERVER, SWITCH, KINDS };

/* Record bound to a node of libcgraph: its number. */
struct number {
    Agrec_t head;
    uint32_t node;
};

struct reader {
    struct orr_arena *arena;
    struct orr_diag *diag;
    const char *file, *text;
    struct net_link_kind kind;
    struct net_graph_builder builder;
    const char **name;
    uint32_t servers;
    Agraph_t *dot;
};

/* ---- messages ---- */

static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text >= ' ' && *text != 0x7f ? *text : '?';
    }
}

static bool is_word(char c)
{
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The value after an attribute's name if it is exactly `value`, else NULL. */
static const char *value_after(const char *name_end, const char *value, size_t length)
{
    static const char blank[] = " \t\r\n";
    const char *at = name_end + (*name_end == '"');
    at += strspn(at, blank);
    if (*at != '=') {
        return NULL;
    }
    at++;
    at += strspn(at, blank);
    const bool quoted = *at == '"';
    at += quoted;
    if (strncmp(at, value, length) != 0) {
        return NULL;
    }
    return (quoted ? at[length] == '"' : !is_word(at[length])) ? at : NULL;
}

static struct orr_location location_at(const struct reader *reader, const char *at)
{
    unsigned line = 1;
    const char *start = reader->text;
    for (const char *end; (end = memchr(start, '\n', (size_t)(at - start))) != NULL; line++) {
        start = end + 1;
    }
    return orr_location_text(reader->file, line, (unsigned)(at - start) + 1);
}

/* The next occurrence of the name, or NULL. Like strstr, which under sanitizers reads to the end of
 * the text each time. */
static const char *find_name(const char *at, const char *name, size_t length)
{
    while ((at = strchr(at, name[0])) != NULL && strncmp(at, name, length) != 0) {
        at++;
    }
    return at;
}

/* Location of this attribute with this value if it occurs only once, else the file: libcgraph does
 * not keep locations. O(bytes). */
static struct orr_location location_of(const struct reader *reader, const char *attribute,
                                       const char *value)
{
    const size_t length = strlen(value), name = strlen(attribute);
    const char *only = NULL;
    const bool can_search = name > 0 && length > 0;
    for (const char *at = reader->text; can_search && (at = find_name(at, attribute, name)) != NULL;
         at += name) {
        const bool is_word_start = at == reader->text || !is_word(at[-1]);
        const char *found = is_word_start ? value_after(at + name, value, length) : NULL;
        if (found != NULL && only != NULL) {
            return orr_location_file(reader->file);
        }
        only = found != NULL ? found : only;
    }
    return only != NULL ? location_at(reader, only) : orr_location_file(reader->file);
}

struct problem {
    const char *attribute, *expected, *got;
    const char *why; /* NULL: nothing to add */
};

static enum orr_status fail_node(const struct reader *reader, Agnode_t *node,
                                 const struct problem *problem)
{
    char name[ENDS_BYTES], got[ENDS_BYTES];
    const struct orr_location place = location_of(reader, problem->attribute, problem->got);
    (void)snprintf(name, sizeof name, "%s", agnameof(node));
    (void)snprintf(got, sizeof got, "%s", problem->got);
    make_printable(name);
    make_printable(got);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "node %s: %s: expected %s, got \"%s\"", name, problem->attribute,
                         problem->expected, got);
}

static enum orr_status fail_edge(const struct reader *reader, Agedge_t *edge,
                                 const struct problem *problem)
{
    char ends[2 * ENDS_BYTES], got[ENDS_BYTES];
    const bool has_why = problem->why != NULL && problem->why[0] != '\0';
    const struct orr_location place = location_of(reader, problem->attribute, problem->got);
    (void)snprintf(ends, sizeof ends, "%.*s %s %.*s", ENDS_BYTES - 4, agnameof(agtail(edge)),
                   agisdirected(reader->dot) ? "->" : "--", ENDS_BYTES - 4, agnameof(aghead(edge)));
    (void)snprintf(got, sizeof got, "%s", problem->got);
    make_printable(ends);
    make_printable(got);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "edge %s: %s%sexpected %s, got \"%s\"%s%s", ends, problem->attribute,
                         problem->attribute[0] == '\0' ? "" : ": ", problem->expected, got,
                         has_why ? "; " : "", has_why ? problem->why : "");
}

/* ---- nodes ---- */

static enum orr_status read_kind(const struct reader *reader, Agnode_t *node, unsigned *kind)
{
    const char *text = agget(node, orr_unconst("kind"));
    *kind = NPU;
    if (text == NULL || text[0] == '\0') {
        return ORR_OK;
    }
    while (*kind < KINDS && strcmp(text, kinds[*kind]) != 0) {
        (*kind)++;
    }
    return *kind < KINDS ? ORR_OK
                         : fail_node(reader, node,
                                     &(struct problem){.attribute = "kind",
                                                       .expected = "npu, server or switch",
                                                       .got = text});
}

/* libcgraph reserves names with a leading %: each mention becomes another, anonymous node. */
static enum orr_status fail_name(const struct reader *reader)
{
    const struct orr_location place = orr_location_file(reader->file);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "expected names of nodes that do not begin with '%%'");
}

/* Numbers the nodes of a kind from `next` on. */
static enum orr_status number_nodes(struct reader *reader, unsigned kind, uint32_t *next)
{
    for (Agnode_t *node = agfstnode(reader->dot); node != NULL;
         node = agnxtnode(reader->dot, node)) {
        unsigned node_kind = NPU;
        const enum orr_status status = read_kind(reader, node, &node_kind);
        if (status != ORR_OK) {
            return status;
        }
        if (node_kind != kind) {
            continue;
        }
        if (agnameof(node)[0] == '%') {
            return fail_name(reader);
        }
        struct number *number = agbindrec(node, orr_unconst("network"), sizeof *number, 1);
        reader->name[*next] = orr_arena_strdup(reader->arena, agnameof(node));
        if (number == NULL || reader->name[*next] == NULL) {
            return orr_diag_no_memory(reader->diag, "the graph of the network");
        }
        number->node = (*next)++;
    }
    return ORR_OK;
}

/* False if all names are just the numbers of the nodes. */
static bool has_names(const struct reader *reader, uint32_t nodes)
{
    char text[NET_NODE_BYTES];
    const struct net_graph plain = {.name = NULL};
    for (uint32_t i = 0; i < nodes; i++) {
        if (strcmp(reader->name[i], orr_net_node_name(&plain, i, text)) != 0) {
            return true;
        }
    }
    return false;
}

static enum orr_status read_nodes(struct reader *reader)
{
    const int count = agnnodes(reader->dot);
    const struct orr_location place = orr_location_file(reader->file);
    uint32_t npus = 0;
    if (count > NET_MAX_NODES) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "expected at most %d nodes, got %d", NET_MAX_NODES, count);
    }
    reader->name = orr_arena_array(reader->arena, (size_t)count + 1, sizeof *reader->name);
    if (reader->name == NULL) {
        return orr_diag_no_memory(reader->diag, "the graph of the network");
    }
    enum orr_status status = number_nodes(reader, NPU, &npus);
    if (status == ORR_OK && npus == 0) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "expected nodes that are NPUs, got %d nodes that are switches", count);
    }
    uint32_t nodes = npus;
    if (status == ORR_OK) {
        status = number_nodes(reader, SERVER, &nodes);
        reader->servers = nodes - npus;
    }
    if (status == ORR_OK) {
        status = number_nodes(reader, SWITCH, &nodes);
    }
    if (status == ORR_OK) {
        orr_net_graph_begin(&reader->builder, reader->arena, npus, nodes - npus);
        reader->builder.name = has_names(reader, nodes) ? reader->name : NULL;
    }
    return status;
}

/* ---- edges ---- */

/* An attribute of an edge; NULL: absent. */
static const char *edge_attribute(Agedge_t *edge, const char *name)
{
    const char *value = agget(edge, orr_unconst(name));
    return value == NULL || value[0] == '\0' ? NULL : value;
}

static enum orr_status fail_quantity(const struct reader *reader, Agedge_t *edge,
                                     enum orr_quantity quantity, const char *name)
{
    const char *value = edge_attribute(edge, name);
    char why[ORR_PROBLEM_BYTES] = "";
    if (value != NULL) {
        make_printable(orr_quantity_problem(quantity, value, why, sizeof why));
    } else {
        (void)snprintf(why, sizeof why,
                       "or one of all links: --bandwidth, or network.graph.bandwidth");
    }
    return fail_edge(reader, edge,
                     &(struct problem){.attribute = name,
                                       .expected = orr_quantity_expected(quantity),
                                       .got = value == NULL ? "" : value,
                                       .why = why});
}

static enum orr_status read_quantities(const struct reader *reader, Agedge_t *edge,
                                       struct net_link *link)
{
    const char *bandwidth = edge_attribute(edge, "bandwidth"),
               *latency = edge_attribute(edge, "latency");
    const char *count = edge_attribute(edge, "count");
    int64_t number = 1;
    if (bandwidth != NULL ? !orr_parse_bandwidth(bandwidth, &link->bytes_per_s)
                          : !(link->bytes_per_s > 0)) {
        return fail_quantity(reader, edge, ORR_QUANTITY_BANDWIDTH, "bandwidth");
    }
    if (latency != NULL && !orr_parse_time(latency, &link->latency_ps)) {
        return fail_quantity(reader, edge, ORR_QUANTITY_TIME, "latency");
    }
    if (count != NULL && (!orr_parse_integer(count, &number) || number < 1 || number > MAX_COUNT)) {
        return fail_edge(reader, edge,
                         &(struct problem){.attribute = "count",
                                           .expected = "a whole number from 1 to 1048576",
                                           .got = count});
    }
    link->count = (uint32_t)number;
    return ORR_OK;
}

static enum orr_status read_edge(struct reader *reader, Agedge_t *edge)
{
    struct net_link link = {.from = ((const struct number *)AGDATA(agtail(edge)))->node,
                            .to = ((const struct number *)AGDATA(aghead(edge)))->node,
                            .bytes_per_s = reader->kind.bytes_per_s,
                            .latency_ps = reader->kind.latency_ps};
    if (link.from == link.to) {
        return fail_edge(reader, edge,
                         &(struct problem){.attribute = "",
                                           .expected = "an edge between two nodes",
                                           .got = agnameof(agtail(edge))});
    }
    const enum orr_status status = read_quantities(reader, edge, &link);
    if (status == ORR_OK && agisdirected(reader->dot)) {
        orr_net_graph_link(&reader->builder, &link);
    } else if (status == ORR_OK) {
        orr_net_graph_both(&reader->builder, &link);
    }
    return status;
}

static enum orr_status read_edges(struct reader *reader)
{
    enum orr_status status = ORR_OK;
    for (Agnode_t *node = agfstnode(reader->dot); node != NULL && status == ORR_OK;
         node = agnxtnode(reader->dot, node)) {
        for (Agedge_t *edge = agfstout(reader->dot, node); edge != NULL && status == ORR_OK;
             edge = agnxtout(reader->dot, edge)) {
            status = read_edge(reader, edge);
        }
    }
    return status;
}

/* ---- the text ---- */

/* The source that libcgraph reads from, graph by graph. */
struct source {
    const char *at;
    size_t left;
};

static int read_chunk(void *channel, char *buffer, int size)
{
    struct source *source = channel;
    const size_t bytes = source->left < (size_t)size ? source->left : (size_t)size;
    memcpy(buffer, source->at, bytes);
    source->at += bytes;
    source->left -= bytes;
    return (int)bytes;
}

/* libcgraph's error message, on one line. */
static void copy_error(char *text, size_t size)
{
    char *last = aglasterr();
    (void)snprintf(text, size, "%s", last != NULL && last[0] != '\0' ? last : "no graph");
    free(last);
    text[strcspn(text, "\n")] = '\0';
    make_printable(text);
}

/* Parses all of the text, so that libcgraph's buffer is empty afterwards. The parser may report an
 * error (subgraphs nested too deep) and still return part of the graph. */
static enum orr_status parse_text(struct reader *reader)
{
    const struct orr_location place = orr_location_file(reader->file);
    struct source source = {.at = reader->text, .left = strlen(reader->text)};
    Agiodisc_t io = AgIoDisc;
    io.afread = read_chunk;
    Agdisc_t services = {.mem = &AgMemDisc, .id = &AgIdDisc, .io = &io};
    unsigned more = 0;
    char error[200] = "";
    agsetfile(NULL);
    agreadline(1);
    (void)agreseterrors();
    reader->dot = agread(&source, &services);
    if (reader->dot == NULL || agerrors() >= AGERR) {
        copy_error(error, sizeof error);
    }
    for (Agraph_t *next; (next = agread(&source, &services)) != NULL; more++) {
        (void)agclose(next);
    }
    if (error[0] == '\0' && agerrors() >= AGERR) {
        copy_error(error, sizeof error);
    }
    if (error[0] != '\0') {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place, "expected a graph as DOT: %s",
                             error);
    }
    return more == 0 ? ORR_OK
                     : orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                                     "expected one graph, got %u", more + 1);
}

static enum orr_status read_graph(struct reader *reader, struct net_graph *graph)
{
    enum orr_status status = read_nodes(reader);
    if (status == ORR_OK) {
        status = read_edges(reader);
    }
    if (status == ORR_OK) {
        status = orr_net_graph_end(&reader->builder, graph, reader->diag);
        graph->servers = reader->servers;
    }
    return status;
}

enum orr_status orr_net_graph_parse_dot(struct orr_arena *arena, const struct net_dot *from,
                                        struct net_graph *graph, struct orr_diag *diag)
{
    struct reader reader = {.arena = arena,
                            .diag = diag,
                            .file = from->file,
                            .text = orr_arena_strndup(arena, from->text, from->bytes),
                            .kind = from->kind};
    const struct orr_location place = orr_location_file(from->file);
    if (reader.text == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    if (strlen(reader.text) != from->bytes) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected text, got a zero byte at byte offset %zu",
                             strlen(reader.text));
    }
    orr_library_lock();
    const agerrlevel_t level = agseterr(AGMAX); /* libcgraph would print */
    enum orr_status status = parse_text(&reader);
    if (status == ORR_OK) {
        status = read_graph(&reader, graph);
    }
    if (reader.dot != NULL) {
        (void)agclose(reader.dot);
    }
    (void)agseterr(level);
    orr_library_unlock();
    if (status == ORR_ERR_INPUT && diag != NULL && diag->place.kind == ORR_LOCATION_NONE) {
        diag->place = place; /* error of orr_net_graph_end: parallel links that differ */
    }
    return status;
}

/* ---- the file ---- */

enum orr_status orr_net_graph_read_dot(struct orr_arena *arena, const char *path,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag)
{
    static const struct orr_file_kind file = {
        .what = "a graph", .memory = "the graph of the network", .max_mib = LARGEST_MIB};
    struct net_dot dot = {.file = path, .kind = kind};
    char *data = NULL;
    enum orr_status status = orr_file_read(path, &file, &data, &dot.bytes, diag);
    dot.text = data;
    if (status == ORR_OK) {
        status = orr_net_graph_parse_dot(arena, &dot, graph, diag);
    }
    orr_heap_free(data);
    return status;
}

bool orr_net_graph_is_dot(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".dot") == 0 || strcmp(dot, ".gv") == 0);
}
