/* Ring orders in NCCL's XML format of graphs; see nccl_graph.h. */
#include "planner/finder/nccl_graph.h"

#include "core/arena.h"
#include "core/diag.h"
#include "planner/finder/finder.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- XML: elements with attributes, indented ---- */

struct xml {
    FILE *file;
    unsigned depth;
};

static void write_escaped(FILE *file, const char *text)
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

static void write_text(struct xml *xml, const char *name, const char *value)
{
    (void)fprintf(xml->file, " %s=\"", name);
    write_escaped(xml->file, value);
    (void)fputc('"', xml->file);
}

static void write_count(struct xml *xml, const char *name, uint64_t value)
{
    (void)fprintf(xml->file, " %s=\"%" PRIu64 "\"", name, value);
}

/* NCCL reads devices as hexadecimal, earlier ones by their prefix: below ten it is the same. */
static void write_device(struct xml *xml, const char *name, uint64_t value)
{
    (void)fprintf(xml->file, value < 10 ? " %s=\"%" PRIu64 "\"" : " %s=\"0x%" PRIx64 "\"", name,
                  value);
}

static void write_real(struct xml *xml, const char *name, double value)
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

/* A directed link; the same interface number (panel) sends and receives. */
struct wire {
    uint32_t from, to, interface;
    uint32_t order; /* among the links between two servers, in the order of layers */
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

static void add_wire(struct wiring *wiring, const struct finder_link *ends, uint32_t interface)
{
    const struct wire wire = {
        .from = ends->from, .to = ends->to, .interface = interface, .order = wiring->wires};
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
struct member_ports {
    uint32_t receives, sends;
};

/* Assigns the interfaces of the step from member `at`: that of its first wire, and of its last. */
static void assign_interfaces(const struct wiring *wiring, const struct finder_ring *ring,
                              uint32_t at, struct member_ports *member_ports)
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
    member_ports[at].sends = first->interface;
    member_ports[next].receives = last->interface;
}

/* [members] of every ring, one after the other; NULL: memory is out. */
static struct member_ports *gather_stations(const struct wiring *wiring, struct orr_arena *scratch)
{
    const struct finder_topology *topology = wiring->rings->topology;
    size_t members = 0;
    for (uint32_t r = 0; r < topology->rings; r++) {
        members += topology->ring[r].members;
    }
    struct member_ports *member_ports = orr_arena_array(scratch, members, sizeof *member_ports);
    members = 0;
    for (uint32_t r = 0; member_ports != NULL && r < topology->rings; r++) {
        for (uint32_t at = 0; at < topology->ring[r].members; at++) {
            assign_interfaces(wiring, &topology->ring[r], at, member_ports + members);
        }
        members += topology->ring[r].members;
    }
    return member_ports;
}

/* ---- the file ---- */

struct writer {
    struct xml xml;
    struct wiring wiring;
    const struct member_ports *member_ports; /* of all rings */
    uint32_t server;                         /* or NCCL_ALL_SERVERS */
    /* Of the current graph. */
    uint32_t group, channels;
    bool crosses; /* a server receives and sends by different interfaces */
};

static bool is_written(const struct writer *writer, uint32_t server)
{
    return writer->server == NCCL_ALL_SERVERS || writer->server == server;
}

/* Counts the channels of the group, and sets `crosses`. */
static void count_channels(struct writer *writer)
{
    writer->channels = 0;
    writer->crosses = false;
    const struct finder_topology *topology = writer->wiring.rings->topology;
    const struct member_ports *member_ports = writer->member_ports;
    for (uint32_t r = 0; r < topology->rings; r++) {
        const struct finder_ring *ring = &topology->ring[r];
        bool counted = false;
        for (uint32_t at = 0; at < ring->members; at++, member_ports++) {
            if (ring->group == writer->group && is_written(writer, ring->member[at])) {
                counted = true;
                writer->crosses |= member_ports->receives != member_ports->sends;
            }
        }
        writer->channels += counted;
    }
}

static void write_net(struct xml *xml, uint32_t interface)
{
    begin_element(xml, "net");
    write_device(xml, "dev", interface);
    end_empty(xml);
}

static void write_server(struct writer *writer, uint32_t server,
                         const struct member_ports *member_ports)
{
    const uint32_t gpus = writer->wiring.rings->gpus;
    struct xml *xml = &writer->xml;
    write_net(xml, member_ports->receives);
    for (uint32_t gpu = 0; gpu < gpus; gpu++) {
        begin_element(xml, "gpu");
        write_device(xml, "dev", gpu);
        if (writer->server == NCCL_ALL_SERVERS) {
            write_count(xml, "rank", (uint64_t)server * gpus + gpu);
        }
        end_empty(xml);
    }
    write_net(xml, member_ports->sends);
}

static void write_channel(struct writer *writer, const struct finder_ring *ring,
                          const struct member_ports *member_ports)
{
    bool opened = false;
    for (uint32_t at = 0; at < ring->members; at++) {
        if (!is_written(writer, ring->member[at])) {
            continue;
        }
        if (!opened) {
            begin_element(&writer->xml, "channel");
            open_children(&writer->xml);
            opened = true;
        }
        write_server(writer, ring->member[at], &member_ports[at]);
    }
    if (opened) {
        end_element(&writer->xml, "channel");
    }
}

static void write_graph_attributes(struct writer *writer)
{
    const struct nccl_rings *rings = writer->wiring.rings;
    const struct net_link_kind *kind = &rings->topology->kind;
    const double inner = rings->inner_bytes_per_s;
    const char *of_gpus = rings->gpus > 1 ? "NVL" : "LOC";
    struct xml *xml = &writer->xml;
    write_count(xml, "id", 0);
    write_count(xml, "pattern", 4);
    write_count(xml, "crossnic", writer->crosses);
    write_count(xml, "nchannels", writer->channels);
    write_real(xml, "speedintra", (inner > 0 ? inner : kind->bytes_per_s) / 1e9);
    write_real(xml, "speedinter", kind->bytes_per_s / 1e9);
    write_real(xml, "latencyinter", (double)kind->latency_ps / ORR_PS_PER_US);
    write_text(xml, "typeintra", rings->inner != NULL ? rings->inner : of_gpus);
    write_text(xml, "typeinter", rings->outer != NULL ? rings->outer : "PIX");
    write_count(xml, "samechannels", writer->server != NCCL_ALL_SERVERS || writer->channels < 2);
    if (writer->wiring.rings->group == NCCL_ALL_GROUPS) {
        write_count(xml, "group", writer->group);
    }
}

static void write_graph(struct writer *writer, uint32_t group)
{
    const struct finder_topology *topology = writer->wiring.rings->topology;
    const struct member_ports *member_ports = writer->member_ports;
    writer->group = group;
    count_channels(writer);
    begin_element(&writer->xml, "graph");
    write_graph_attributes(writer);
    open_children(&writer->xml);
    for (uint32_t r = 0; r < topology->rings; r++) {
        if (topology->ring[r].group == group) {
            write_channel(writer, &topology->ring[r], member_ports);
        }
        member_ports += topology->ring[r].members;
    }
    end_element(&writer->xml, "graph");
}

static void write_graphs(struct writer *writer)
{
    const struct nccl_rings *rings = writer->wiring.rings;
    const bool all = rings->group == NCCL_ALL_GROUPS;
    begin_element(&writer->xml, "graphs");
    write_count(&writer->xml, "version", 1);
    open_children(&writer->xml);
    for (uint32_t group = all ? 0 : rings->group;
         group < (all ? rings->topology->groups : rings->group + 1); group++) {
        write_graph(writer, group);
    }
    end_element(&writer->xml, "graphs");
}

enum orr_status orr_nccl_graph_write(struct orr_arena *scratch, FILE *file,
                                     const struct nccl_rings *rings, uint32_t server,
                                     struct orr_diag *diag)
{
    struct writer writer = {.wiring.rings = rings, .server = server, .xml.file = file};
    if (gather_wires(&writer.wiring, scratch)) {
        writer.member_ports = gather_stations(&writer.wiring, scratch);
    }
    if (writer.member_ports == NULL) {
        return orr_diag_no_memory(diag, "the order of rings");
    }
    write_graphs(&writer);
    return ferror(file) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the order of rings cannot be written");
}
