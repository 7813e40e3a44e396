/* Circuits for those that need them most: a heap of the pairs for which bytes wait, by what they
 * count for another circuit. See circuits.h. */
#include "network/optical/circuits.h"

struct greedy {
    const struct net_circuits_view *view;
    double (*need)(const struct net_circuits_view *view, double bytes, uint32_t has);
    struct net_circuits_wish *wish; /* a heap, the most wanted at its top */
    uint32_t wishes;
    uint16_t *set;
    uint32_t *sends, *receives; /* [nodes] free ports; the same ones where circuits are duplex */
};

static bool comes_before(const struct net_circuits_wish *a, const struct net_circuits_wish *b)
{
    return a->bytes > b->bytes || (!(a->bytes < b->bytes) && a->pair < b->pair);
}

static void sink(struct greedy *greedy, uint32_t at)
{
    struct net_circuits_wish *wish = greedy->wish;
    const struct net_circuits_wish moved = wish[at];
    for (uint32_t child; (child = 2 * at + 1) < greedy->wishes; at = child) {
        child += child + 1 < greedy->wishes && comes_before(&wish[child + 1], &wish[child]);
        if (!comes_before(&wish[child], &moved)) {
            break;
        }
        wish[at] = wish[child];
    }
    wish[at] = moved;
}

static void drop_first(struct greedy *greedy)
{
    greedy->wish[0] = greedy->wish[--greedy->wishes];
    if (greedy->wishes != 0) {
        sink(greedy, 0);
    }
}

/* So many circuits of a pair, as far as its ends have ports: how many these are. */
static uint32_t take(struct greedy *greedy, uint32_t pair, uint32_t max)
{
    const uint32_t nodes = greedy->view->nodes, from = pair / nodes, to = pair % nodes;
    uint32_t *sends = &greedy->sends[from], *receives = &greedy->receives[to];
    uint32_t count = *sends < *receives ? *sends : *receives;
    count = count < max ? count : max;
    *sends -= count;
    *receives -= count;
    greedy->set[pair] = (uint16_t)(greedy->set[pair] + count);
    if (greedy->view->duplex) {
        greedy->set[to * nodes + from] = greedy->set[pair];
    }
    return count;
}

static void ask(struct greedy *greedy, uint32_t pair)
{
    const struct net_circuits_view *view = greedy->view;
    const uint32_t from = pair / view->nodes, to = pair % view->nodes;
    const uint32_t back = to * view->nodes + from;
    if (view->duplex && from > to && view->waiting[back] > 0) {
        return; /* the other way asks for both */
    }
    const uint32_t asked = view->duplex && from > to ? back : pair;
    const double bytes = greedy->need(view, net_circuits_demand(view, asked), 0);
    if (bytes > 0) {
        greedy->wish[greedy->wishes++] = (struct net_circuits_wish){.bytes = bytes, .pair = asked};
    }
}

static void begin(struct greedy *greedy)
{
    const struct net_circuits_view *view = greedy->view;
    for (uint32_t node = 0; node < view->nodes; node++) {
        greedy->sends[node] = greedy->receives[node] = view->ports;
    }
    for (uint32_t i = 0; i < view->asking; i++) {
        ask(greedy, view->asks[i]);
    }
    for (uint32_t at = greedy->wishes / 2; at-- > 0;) {
        sink(greedy, at);
    }
}

static void keep_present(struct greedy *greedy)
{
    const struct net_circuits_view *view = greedy->view;
    for (uint32_t from = 0; from < view->nodes; from++) {
        uint32_t to = view->duplex ? from + 1 : 0;
        for (; to < view->nodes && greedy->sends[from] != 0; to++) {
            const uint32_t pair = from * view->nodes + to;
            if (greedy->set[pair] < view->present[pair]) {
                (void)take(greedy, pair, (uint32_t)(view->present[pair] - greedy->set[pair]));
            }
        }
    }
}

void orr_circuits_greedy(const struct net_circuits_view *view,
                         double (*need)(const struct net_circuits_view *view, double bytes,
                                        uint32_t has),
                         uint16_t *set)
{
    struct greedy greedy = {.view = view,
                            .need = need,
                            .wish = view->wish,
                            .set = set,
                            .sends = view->ends,
                            .receives = view->ends + (view->duplex ? 0 : view->nodes)};
    begin(&greedy);
    while (greedy.wishes != 0) {
        struct net_circuits_wish *first = &greedy.wish[0];
        if (take(&greedy, first->pair, 1) == 0) {
            drop_first(&greedy);
        } else {
            first->bytes = need(view, net_circuits_demand(view, first->pair), set[first->pair]);
            sink(&greedy, 0);
        }
    }
    keep_present(&greedy);
}
