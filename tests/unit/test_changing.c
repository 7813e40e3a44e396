/* Networks that change while messages are under way, against calculations by hand, on every backend
 * that carries changes. Unless said otherwise links have 10 GB/s and 1 us. */
#include "core/rng.h"
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "tests/unit/changing_fixture.h"

#define PAIR "graph: {npus: 2, links: [{from: 0, to: 1}]}\n"
#define LINE "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}]}\n"

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
        orr_net_flows_describe_stall(fixture.config.graph, stuck, diag);
        orr_net_control_describe(fixture.net->control, diag);
        assert_non_null(strstr(diag->message,
                               "stalled; the link from 0 to 1 carries nothing (from NPU 0 to "
                               "NPU 1)"));
        assert_int_equal(strstr(diag->message, "1 flow is") != NULL, !stuck.messages);
        assert_non_null(strstr(diag->message,
                               "network.changes last set the link from 1 to 0, at 20.000 us: 1 "
                               "of 1 with 0 GB/s; it was the last change"));
        close_fixture();
    }
}

/* ---- deaths ---- */

#define RING4                                                                                      \
    "graph: {npus: 4, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}, "              \
    "{from: 3, to: 0}]}\nreroute: true\n"

/* 1 MB from 0 to 1; the link dies at 50 us. Under congestion all of it starts anew from 0 then,
 * over 3 and 2: three links of 101 us each. Under flow the half that is left goes there: 50 us and
 * the latencies of three links. When the link is back a message takes it again, and one that is
 * under way on the detour stays there. */
static void test_a_message_goes_around_a_link_that_dies(void **state)
{
    (void)state;
    const sim_time there[] = {50 * US + 303 * US, 50 * US + 50 * US + 3 * US};
    EACH_BACKEND(backend)
    {
        open_fixture(RING4 "changes: [{at: 50 us, link: 0-1, working: 0},\n"
                           "  {at: 60 us, link: 0-1, working: 1}]\n",
                     *backend);
        const unsigned only = send(0, 0, 1, 1000000), after = send(400 * US, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[only], there[backend - backends]);
        assert_int_equal(fixture.there[after], 501 * US);
        close_fixture();
    }
}

/* 0 to 2 over 1 (of equal ways the one over the lowest nodes): 1 MB is at 1 at 101 us. When 1-2
 * dies at 100.5 us it has left the first link and is not at its end: it goes back over 0 and 3,
 * three links of 101 us from 101 us on. When 1-2 dies at 50 us, in the middle of the first link, it
 * is sent to 1 all the same, and goes back: what it is in the middle of works. When 0-1 dies, at 50
 * us, it starts anew over 3: two links. */
static void test_what_has_left_a_link_goes_on_from_its_far_end(void **state)
{
    static const struct {
        const char *change;
        sim_time there;
    } cases[] = {{"{at: 100.5 us, link: 1-2, working: 0}", 404 * US},
                 {"{at: 50 us, link: 1-2, working: 0}", 404 * US},
                 {"{at: 50 us, link: 0-1, working: 0}", 252 * US},
                 {"{at: 101.5 us, link: 0-1, working: 0}", 202 * US}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, RING4 "changes: [%s]\n", cases[i].change);
        open_fixture(text, "congestion");
        const unsigned only = send(0, 0, 2, 1000000);
        run();
        assert_int_equal(fixture.there[only], cases[i].there);
        close_fixture();
    }
}

/* In packets of 250 KB from 0 to 2, over 1: the first is there at 1 at 26 us, the link 0-1 dies at
 * 40 us in the middle of the second. That one and the other two go over 3: 25 us each from 40 us
 * on, the last one at 3 at 116 us and at 2 at 142 us; the first is at 2 at 52 us. */
static void test_packets_go_around_by_themselves(void **state)
{
    (void)state;
    open_fixture(RING4 "packet: 250 KB\nchanges: [{at: 40 us, link: 0-1, working: 0}]\n",
                 "congestion");
    const unsigned only = send(0, 0, 2, 1000000);
    run();
    assert_int_equal(fixture.there[only], 142 * US);
    assert_int_equal(fixture.sent[only], 115 * US);
    close_fixture();
}

/* Three messages of 1 MB from 0 to 1; the link dies at 50 us. Congestion: all three go over 3, in
 * their order, from 50 us on: the first at 1 at 353 us, the others 100 us behind each. Flow: three
 * share the link at 50 us with 166,667 bytes sent each; 2.5 MB are left: 250 us and three
 * latencies.
 */
static void test_the_line_of_a_dead_link_goes_around(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(RING4 "changes: [{at: 50 us, link: 0-1, working: 0}]\n", *backend);
        const unsigned first = send(0, 0, 1, 1000000), second = send(0, 0, 1, 1000000);
        const unsigned third = send(0, 0, 1, 1000000);
        run();
        const bool whole = backend == backends;
        assert_int_equal(fixture.there[first], whole ? 353 * US : 303 * US);
        assert_int_equal(fixture.there[second], whole ? 453 * US : 303 * US);
        assert_int_equal(fixture.there[third], whole ? 553 * US : 303 * US);
        close_fixture();
    }
}

/* One of two parallel links dies at 50 us: 20 GB/s become 10: 1.5 MB: 1 MB in 50 us, 0.5 MB in 50;
 * the messages stay on it. Both back at 90 us: 400 KB in 40 us, 100 KB in 5. */
static void test_one_of_several_links_side_by_side_dies(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture("graph: {npus: 2, links: [{from: 0, to: 1, count: 2}]}\nreroute: true\n"
                     "changes: [{at: 50 us, link: 0-1, working: 1},\n"
                     "  {at: 90 us, link: 0-1, working: 2}]\n",
                     *backend);
        const unsigned only = send(0, 0, 1, 1500000);
        run();
        assert_int_equal(fixture.there[only], 96 * US);
        close_fixture();
    }
}

/* No way is left from 20 to 70 us: it waits with what it has sent. A message that is sent then
 * waits too. Both links die; the one on the way of the message comes back. */
static void test_without_a_way_messages_wait(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(RING4 "changes: [{at: 10 us, link: 3-0, working: 0},\n"
                           "  {at: 20 us, link: 0-1, working: 0}, {at: 70 us, link: 0-1, working: "
                           "1}]\n",
                     *backend);
        const unsigned first = send(0, 0, 1, 1000000), second = send(40 * US, 1, 0, 1000000);
        run();
        assert_int_equal(fixture.there[first], 151 * US);
        assert_int_equal(fixture.there[second], 171 * US);
        close_fixture();
    }
}

/* The same, but a way around comes back first, at 50 us: Congestion starts anew over 3 and 2, three
 * links from 50 us on; flow has 800 KB left: 80 us and three latencies. */
static void test_messages_that_wait_take_the_first_way_there_is(void **state)
{
    (void)state;
    const sim_time there[] = {353 * US, 133 * US};
    EACH_BACKEND(backend)
    {
        open_fixture(RING4 "changes: [{at: 10 us, link: 3-0, working: 0},\n"
                           "  {at: 20 us, link: 0-1, working: 0}, {at: 50 us, link: 3-0, working: "
                           "1}]\n",
                     *backend);
        const unsigned first = send(0, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[first], there[backend - backends]);
        close_fixture();
    }
}

/* ---- circuits ---- */

#define CIRCUITS(more)                                                                             \
    "graph: {npus: 3}\ncircuits: {ports: 1, bandwidth: 10 GB/s, latency: 1 us, period: 1 ms, "     \
    "reconfiguration: 100 us}\n" more

/* Circuits 0-1, 1-2 and 2-0 to begin with. 5 MB from 0 to 1 take 500 us. 5 MB from 0 to 2, sent at
 * 100 us, have no circuit. At 1 ms they are the longest queue: 0-2 is to be, 0-1 and 1-2 lose a
 * port to it, 2-0 stays; dark until 1.1 ms, 500 us, and 1 us. 4 MB from 2 to 0, sent at 0.9 ms,
 * have sent 1 MB at 1 ms, 3 MB from 1.1 to 1.4 ms. At 2 ms nobody waits, and 1 MB from 0 to 1, sent
 * at 2.5 ms, waits until 3.1 ms. */
static void test_a_circuit_moves_from_one_pair_to_another(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(CIRCUITS(""), *backend);
        const unsigned first = send(0, 0, 1, 5000000), moved = send(100 * US, 0, 2, 5000000);
        const unsigned through = send(900 * US, 2, 0, 4000000);
        const unsigned back = send(2500 * US, 0, 1, 1000000);
        run();
        assert_int_equal(fixture.there[first], 501 * US);
        assert_int_equal(fixture.there[moved], 1601 * US);
        assert_int_equal(fixture.there[through], 1401 * US);
        assert_int_equal(fixture.there[back], 3201 * US);
        assert_in_range(orr_evq_now(fixture.queue), 3201 * US, 4000 * US);
        close_fixture();
    }
}

/* What goes around: 0 to 2 over 1 at once. When the circuit 0-2 is there new messages take it. Two
 * MB on their way at 0.95 ms: whole messages are on 0-1 at 1 ms (0.5 MB sent of 2), stand still
 * until 1.1 ms; then 0-1 is no more: it starts anew over 0-2, 200 us. */
static void test_messages_go_around_by_other_circuits(void **state)
{
    (void)state;
    open_fixture(CIRCUITS("reroute: true\n"), "congestion");
    const unsigned first = send(0, 0, 2, 1000000), late = send(950 * US, 0, 2, 2000000);
    run();
    assert_int_equal(fixture.there[first], 202 * US);
    assert_int_equal(fixture.there[late], 1301 * US);
    close_fixture();
}

/* 25 MB over one circuit that nobody moves: 2.5 ms and the latency. With a pause at every decision
 * 10 MB are there at 1 ms, 9 MB of 1.1 to 2 ms, and the last 6 MB take 2.1 to 2.7 ms. */
static void test_pauses_at_every_decision(void **state)
{
    (void)state;
    open_fixture(
        "graph: {npus: 2}\ncircuits: {ports: 1, bandwidth: 10 GB/s, latency: 1 us, period: "
        "1 ms, reconfiguration: 100 us}\n",
        "flow");
    const unsigned moved = send(0, 0, 1, 25000000);
    run();
    assert_int_equal(fixture.there[moved], 2501 * US);
    close_fixture();
    open_fixture(
        "graph: {npus: 2}\ncircuits: {ports: 1, bandwidth: 10 GB/s, latency: 1 us, period: "
        "1 ms, reconfiguration: 100 us, controller: utility, pauses: always}\n",
        "flow");
    const unsigned always = send(0, 0, 1, 25000000);
    run();
    assert_int_equal(fixture.there[always], 2701 * US);
    close_fixture();
}

/* A long time without messages: at 10 s + 250 us the next time is 10 s + 1 ms. */
static void test_nobody_waits_for_a_controller_when_nothing_is_sent(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(CIRCUITS(""), *backend);
        const unsigned first = send(0, 0, 1, 1000000);
        const unsigned other = send(10000000 * US + 250 * US, 1, 0, 1000000);
        run();
        assert_int_equal(fixture.there[first], 101 * US);
        assert_int_equal(fixture.there[other], 10000000 * US + 1201 * US);
        assert_in_range(orr_evq_handled(fixture.queue), 1, 60);
        close_fixture();
    }
}

/* Nobody's queue, but it has no circuit: there at 1.101 ms. */
static void test_a_message_without_bytes_gets_a_circuit(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(CIRCUITS(""), *backend);
        const unsigned none = send(100 * US, 0, 2, 0);
        run();
        assert_int_equal(fixture.there[none], 1101 * US);
        close_fixture();
    }
}

/* From 0 to 2 the only route leads over a switch, and dies for good at 10 us. The circuit that 0-2
 * gets instead is no help; the run ends, and the report names the controller and what it last did.
 */
static void test_a_controller_hides_no_standstill(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture("graph: {npus: 3, switches: 1, links: [{from: 0, to: 3}, {from: 3, to: 2}], "
                     "routes: [{from: 0, to: 2, nodes: [0, 3, 2]}]}\n"
                     "circuits: {ports: 1, bandwidth: 10 GB/s, period: 1 ms, reconfiguration: 100 "
                     "us}\nchanges: [{at: 10 us, link: 0-3, working: 0}]\n",
                     *backend);
        const unsigned still = send(0, 0, 2, 1000000);
        run();
        assert_int_equal(fixture.there[still], NEVER);
        const struct net_flows_stuck stuck = fixture.net->ops->stuck(fixture.net);
        assert_int_equal(stuck.flows, 1);
        assert_int_equal(stuck.link, orr_net_graph_find(fixture.config.graph, 0, 3));
        assert_in_range(orr_evq_now(fixture.queue), 1100 * US, 3000 * US);
        struct orr_diag *diag = &fixture.diag;
        (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL, "stuck");
        orr_net_control_describe(fixture.net->control, diag);
        assert_non_null(strstr(diag->message, "network.circuits (longest_queue) last set its "
                                              "circuits at 1.100 ms: 0-2, 2-0"));
        close_fixture();
    }
}

/* Random messages on a torus while random links die and come back: each is sent and delivered once,
 * no sooner than its bytes need, and a rerun is the same. In the end all links work. */
static void print_deaths(struct orr_rng *rng, char *text, size_t bytes)
{
    static const char *const links[] = {"0-1", "5-6", "1-5", "2-3", "8-12", "10-11", "0-4"};
    size_t used = (size_t)snprintf(text, bytes,
                                   "graph: {npus: 16, fabric: \"torus:4x4\"}\nreroute: %s\n%s"
                                   "routing: %s\nchanges:\n",
                                   orr_rng_below(rng, 4) != 0 ? "true" : "false",
                                   orr_rng_below(rng, 2) != 0 ? "packet: 64 KB\n" : "",
                                   orr_rng_below(rng, 2) != 0 ? "ecmp" : "dimension-order");
    for (unsigned i = 0; i < 14; i++) {
        const unsigned at = (unsigned)orr_rng_below(rng, 400);
        used += (size_t)snprintf(text + used, bytes - used,
                                 "- {at: %u us, link: %s, %s}\n- {at: %u us, link: %s, working: "
                                 "1}\n",
                                 at, links[i % 7],
                                 orr_rng_below(rng, 3) != 0 ? "working: 0" : "bandwidth: 1 GB/s",
                                 at + 200, links[i % 7]);
    }
    for (unsigned i = 0; i < 7; i++) {
        used += (size_t)snprintf(text + used, bytes - used,
                                 "- {at: 700 us, link: %s, bandwidth: 10 GB/s}\n- {at: 700 us, "
                                 "link: %s, working: 1}\n",
                                 links[i], links[i]);
    }
}

static void run_random(const char *text, const char *backend, uint64_t seed, sim_time *there)
{
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 0);
    open_fixture(text, backend);
    for (unsigned i = 0; i < MESSAGES; i++) {
        const uint32_t src = (uint32_t)orr_rng_below(&rng, 16);
        const uint32_t dst = (src + 1 + (uint32_t)orr_rng_below(&rng, 15)) % 16;
        (void)send((sim_time)orr_rng_below(&rng, 500) * US, src, dst, orr_rng_below(&rng, 400000));
    }
    run();
    assert_true(fixture.net->in_flight == 0);
    for (unsigned i = 0; i < MESSAGES; i++) {
        assert_true(fixture.sent[i] >= 0 && fixture.there[i] > fixture.sent[i]);
        assert_true(fixture.there[i] >= orr_time_of_bytes(fixture.msg[i].bytes, 10e9) + US);
        there[i] = fixture.there[i];
    }
    close_fixture();
}

static void test_random_deaths_lose_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        EACH_BACKEND(backend)
        {
            struct orr_rng rng;
            orr_rng_init(&rng, seed, 0);
            sim_time there[MESSAGES], again[MESSAGES];
            char text[8192];
            print_deaths(&rng, text, sizeof text);
            run_random(text, *backend, seed, there);
            run_random(text, *backend, seed, again);
            assert_memory_equal(there, again, sizeof there);
        }
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
        cmocka_unit_test(test_a_message_goes_around_a_link_that_dies),
        cmocka_unit_test(test_what_has_left_a_link_goes_on_from_its_far_end),
        cmocka_unit_test(test_packets_go_around_by_themselves),
        cmocka_unit_test(test_the_line_of_a_dead_link_goes_around),
        cmocka_unit_test(test_one_of_several_links_side_by_side_dies),
        cmocka_unit_test(test_without_a_way_messages_wait),
        cmocka_unit_test(test_messages_that_wait_take_the_first_way_there_is),
        cmocka_unit_test(test_a_circuit_moves_from_one_pair_to_another),
        cmocka_unit_test(test_messages_go_around_by_other_circuits),
        cmocka_unit_test(test_pauses_at_every_decision),
        cmocka_unit_test(test_a_message_without_bytes_gets_a_circuit),
        cmocka_unit_test(test_a_controller_hides_no_standstill),
        cmocka_unit_test(test_nobody_waits_for_a_controller_when_nothing_is_sent),
        cmocka_unit_test(test_random_deaths_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
