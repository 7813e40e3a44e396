/* Circuits by utility (TopoOpt, NSDI'23, appendix E.4, Eq. 1, Algorithm 5): again and again the
 * pair with the most unsatisfied demand, that has a free port at both ends, gets a circuit, and its
 * demand counts `discount` times as much from then on; of equal ones the lower first, then second
 * node. The demand is what waits and is not sent yet. A discount of 1 is the SiP-ML of appendix F:
 * the pair takes all ports that its ends have left. Ports that nobody has a demand for keep the
 * circuits that are there, where both ends have one free. O(pairs + circuits log pairs): pairs are
 * a heap. */
#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_utility;

struct utility {
    const struct net_circuits_view *view;
    struct net_circuits_wish *wish; /* a heap, the most wanted at its top */
    uint32_t wishes;
    uint16_t *set;
    uint32_t *sends, *receives; /* [nodes] free ports */
};

static bool comes_before(const struct net_circuits_wish *a, const struct net_circuits_wish *b)
{
    return a->bytes > b->bytes || (!(a->bytes < b->bytes) && a->pair < b->pair);
}

static void sink(struct utility *utility, uint32_t at)
{
    struct net_circuits_wish *wish = utility->wish;
    const struct net_circuits_wish moved = wish[at];
    for (uint32_t child; (child = 2 * at + 1) < utility->wishes; at = child) {
        child += child + 1 < utility->wishes && comes_before(&wish[child + 1], &wish[child]);
        if (!comes_before(&wish[child], &moved)) {
            break;
        }
        wish[at] = wish[child];
    }
    wish[at] = moved;
}

static void drop_first(struct utility *utility)
{
    utility->wish[0] = utility->wish[--utility->wishes];
    if (utility->wishes != 0) {
        sink(utility, 0);
    }
}

/* So many circuits of a pair, as far as its ends have ports: how many these are. */
static uint32_t take(struct utility *utility, uint32_t pair, uint32_t most)
{
    uint32_t *sends = &utility->sends[pair / utility->view->nodes];
    uint32_t *receives = &utility->receives[pair % utility->view->nodes];
    uint32_t count = *sends < *receives ? *sends : *receives;
    count = count < most ? count : most;
    *sends -= count;
    *receives -= count;
    utility->set[pair] = (uint16_t)(utility->set[pair] + count);
    return count;
}

static void begin(struct utility *utility)
{
    const struct net_circuits_view *view = utility->view;
    for (uint32_t node = 0; node < view->nodes; node++) {
        utility->sends[node] = utility->receives[node] = view->ports;
    }
    for (uint32_t pair = 0; pair < view->nodes * view->nodes; pair++) {
        if (view->waiting[pair] > 0) {
            utility->wish[utility->wishes++] =
                (struct net_circuits_wish){.bytes = view->waiting[pair], .pair = pair};
        }
    }
    for (uint32_t at = utility->wishes / 2; at-- > 0;) {
        sink(utility, at);
    }
}

static void decide(const struct net_circuits_view *view, uint16_t *set)
{
    struct utility utility = {.view = view,
                              .wish = view->wish,
                              .set = set,
                              .sends = view->ends,
                              .receives = view->ends + view->nodes};
    const bool stays = !(view->discount < 1); /* what it was wanted for stays the most wanted */
    begin(&utility);
    while (utility.wishes != 0) {
        struct net_circuits_wish *first = &utility.wish[0];
        if (take(&utility, first->pair, stays ? view->ports : 1) == 0 || stays) {
            drop_first(&utility);
        } else {
            first->bytes *= view->discount;
            sink(&utility, 0);
        }
    }
    for (uint32_t pair = 0; pair < view->nodes * view->nodes; pair++) {
        if (set[pair] < view->present[pair]) {
            (void)take(&utility, pair, (uint32_t)(view->present[pair] - set[pair]));
        }
    }
}

const struct net_circuits_ops orr_circuits_utility = {
    .name = "utility",
    .summary = "circuits go where most bytes wait, each further one of a pair for less",
    .decide = decide,
};
