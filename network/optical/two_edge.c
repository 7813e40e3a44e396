/* Two-edge replacement: makes the circuits connect all nodes (TopoOpt, NSDI'23, Algorithm 5, line
 * 21, which takes it from OWAN, SIGCOMM'16).
 *
 * Parts are components of the circuits.
 * 1. Free ports are filled: first across parts, as many circuits as connect parts, then anywhere.
 * 2. Two circuits of different parts, u-v and p-q, are replaced by u-p and v-q, until one part is
 *   left. If a node still has a free port, a single circuit is replaced: u-v by u-p. The replaced
 *   circuits are those of smallest need (net_circuits_ops.need), ties by lower nodes; of the two
 *   ways to cross, the one with more waiting bytes.
 *
 * Duplex: only circuits on a cycle are replaced, so that a part stays connected. A part without
 * free ports has a cycle if nodes have two ports or more. One-way: after the filling, in-degree
 * equals out-degree at each node; then every circuit is on a cycle, and a part is strongly
 * connected (Euler). */
#include "core/union_find.h"
#include "network/optical/circuits.h"

#define NOBODY UINT32_MAX

struct edge_replacement {
    const struct net_circuits_view *view;
    const struct net_circuits_ops *ops;
    uint16_t *set;
    uint32_t parts;
    uint32_t *out;              /* [nodes * ports] ends of the circuits from a node */
    uint32_t *sends, *receives; /* [nodes] circuits; one array if they are duplex */
    uint32_t *part_set;         /* [nodes] union-find (core/union_find.h) */
    uint32_t *order, *low;      /* [nodes] depth-first search of cycles */
    uint32_t *via, *at, *stack; /* [nodes] likewise */
};

struct found_circuit {
    uint32_t from, to; /* NOBODY: none */
    double counts;
};

/* ---- circuits ---- */

static void append(struct edge_replacement *of, uint32_t from, uint32_t to)
{
    of->out[from * of->view->ports + of->sends[from]++] = to;
    of->receives[to] += of->view->duplex ? 0 : 1;
    of->parts -= orr_union_find_unite(of->part_set, from, to);
}

static void add(struct edge_replacement *of, uint32_t from, uint32_t to)
{
    of->set[from * of->view->nodes + to]++;
    append(of, from, to);
    if (of->view->duplex) {
        of->set[to * of->view->nodes + from]++;
        append(of, to, from);
    }
}

static void remove_circuit(struct edge_replacement *of, uint32_t from, uint32_t to)
{
    uint32_t *out = of->out + (size_t)from * of->view->ports;
    uint32_t i = 0;
    while (out[i] != to) {
        i++;
    }
    out[i] = out[--of->sends[from]];
    of->receives[to] -= of->view->duplex ? 0 : 1;
    of->set[from * of->view->nodes + to]--;
}

static void drop(struct edge_replacement *of, const struct found_circuit *circuit)
{
    remove_circuit(of, circuit->from, circuit->to);
    if (of->view->duplex) {
        remove_circuit(of, circuit->to, circuit->from);
    }
}

static bool can_send(const struct edge_replacement *of, uint32_t node)
{
    return of->sends[node] < of->view->ports;
}

static bool can_receive(const struct edge_replacement *of, uint32_t node)
{
    return of->receives[node] < of->view->ports;
}

static uint32_t part_of(struct edge_replacement *of, uint32_t node)
{
    return orr_union_find_root(of->part_set, node);
}

static void begin(struct edge_replacement *of)
{
    const uint32_t nodes = of->view->nodes;
    uint32_t *scratch = of->view->scratch;
    of->out = scratch;
    scratch += (size_t)nodes * of->view->ports;
    uint32_t **array[] = {&of->sends, &of->receives, &of->part_set, &of->order,
                          &of->low,   &of->via,      &of->at,       &of->stack};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = scratch + i * nodes;
    }
    of->receives = of->view->duplex ? of->sends : of->receives;
    for (uint32_t node = 0; node < nodes; node++) {
        of->sends[node] = of->receives[node] = 0;
    }
    orr_union_find_init(of->part_set, nodes);
    of->parts = nodes;
    for (uint32_t from = 0; from < nodes; from++) {
        for (uint32_t to = 0; to < nodes; to++) {
            for (uint16_t i = of->set[from * nodes + to]; i > 0; i--) {
                append(of, from, to);
            }
        }
    }
}

/* ---- free ports ---- */

/* Connects the part with the most free ports with the one with the fewest, until fewer than two
 * parts have any: no other order connects more. */
static void join_parts(struct edge_replacement *of)
{
    const uint32_t nodes = of->view->nodes;
    uint32_t *idle = of->low; /* [nodes] free ports of the part with this lowest node */
    uint32_t max = 0, min = 0;
    do {
        for (uint32_t node = 0; node < nodes; node++) {
            idle[node] = 0;
        }
        for (uint32_t node = 0; node < nodes; node++) {
            idle[part_of(of, node)] += of->view->ports - of->sends[node];
        }
        max = min = NOBODY;
        for (uint32_t part = 0; part < nodes; part++) {
            max = idle[part] != 0 && (max == NOBODY || idle[part] > idle[max]) ? part : max;
        }
        for (uint32_t part = 0; part < nodes; part++) {
            const bool other = idle[part] != 0 && part != max;
            min = other && (min == NOBODY || idle[part] < idle[min]) ? part : min;
        }
        if (min != NOBODY) {
            uint32_t from = 0, to = 0;
            while (part_of(of, from) != max || !can_send(of, from)) {
                from++;
            }
            while (part_of(of, to) != min || !can_receive(of, to)) {
                to++;
            }
            add(of, from, to);
        }
    } while (min != NOBODY);
}

/* Adds circuits between free ports, `across`: only between parts; `fresh`: only between pairs
 * without a circuit. */
static void fill(struct edge_replacement *of, bool across, bool fresh)
{
    const uint32_t nodes = of->view->nodes;
    for (uint32_t from = 0; from < nodes; from++) {
        for (uint32_t to = 0; to < nodes && can_send(of, from); to++) {
            while (to != from && can_send(of, from) && can_receive(of, to) &&
                   (!across || part_of(of, from) != part_of(of, to)) &&
                   (!fresh || of->set[from * nodes + to] == 0)) {
                add(of, from, to);
            }
        }
    }
}

static void fill_all(struct edge_replacement *of)
{
    if (of->view->duplex) {
        join_parts(of);
    } else {
        fill(of, true, false);
    }
    fill(of, false, true);
    fill(of, false, false);
}

/* ---- cycles of duplex circuits: bridges by Tarjan (1974). A tree edge is a bridge if no edge
 * leads back from below it ---- */

static void search_from(struct edge_replacement *of, uint32_t root, uint32_t *count)
{
    uint32_t depth = 0;
    of->stack[depth++] = root;
    of->order[root] = of->low[root] = ++*count;
    of->via[root] = NOBODY;
    of->at[root] = 0;
    while (depth > 0) {
        const uint32_t node = of->stack[depth - 1];
        if (of->at[node] == of->sends[node]) {
            const uint32_t above = --depth > 0 ? of->stack[depth - 1] : node;
            of->low[above] = of->low[node] < of->low[above] ? of->low[node] : of->low[above];
            continue;
        }
        const uint32_t next = of->out[node * of->view->ports + of->at[node]++];
        const bool back = next == of->via[node] && of->set[node * of->view->nodes + next] == 1;
        if (of->order[next] == 0) {
            of->stack[depth++] = next;
            of->order[next] = of->low[next] = ++*count;
            of->via[next] = node;
            of->at[next] = 0;
        } else if (!back && of->order[next] < of->low[node]) {
            of->low[node] = of->order[next];
        }
    }
}

static void search(struct edge_replacement *of)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < of->view->nodes; node++) {
        of->order[node] = 0;
    }
    for (uint32_t node = 0; node < of->view->nodes; node++) {
        if (of->order[node] == 0) {
            search_from(of, node, &count);
        }
    }
}

static bool is_on_cycle(const struct edge_replacement *of, uint32_t from, uint32_t to)
{
    return !of->view->duplex || !((of->via[to] == from && of->low[to] > of->order[from]) ||
                                  (of->via[from] == to && of->low[from] > of->order[to]));
}

/* ---- replacing ---- */

static double counts(const struct edge_replacement *of, uint32_t pair, uint32_t has)
{
    const double bytes = net_circuits_demand(of->view, pair);
    return of->ops->need != NULL ? of->ops->need(of->view, bytes, has) : bytes;
}

/* The circuit on a cycle with the smallest need, of any part except `but`. */
static struct found_circuit min_of(struct edge_replacement *of, uint32_t but)
{
    const uint32_t nodes = of->view->nodes;
    struct found_circuit best = {.from = NOBODY, .to = NOBODY};
    for (uint32_t from = 0; from < nodes; from++) {
        const uint32_t *out = of->out + (size_t)from * of->view->ports;
        const bool mine = part_of(of, from) != but;
        for (uint32_t i = 0; i < of->sends[from] && mine; i++) {
            const uint32_t pair = from * nodes + out[i];
            if ((of->view->duplex && out[i] < from) || !is_on_cycle(of, from, out[i])) {
                continue;
            }
            const double each = counts(of, pair, of->set[pair] - 1u);
            const bool same = !(each < best.counts) && !(each > best.counts);
            if (best.from == NOBODY || each < best.counts ||
                (same && pair < best.from * nodes + best.to)) {
                best = (struct found_circuit){.from = from, .to = out[i], .counts = each};
            }
        }
    }
    return best;
}

static void cross(struct edge_replacement *of, const struct found_circuit *one,
                  const struct found_circuit *two)
{
    const uint32_t nodes = of->view->nodes;
    drop(of, one);
    drop(of, two);
    if (!of->view->duplex) {
        add(of, one->from, two->to);
        add(of, two->from, one->to);
        return;
    }
    const double along =
        counts(of, one->from * nodes + two->from, 0) + counts(of, one->to * nodes + two->to, 0);
    const double across =
        counts(of, one->from * nodes + two->to, 0) + counts(of, one->to * nodes + two->from, 0);
    add(of, one->from, across > along ? two->to : two->from);
    add(of, one->to, across > along ? two->from : two->to);
}

/* Inserts a node with a free port into a circuit of another part. */
static bool insert(struct edge_replacement *of, uint32_t node)
{
    const struct found_circuit circuit = min_of(of, part_of(of, node));
    if (circuit.from == NOBODY) {
        return false;
    }
    drop(of, &circuit);
    add(of, circuit.from, node);
    if (can_send(of, node)) {
        add(of, node, circuit.to);
    }
    return true;
}

static bool replace(struct edge_replacement *of)
{
    uint32_t node = 0;
    while (node < of->view->nodes && !(can_send(of, node) && can_receive(of, node))) {
        node++;
    }
    if (of->view->duplex) {
        search(of);
    }
    if (node < of->view->nodes) {
        return insert(of, node);
    }
    const struct found_circuit one = min_of(of, NOBODY);
    const struct found_circuit two = one.from != NOBODY ? min_of(of, part_of(of, one.from))
                                                        : (struct found_circuit){.from = NOBODY};
    if (two.from == NOBODY) {
        return false;
    }
    cross(of, &one, &two);
    return true;
}

bool orr_circuits_connect(const struct net_circuits_view *view, const struct net_circuits_ops *ops,
                          uint16_t *set)
{
    struct edge_replacement of = {.view = view, .ops = ops, .set = set};
    begin(&of);
    fill_all(&of);
    while (of.parts > 1 && replace(&of)) {
    }
    return of.parts == 1;
}
