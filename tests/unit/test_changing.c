/* Networks that change while messages are under way, against calculations by hand, on every backend
 * that carries changes. Unless said otherwise links have 10 GB/s and 1 us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/network.h"

#define US ORR_PS_PER_US
#define NEVER (-1)
#define PAIR "graph: {npus: 2, links: [{from: 0, to: 1}]}\n"
#define LINE "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}]}\n"

enum { MESSAGES = 16, EVENT_SEND = ORR_EVENT_SYSTEM, ENTITIES = 32 };

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
                                 .order = i,
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

/* ---- capacities ---- */

/* 1 MB: 500 KB in 50 us at 10 GB/s, then 100 us at 5; and 1 us of latency. */
static void test_a_link_is_halved_in_the_middle_of_a_message(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(PAIR "changes: [{at: 50 us, link: 0-1, bandwidth: 5 GB/s}]\n", *backend);
        const unsigned only = send(0, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[only], 151 * US);
        assert_int_equal(fixture.sent[only], 150 * US);
        close_fixture();
    }
}

/* 200 KB until 20 us, nothing until 70 us, 800 KB in 80 us. */
static void test_a_link_is_down_for_a_while(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(PAIR "changes:\n- {at: 70 us, link: 0-1, bandwidth: 10 GB/s}\n"
                          "- {at: 20 us, link: 0-1, bandwidth: 0}\n",
                     *backend);
        const unsigned only = send(0, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[only], 151 * US);
        close_fixture();
    }
}

/* It is down before anything is sent, and comes back at half its bandwidth at 70 us: 200 us. Sent
 * after the changes, when nobody has followed them: at 5 GB/s too. */
static void test_changes_before_a_message_hold_for_it(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(PAIR "changes:\n- {at: 10 us, link: 0-1, bandwidth: 0}\n"
                          "- {at: 70 us, link: 0-1, bandwidth: 5 GB/s}\n",
                     *backend);
        const unsigned first = send(20 * US, 0, 1, 1000000);
        const unsigned second = send(1000 * US, 1, 0, 1000000);
        run();
        assert_int_equal(fixture.there[first], 271 * US);
        assert_int_equal(fixture.there[second], 1201 * US);
        close_fixture();
    }
}

/* Whole: the first link takes 100 us, the message is at NPU 1 at 101 us. The second begins then, is
 * down from 151 us, with half, until 200 us: done at 250, there at 251 us. In packets of 250 KB: at
 * NPU 1 at 26, 51, 76, 101; the second link sends 25 us each from 26 on, so that it has sent all
 * but 10 KB at 125 us; at 1 GB/s these take 10 us: done at 135, there at 136 us. */
static void test_the_second_link_of_a_way_changes(void **state)
{
    (void)state;
    open_fixture(LINE "changes: [{at: 151 us, link: 1-2, bandwidth: 0},\n"
                      "  {at: 200 us, link: 1-2, bandwidth: 10 GB/s}]\n",
                 "congestion");
    const unsigned whole = send(0, 0, 2, 1000000);
    run();
    assert_int_equal(fixture.there[whole], 251 * US);
    assert_int_equal(fixture.sent[whole], 100 * US);
    close_fixture();
    open_fixture(LINE "packet: 250 KB\n"
                      "changes: [{at: 125 us, link: 1-2, bandwidth: 1 GB/s}]\n",
                 "congestion");
    const unsigned packets = send(0, 0, 2, 1000000);
    run();
    assert_int_equal(fixture.there[packets], 136 * US);
    assert_int_equal(fixture.sent[packets], 100 * US);
    close_fixture();
}

/* A message holds the link for 10 us beside its bytes, in which these change nothing: 400 KB from
 * 10 to 50 us, 600 at half until 170 us. */
static void test_the_overhead_of_a_message_is_no_bytes(void **state)
{
    (void)state;
    open_fixture(PAIR "message_overhead: 10 us\n"
                      "changes: [{at: 5 us, link: 0-1, bandwidth: 10 GB/s, one_way: true},\n"
                      "  {at: 50 us, link: 0-1, bandwidth: 5 GB/s}]\n",
                 "congestion");
    const unsigned only = send(0, 0, 1, 1000000);
    run();
    assert_int_equal(fixture.there[only], 171 * US);
    close_fixture();
}

/* Two messages of 1 MB one behind the other, the link at half from 50 us on: the first takes 150
 * us, the second 200 us more; it waits in line meanwhile. */
static void test_the_line_of_a_link_waits_for_what_it_sends(void **state)
{
    (void)state;
    open_fixture(PAIR "changes: [{at: 50 us, link: 0-1, bandwidth: 5 GB/s}]\n", "congestion");
    const unsigned first = send(0, 0, 1, 1000000), second = send(10 * US, 0, 1, 1000000);
    run();
    assert_int_equal(fixture.there[first], 151 * US);
    assert_int_equal(fixture.sent[second], 350 * US);
    assert_int_equal(fixture.there[second], 351 * US);
    close_fixture();
}

/* A change in the instant in which the message has left comes too late for it, and one to what the
 * link has does nothing. */
static void test_changes_that_change_nothing(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(PAIR "changes: [{at: 30 us, link: 0-1, bandwidth: 10 GB/s},\n"
                          "  {at: 100 us, link: 0-1, bandwidth: 0},\n"
                          "  {at: 100.5 us, link: 0-1, bandwidth: 1 GB/s}]\n",
                     *backend);
        const unsigned only = send(0, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.sent[only], 100 * US);
        assert_int_equal(fixture.there[only], 101 * US);
        close_fixture();
    }
}

/* The link from 0 is down for good at 20 us; another way is not affected. */
static void test_what_stands_still_is_told(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture("graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: "
                     "0}]}\nchanges: [{at: 20 us, link: 0-1, bandwidth: 0}]\n",
                     *backend);
        const unsigned other = send(0, 1, 2, 1000000), still = send(0, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[other], 101 * US);
        assert_int_equal(fixture.there[still], NEVER);
        const struct net_flows_stuck stuck = fixture.net->ops->stuck(fixture.net);
        assert_int_equal(stuck.flows, 1);
        assert_int_equal(stuck.cookie, still);
        assert_int_equal(stuck.link, orr_net_graph_find(fixture.config.graph, 0, 1));
        struct orr_diag *diag = &fixture.diag;
        (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL, "stuck");
        orr_net_flows_tell_stuck(fixture.config.graph, stuck, diag);
        orr_net_control_tell(fixture.net->control, diag);
        assert_non_null(
            strstr(diag->message, "1 flow stands still; the link from 0 to 1 carries nothing (from "
                                  "NPU 0 to NPU 1)" +
                                      (stuck.messages ? 6 : 0)));
        assert_non_null(strstr(diag->message,
                               "network.changes last set the link from 1 to 0, at 20.000 us: 1 of "
                               "1 with 0 GB/s; nothing comes after it"));
        close_fixture();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_is_halved_in_the_middle_of_a_message),
        cmocka_unit_test(test_a_link_is_down_for_a_while),
        cmocka_unit_test(test_changes_before_a_message_hold_for_it),
        cmocka_unit_test(test_the_second_link_of_a_way_changes),
        cmocka_unit_test(test_the_overhead_of_a_message_is_no_bytes),
        cmocka_unit_test(test_the_line_of_a_link_waits_for_what_it_sends),
        cmocka_unit_test(test_changes_that_change_nothing),
        cmocka_unit_test(test_what_stands_still_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
