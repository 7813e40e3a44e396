/* Tokens of experts that go once to each node (parallel.dispatcher: deepep): how many nodes and
 * ranks a token reaches by the formula of DeepEP, and what DeepEP publishes of its rates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/diag.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "system/ccl/ccl.h"
#include "workload/parallel/token_dispatch.h"

static const struct gen_routing deepseek = {.experts = 256, .per_token = 8};
static const struct gen_routing limited = {256, 8, 8, 4};

static void assert_near(double found, double expected, double share)
{
    if (fabs(found / expected - 1) > share) {
        fail_msg("%g, expected %g", found, expected);
    }
}

/* 8 of 256 experts: 1.993, 3.614, ... of 2, 4, 8, 16, 32, 64 equal parts; limited to 4 of 8 groups
 * 4 (1 - C(96, 8) / C(128, 8)) = 3.629 of 8 nodes. */
static void test_token_reach_is_that_of_the_formula(void **state)
{
    static const double expected[] = {1.993, 3.614, 5.295, 6.523, 7.267, 7.676};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        assert_near(orr_gen_token_reach(&deepseek, 2u << i), expected[i], 2e-4);
    }
    assert_near(orr_gen_token_reach(&limited, 8), 3.629, 2e-4);
    assert_near(orr_gen_token_reach(&limited, 1), 1, 1e-12);
    /* 4 of 8 groups in 2 nodes of 4: one of the nodes has all of them in 2 of 70 draws; else C(96,
     * 8) / C(128, 8) or the like that it is missed. */
    assert_true(orr_gen_token_reach(&limited, 2) < orr_gen_token_reach(&deepseek, 2));
    const struct gen_routing all = {256, 8, 8, 8};
    assert_near(orr_gen_token_reach(&all, 8), 5.295, 2e-4);
}

/* ---- rates ---- */

struct run {
    const char *gpu;
    double link, nic; /* bytes/s */
    uint32_t nodes, tokens;
    bool is_limited;
    double dispatch_ms, combine_ms; /* published */
};

/* DeepEP, README (V1) and docs of V2; times from its logical rates. */
static const struct run runs[] = {{"h100", 450e9, 50e9, 2, 8192, false, 1.341, 2.890},
                                  {"h100", 450e9, 50e9, 4, 8192, false, 3.588, 6.958},
                                  {"h800", 200e9, 50e9, 2, 4096, false, 1.403, 2.722},
                                  {"h800", 200e9, 50e9, 4, 4096, false, 1.887, 3.723},
                                  {"h800", 200e9, 50e9, 8, 4096, true, 2.154, 4.262},
                                  {"h800", 200e9, 50e9, 1, 4096, false, 1.048, 1.968},
                                  {"b200", 900e9, 50e9, 1, 8192, false, 0.442, 0.840},
                                  {"b200", 900e9, 50e9, 1, 8192, false, 0.499, 0.921}};

static double exchange_ms(const struct sys_ccl *library, const struct run *run, uint32_t npus,
                          uint32_t nodes, double bytes)
{
    const struct sys_ccl_shape shape = {.npus = npus,
                                        .nodes = nodes,
                                        .min = npus / nodes,
                                        .max = npus / nodes,
                                        .inner_bytes_per_s = run->link,
                                        .outer_bytes_per_s = run->nic};
    struct sys_ccl_choice choice;
    orr_sys_ccl_choose_tokens(library, &shape, bytes, &choice);
    return choice.transfer_s * 1e3; /* the tables are without the wait for sizes */
}

static double token_ms(const struct sys_ccl *library, const struct run *run, double token_bytes)
{
    const struct gen_routing *routing = run->is_limited ? &limited : &deepseek;
    const double bytes = run->tokens * token_bytes;
    const double over = run->nodes > 1
                            ? exchange_ms(library, run, run->nodes, run->nodes,
                                          bytes * orr_gen_token_reach(routing, run->nodes))
                            : 0;
    return fmax(over, exchange_ms(library, run, 8, 1,
                                  bytes * orr_gen_token_reach(routing, 8u * run->nodes)));
}

/* All within 10 %: tokens of 7168 in FP8 with a scale for each 128 there, in BF16 back. */
static void test_deepep_rates_as_published(void **state)
{
    static const char network[] =
        "{topology: Switch(8)_Switch(8), bandwidth_is: npu, dims: [{bandwidth: 200 GB/s, latency: "
        "1 us}, {bandwidth: 50 GB/s, latency: 2 us}]}";
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char text[64];
        struct orr_arena *arena = orr_arena_create();
        struct net_config net;
        const struct orr_conf *root = NULL;
        const struct sys_ccl *library = NULL;
        struct orr_diag diag;
        orr_diag_init(&diag);
        (void)snprintf(text, sizeof text, "{name: nccl, gpu: %s}", runs[i].gpu);
        assert_int_equal(orr_conf_parse(arena, network, strlen(network), "net.yml", &root, &diag),
                         ORR_OK);
        assert_int_equal(orr_net_config_read(arena, root, &net, &diag), ORR_OK);
        assert_int_equal(orr_conf_parse(arena, text, strlen(text), "lib.yml", &root, &diag),
                         ORR_OK);
        assert_int_equal(orr_sys_ccl_read(arena, root, &net, &library, &diag), ORR_OK);
        assert_near(token_ms(library, &runs[i], 7168 + 4.0 * 7168 / 128), runs[i].dispatch_ms, 0.1);
        assert_near(token_ms(library, &runs[i], 2.0 * 7168), runs[i].combine_ms, 0.1);
        orr_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_token_reach_is_that_of_the_formula),
                                       cmocka_unit_test(test_deepep_rates_as_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
