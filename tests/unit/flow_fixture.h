/* A network read from a text, and flows between its NPUs that begin at once, for tests against
 * calculations by hand. */
#ifndef ORR_TESTS_UNIT_FLOW_FIXTURE_H
#define ORR_TESTS_UNIT_FLOW_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "network/flows/flows.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_listener.h"
#include "network/net_message.h"

struct net;
struct orr_arena;
struct orr_evq;

#define US ORR_PS_PER_US
#define NOT_ENDED (-1)

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct net_config config;
    struct net_flow_model model;
    struct orr_evq *queue;
    struct net *net;
    sim_time end[8]; /* by cookie */
};

static inline int open_fixture(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = orr_arena_create(),
                               .queue = orr_evq_create(ORR_ORDER_INSERTION, 8)};
    orr_diag_init(&fixture.diag);
    for (size_t i = 0; i < 8; i++) {
        fixture.end[i] = NOT_ENDED;
    }
    *state = &fixture;
    return fixture.arena == NULL || fixture.queue == NULL;
}

static inline int close_fixture(void **state)
{
    struct fixture *f = *state;
    orr_net_destroy(f->net);
    orr_evq_destroy(f->queue);
    orr_arena_destroy(f->arena);
    return 0;
}

static inline void delivered(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie)
{
    struct fixture *f = context;
    (void)dst;
    (void)label;
    f->end[cookie] = orr_evq_now(f->queue);
}

/* The section `network` that a text is. */
static inline const struct orr_conf *parse_text(struct fixture *f, const char *text)
{
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &f->diag),
                     ORR_OK);
    return root;
}

/* The network of f->config. */
static inline void create_net(struct fixture *f)
{
    assert_int_equal(orr_net_create(&f->net, &f->config, f->queue, f->arena, &f->diag), ORR_OK);
    f->net->listener = (struct net_listener){.context = f, .delivered = delivered};
}

static inline void start(struct fixture *f, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t cookie)
{
    const struct net_msg msg = {.src = orr_rank(src),
                                .dst = orr_rank(dst),
                                .bytes = bytes,
                                .label = cookie,
                                .cookie = cookie};
    net_send(f->net, &msg);
}

static inline void run(struct fixture *f)
{
    assert_int_equal(orr_evq_run(f->queue, &f->diag), ORR_OK);
}

#endif
