/* Random networks for task graphs, and how all-reduces go on them: see task_graph_cases.h. */
#include "tests/property/task_graph_cases.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/diag.h"
#include "system/sys_mono.h"

static void print(struct tg_case *made, const char *format, ...) ORR_PRINTF(2, 3);
static void print(struct tg_case *made, const char *format, ...)
{
    const size_t used = strlen(made->network);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(made->network + used, sizeof made->network - used, format, args);
    va_end(args);
}

static const char *one_of(struct tg_case *made, const char *const *of, uint32_t count)
{
    return of[tg_below(made, count)];
}
#define ONE_OF(made, list) one_of(made, list, sizeof(list) / sizeof *(list))

static const char *const speeds[] = {"100 Gb/s", "10 Gb/s", "12.5 GB/s", "7 Gb/s", "1 GB/s"};
static const char *const latencies[] = {"0 ns", "1 us", "1 us", "3 ns", "10 ms", "500 ns"};

/* ---- of the graph ---- */

static void put_links(struct tg_case *made, size_t root)
{
    struct ff_buffer *bytes = &made->bytes;
    const uint32_t n = made->servers, star = made->switches != 0;
    const uint32_t links = star ? n : n - 1 + (n > 2);
    const uint32_t more = star || n < 4 ? 0 : tg_below(made, 4);
    const size_t vector = ff_vector(bytes, ff_at(root, 6), links + more, 4);
    for (uint32_t i = 0; i < links + more; i++) {
        const size_t table = ff_table(bytes, 3);
        ff_link(bytes, vector + 4 + 4 * (size_t)i, table);
        const uint32_t jump = i < links ? 1 : 2 + (i - links) % (n - 3);
        ff_put(bytes, ff_at(table, 0), i < links ? i : 0, 4);
        ff_put(bytes, ff_at(table, 1), star ? n : ((i < links ? i : 0) + jump) % n, 4);
        ff_put(bytes, ff_at(table, 2), 1 + tg_below(made, 3), 4);
    }
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

static void put_ring(struct tg_case *made, size_t field, uint32_t members)
{
    struct ff_buffer *bytes = &made->bytes;
    const size_t table = ff_table(bytes, 2);
    uint32_t jump[TG_SERVERS], jumps = 0;
    for (uint32_t i = 1; i < members && jumps < 3; i++) {
        if (divisor(members, i) == 1 && (jumps == 0 || tg_below(made, 2) == 0)) {
            jump[jumps++] = i;
        }
    }
    ff_link(bytes, field, table);
    ff_put(bytes, ff_at(table, 0), members, 8);
    const size_t vector = ff_vector(bytes, ff_at(table, 1), jumps, 4);
    for (uint32_t i = 0; i < jumps; i++) {
        const size_t ring = ff_table(bytes, 1);
        ff_link(bytes, vector + 4 + 4 * (size_t)i, ring);
        const size_t numbers = ff_vector(bytes, ff_at(ring, 0), 1, 4);
        ff_put(bytes, numbers + 4, jump[i], 4);
    }
}

static void put_rings(struct tg_case *made, size_t root)
{
    const uint32_t kinds = made->servers < 2 ? 0 : tg_below(made, 3);
    const size_t vector = ff_vector(&made->bytes, ff_at(root, 11), kinds, 4);
    for (uint32_t i = 0; i < kinds; i++) {
        put_ring(made, vector + 4 + 4 * (size_t)i,
                 i == 0 ? made->servers : 2 + tg_below(made, made->servers - 1));
    }
}

/* Ways round a ring of servers: some of them the long one. */
static void put_routes(struct tg_case *made, size_t root)
{
    struct ff_buffer *bytes = &made->bytes;
    const uint32_t n = made->servers;
    const uint32_t routes = made->switches != 0 || n < 3 ? 0 : tg_below(made, 4);
    const size_t vector = ff_vector(bytes, ff_at(root, 10), routes, 4);
    for (uint32_t i = 0; i < routes; i++) {
        const uint32_t from = (2 * i) % n, back = tg_below(made, 2);
        const uint32_t hops = 1 + tg_below(made, n - 1);
        const uint32_t to = (from + (back ? n - hops : hops)) % n;
        const size_t route = ff_table(bytes, 3);
        ff_link(bytes, vector + 4 + 4 * (size_t)i, route);
        ff_put(bytes, ff_at(route, 0), from, 4);
        ff_put(bytes, ff_at(route, 1), to, 4);
        const size_t paths = ff_vector(bytes, ff_at(route, 2), 1, 4);
        const size_t path = ff_table(bytes, 2);
        ff_link(bytes, paths + 4, path);
        ff_put_float(bytes, ff_at(path, 1), 1.0F);
        const size_t nodes = ff_vector(bytes, ff_at(path, 0), hops + 1, 4);
        for (uint32_t h = 0; h <= hops; h++) {
            ff_put(bytes, nodes + 4 + 4 * (size_t)h, (from + (back ? n - h : h)) % n, 4);
        }
    }
}

void tg_own_network(struct tg_case *made, size_t root)
{
    if (made->servers > 1) {
        put_links(made, root);
        put_routes(made, root);
        put_rings(made, root);
    }
}

/* ---- of a platform ---- */

static bool print_fabric(struct tg_case *made)
{
    static const char *const fabrics[] = {
        "ideal-switch", "full-mesh",  "circulant:1",  "circulant:1,2", "fat-tree",  "torus:2x8",
        "hypercube",    "expander:3", "ideal-switch", "torus:4x4",     "fat-tree:4"};
    const char *fabric = ONE_OF(made, fabrics);
    uint32_t npus = made->servers + (tg_below(made, 3) == 0 ? tg_below(made, 4) : 0);
    npus = npus < 4 ? 4 : npus + npus % 2;
    if (strcmp(fabric, "hypercube") == 0) {
        npus = npus <= 4 ? 4 : npus <= 8 ? 8 : 16;
    } else if (strncmp(fabric, "torus", 5) == 0 || strcmp(fabric, "fat-tree:4") == 0) {
        npus = 16;
    }
    print(made, "graph: {fabric: \"%s\", npus: %" PRIu32 ", bandwidth: %s, latency: %s}", fabric,
          npus, ONE_OF(made, speeds), ONE_OF(made, latencies));
    return strncmp(fabric, "torus", 5) == 0;
}

/* Servers at one or two switches, each link as fast as it likes. */
static void print_links(struct tg_case *made)
{
    const uint32_t n = made->servers < 2 ? 2 : made->servers, switches = 1 + tg_below(made, 2);
    print(made, "graph: {npus: %" PRIu32 ", switches: %" PRIu32 ", links: [", n, switches);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t s = 0; s < switches; s++) {
            print(made, "{from: %" PRIu32 ", to: %" PRIu32 ", bandwidth: %s, latency: %s}, ", i,
                  n + s, ONE_OF(made, speeds), ONE_OF(made, latencies));
        }
    }
    print(made, "{from: 0, to: 1, bandwidth: %s, latency: %s}]", ONE_OF(made, speeds),
          ONE_OF(made, latencies));
    const uint32_t rings = tg_below(made, 3);
    if (rings == 1) {
        print(made, ", rings: [{npus: %" PRIu32 ", jumps: [-1, 1]}]", n);
    } else if (rings == 2) {
        made->ordered = true;
        print(made, ", rings: [{npus: %" PRIu32 ", jumps: [1]}, {npus: %" PRIu32 ", order: [", n,
              n);
        for (uint32_t i = 0; i < n; i++) {
            print(made, "%s%" PRIu32, i == 0 ? "" : ", ", n - 1 - i);
        }
        print(made, "]}]");
    }
    print(made, "}");
}

static void print_blocks(struct tg_case *made)
{
    static const char *const blocks[] = {"Ring(4)_Switch(3)", "Switch(12)", "Ring(3)_Ring(4)",
                                         "FullyConnected(4)_Ring(4)", "Ring(12)"};
    const char *topology = ONE_OF(made, blocks);
    const char *speed = ONE_OF(made, speeds), *other = ONE_OF(made, speeds);
    const char *latency = ONE_OF(made, latencies), *second = ONE_OF(made, latencies);
    if (strchr(topology, '_') != NULL) {
        print(made, "topology: %s, bandwidth: [%s, %s], latency: [%s, %s]", topology, speed, other,
              latency, second);
    } else {
        print(made, "topology: %s, bandwidth: [%s], latency: [%s]", topology, speed, latency);
    }
}

static void print_changes(struct tg_case *made)
{
    static const char *const times[] = {"1 us", "100 us", "1 ms", "10 ms"};
    static const char *const slower[] = {"1 Gb/s", "0", "100 Gb/s"};
    const char *links = strstr(made->network, "{from: "); /* it has some by number */
    if (links == NULL) {
        return;
    }
    made->changes = true;
    print(made, ", changes: [{at: %s, link: 0-1, bandwidth: %s}", ONE_OF(made, times),
          ONE_OF(made, slower));
    if (tg_below(made, 2) == 0) {
        print(made, ", {at: 20 ms, link: 0-1, bandwidth: 3 Gb/s}");
    }
    print(made, "]");
}

enum ways { ROUTED, BY_DIMENSIONS, BLOCKS };

static void print_flows(struct tg_case *made, enum ways ways)
{
    static const char *const routes[] = {", routing: ecmp", ", routing: k-shortest, paths: 3",
                                         ", routing: shortest", ""};
    static const char *const times[] = {"1 us", "10 us", "3 ns"};
    if (ways != BLOCKS && tg_below(made, 2) == 0) {
        print(made, "%s, seed: %" PRIu32, ONE_OF(made, routes), 1 + tg_below(made, 9));
    } else if (ways == BY_DIMENSIONS) {
        print(made, ", routing: dimension-order");
    }
    if (tg_below(made, 2) == 0) {
        print(made, ", shares: maxmin");
    }
    if (tg_below(made, 3) == 0) {
        print(made, ", setup: %s", ONE_OF(made, times));
    }
    if (tg_below(made, 3) == 0) {
        print(made, ", forwarding: %s", ONE_OF(made, times));
    }
    if (ways != BLOCKS && tg_below(made, 6) == 0) {
        print_changes(made);
    }
    if (tg_below(made, 6) == 0) {
        print(made, ", handshake: 64 B");
    }
}

static void choose_all_reduce(struct tg_case *made)
{
    char form[SYS_MONO_BYTES];
    const char *summary;
    uint32_t forms = 0;
    while (orr_sys_mono_form(forms, form, &summary)) {
        forms++;
    }
    if (tg_below(made, 3) == 0) {
        (void)strcpy(made->all_reduce, "ring");
        return;
    }
    (void)orr_sys_mono_form(tg_below(made, forms), form, &summary);
    const size_t name = strcspn(form, "[:");
    const bool needs = strchr(form, ':') != NULL && strchr(form, '[') == NULL;
    (void)snprintf(made->all_reduce, sizeof made->all_reduce, "%.*s", (int)name, form);
    if (form[name] != '\0' && (needs || tg_below(made, 2) == 0)) {
        (void)snprintf(made->all_reduce + name, sizeof made->all_reduce - name, ":%u",
                       1 + tg_below(made, 5));
    }
}

void tg_network(struct tg_case *made)
{
    choose_all_reduce(made);
    made->switches = tg_below(made, 2);
    made->own = !made->dot && made->servers > 1 && tg_below(made, 4) == 0;
    enum ways ways = ROUTED;
    switch (tg_below(made, 5)) {
    case 0:
        print_links(made);
        break;
    case 1:
        print_blocks(made);
        ways = BLOCKS;
        break;
    default:
        ways = print_fabric(made) ? BY_DIMENSIONS : ROUTED;
        break;
    }
    print_flows(made, ways);
}
