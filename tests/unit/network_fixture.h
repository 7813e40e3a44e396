/* A network with a queue and a log of what it tells, for the tests of backends. Messages are sent
 * from events of their sources; the cookie of a message is its number. */
#ifndef ORR_TESTS_UNIT_NETWORK_FIXTURE_H
#define ORR_TESTS_UNIT_NETWORK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/evq.h"
#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_listener.h"
#include "network/net_message.h"

struct net;
struct orr_arena;
struct orr_evq;

enum { FIXTURE_MESSAGES = 512, FIXTURE_EVENT_SEND = ORR_EVENT_SYSTEM };

struct delivery {
    sim_time time;
    uint32_t dst;
    uint64_t label, cookie;
};

struct fixture {
    struct orr_arena *arena;
    struct orr_evq *queue;
    struct net *net;
    uint32_t npus;
    struct net_config config;
    struct net_dim dim[4];
    struct net_msg msg[FIXTURE_MESSAGES];
    sim_time sent[FIXTURE_MESSAGES]; /* by message; -1: not sent */
    struct delivery log[FIXTURE_MESSAGES];
    unsigned messages, deliveries, departures;
    void (*then)(struct fixture *fixture, uint64_t cookie); /* on each delivery, or NULL */
};

static inline void fixture_sent(void *context, struct orr_slot src, uint64_t cookie)
{
    struct fixture *fixture = context;
    assert_int_equal(src.slot, fixture->msg[cookie].src.rank);
    assert_int_equal(fixture->sent[cookie], -1);
    fixture->sent[cookie] = orr_evq_now(fixture->queue);
    fixture->departures++;
}

static inline void fixture_delivered(void *context, struct orr_slot dst, uint64_t label,
                                     uint64_t cookie)
{
    struct fixture *fixture = context;
    assert_int_equal(dst.slot, fixture->msg[cookie].dst.rank);
    assert_int_equal(label, fixture->msg[cookie].label);
    fixture->log[fixture->deliveries++] =
        (struct delivery){orr_evq_now(fixture->queue), dst.slot, label, cookie};
    if (fixture->then != NULL) {
        fixture->then(fixture, cookie);
    }
}

static inline void fixture_on_send(void *context, const struct orr_event *event)
{
    struct fixture *fixture = context;
    fixture->net->ops->send(fixture->net, &fixture->msg[event->cookie]);
}

/* Fills the config from fixture->dim and fixture->config.{dims, whole_ns}. Who has whole ns does
 * not listen to departures (sys_policy.ignores_departures). */
static inline void fixture_open(struct fixture *fixture, const char *backend, enum orr_order order)
{
    fixture->config.backend = backend;
    fixture->config.dim = fixture->dim;
    fixture->npus = orr_net_npus(&fixture->config);
    fixture->messages = fixture->deliveries = fixture->departures = 0;
    fixture->arena = orr_arena_create();
    fixture->queue = orr_evq_create(order, fixture->npus);
    assert_int_equal(
        orr_net_create(&fixture->net, &fixture->config, fixture->queue, fixture->arena, NULL),
        ORR_OK);
    fixture->net->listener =
        (struct net_listener){.context = fixture,
                              .sent = fixture->config.whole_ns ? NULL : fixture_sent,
                              .delivered = fixture_delivered};
    orr_evq_handle(fixture->queue, FIXTURE_EVENT_SEND, fixture_on_send, fixture);
}

static inline void fixture_close(struct fixture *fixture)
{
    orr_net_destroy(fixture->net);
    orr_evq_destroy(fixture->queue);
    orr_arena_destroy(fixture->arena);
}

/* Has message `index` (already in fixture->msg) sent at `time`. A source's sends of one instant go
 * by their numbers under label order: they are its own history. */
static inline void fixture_post(struct fixture *fixture, sim_time time, unsigned index)
{
    const struct orr_event event = {.label = index,
                                    .cookie = index,
                                    .entity = fixture->msg[index].src.rank,
                                    .kind = FIXTURE_EVENT_SEND};
    fixture->msg[index].cookie = fixture->msg[index].source_cookie = index;
    fixture->sent[index] = -1;
    orr_evq_post(fixture->queue, time, &event);
}

/* Adds a message that is sent at `time` and returns its number. */
static inline unsigned fixture_send(struct fixture *fixture, sim_time time, struct net_msg msg)
{
    const unsigned index = fixture->messages++;
    fixture->msg[index] = msg;
    fixture_post(fixture, time, index);
    return index;
}

static inline void fixture_run(struct fixture *fixture)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_evq_run(fixture->queue, &diag), ORR_OK);
}

/* When the message was delivered; it must have been, once. */
static inline sim_time fixture_time(const struct fixture *fixture, unsigned index)
{
    sim_time time = -1;
    for (unsigned i = 0; i < fixture->deliveries; i++) {
        if (fixture->log[i].cookie == index) {
            assert_int_equal(time, -1);
            time = fixture->log[i].time;
        }
    }
    assert_true(time >= 0);
    return time;
}

#endif
