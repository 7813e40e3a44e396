/* Streams at a port: start-time fair queueing by hand, in a stream the order of its messages, and
 * what a port that is idle forgets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/backends/ports.h"
#include "network/net_config.h"

struct fixture {
    struct net_config config;
    struct port_slab slab;
    struct port_line line;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){.line.waiting = PORT_NONE};
    fixture->slab.config = &fixture->config;
    fixture->slab.free_head = PORT_NONE;
}

/* Queues a message beside one on the wire. */
static void push_beside(struct fixture *fixture, uint32_t stream, uint64_t order,
                        sim_time service_ps, sim_time sent_ps, sim_time left_ps)
{
    const uint32_t item = port_slab_new(&fixture->slab);
    const struct port_wire wire = {.sent_ps = sent_ps, .ahead_ps = left_ps};
    assert_int_not_equal(item, PORT_NONE);
    fixture->slab.items[item] =
        (struct port_msg){.order = order, .label = order, .service_ps = service_ps};
    assert_true(port_line_push(&fixture->slab, &fixture->line, item, stream, &wire));
}

static void push(struct fixture *fixture, uint32_t stream, uint64_t order, sim_time service_ps,
                 sim_time ahead_ps)
{
    push_beside(fixture, stream, order, service_ps, 0, ahead_ps);
}

/* The order of the message that is served next; 0: none waits. */
static uint64_t pop(struct fixture *fixture)
{
    const uint32_t item = port_line_pop(&fixture->slab, &fixture->line);
    const uint64_t order = item != PORT_NONE ? fixture->slab.items[item].order : 0;
    if (item != PORT_NONE) {
        port_slab_free(&fixture->slab, item);
    }
    return order;
}

/* What is left of the item on the wire is queued again. */
static void cut(struct fixture *fixture, uint32_t item, sim_time left_ps)
{
    const uint32_t rest = port_slab_new(&fixture->slab);
    assert_int_not_equal(rest, PORT_NONE);
    fixture->slab.items[rest] = fixture->slab.items[item];
    fixture->slab.items[rest].service_ps = left_ps;
    orr_port_shares_return(&fixture->slab, &fixture->line, rest);
}

/* In how much time the message on the wire is cut, if `left_ps` of it is left. */
static sim_time cut_in(const struct fixture *fixture, sim_time left_ps)
{
    return orr_port_shares_cut_in(&fixture->slab, &fixture->line, left_ps);
}

/* The example of docs/models.md, section 4; stream 2 is the collective. */
static void test_a_send_gets_its_turn(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (uint64_t i = 1; i <= 4; i++) {
        push(&fixture, 2, i, 100, 0);
    }
    const uint32_t first = port_line_pop(&fixture.slab, &fixture.line);
    push_beside(&fixture, 1, 10, 200, 30, 70);
    assert_true(cut_in(&fixture, 70) <= 0);
    cut(&fixture, first, 70);
    const uint32_t send = port_line_pop(&fixture.slab, &fixture.line);
    assert_int_equal(fixture.slab.items[send].order, 10);
    assert_int_equal(cut_in(&fixture, 200), 100); /* a send of 50 is over before */
    cut(&fixture, send, 100);
    assert_int_equal(pop(&fixture), 1);
    assert_int_equal(pop(&fixture), 2);
    assert_int_equal(pop(&fixture), 10);
    assert_int_equal(pop(&fixture), 3);
    assert_int_equal(pop(&fixture), 4);
    assert_int_equal(pop(&fixture), 0);
    assert_int_equal(fixture.line.waiting, PORT_NONE);
    orr_port_slab_fini(&fixture.slab);
}

/* Three streams of much work, of messages of 1, 2 and 3: each is served for the same time. */
static void test_streams_get_equal_times(void **state)
{
    (void)state;
    struct fixture fixture;
    sim_time served[3] = {0};
    begin(&fixture);
    for (uint64_t i = 0; i < 900; i++) {
        push(&fixture, 1 + (uint32_t)(i % 3), i + 1, 1 + (sim_time)(i % 3), 5);
    }
    for (unsigned i = 0; i < 440; i++) {
        const uint64_t stream = (pop(&fixture) - 1) % 3;
        served[stream] += 1 + (sim_time)stream;
    }
    assert_in_range(served[0], served[2] - 5, served[2] + 5);
    assert_in_range(served[1], served[2] - 5, served[2] + 5);
    orr_port_slab_fini(&fixture.slab);
}

static void test_a_stream_keeps_its_order(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    push(&fixture, 1, 5, 10, 0);
    push(&fixture, 2, 9, 10, 0);
    push(&fixture, 2, 4, 10, 0);
    push(&fixture, 1, 3, 10, 0);
    assert_int_equal(pop(&fixture), 3); /* equal tags: by order */
    assert_int_equal(pop(&fixture), 4);
    assert_int_equal(pop(&fixture), 5);
    assert_int_equal(pop(&fixture), 9);
    assert_int_equal(pop(&fixture), 0);
    orr_port_slab_fini(&fixture.slab);
}

/* A port without work forgets who was ahead, and needs no tags for one stream. */
static void test_an_idle_port_forgets(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    push(&fixture, 1, 1, 1000, 0);
    push(&fixture, 2, 2, 10, 0);
    assert_int_equal(fixture.line.stream, PORT_SHARED);
    assert_int_equal(pop(&fixture), 1);
    assert_int_equal(pop(&fixture), 2);
    push(&fixture, 1, 3, 10, 0); /* nothing is left of message 2 */
    assert_int_equal(fixture.line.stream, 1);
    push(&fixture, 2, 4, 10, 0);
    assert_int_equal(pop(&fixture), 3);
    assert_int_equal(pop(&fixture), 4);
    orr_port_slab_fini(&fixture.slab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_send_gets_its_turn),
        cmocka_unit_test(test_streams_get_equal_times),
        cmocka_unit_test(test_a_stream_keeps_its_order),
        cmocka_unit_test(test_an_idle_port_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
