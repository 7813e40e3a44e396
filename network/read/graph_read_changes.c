/* The key `changes` of a network section: dynamic link capacity, i.e. bandwidths and working links
 * from a time on (docs/file-formats.md). */
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "network/graph.h"
#include "network/read/graph_read_private.h"

struct change_section {
    sim_time at;
    const char *link, *bandwidth;
    int64_t working; /* < 0: as before */
    bool one_way;
};

static const struct orr_key change_keys[] = {
    {.name = "at",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct change_section, at),
     .required = true,
     .example = "at: 10 ms",
     .doc = "time of the change"},
    {.name = "link",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct change_section, link),
     .required = true,
     .example = "link: 0-1",
     .doc = "FROM-TO, the links between two nodes"},
    {.name = "bandwidth",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct change_section, bandwidth),
     .absent = "as before",
     .example = "bandwidth: 50 Gb/s",
     .doc = "of one of them, one way; 0: it carries nothing"},
    {.name = "working",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct change_section, working),
     .low = 0,
     .high = NET_MAX_PARALLEL,
     .absent = "as before",
     .example = "working: 0",
     .doc = "number of parallel links that work, the first ones; 0: none"},
    {.name = "one_way",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct change_section, one_way),
     .default_text = "false",
     .doc = "only from FROM to TO"},
};

static const char *const one_of[] = {"bandwidth", "working", NULL};
const struct orr_key_table orr_net_change_key_table = {
    "a change of a link", change_keys, sizeof change_keys / sizeof *change_keys, one_of};

/* Parses a bandwidth; 0 is allowed with any valid unit or none. */
static bool parse_bandwidth(struct orr_arena *arena, const char *text, double *bytes_per_s)
{
    size_t zeros = strspn(text, "0");
    zeros += zeros > 0 && text[zeros] == '.' ? 1 + strspn(text + zeros + 1, "0") : 0;
    *bytes_per_s = 0;
    if (zeros == 0 || (text[zeros] >= '0' && text[zeros] <= '9')) {
        return orr_parse_bandwidth(text, bytes_per_s);
    }
    double one = 0;
    const char *with_one = orr_arena_printf(arena, "1%s", text + zeros);
    return text[zeros] == '\0' || (with_one != NULL && orr_parse_bandwidth(with_one, &one));
}

/* Reads bandwidth or number of working links of a change; < 0: unchanged. */
static enum orr_status read_numbers(struct graph_reader *reader, const struct orr_conf *map,
                                    const struct change_section *section,
                                    const struct net_graph *graph, struct net_change *change)
{
    const bool has_bandwidth = section->bandwidth != NULL;
    if (has_bandwidth == (section->working >= 0)) {
        return orr_graph_read_fail(reader, map, "expected a bandwidth, or how many are working",
                                   has_bandwidth ? "both" : "neither");
    }
    if (has_bandwidth &&
        !parse_bandwidth(reader->arena, section->bandwidth, &change->bytes_per_s)) {
        return orr_graph_read_fail(reader, map, "expected a bandwidth such as \"50 GB/s\", or 0",
                                   section->bandwidth);
    }
    change->bytes_per_s = has_bandwidth ? change->bytes_per_s : -1;
    change->working = section->working < 0 ? NET_NO_LINK : (uint32_t)section->working;
    if (section->working > (int64_t)graph->link[change->link].count) {
        return orr_graph_read_fail(reader, orr_conf_get(map, "working"),
                                   "expected at most the number of parallel links",
                                   orr_conf_get(map, "working")->text);
    }
    return ORR_OK;
}

static enum orr_status read_change(struct graph_reader *reader, const struct orr_conf *map,
                                   const struct net_graph *graph, struct net_change change[2])
{
    struct change_section section = {.working = -1};
    uint32_t from = 0, to = 0;
    enum orr_status status =
        orr_conf_read(map, "a change of a link", KEYS(change_keys), &section, reader->diag);
    if (status == ORR_OK) {
        status = orr_graph_read_pair(reader, map, section.link, &from, &to);
    }
    if (status != ORR_OK) {
        return status;
    }
    change[0].link = orr_net_graph_find(graph, from, to);
    change[1].link = section.one_way ? NET_NO_LINK : orr_net_graph_find(graph, to, from);
    if (change[0].link == NET_NO_LINK && change[1].link == NET_NO_LINK) {
        return orr_graph_read_fail(reader, map, "expected an existing link, as FROM-TO",
                                   section.link);
    }
    if (graph->circuits != NULL && from < graph->npus && to < graph->npus) {
        return orr_graph_read_fail(reader, map,
                                   "expected a link that is not a circuit: the controller sets "
                                   "circuits",
                                   section.link);
    }
    change[0].time_ps = change[1].time_ps = section.at;
    for (int direction = 0; direction < 2 && status == ORR_OK; direction++) {
        status = change[direction].link == NET_NO_LINK
                     ? ORR_OK
                     : read_numbers(reader, map, &section, graph, &change[direction]);
    }
    return status;
}

struct ordered_change {
    struct net_change change;
    size_t position; /* in the file */
};

/* Orders by time, then by position in the file: the later change wins. */
static int by_time(const void *left, const void *right)
{
    const struct ordered_change *a = left, *b = right;
    if (a->change.time_ps != b->change.time_ps) {
        return a->change.time_ps < b->change.time_ps ? -1 : 1;
    }
    return (a->position > b->position) - (a->position < b->position);
}

/* Fills the values that a change leaves unchanged with those in force before it. */
static enum orr_status fill_unchanged(struct graph_reader *reader, const struct net_graph *graph,
                                      struct net_change *all)
{
    struct net_change *now = orr_arena_array(reader->arena, (size_t)graph->links + 1, sizeof *now);
    if (now == NULL) {
        return orr_diag_no_memory(reader->diag, "the changes of the network");
    }
    for (uint32_t i = 0; i < graph->changes; i++) {
        now[all[i].link] = (struct net_change){.working = graph->link[all[i].link].count,
                                               .bytes_per_s = graph->link[all[i].link].bytes_per_s};
    }
    for (uint32_t i = 0; i < graph->changes; i++) {
        struct net_change *link = &now[all[i].link];
        all[i].bytes_per_s = all[i].bytes_per_s < 0 ? link->bytes_per_s : all[i].bytes_per_s;
        all[i].working = all[i].working == NET_NO_LINK ? link->working : all[i].working;
        *link = all[i];
    }
    return ORR_OK;
}

enum orr_status orr_graph_read_changes(struct graph_reader *reader,
                                       const struct orr_conf_list *list, struct net_graph *graph)
{
    const struct orr_conf *const *map = list->values;
    struct ordered_change *ordered_change =
        orr_arena_array(reader->arena, 2 * list->count + 1, sizeof *ordered_change);
    struct net_change *all = orr_arena_array(reader->arena, 2 * list->count + 1, sizeof *all);
    size_t count = 0;
    if (ordered_change == NULL || all == NULL) {
        return orr_diag_no_memory(reader->diag, "the changes of the network");
    }
    for (size_t i = 0; i < list->count; i++) {
        struct net_change change[2];
        const enum orr_status status = read_change(reader, map[i], graph, change);
        if (status != ORR_OK) {
            return status;
        }
        for (int direction = 0; direction < 2; direction++) {
            if (change[direction].link != NET_NO_LINK) {
                ordered_change[count] =
                    (struct ordered_change){.change = change[direction], .position = count};
                count++;
            }
        }
    }
    if (count > 1) {
        qsort(ordered_change, count, sizeof *ordered_change, by_time);
    }
    for (size_t i = 0; i < count; i++) {
        all[i] = ordered_change[i].change;
    }
    graph->changes = (uint32_t)count;
    graph->change = all;
    return fill_unchanged(reader, graph, all);
}
