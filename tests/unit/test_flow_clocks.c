/* Flows end, and in time, however many bytes went over their path before: the clock of a group has
 * steps of rounding that may be more than what a slow flow gets in a picosecond. And weights. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/evq.h"
#include "core/rng.h"
#include "network/flows/flows.h"
#include "network/graph.h"

enum { EVENT_START = ORR_EVENT_WORKLOAD, PATHS = 200, FLOWS = 1001, BYTES_PER_S = 1000 };

struct log {
    struct orr_evq *queue;
    struct net_flows *flows;
    struct orr_rng rng;
    double bytes;
    uint32_t ended;
    sim_time last;
};

/* Two flows whose weights change. */
struct weighed {
    struct net_flows *flows;
    uint32_t flow[2];
    sim_time end[2];
};

static void on_end(void *context, uint64_t cookie, sim_time time)
{
    struct log *log = context;
    (void)cookie;
    log->ended++;
    log->last = time;
}

/* Over the last link, which is too narrow for any two. */
static void start(struct log *log, uint32_t first, uint64_t bytes)
{
    const uint32_t link[2] = {first, PATHS};
    const struct net_route_links path = {.link = link, .hops = 2};
    orr_net_flows_start_on(log->flows, &path, bytes, 0);
    log->bytes += (double)bytes;
}

static void on_start(void *context, const struct orr_event *event)
{
    struct log *log = context;
    start(log, (uint32_t)event->cookie, 1 + orr_rng_below(&log->rng, 1000000));
}

/* One flow stays to the end, so that the narrow link is never idle: 1000 bytes a second, always. */
static void test_flows_behind_billions_of_bytes_end(void **state)
{
    struct net_link link[PATHS + 1];
    const struct net_graph graph = {.npus = 3, .nodes = 3, .links = PATHS + 1, .link = link};
    struct log log = {.queue = orr_evq_create(ORR_ORDER_INSERTION, 1)};
    struct orr_diag diag;
    (void)state;
    for (uint32_t i = 0; i <= PATHS; i++) {
        link[i] = (struct net_link){.from = i == PATHS,
                                    .to = 1 + (i == PATHS),
                                    .count = 1,
                                    .bytes_per_s = i == PATHS ? BYTES_PER_S : 3 * BYTES_PER_S};
    }
    orr_diag_init(&diag);
    orr_rng_init(&log.rng, 1, 0);
    const struct net_flows_config config = {
        .graph = &graph, .queue = log.queue, .ended = on_end, .context = &log};
    assert_int_equal(orr_net_flows_create(&log.flows, &config, &diag), ORR_OK);
    orr_evq_handle(log.queue, EVENT_START, on_start, &log);
    start(&log, 0, 5000000000);
    for (uint32_t i = 1; i < FLOWS; i++) {
        const sim_time second = 1 + (sim_time)orr_rng_below(&log.rng, 4000000);
        const struct orr_event event = {
            .kind = EVENT_START, .label = i, .cookie = orr_rng_below(&log.rng, PATHS)};
        orr_evq_post(log.queue, second * ORR_PS_PER_S, &event);
    }
    assert_int_equal(orr_evq_run(log.queue, &diag), ORR_OK);
    assert_int_equal(log.ended, FLOWS);
    const double seconds = (double)log.last / (double)ORR_PS_PER_S;
    assert_true(fabs(seconds / (log.bytes / BYTES_PER_S) - 1) < 1e-12);
    orr_net_flows_destroy(log.flows);
    orr_evq_destroy(log.queue);
}

/* ---- weights ---- */

enum { EVENT_WEIGH = ORR_EVENT_WORKLOAD + 1 };

static void on_weighed_end(void *context, uint64_t cookie, sim_time time)
{
    struct weighed *test = context;
    test->end[cookie] = time;
}

static void on_weigh(void *context, const struct orr_event *event)
{
    struct weighed *test = context;
    orr_net_flows_set_weight(test->flows, test->flow[1], (uint16_t)event->cookie);
}

/* 3000 and 2000 bytes over a link of 1000 bytes/s, with weights 3 and 1: after 2 s there are 1500
 * of each left. From then on with 3 and 6: the second has 2/3 of the link and ends at 4.25 s, the
 * first, of which 750 are left then, at 5 s. */
static void test_weights_are_as_many_flows(void **state)
{
    (void)state;
    struct net_link link = {.to = 1, .count = 1, .bytes_per_s = BYTES_PER_S};
    const struct net_graph graph = {.npus = 2, .nodes = 2, .links = 1, .link = &link};
    struct weighed test = {.end = {0}};
    struct orr_diag diag;
    struct orr_evq *queue = orr_evq_create(ORR_ORDER_LABEL, 1);
    const struct net_flows_config config = {
        .graph = &graph, .queue = queue, .ended = on_weighed_end, .context = &test};
    const uint32_t only = 0;
    const struct net_route_links path = {.link = &only, .hops = 1};
    orr_diag_init(&diag);
    assert_int_equal(orr_net_flows_create(&test.flows, &config, &diag), ORR_OK);
    orr_evq_handle(queue, EVENT_WEIGH, on_weigh, &test);
    for (uint32_t i = 0; i < 2; i++) {
        const struct net_weighted_flow flow = {
            .links = &path, .bytes = 3000 - 1000 * i, .cookie = i, .weight = i == 0 ? 3 : 1};
        test.flow[i] = orr_net_flows_start_weighted(test.flows, &flow);
    }
    const struct orr_event event = {.kind = EVENT_WEIGH, .cookie = 6};
    orr_evq_post(queue, 2 * ORR_PS_PER_S, &event);
    assert_int_equal(orr_evq_run(queue, &diag), ORR_OK);
    assert_in_range(test.end[1], 4250 * (ORR_PS_PER_S / 1000), 4250 * (ORR_PS_PER_S / 1000) + 1);
    assert_in_range(test.end[0], 5 * ORR_PS_PER_S, 5 * ORR_PS_PER_S + 2);
    orr_net_flows_destroy(test.flows);
    orr_evq_destroy(queue);
}

/* ---- solutions ---- */

enum { EVENT_NEXT = ORR_EVENT_WORKLOAD + 2, CHAIN = 3 };

static void on_chain_end(void *context, uint64_t cookie, sim_time time)
{
    struct log *log = context;
    const struct orr_event next = {.kind = EVENT_NEXT};
    (void)cookie;
    if (++log->ended < CHAIN) {
        orr_evq_post(log->queue, time, &next);
    }
}

static void on_next(void *context, const struct orr_event *event)
{
    struct log *log = context;
    const uint32_t only = 0;
    const struct net_route_links path = {.link = &only, .hops = 1};
    (void)event;
    orr_net_flows_start_on(log->flows, &path, BYTES_PER_S, 0);
}

/* Each flow of three begins when the one before it has ended, two rounds later in the instant: one
 * solution when the first joins, one at each change, one at the end. */
static void test_end_and_join_in_one_instant_have_one_solution(void **state)
{
    (void)state;
    struct net_link link = {.to = 1, .count = 1, .bytes_per_s = BYTES_PER_S};
    const struct net_graph graph = {.npus = 2, .nodes = 2, .links = 1, .link = &link};
    struct log log = {.queue = orr_evq_create(ORR_ORDER_LABEL, 1)};
    struct orr_diag diag;
    const struct net_flows_config config = {
        .graph = &graph, .queue = log.queue, .ended = on_chain_end, .context = &log};
    orr_diag_init(&diag);
    assert_int_equal(orr_net_flows_create(&log.flows, &config, &diag), ORR_OK);
    orr_evq_handle(log.queue, EVENT_NEXT, on_next, &log);
    const struct orr_event first = {.kind = EVENT_NEXT};
    orr_evq_post(log.queue, 0, &first);
    assert_int_equal(orr_evq_run(log.queue, &diag), ORR_OK);
    assert_int_equal(orr_evq_now(log.queue), CHAIN * ORR_PS_PER_S);
    assert_int_equal(orr_net_flows_counts(log.flows).solutions, CHAIN + 1);
    orr_net_flows_destroy(log.flows);
    orr_evq_destroy(log.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_as_many_flows),
        cmocka_unit_test(test_end_and_join_in_one_instant_have_one_solution),
        cmocka_unit_test(test_flows_behind_billions_of_bytes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
