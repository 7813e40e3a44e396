/* Greedy circuit assignment: a heap of the pairs with waiting bytes, by their need for another
 * circuit. See circuits.h. */
#include "network/optical/circuits.h"

struct greedy {
    const struct net_circuits_view *view;
    double (*need)(const struct net_circuits_view *view, double bytes, uint32_t has);
    struct net_circuits_request *request; /* heap, largest need on top */
    uint32_t requests;
    uint16_t *set;
    uint32_t *sends, *receives; /* [nodes] free ports; one array if circuits are duplex */
};

static bool comes_before(const struct net_circuits_request *a, const struct net_circuits_request *b)
{
    return a->bytes > b->bytes || (!(a->bytes < b->bytes) && a->pair < b->pair);
}

static void sink(struct greedy *greedy, uint32_t at)
{
    struct net_circuits_request *request = greedy->request;
    const struct net_circuits_request moved = request[at];
    for (uint32_t child; (child = 2 * at + 1) < greedy->requests; at = child) {
        child += child + 1 < greedy->requests && comes_before(&request[child + 1], &request[child]);
        if (!comes_before(&request[child], &moved)) {
            break;
        }
        request[at] = request[child];
    }
    request[at] = moved;
}

static void drop_first(struct greedy *greedy)
{
    greedy->request[0] = greedy->request[--greedy->requests];
    if (greedy->requests != 0) {
        sink(greedy, 0);
    }
}

/* Gives a pair up to `max` circuits, as far as its ends have ports; returns the number. */
static uint32_t grant(struct greedy *greedy, uint32_t pair, uint32_t max)
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

static void push_request(struct greedy *greedy, uint32_t pair)
{
    const struct net_circuits_view *view = greedy->view;
    const uint32_t from = pair / view->nodes, to = pair % view->nodes;
    const uint32_t back = to * view->nodes + from;
    if (view->duplex && from > to && view->waiting[back] > 0) {
        return; /* the reverse pair requests for both */
    }
    const uint32_t asked = view->duplex && from > to ? back : pair;
    const double bytes = greedy->need(view, net_circuits_demand(view, asked), 0);
    if (bytes > 0) {
        greedy->request[greedy->requests++] =
            (struct net_circuits_request){.bytes = bytes, .pair = asked};
    }
}

static void begin(struct greedy *greedy)
{
    const struct net_circuits_view *view = greedy->view;
    for (uint32_t node = 0; node < view->nodes; node++) {
        greedy->sends[node] = greedy->receives[node] = view->ports;
    }
    for (uint32_t i = 0; i < view->waiting_pairs; i++) {
        push_request(greedy, view->waiting_pair[i]);
    }
    for (uint32_t at = greedy->requests / 2; at-- > 0;) {
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
                (void)grant(greedy, pair, (uint32_t)(view->present[pair] - greedy->set[pair]));
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
                            .request = view->request,
                            .set = set,
                            .sends = view->ends,
                            .receives = view->ends + (view->duplex ? 0 : view->nodes)};
    begin(&greedy);
    while (greedy.requests != 0) {
        struct net_circuits_request *first = &greedy.request[0];
        if (grant(&greedy, first->pair, 1) == 0) {
            drop_first(&greedy);
        } else {
            first->bytes = need(view, net_circuits_demand(view, first->pair), set[first->pair]);
            sink(&greedy, 0);
        }
    }
    keep_present(&greedy);
}
