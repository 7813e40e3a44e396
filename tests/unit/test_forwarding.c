/* What hosts pass on for others, limited and delayed, against calculations by hand. Flows are
 * fluid: bytes / rate and 1 us a link. */
#include "flow_fixture.h"
#include "network/net_config_read.h"
#include "tests/unit/flow_fixture.h"

#define MB UINT64_C(1000000)

static enum orr_status read_text(struct fixture *f, const char *text)
{
    return orr_net_config_read(f->arena, parse_text(f, text), &f->config, &f->diag);
}

/* Hosts in a line, or what the text says; links of 10 GB/s and 1 us. */
#define SPEED "bandwidth: 10 GB/s, latency: 1 us"
#define LINE_3 "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}], " SPEED "}\n\n"
#define LINE_4                                                                                     \
    "graph: {npus: 4, links: [{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}], " SPEED "}\n" \
    "\n"

static void open_net(struct fixture *f, const char *text)
{
    assert_int_equal(read_text(f, text), ORR_OK);
    create_net(f);
}

/* 4 MB over a host that passes on 4 GB/s: 1000 us, and 2 us of links; 1 us more with a delay. */
static void test_a_flow_alone_has_the_limit(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_3 "forwarding_limit: 4 GB/s\nforwarding: 1 us\n");
    start(f, 0, 2, 4 * MB, 0);
    run(f);
    assert_int_equal(f->end[0], 1003 * US);
}

/* 0 -> 2 has 4 GB/s of the limit, 1 -> 2, which begins at the host, the other 6 of the link:
 * 1000 us for 4 MB and for 6 MB. */
static void test_a_flow_that_begins_at_the_host_is_not_limited(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_3 "forwarding_limit: 4 GB/s\n");
    start(f, 0, 2, 4 * MB, 0);
    start(f, 1, 2, 6 * MB, 1);
    run(f);
    assert_int_equal(f->end[0], 1002 * US);
    assert_int_equal(f->end[1], 1001 * US);
}

/* One that ends there has the rest of the first link. */
static void test_a_flow_that_ends_at_the_host_is_not_limited(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_3 "forwarding_limit: 4 GB/s\n");
    start(f, 0, 2, 4 * MB, 0);
    start(f, 0, 1, 6 * MB, 1);
    run(f);
    assert_int_equal(f->end[0], 1002 * US);
    assert_int_equal(f->end[1], 1001 * US);
}

/* A limit of 8 GB/s above the halves of the link: 5 GB/s each. */
static void test_a_limit_above_the_shares_changes_nothing(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_3 "forwarding_limit: 8 GB/s\n");
    start(f, 0, 2, 5 * MB, 0);
    start(f, 1, 2, 5 * MB, 1);
    run(f);
    assert_int_equal(f->end[0], 1002 * US);
    assert_int_equal(f->end[1], 1001 * US);
}

/* No link in common, but the host: 2 GB/s each. */
static void test_opposite_directions_share_the_limit(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_3 "forwarding_limit: 4 GB/s\n");
    start(f, 0, 2, 2 * MB, 0);
    start(f, 2, 0, 2 * MB, 1);
    run(f);
    assert_int_equal(f->end[0], 1002 * US);
    assert_int_equal(f->end[1], 1002 * US);
}

/* 0 -> 3 passes hosts 1 and 2, 1 -> 3 host 2, 0 -> 2 host 1. Each host is shared by two flows:
 * 2 GB/s for all three. After 1000 us the first two have 2 MB of theirs; 0 -> 3 ends, and 1 -> 3
 * and 0 -> 2 go on with 4 GB/s for another 4 MB. */
static void test_hosts_in_series(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_4 "forwarding_limit: 4 GB/s\n");
    start(f, 0, 3, 2 * MB, 0);
    start(f, 1, 3, 6 * MB, 1);
    start(f, 0, 2, 6 * MB, 2);
    run(f);
    assert_int_equal(f->end[0], 1003 * US);
    assert_int_equal(f->end[1], 2002 * US);
    assert_int_equal(f->end[2], 2002 * US);
}

/* Three constraints. Host 1 passes on 4 GB/s: 0 -> 2, 0 -> 3 and 2 -> 0, 4/3 each. Link 2 -> 3 has
 * 0 -> 3 and 3 flows of host 2 itself: (10 - 4/3) / 3 = 26/9 GB/s each. 0 -> 1 has what is left of
 * link 0 -> 1: 10 - 8/3 = 22/3. In 900 us: 1.2, 2.6 and 6.6 MB. */
static void test_three_constraints(void **state)
{
    struct fixture *f = *state;
    open_net(f, LINE_4 "forwarding_limit: 4 GB/s\n");
    start(f, 0, 2, 1200000, 0);
    start(f, 0, 3, 1200000, 1);
    start(f, 2, 0, 1200000, 2);
    for (uint32_t i = 0; i < 3; i++) {
        start(f, 2, 3, 2600000, 3 + i);
    }
    start(f, 0, 1, 6600000, 6);
    run(f);
    assert_int_equal(f->end[0], 902 * US);
    assert_int_equal(f->end[1], 903 * US);
    assert_int_equal(f->end[2], 902 * US);
    assert_int_equal(f->end[3], 901 * US);
    assert_int_equal(f->end[6], 901 * US);
}

/* A ring of 6. The link between 1 and 2 dies at 100 us, when 0 -> 2 and 5 -> 3 have sent 400 KB
 * each, over hosts 1 and 4. The first goes on over 5, 4 and 3, and both share host 4: 2 GB/s, 300
 * us for 600 KB. */
static void test_a_flow_that_goes_around_takes_other_hosts(void **state)
{
    struct fixture *f = *state;
    open_net(f, "graph: {fabric: \"circulant:1\", npus: 6, bandwidth: 10 GB/s, latency: 1 us}\n"
                "routing: shortest\nforwarding_limit: 4 GB/s\nreroute: true\n"
                "changes: [{at: 100 us, link: 1-2, bandwidth: 0 GB/s}]\n");
    start(f, 0, 2, 1000000, 0);
    start(f, 5, 3, 1000000, 1);
    run(f);
    assert_int_equal(f->end[0], 404 * US);
    assert_int_equal(f->end[1], 402 * US);
}

/* Two NPUs in each of 4 servers in a ring; 0 -> 4 passes the server between, neither its own nor
 * that of 4: 4 GB/s, 4 links and the delay once. What stays inside passes none. */
static void test_servers_pass_on_as_hosts(void **state)
{
    struct fixture *f = *state;
    open_net(f, "graph: {fabric: \"circulant:1/2@100GB/s\", npus: 8, bandwidth: 10 GB/s, "
                "latency: 1 us}\nrouting: shortest\n"
                "forwarding_limit: 4 GB/s\nforwarding: 3 us\n");
    start(f, 0, 4, 4 * MB, 0);
    start(f, 6, 7, 100 * MB, 1);
    start(f, 2, 4, 6 * MB, 2);
    run(f);
    assert_int_equal(f->end[0], 1007 * US);
    assert_int_equal(f->end[1], 1002 * US);
    assert_int_equal(f->end[2], 1003 * US);
}

static void refused(struct fixture *f, const char *text, uint32_t line, const char *message)
{
    assert_int_equal(read_text(f, text), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
    assert_string_equal(f->diag.place.file, "net.yml");
    assert_int_equal(f->diag.place.line, line);
    orr_diag_init(&f->diag);
}

static void test_bad_limits_are_refused_with_their_place(void **state)
{
    struct fixture *f = *state;
    refused(f, LINE_3 "forwarding_limit: 0 GB/s\n", 3,
            "forwarding_limit: expected a positive bandwidth such as \"50 GB/s\", got "
            "\"0 GB/s\"; it is zero");
    refused(
        f, LINE_3 "forwarding_limit: 4 GB/s\nshares: windows\npacket: 9000 B\n", 3,
        "forwarding_limit: not supported with shares by windows; expected network.shares: maxmin");
    refused(f, LINE_3 "backend: congestion\nforwarding_limit: 4 GB/s\n", 4,
            "forwarding_limit: the congestion backend does not support it; expected "
            "network.backend: flow");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_flow_alone_has_the_limit),
        TEST(test_a_flow_that_begins_at_the_host_is_not_limited),
        TEST(test_a_flow_that_ends_at_the_host_is_not_limited),
        TEST(test_a_limit_above_the_shares_changes_nothing),
        TEST(test_opposite_directions_share_the_limit),
        TEST(test_hosts_in_series),
        TEST(test_three_constraints),
        TEST(test_a_flow_that_goes_around_takes_other_hosts),
        TEST(test_servers_pass_on_as_hosts),
        TEST(test_bad_limits_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
