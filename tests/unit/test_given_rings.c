/* Rings that a graph's file gives for groups: orders of members, several rings of a group, steps
 * over other NPUs; times and bytes of every link by hand; what is said of those that are none. */
#include "whole_fixture.h"

#define MS (INT64_C(1000000) * ORR_PS_PER_NS)
#define US ORR_PS_PER_US

enum { MAX_LINKS = 256 };

struct fixture {
    struct orr_arena *arena;
    struct net_graph graph;
    uint64_t link_bytes[MAX_LINKS];
};

/* The graph of a network section, whose links have 1 GB/s and 1 us. */
static void read_graph(struct fixture *f, const char *text)
{
    const struct orr_conf *root = NULL;
    struct net_config config;
    struct orr_diag diag;
    char message[400];
    orr_diag_init(&diag);
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &diag), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=1 GB/s", &root, NULL), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    if (orr_net_config_read(f->arena, root, &config, &diag) != ORR_OK) {
        (void)orr_diag_render(&diag, message, sizeof message);
        fail_msg("%s", message);
    }
    f->graph = *config.graph;
    assert_true(f->graph.links <= MAX_LINKS);
}

/* All ends at that time by labels and by insertion, with the same bytes. */
static void takes(struct fixture *f, const struct whole_job *given, sim_time end_ps)
{
    static const struct sys_policy *const policies[] = {&orr_sys_policy_task_graph,
                                                        &orr_sys_policy_default};
    for (size_t i = 0; i < 2; i++) {
        struct whole_job job = *given;
        job.network = &f->graph;
        job.link_bytes = f->link_bytes;
        job.policy = policies[i];
        assert_int_equal(mono_run(&job).end_ps, end_ps);
    }
}

static struct whole_job job_of(const char *choice, const uint32_t *rank, uint32_t members,
                               uint64_t bytes)
{
    return (struct whole_job){.choice = choice,
                              .operations = 1,
                              .operation = {{.rank = rank, .members = members, .bytes = bytes}}};
}

static uint64_t bytes_of(const struct fixture *f, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(&f->graph, from, to);
    assert_int_not_equal(link, NET_NO_LINK);
    return f->link_bytes[link];
}

static uint64_t all_bytes(const struct fixture *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->graph.links; i++) {
        sum += f->link_bytes[i];
    }
    return sum;
}

/* ---- orders ---- */

#define LINE                                                                                       \
    "{from: 0, to: 1, one_way: true}, {from: 1, to: 2, one_way: true}, "                           \
    "{from: 2, to: 3, one_way: true}, {from: 3, to: 0, one_way: true}"

/* 0 -> 1 -> 2 -> 3 -> 0, one way. In the order 0, 2, 1, 3 the members send over 2, 3, 2 and 1 links
 * of which each carries 2 flows: a stream of 12 MB (3/2 of 8) takes 24 ms and at most 3 us, a round
 * of 2 MB 4 ms and 3 us. In the order of the ring 12 ms + 1 us, and 2 ms + 1 us, however the group
 * was given: its members are in the order of the ring, not of the group. */
static void test_members_are_passed_in_the_order_given(void **state)
{
    static const uint32_t other[] = {3, 1, 0, 2};
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, links: [" LINE "], rings: [{members: [0, 2, 1, 3]}]}");
    struct whole_job job = job_of("ring_stream", NULL, 4, 8000000);
    takes(f, &job, 24 * MS + 3 * US);
    assert_int_equal(all_bytes(f), 8 * 12000000);
    job = job_of("ring_stream", other, 4, 8000000);
    takes(f, &job, 24 * MS + 3 * US);
    job = job_of("ring", other, 4, 8000000);
    takes(f, &job, 6 * (4 * MS + 3 * US));
    read_graph(f, "graph: {npus: 4, links: [" LINE "], rings: [{members: [1, 2, 3, 0]}]}");
    job = job_of("ring", other, 4, 8000000);
    takes(f, &job, 6 * (2 * MS + US));
    job = job_of("ring_stream", other, 4, 8000000);
    takes(f, &job, 12 * MS + US);
    assert_int_equal(bytes_of(f, 2, 3), 12000000);
    job = job_of("pipelined_ring", other, 4, 8000000);
    takes(f, &job, 6 * (2 * MS + US));
}

/* Groups that no ring lists go as before, in the order given: 0, 2 on the line send over two links
 * each, all four different; 2 x 8/2 = 8 MB: 8 ms + 2 us. */
static void test_other_groups_go_in_their_own_order(void **state)
{
    static const uint32_t pair[] = {0, 2};
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, links: [" LINE "], rings: [{members: [0, 2, 1, 3]}, "
                  "{members: [1, 3]}]}");
    const struct whole_job job = job_of("ring_stream", pair, 2, 8000000);
    takes(f, &job, 8 * MS + 2 * US);
}

/* Rings of a size replace those of the fabric for that size: of a circulant of 4, one of the two.
 */
static void test_rings_of_a_size_replace_the_fabrics(void **state)
{
    struct fixture *f = *state;
    read_graph(
        f, "graph: {npus: 4, fabric: \"circulant:1\", rings: [{npus: 4, order: [0, 1, 2, 3]}]}");
    assert_int_equal(f->graph.rings, 1);
    struct whole_job job = job_of("ring_stream", NULL, 4, 8000000);
    takes(f, &job, 12 * MS + US);
    read_graph(f, "graph: {npus: 4, fabric: \"circulant:1\", rings: [{members: [0, 2]}]}");
    assert_int_equal(f->graph.rings, 3);
    takes(f, &job, 6 * MS + US);
}

/* ---- steps of several hops ---- */

#define COINS                                                                                      \
    "graph: {npus: 16, fabric: \"circulant:1,5\", rings: [{steps: [0 5 4, 4 9 8, 8 13 12, "        \
    "12 1 0]}, {steps: [0 11 12, 12 7 8, 8 3 4, 4 15 0]}]}"

static void expect_coins(const struct fixture *f, uint64_t bytes)
{
    for (uint32_t i = 0; i < 16; i += 4) {
        assert_int_equal(bytes_of(f, i, (i + 5) % 16), bytes);
        assert_int_equal(bytes_of(f, (i + 5) % 16, (i + 4) % 16), bytes);
        assert_int_equal(bytes_of(f, i, (i + 11) % 16), bytes);
        assert_int_equal(bytes_of(f, (i + 11) % 16, (i + 12) % 16), bytes);
    }
    assert_int_equal(all_bytes(f), 16 * bytes);
}

/* 16 servers with jumps 1 and 5, and the group of every fourth: its neighbours are 4 = 5 - 1 apart,
 * and -4 = -5 + 1, so that two rings use 16 links once each. Of 8 MB each sends 12, half of it
 * around each: 6 ms + 2 us as flows, which pass the NPU between as they come; as whole messages
 * 2 (6 ms + 1 us). In rounds of 8/4/2 = 1 MB 6 (1 ms + 2 us), and 6 (2 ms + 2 us). */
static void test_steps_go_over_the_nodes_given(void **state)
{
    static const uint32_t fourth[] = {0, 4, 8, 12}, other[] = {8, 12, 4, 0};
    static const struct {
        const char *choice;
        sim_time flow_ps, whole_ps;
    } cases[] = {{"ring_stream", 6 * MS + 2 * US, 12 * MS + 2 * US},
                 {"ring", 6 * (MS + 2 * US), 6 * (2 * MS + 2 * US)},
                 {"pipelined_ring", 6 * (MS + 2 * US), 6 * (2 * MS + 2 * US)}};
    struct fixture *f = *state;
    read_graph(f, COINS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole_job job = job_of(cases[i].choice, i == 0 ? fourth : other, 4, 8000000);
        takes(f, &job, cases[i].flow_ps);
        expect_coins(f, 6000000);
        job.backend = "congestion";
        takes(f, &job, cases[i].whole_ps);
        expect_coins(f, 6000000);
    }
}

/* With packets of 8936 bytes, and a handshake of 1: 1000 of them, joined after 2 (1 us + 1 ns); the
 * last one is there 2 us and 8.936 us after the sender is done. Of S each ring carries 3/4 S. */
static void test_steps_have_the_start_up_of_their_links(void **state)
{
    static const uint32_t fourth[] = {0, 4, 8, 12};
    struct fixture *f = *state;
    read_graph(f, COINS);
    struct whole_job job = job_of("ring_stream", fourth, 4, UINT64_C(8936) * 4000 / 3);
    job.flows = orr_net_flow_packets(false);
    takes(f, &job, 8936 * US + 2 * (US + 1000) + 2 * US + 8936000);
}

/* All 16 go around the four rings of the fabric: 16 MB, 30 from each, a quarter on each link. */
static void test_rings_of_other_groups_stay(void **state)
{
    struct fixture *f = *state;
    read_graph(f, COINS);
    assert_int_equal(f->graph.rings, 6);
    const struct whole_job job = job_of("ring_stream", NULL, 16, 16000000);
    takes(f, &job, 7500 * US + US);
    for (uint32_t i = 0; i < f->graph.links; i++) {
        assert_int_equal(f->link_bytes[i], 7500000);
    }
}

/* Two groups at once, whose ways share a link each: 0 -> 2 over 1 and 1 -> 3 over 2 in a line of
 * one way, and back. 0, 2: steps of links 01 12 and 23 30; 1, 3: 12 23 and 30 01. All links carry
 * two streams of 8 MB: 16 ms + 2 us. */
static void test_steps_share_links_with_others(void **state)
{
    static const uint32_t even[] = {0, 2}, odd[] = {1, 3};
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 4, links: [" LINE "], rings: [{steps: [0 1 2, 2 3 0]}, "
                  "{steps: [1 2 3, 3 0 1]}]}");
    struct whole_job job = job_of("ring_stream", even, 2, 8000000);
    job.operations = 2;
    job.operation[1] = (struct whole_operation){.rank = odd, .members = 2, .bytes = 8000000};
    takes(f, &job, 16 * MS + 2 * US);
    for (uint32_t i = 0; i < f->graph.links; i++) {
        assert_int_equal(f->link_bytes[i], 16000000);
    }
}

/* A step over a link that has failed goes by routes: 0 -> 4 over 15. */
static void test_steps_over_failed_links_go_by_routes(void **state)
{
    static const uint32_t fourth[] = {0, 4, 8, 12};
    struct fixture *f = *state;
    read_graph(f, COINS "\nfailures: [0-5]");
    const struct whole_job job = job_of("ring_stream", fourth, 4, 8000000);
    /* 15 -> 4 carries nothing else, and 0 -> 15 neither. */
    takes(f, &job, 6 * MS + 2 * US);
    assert_int_equal(bytes_of(f, 0, 15), 6000000);
    assert_int_equal(bytes_of(f, 15, 4), 6000000);
    assert_int_equal(bytes_of(f, 4, 9), 6000000);
}

/* Four servers of two GPUs, linked to the next both ways. The first GPUs go around both ways, the
 * second ones back only; among others there are no rings. Of 8 MB each has 4 inside, at 10 GB/s
 * over two links, there and back: 2 (400 us + 2 us). Across 2 x 3/4 x 4 = 6 MB: 3 each way of the
 * first ones, all back of the second ones. Links back carry both, at 0.5 GB/s each until the 3 MB
 * are through at 6 ms, and the other 3 MB until 9 ms; over three links. In 6 rounds of 1 MB, 0.5
 * each way: 1.5 MB and 3 us. */
static void test_levels_go_around_the_rings_of_equal_places(void **state)
{
    struct fixture *f = *state;
    read_graph(f, "graph: {npus: 8, fabric: \"circulant:1/2@10GB/s\", rings: [{members: [0, 2, 4, "
                  "6]}, {members: [0, 6, 4, 2]}, {members: [1, 7, 5, 3]}, {members: [0, 1]}]}");
    struct whole_job job = job_of("hierarchical:2,across=ring_stream", NULL, 8, 8000000);
    takes(f, &job, 2 * (400 * US + 2 * US) + 9 * MS + 3 * US);
    for (uint32_t server = 8; server < 12; server++) {
        const uint32_t next = 8 + (server - 7) % 4;
        assert_int_equal(bytes_of(f, server, next), 3000000);
        assert_int_equal(bytes_of(f, next, server), 9000000);
    }
    job.choice = "hierarchical:2";
    takes(f, &job, 2 * (400 * US + 2 * US) + 6 * (1500 * US + 3 * US));
    for (uint32_t server = 8; server < 12; server++) {
        const uint32_t next = 8 + (server - 7) % 4;
        assert_int_equal(bytes_of(f, server, next), 3000000);
        assert_int_equal(bytes_of(f, next, server), 9000000);
    }
}

/* ---- any rings ---- */

enum { SERVERS = 16, RINGS = 3 };

struct drawn {
    uint64_t state;
    char text[2000];
    uint32_t member[SERVERS], members, rings;
    uint64_t steps[SERVERS][SERVERS]; /* that lead over a link */
};

static uint32_t draw(struct drawn *drawn, uint32_t below)
{
    drawn->state = drawn->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((drawn->state >> 33) % below);
}

static void shuffle(struct drawn *drawn, uint32_t *list, uint32_t count)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t other = draw(drawn, i + 1), kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
}

static void say(struct drawn *drawn, const char *before, uint32_t node)
{
    const size_t used = strlen(drawn->text);
    (void)snprintf(drawn->text + used, sizeof drawn->text - used, "%s%u", before, node);
}

/* A way by jumps of 1 and 5, either way, that meets no server twice. */
static uint32_t walk(struct drawn *drawn, uint32_t from, uint32_t to, uint32_t *way)
{
    static const uint32_t jumps[] = {1, 5, SERVERS - 1, SERVERS - 5};
    for (uint32_t hops = 0, seen = 0;;) {
        const uint32_t last = hops == 0 ? from : way[hops - 1];
        const uint32_t next = (last + jumps[draw(drawn, 4)]) % SERVERS;
        seen |= 1u << last;
        if ((seen >> next & 1u) != 0) {
            hops = seen = 0; /* anew */
            continue;
        }
        way[hops++] = next;
        if (next == to) {
            return hops;
        }
    }
}

/* A ring through the members in some order, each step somehow. */
static void draw_ring(struct drawn *drawn, bool first)
{
    shuffle(drawn, drawn->member, drawn->members);
    for (uint32_t i = 0; i < drawn->members; i++) {
        uint32_t way[SERVERS], at = drawn->member[i];
        const uint32_t hops = walk(drawn, at, drawn->member[(i + 1) % drawn->members], way);
        say(drawn, i != 0 ? ", " : first ? "{steps: [" : ", {steps: [", at);
        for (uint32_t h = 0; h < hops; h++) {
            drawn->steps[at][way[h]]++;
            say(drawn, " ", way[h]);
            at = way[h];
        }
    }
    (void)snprintf(drawn->text + strlen(drawn->text), 8, "]}");
}

static void draw_rings(struct drawn *drawn)
{
    uint32_t all[SERVERS];
    for (uint32_t i = 0; i < SERVERS; i++) {
        all[i] = i;
    }
    shuffle(drawn, all, SERVERS);
    drawn->members = 2 + draw(drawn, 6);
    drawn->rings = 1 + draw(drawn, RINGS);
    memcpy(drawn->member, all, sizeof all);
    (void)snprintf(drawn->text, sizeof drawn->text,
                   "graph: {npus: 16, fabric: \"circulant:1,5\", rings: [");
    for (uint32_t r = 0; r < drawn->rings; r++) {
        draw_ring(drawn, r == 0);
    }
    (void)snprintf(drawn->text + strlen(drawn->text), 8, "]}");
    shuffle(drawn, drawn->member, drawn->members); /* the group's own order */
}

/* Whatever the rings, each link carries 2 (k - 1) S/k/r for every step that leads over it. */
static void test_any_steps_carry_the_bytes_by_hand(void **state)
{
    static const char *const choices[] = {"ring", "pipelined_ring", "ring_stream"};
    static const char *const backends[] = {"flow", "congestion"};
    struct fixture *f = *state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct drawn drawn = {.state = seed};
        draw_rings(&drawn);
        read_graph(f, drawn.text);
        const uint64_t part = 50000, whole = part * drawn.members * drawn.rings;
        struct whole_job job = job_of(choices[seed % 3], drawn.member, drawn.members, whole);
        job.network = &f->graph;
        job.link_bytes = f->link_bytes;
        job.backend = backends[seed / 3 % 2];
        job.policy = seed % 4 < 2 ? &orr_sys_policy_default : &orr_sys_policy_task_graph;
        const struct whole_outcome once = mono_run(&job), again = mono_run(&job);
        assert_int_equal(once.hash, again.hash);
        for (uint32_t i = 0; i < f->graph.links; i++) {
            const struct net_link *link = &f->graph.link[i];
            assert_int_equal(f->link_bytes[i],
                             drawn.steps[link->from][link->to] * 2 * (drawn.members - 1) * part);
        }
    }
}

/* ---- what is said ---- */

static void says(struct fixture *f, const char *rings, const char *expected)
{
    const struct orr_conf *root = NULL;
    struct net_config config;
    struct orr_diag diag;
    char text[400], message[400];
    orr_diag_init(&diag);
    (void)snprintf(text, sizeof text,
                   "graph: {npus: 4, switches: 1, bandwidth: 1 GB/s, links: [{from: 0, to: 1}, "
                   "{from: 1, to: 2}, {from: 2, to: 3}, {from: 3, to: 4}, {from: 4, to: 0}],\n"
                   "rings: [%s]}",
                   rings);
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &diag), ORR_OK);
    assert_int_equal(orr_net_config_read(f->arena, root, &config, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, message, sizeof message);
    assert_string_equal(message, expected);
}

static void test_rings_that_are_none_are_refused(void **state)
{
    struct fixture *f = *state;
    says(f, "{members: [0, 1, 0]}",
         "net.yml:2:26: graph.rings[0].members[2]: expected every member once, got "
         "\"0\"");
    says(f, "{members: [0, 5]}",
         "net.yml:2:23: graph.rings[0].members[1]: expected a node, 0 to 4, got \"5\"");
    says(f, "{members: [0, 4]}",
         "net.yml:2:23: graph.rings[0].members[1]: expected an NPU, which is no switch, got \"4\"");
    says(f, "{members: []}",
         "net.yml:2:19: graph.rings[0].members: expected a list of 2 or more entries, got 0");
    says(f, "{npus: 4, order: [0, 1, 3]}",
         "net.yml:2:9: graph.rings[0].order: expected each of the positions 0 to 3 once");
    says(f, "{npus: 4, members: [0, 1]}",
         "net.yml:2:9: graph.rings[0]: a ring needs exactly one of the keys \"npus\" (any group "
         "of that size), \"members\" and \"steps\" (one group)");
    says(f, "{}",
         "net.yml:2:9: graph.rings[0]: a ring needs exactly one of the keys \"npus\" (any group "
         "of that size), \"members\" and \"steps\" (one group)");
    says(f, "{members: [0, 1], jumps: [1]}",
         "net.yml:2:9: graph.rings[0]: expected jumps and order only with npus, got "
         "\"members\"");
    says(f, "{steps: [0 1 3, 3 2 1 0]}",
         "net.yml:2:18: graph.rings[0].steps[0]: expected a link to each node of the step, got "
         "\"3\"");
    says(f, "{steps: [0 1, 2 1 0]}",
         "net.yml:2:23: graph.rings[0].steps[1]: expected a step from where the one before ends, "
         "got \"2 1 0\"");
    says(f, "{steps: [0 1, 1 2]}",
         "net.yml:2:23: graph.rings[0].steps[1]: expected the last step to end where the first "
         "begins, got \"1 2\"");
    says(f, "{steps: [0 1, 1 2, 2 1, 1 0]}",
         "net.yml:2:33: graph.rings[0].steps[3]: expected one step from every member, "
         "got \"1 0\"");
    says(f, "{steps: [0 1 2 1, 1 0]}",
         "net.yml:2:18: graph.rings[0].steps[0]: expected every node of a step once, got \"1\"");
    says(f, "{steps: [0 4, 4 0]}",
         "net.yml:2:18: graph.rings[0].steps[0]: expected nodes from one NPU to another, got "
         "\"0 4\"");
    says(f, "{steps: [0, 1 0]}",
         "net.yml:2:18: graph.rings[0].steps[0]: expected nodes from one NPU to another, got "
         "\"0\"");
    says(f, "{steps: [0 9, 9 0]}",
         "net.yml:2:18: graph.rings[0].steps[0]: expected a node, 0 to 4, got \"9\"");
}

static int set_up(void **state)
{
    struct fixture *f = orr_heap_calloc(1, sizeof *f);
    f->arena = orr_arena_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    orr_arena_destroy(f->arena);
    orr_heap_free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_members_are_passed_in_the_order_given),
        TEST(test_other_groups_go_in_their_own_order),
        TEST(test_rings_of_a_size_replace_the_fabrics),
        TEST(test_steps_go_over_the_nodes_given),
        TEST(test_steps_have_the_start_up_of_their_links),
        TEST(test_rings_of_other_groups_stay),
        TEST(test_steps_share_links_with_others),
        TEST(test_steps_over_failed_links_go_by_routes),
        TEST(test_levels_go_around_the_rings_of_equal_places),
        TEST(test_any_steps_carry_the_bytes_by_hand),
        TEST(test_rings_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
