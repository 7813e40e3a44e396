/* A controller and a collective from outside.
 *
 * round_robin: circuits take turns, whatever waits: in each millisecond each node has other
 * partners. hop_ring: a ring all-gather and all-reduce in which each rank sends to the one before
 * it.
 *
 *     cc -shared -fPIC -I include -o parts.so examples/plugin/parts.c && orrery plugin check
 * ./parts.so */
#include <orrery/extend.h>

/* ---- the controller: by its port p, node i has a circuit to node shift + p - i, which has one
 * back ---- */

static void decide(void *user, const struct orrery_circuits_view *view, uint16_t *set)
{
    const uint32_t nodes = view->nodes,
                   shift = (uint32_t)(view->now_ps / 1000000000 % nodes); /* moves on each ms */
    (void)user;
    for (uint32_t port = 0; port < view->ports; port++) {
        for (uint32_t node = 0; node < nodes; node++) {
            const uint32_t to = (shift + port + nodes - node) % nodes;
            set[node * nodes + to] += to != node;
        }
    }
}

/* ---- the collective ---- */

/* Steps: blocks go around once, and a second time for an all-reduce. */
static uint32_t count(void *user, const struct orrery_collective_view *view)
{
    (void)user;
    return (view->kind == ORRERY_ALL_REDUCE ? 2 : 1) * (view->ranks - 1);
}

static bool supports(void *user, enum orrery_collective_kind kind, uint32_t ranks)
{
    (void)user, (void)ranks;
    return kind == ORRERY_ALL_REDUCE || kind == ORRERY_ALL_GATHER;
}

static uint64_t block_bytes(const struct orrery_collective_view *view)
{
    return view->kind == ORRERY_ALL_GATHER ? view->bytes
                                           : (view->bytes + view->ranks - 1) / view->ranks;
}

/* The first round of an all-reduce sums: rank r sends block r + 1 first, and has the sum of block r
 * in the end. */
static bool sums(const struct orrery_collective_view *view, uint32_t k)
{
    return view->kind == ORRERY_ALL_REDUCE && k < view->ranks - 1;
}

static uint32_t block_of(const struct orrery_collective_view *view, uint32_t k)
{
    const uint32_t n = view->ranks, step = k % (n - 1);
    return (view->rank + step + sums(view, k)) % n;
}

static void send(void *user, const struct orrery_collective_view *view, uint32_t k,
                 struct orrery_send *out)
{
    (void)user;
    *out = (struct orrery_send){.to = (view->rank + view->ranks - 1) % view->ranks,
                                .to_receive = k,
                                .need = k,
                                .bytes = block_bytes(view)};
}

static void receive(void *user, const struct orrery_collective_view *view, uint32_t k,
                    struct orrery_receive *out)
{
    (void)user;
    *out = (struct orrery_receive){.from = (view->rank + 1) % view->ranks,
                                   .reduce = sums(view, k),
                                   .bytes = block_bytes(view)};
}

static void blocks(void *user, const struct orrery_collective_view *view, uint32_t k,
                   void (*visit)(void *context, uint32_t block), void *context)
{
    (void)user;
    visit(context, block_of(view, k));
}

/* ---- the extension ---- */

static const struct orrery_controller round_robin = {
    ORRERY_SIZED(orrery_controller), .name = "round_robin", .summary = "circuits move on in turn",
    .decide = decide};

static const struct orrery_collective hop_ring = {ORRERY_SIZED(orrery_collective),
                                                  .name = "hop_ring",
                                                  .summary = "a ring to the rank before",
                                                  .in_order = true,
                                                  .supports = supports,
                                                  .sends = count,
                                                  .receives = count,
                                                  .send = send,
                                                  .receive = receive,
                                                  .blocks = blocks};

const struct orrery_extension orrery_plugin = {ORRERY_SIZED(orrery_extension),
                                               ORRERY_EXTEND_VERSION,
                                               .name = "a controller and a collective",
                                               .controller = &round_robin,
                                               .controllers = 1,
                                               .collective = &hop_ring,
                                               .collectives = 1};
