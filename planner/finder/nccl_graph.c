/* Ring orders as NCCL's graphs of channels: see nccl_graph.h. */
#include "planner/finder/nccl_graph.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- XML: elements with attributes, indented ---- */

struct xml {
    FILE *file;
    unsigned depth;
};

static void put_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&apos;"
                                             : NULL;
        if (entity != NULL) {
            (void)fputs(entity, file);
        } else {
            (void)fputc(*text, file);
        }
    }
}

static void begin_element(struct xml *xml, const char *name)
{
    (void)fprintf(xml->file, "%*s<%s", (int)(2 * xml->depth), "", name);
}

static void put_text(struct xml *xml, const char *name, const char *value)
{
    (void)fprintf(xml->file, " %s=\"", name);
    put_escaped(xml->file, value);
    (void)fputc('"', xml->file);
}

static void put_count(struct xml *xml, const char *name, uint64_t value)
{
    (void)fprintf(xml->file, " %s=\"%" PRIu64 "\"", name, value);
}

/* NCCL reads devices as hexadecimal, earlier ones by their prefix: below ten it is the same. */
static void put_device(struct xml *xml, const char *name, uint64_t value)
{
    (void)fprintf(xml->file, value < 10 ? " %s=\"%" PRIu64 "\"" : " %s=\"0x%" PRIx64 "\"", name,
                  value);
}

static void put_real(struct xml *xml, const char *name, double value)
{
    (void)fprintf(xml->file, " %s=\"%.9g\"", name, value);
}

static void open_children(struct xml *xml)
{
    (void)fputs(">\n", xml->file);
    xml->depth++;
}

static void end_empty(struct xml *xml)
{
    (void)fputs("/>\n", xml->file);
}

static void end_element(struct xml *xml, const char *name)
{
    xml->depth--;
    (void)fprintf(xml->file, "%*s</%s>\n", (int)(2 * xml->depth), "", name);
}

/* ---- the interfaces that rings use ---- */

/* A link one way: the interface that sends is that which receives, by the panel's number. */
struct wire {
    uint32_t from, to, interface;
    uint32_t order; /* among the links between two servers, first come first */
    bool taken;     /* by a ring */
};

struct wiring {
    const struct nccl_rings *rings;
    struct wire *wire; /* [wires] by (from, to, order) */
    uint32_t wires;
};

static int by_ends(const void *left, const void *right)
{
    const struct wire *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static void add_wire(struct wiring *wiring, const struct finder_link *way, uint32_t interface)
{
    const struct wire wire = {
        .from = way->from, .to = way->to, .interface = interface, .order = wiring->wires};
    if (interface != PORTS_NONE) {
        wiring->wire[wiring->wires++] = wire;
    }
}

static bool gather_wires(struct wiring *wiring, struct orr_arena *scratch)
{
    const struct finder_topology *topology = wiring->rings->topology;
    const struct port_map *map = wiring->rings->map;
    const size_t links = map->first_link[topology->layers];
    wiring->wire = orr_arena_array(scratch, 2 * links, sizeof *wiring->wire);
    for (uint32_t y = 0; wiring->wire != NULL && y < topology->layers; y++) {
        for (uint32_t l = 0; l < topology->layer[y].links; l++) {
            const struct finder_link *there = &topology->layer[y].link[l];
            const struct finder_link back = {.from = there->to, .to = there->from};
            add_wire(wiring, there, map->there[map->first_link[y] + l]);
            add_wire(wiring, &back, map->back[map->first_link[y] + l]);
        }
    }
    if (wiring->wire == NULL) {
        return false;
    }
    qsort(wiring->wire, wiring->wires, sizeof *wiring->wire, by_ends);
    return true;
}

/* The wire from one server to another that no ring has taken yet, else the first; NULL: none. */
static struct wire *wire_between(const struct wiring *wiring, uint32_t from, uint32_t to)
{
    const struct wire sought = {.from = from, .to = to};
    uint32_t low = 0, high = wiring->wires;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_ends(&wiring->wire[middle], &sought) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct wire *first = &wiring->wire[low], *end = wiring->wire + wiring->wires;
    if (first == end || first->from != from || first->to != to) {
        return NULL;
    }
    for (struct wire *wire = first; wire != end && wire->from == from && wire->to == to; wire++) {
        if (!wire->taken) {
            return wire;
        }
    }
    return first;
}

/* By which interfaces a member of a ring receives and sends. */
struct station {
    uint32_t receives, sends;
};

/* The step from member `at`: the first of its wires, and the last. */
static void take_step(const struct wiring *wiring, const struct finder_ring *ring, uint32_t at,
                      struct station *station)
{
    const uint32_t next = (at + 1) % ring->members;
    const uint32_t *between = ring->between;
    const uint32_t begin = between != NULL ? ring->first_between[at] : 0;
    const uint32_t end = between != NULL ? ring->first_between[at + 1] : 0;
    const bool direct = begin == end;
    struct wire *first =
        wire_between(wiring, ring->member[at], direct ? ring->member[next] : between[begin]);
    struct wire *last = direct ? first : wire_between(wiring, between[end - 1], ring->member[next]);
    ORR_ASSERT(first != NULL && last != NULL);
    first->taken |= direct;
    station[at].sends = first->interface;
    station[next].receives = last->interface;
}

/* [members] of every ring, one after the other; NULL: memory is out. */
static struct station *gather_stations(const struct wiring *wiring, struct orr_arena *scratch)
{
    const struct finder_topology *topology = wiring->rings->topology;
    size_t members = 0;
    for (uint32_t r = 0; r < topology->rings; r++) {
        members += topology->ring[r].members;
    }
    struct station *station = orr_arena_array(scratch, members, sizeof *station);
    members = 0;
    for (uint32_t r = 0; station != NULL && r < topology->rings; r++) {
        for (uint32_t at = 0; at < topology->ring[r].members; at++) {
            take_step(wiring, &topology->ring[r], at, station + members);
        }
        members += topology->ring[r].members;
    }
    return station;
}

/* ---- the file ---- */

struct writing {
    struct xml xml;
    struct wiring wiring;
    const struct station *station; /* of all rings */
    uint32_t server;               /* or NCCL_ALL_SERVERS */
    /* Of the graph that is being written. */
    uint32_t group, channels;
    bool crosses; /* a server sends by another interface than it receives by */
};

static bool is_written(const struct writing *writing, uint32_t server)
{
    return writing->server == NCCL_ALL_SERVERS || writing->server == server;
}

/* Counts the channels of the group, and looks at their interfaces. */
static void count_channels(struct writing *writing)
{
    writing->channels = 0;
    writing->crosses = false;
    const struct finder_topology *topology = writing->wiring.rings->topology;
    const struct station *station = writing->station;
    for (uint32_t r = 0; r < topology->rings; r++) {
        const struct finder_ring *ring = &topology->ring[r];
        bool counted = false;
        for (uint32_t at = 0; at < ring->members; at++, station++) {
            if (ring->group == writing->group && is_written(writing, ring->member[at])) {
                counted = true;
                writing->crosses |= station->receives != station->sends;
            }
        }
        writing->channels += counted;
    }
}

static void put_net(struct xml *xml, uint32_t interface)
{
    begin_element(xml, "net");
    put_device(xml, "dev", interface);
    end_empty(xml);
}

static void put_server(struct writing *writing, uint32_t server, const struct station *station)
{
    const uint32_t gpus = writing->wiring.rings->gpus;
    struct xml *xml = &writing->xml;
    put_net(xml, station->receives);
    for (uint32_t gpu = 0; gpu < gpus; gpu++) {
        begin_element(xml, "gpu");
        put_device(xml, "dev", gpu);
        if (writing->server == NCCL_ALL_SERVERS) {
            put_count(xml, "rank", (uint64_t)server * gpus + gpu);
        }
        end_empty(xml);
    }
    put_net(xml, station->sends);
}

static void put_channel(struct writing *writing, const struct finder_ring *ring,
                        const struct station *station)
{
    bool opened = false;
    for (uint32_t at = 0; at < ring->members; at++) {
        if (!is_written(writing, ring->member[at])) {
            continue;
        }
        if (!opened) {
            begin_element(&writing->xml, "channel");
            open_children(&writing->xml);
            opened = true;
        }
        put_server(writing, ring->member[at], &station[at]);
    }
    if (opened) {
        end_element(&writing->xml, "channel");
    }
}

static void put_graph_attributes(struct writing *writing)
{
    const struct nccl_rings *rings = writing->wiring.rings;
    const struct net_link_kind *kind = &rings->topology->kind;
    const double inner = rings->inner_bytes_per_s;
    const char *of_gpus = rings->gpus > 1 ? "NVL" : "LOC";
    struct xml *xml = &writing->xml;
    put_count(xml, "id", 0);
    put_count(xml, "pattern", 4);
    put_count(xml, "crossnic", writing->crosses);
    put_count(xml, "nchannels", writing->channels);
    put_real(xml, "speedintra", (inner > 0 ? inner : kind->bytes_per_s) / 1e9);
    put_real(xml, "speedinter", kind->bytes_per_s / 1e9);
    put_real(xml, "latencyinter", (double)kind->latency_ps / ORR_PS_PER_US);
    put_text(xml, "typeintra", rings->inner != NULL ? rings->inner : of_gpus);
    put_text(xml, "typeinter", rings->outer != NULL ? rings->outer : "PIX");
    put_count(xml, "samechannels", writing->server != NCCL_ALL_SERVERS || writing->channels < 2);
    if (writing->wiring.rings->group == NCCL_ALL_GROUPS) {
        put_count(xml, "group", writing->group);
    }
}

static void put_graph(struct writing *writing, uint32_t group)
{
    const struct finder_topology *topology = writing->wiring.rings->topology;
    const struct station *station = writing->station;
    writing->group = group;
    count_channels(writing);
    begin_element(&writing->xml, "graph");
    put_graph_attributes(writing);
    open_children(&writing->xml);
    for (uint32_t r = 0; r < topology->rings; r++) {
        if (topology->ring[r].group == group) {
            put_channel(writing, &topology->ring[r], station);
        }
        station += topology->ring[r].members;
    }
    end_element(&writing->xml, "graph");
}

static void put_graphs(struct writing *writing)
{
    const struct nccl_rings *rings = writing->wiring.rings;
    const bool all = rings->group == NCCL_ALL_GROUPS;
    begin_element(&writing->xml, "graphs");
    put_count(&writing->xml, "version", 1);
    open_children(&writing->xml);
    for (uint32_t group = all ? 0 : rings->group;
         group < (all ? rings->topology->groups : rings->group + 1); group++) {
        put_graph(writing, group);
    }
    end_element(&writing->xml, "graphs");
}

enum orr_status orr_nccl_graph_write(struct orr_arena *scratch, FILE *file,
                                     const struct nccl_rings *rings, uint32_t server,
                                     struct orr_diag *diag)
{
    struct writing writing = {.wiring.rings = rings, .server = server, .xml.file = file};
    if (gather_wires(&writing.wiring, scratch)) {
        writing.station = gather_stations(&writing.wiring, scratch);
    }
    if (writing.station == NULL) {
        return orr_diag_no_memory(diag, "the order of rings");
    }
    put_graphs(&writing);
    return ferror(file) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the order of rings cannot be written");
}
