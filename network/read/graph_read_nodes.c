/* Nodes of a graph by number or name: see graph_read_private.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "network/read/graph_read_private.h"

int orr_graph_read_by_name(const void *left, const void *right)
{
    return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

enum orr_status orr_graph_read_fail(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *problem, const char *got)
{
    const struct orr_location place = orr_conf_location(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place, "%s: %s, got \"%s\"", at->path,
                         problem, got);
}

enum orr_status orr_graph_read_names(struct graph_reader *reader, const struct orr_conf *map,
                                     const char *const *names, size_t count)
{
    if (count == 0) {
        return ORR_OK;
    }
    const struct orr_conf *at = orr_conf_get(map, "names");
    at = at == NULL ? map : at;
    if (count != reader->nodes) {
        const struct orr_location place = orr_conf_location(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a name for each of the %" PRIu32 " nodes, got %zu",
                             at->path, reader->nodes, count);
    }
    reader->named = orr_arena_array(reader->arena, reader->nodes, sizeof *reader->named);
    if (reader->named == NULL) {
        return orr_diag_no_memory(reader->diag, "the graph of the network");
    }
    for (uint32_t i = 0; i < reader->nodes; i++) {
        reader->named[i] = (struct named){.name = names[i], .node = i};
    }
    qsort(reader->named, reader->nodes, sizeof *reader->named, orr_graph_read_by_name);
    for (uint32_t i = 1; i < reader->nodes; i++) {
        if (orr_graph_read_by_name(&reader->named[i - 1], &reader->named[i]) == 0) {
            return orr_graph_read_fail(reader, at, "expected a name of its own for each node",
                                       reader->named[i].name);
        }
    }
    reader->names = reader->nodes;
    reader->builder.name = names;
    return ORR_OK;
}

enum orr_status orr_graph_read_node(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *out)
{
    const struct named key = {.name = text};
    const struct named *named = reader->names == 0 ? NULL
                                                   : bsearch(&key, reader->named, reader->names,
                                                             sizeof *named, orr_graph_read_by_name);
    int64_t number = 0;
    if (named != NULL) {
        *out = named->node;
    } else if (orr_parse_integer(text, &number) && number >= 0 && number < reader->nodes) {
        *out = (uint32_t)number;
    } else {
        const struct orr_location place = orr_conf_location(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a node, 0 to %" PRIu32 "%s, got \"%s\"", at->path,
                             reader->nodes - 1, reader->names != 0 ? " or a name" : "", text);
    }
    return ORR_OK;
}
