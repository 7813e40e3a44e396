/* Parts that break their contracts, each in one way, chosen by a macro (tests/cli/test_plugins.sh).
 */
#include "orrery/extend.h"

#include <stddef.h>

#ifndef VERSION
#define VERSION ORRERY_EXTEND_VERSION
#endif
#ifndef NAME
#define NAME "wrong"
#endif

static struct orrery_net *sim;

static void call(void *self, uint64_t id)
{
    (void)self;
    sim->delivered(sim, id);
#ifdef TWICE
    sim->delivered(sim, id);
#endif
}

static void *create(void *user, struct orrery_net *net, const struct orrery_network *network)
{
    (void)user, (void)network;
#ifdef NO_NETWORK
    net->fail(net, "needs a torus");
    return NULL;
#endif
    return sim = net;
}

static void send(void *self, const struct orrery_net_message *message)
{
    (void)self;
#if defined UNKNOWN
    sim->delivered(sim, message->id + 1);
#elif defined PAST
    sim->schedule(sim, sim->now_ps(sim) - 1, call, message->id);
#elif defined NO_CALL
    sim->schedule(sim, sim->now_ps(sim), NULL, message->id);
#elif defined CHANGES
    static int64_t delay_ps;
    sim->schedule(sim, sim->now_ps(sim) + delay_ps++, call, message->id);
#elif !defined LOSES
    sim->schedule(sim, sim->now_ps(sim) + 1000, call, message->id);
#endif
}

#ifdef BACKEND
static const struct orrery_backend backend = {ORRERY_SIZED(orrery_backend), .name = NAME,
                                              .summary = "wrong", .create = create,
#ifndef NO_SEND
                                              .send = send
#endif
};
#endif

static void decide(void *user, const struct orrery_circuits_view *view, uint16_t *set)
{
    (void)user;
#if defined MANY
    for (uint32_t port = 0; port <= view->ports; port++) {
        set[1]++;
    }
#elif defined ITSELF
    set[0] = 1;
#elif defined ONE_WAY
    set[view->nodes > 2 ? 2 : 1] = 1;
#elif defined FICKLE
    static uint16_t decision;
    set[1] = set[view->nodes] = decision++ % 2;
#else
    (void)view, (void)set;
#endif
}

static const struct orrery_controller controller = {ORRERY_SIZED(orrery_controller), .name = NAME,
                                                    .summary = "wrong", .decide = decide};

static bool supports(void *user, enum orrery_collective_kind kind, uint32_t ranks)
{
    (void)user, (void)ranks;
#ifdef NOTHING
    return kind > ORRERY_BARRIER;
#endif
    return kind == ORRERY_BROADCAST;
}

static uint32_t count(void *user, const struct orrery_collective_view *view)
{
    (void)user;
    return view->rank == view->root ? view->ranks - 1 : 0;
}

static uint32_t receives(void *user, const struct orrery_collective_view *view)
{
    (void)user;
    return view->rank != view->root;
}

static void send_step(void *user, const struct orrery_collective_view *view, uint32_t k,
                      struct orrery_send *out)
{
    (void)user;
    *out = (struct orrery_send){.to = (view->root + k + 1) % view->ranks, .bytes = view->bytes};
#ifdef NOBODY
    out->to = view->ranks + 7;
#endif
#ifdef DEADLOCK
    out->need = 1;
#endif
}

static void receive(void *user, const struct orrery_collective_view *view, uint32_t k,
                    struct orrery_receive *out)
{
    (void)user, (void)k;
    *out = (struct orrery_receive){.from = view->root, .bytes = view->bytes};
#ifdef OTHER_BYTES
    out->bytes = 1;
#endif
}

static void blocks(void *user, const struct orrery_collective_view *view, uint32_t k,
                   void (*visit)(void *context, uint32_t block), void *context)
{
    (void)user, (void)k;
    for (uint32_t block = 0; block < view->ranks; block++) {
        visit(context, block);
    }
#ifdef TOO_MANY_BLOCKS
    visit(context, 1u << 30);
#endif
}

static const struct orrery_collective collective = {ORRERY_SIZED(orrery_collective),
                                                    .name = NAME,
                                                    .summary = "wrong",
                                                    .supports = supports,
                                                    .sends = count,
                                                    .receives = receives,
                                                    .send = send_step,
                                                    .receive = receive,
                                                    .blocks = blocks};

const struct orrery_extension orrery_plugin = {
#ifdef OTHER_SIZE
    .size = 8,
#else
    ORRERY_SIZED(orrery_extension),
#endif
    .version = VERSION,
    .name = "wrong",
#ifdef BACKEND
    .backend = &backend,
    .backends = 1,
#endif
#ifdef CONTROLLER
    .controller = &controller,
    .controllers = 1,
#endif
#ifdef COLLECTIVE
    .collective = &collective,
    .collectives = 1,
#endif
};
