/* A network that changes while messages are under way, from the text of its section: what the tests
 * of changing networks share. Unless said otherwise links have 10 GB/s and 1 us. */
#ifndef TESTS_CHANGING_FIXTURE_H
#define TESTS_CHANGING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "network/net.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/net_listener.h"
#include "network/net_message.h"

struct net;
struct orr_arena;
struct orr_evq;

#define US ORR_PS_PER_US
#define NEVER (-1)

enum { MESSAGES = 64, EVENT_SEND = ORR_EVENT_SYSTEM, ENTITIES = 32 };

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct net_config config;
    struct orr_evq *queue;
    struct net *net;
    unsigned messages;
    struct net_msg msg[MESSAGES];
    sim_time there[MESSAGES], sent[MESSAGES];
};

static struct fixture fixture;

static void delivered(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie)
{
    struct fixture *f = context;
    assert_int_equal(dst.slot, f->msg[cookie].dst.rank);
    assert_int_equal(label, f->msg[cookie].label);
    assert_int_equal(f->there[cookie], NEVER);
    f->there[cookie] = orr_evq_now(f->queue);
}

static void sent(void *context, struct orr_slot src, uint64_t cookie)
{
    struct fixture *f = context;
    assert_int_equal(src.slot, f->msg[cookie].src.rank);
    assert_int_equal(f->sent[cookie], NEVER);
    f->sent[cookie] = orr_evq_now(f->queue);
}

static void on_send(void *context, const struct orr_event *event)
{
    struct fixture *f = context;
    net_send(f->net, &f->msg[event->cookie]);
}

static void open_fixture(const char *text, const char *backend)
{
    struct fixture *f = &fixture;
    const struct orr_conf *root = NULL;
    memset(f, 0, sizeof *f);
    f->arena = orr_arena_create();
    f->queue = orr_evq_create(ORR_ORDER_LABEL, ENTITIES);
    orr_diag_init(&f->diag);
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &f->diag),
                     ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=10 GB/s", &root, NULL), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    const char *set = orr_arena_printf(f->arena, "backend=%s", backend);
    assert_int_equal(orr_conf_set(f->arena, root, set, &root, NULL), ORR_OK);
    const enum orr_status status = orr_net_config_read(f->arena, root, &f->config, &f->diag);
    assert_string_equal(status == ORR_OK ? "" : f->diag.message, "");
    assert_int_equal(orr_net_create(&f->net, &f->config, f->queue, f->arena, &f->diag), ORR_OK);
    f->net->listener = (struct net_listener){.context = f, .delivered = delivered, .sent = sent};
    orr_evq_handle(f->queue, EVENT_SEND, on_send, f);
}

static void close_fixture(void)
{
    orr_net_destroy(fixture.net);
    orr_evq_destroy(fixture.queue);
    orr_arena_destroy(fixture.arena);
}

static unsigned send(sim_time time, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct fixture *f = &fixture;
    const unsigned i = f->messages++;
    f->msg[i] = (struct net_msg){.src = orr_rank(src),
                                 .dst = orr_rank(dst),
                                 .bytes = bytes,
                                 .label = i,
                                 .order = 0,
                                 .cookie = i,
                                 .source_cookie = i};
    f->there[i] = f->sent[i] = NEVER;
    const struct orr_event event = {.label = i, .cookie = i, .entity = src, .kind = EVENT_SEND};
    orr_evq_post(f->queue, time, &event);
    return i;
}

static void run(void)
{
    assert_int_equal(orr_evq_run(fixture.queue, &fixture.diag), ORR_OK);
}

static const char *const backends[] = {"congestion", "flow"};
#define EACH_BACKEND(backend)                                                                      \
    for (const char *const *backend = backends; backend < backends + 2; backend++)

#endif
