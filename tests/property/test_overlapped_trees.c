/* Random trees on random graphs, with parallel links and without: every edge has a way of links,
 * and where no link is used twice nothing is said, otherwise how often and one of them. Overlapped
 * they are never slower than phased, and take the same times on both backends. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "core/fold.h"
#include "network/net.h"
#include "network/net_config_read.h"
#include "system/collectives/program.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config_read.h"
#include "tests/property/property_support.h"

enum { CASES = 150, MAX_NPUS = 10, MAX_TREES = 3, TEXT = 8192 };

struct text {
    char of[TEXT];
    size_t used;
};

static void put(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text->used += (size_t)vsnprintf(text->of + text->used, TEXT - text->used, format, list);
    va_end(list);
    assert_true(text->used < TEXT);
}

/* A random tree keeps the graph in one piece; other links come by chance. */
static void put_network(struct orr_rng *rng, uint32_t npus, struct text *text)
{
    put(text,
        "message_overhead: %u ns\ngraph:\n  npus: %u\n  bandwidth: 1 GB/s\n  latency: %u ns\n",
        (unsigned)orr_rng_below(rng, 3) * 500, npus, (unsigned)orr_rng_below(rng, 2) * 100);
    put(text, "  links:\n");
    for (uint32_t b = 1; b < npus; b++) {
        const uint32_t joined = (uint32_t)orr_rng_below(rng, b);
        for (uint32_t a = 0; a < b; a++) {
            const uint32_t count =
                a == joined ? 1 + (uint32_t)orr_rng_below(rng, 2) : (uint32_t)orr_rng_below(rng, 3);
            if (count != 0) {
                put(text, "    - {from: %u, to: %u, count: %u}\n", a, b, count);
            }
        }
    }
}

static void put_tree(struct orr_rng *rng, uint32_t npus, struct text *text)
{
    uint32_t order[MAX_NPUS], parent[MAX_NPUS];
    for (uint32_t i = 0; i < npus; i++) {
        const uint32_t at = (uint32_t)orr_rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 1; i < npus; i++) {
        parent[order[i]] = order[orr_rng_below(rng, i)];
    }
    put(text, "\"");
    for (uint32_t i = 0; i < npus; i++) {
        if (i == order[0]) {
            put(text, "- ");
        } else {
            put(text, "%u ", parent[i]);
        }
    }
    put(text, "\", ");
}

struct platform {
    struct orr_arena *arena;
    struct net_config net;
    struct sys_config sys;
    struct orr_diag diag;
    char said[512]; /* the last warning */
};

static void keep_warning(void *user, const char *text)
{
    struct platform *platform = user;
    (void)snprintf(platform->said, sizeof platform->said, "%s", text);
}

static const struct orr_conf *parse(struct platform *platform, const struct text *text)
{
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_parse(platform->arena, text->of, text->used, "p", &root, NULL),
                     ORR_OK);
    return root;
}

/* False: an edge has no way over one NPU at most. */
static bool open_platform(struct platform *platform, uint64_t seed)
{
    struct orr_rng rng;
    struct text network = {.used = 0}, section = {.used = 0};
    orr_rng_init(&rng, seed, 0);
    *platform = (struct platform){.arena = orr_arena_create()};
    orr_diag_init(&platform->diag);
    platform->diag.warn = keep_warning;
    platform->diag.warn_user = platform;
    const uint32_t npus = 3 + (uint32_t)orr_rng_below(&rng, MAX_NPUS - 2);
    const uint32_t trees = 1 + (uint32_t)orr_rng_below(&rng, MAX_TREES);
    put_network(&rng, npus, &network);
    put(&section, "chunks: %u\nalgorithms: {all_reduce: trees}\ntrees: [",
        1 + (unsigned)orr_rng_below(&rng, 20));
    for (uint32_t t = 0; t < trees; t++) {
        put_tree(&rng, npus, &section);
    }
    put(&section, "]\n");
    const struct orr_conf *map = parse(platform, &section);
    assert_int_equal(
        orr_net_config_read(platform->arena, parse(platform, &network), &platform->net, NULL),
        ORR_OK);
    assert_int_equal(orr_sys_config_read(platform->arena, map, 1, &platform->sys, &platform->diag),
                     ORR_OK);
    assert_int_equal(orr_sys_config_check(map, &platform->sys, &platform->net, &platform->diag),
                     ORR_OK);
    return orr_sys_embed_trees(platform->arena, map, &platform->sys, &platform->net,
                               &platform->diag) == ORR_OK;
}

/* How often lanes of links are named beyond the first time. */
static uint32_t count_shared(const struct platform *platform)
{
    const struct net_config *net = &platform->net;
    uint32_t shared = 0;
    for (uint32_t c = 0; c < net->channels; c++) {
        for (uint32_t h = 0; h < net->channel[c].hops; h++) {
            const struct net_hop *hop = &net->channel[c].hop[h];
            uint32_t before = 0;
            for (uint32_t o = 0; o <= c; o++) {
                for (uint32_t i = 0; i < net->channel[o].hops && (o < c || i < h); i++) {
                    const struct net_hop *other = &net->channel[o].hop[i];
                    before += other->link == hop->link && other->lane == hop->lane;
                }
            }
            shared += before != 0 ? 1 : 0;
        }
    }
    return shared;
}

/* ---- runs ---- */

struct running {
    struct orr_evq *queue;
    struct sys *sys;
    uint32_t done;
    sim_time end_ps;
};

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct running *run = context;
    (void)npu;
    (void)cookie;
    run->done++;
    run->end_ps = orr_evq_now(run->queue);
}

static void on_start(void *context, const struct orr_event *event)
{
    const struct running *run = context;
    const struct sys_collective request = {.npu = orr_slot(event->entity),
                                           .kind = COLL_ALL_REDUCE,
                                           .bytes = 100000,
                                           .dim_mask = UINT32_MAX};
    orr_sys_collective_start(run->sys, &request);
}

static sim_time time_on(struct platform *platform, const char *backend, bool phased)
{
    struct orr_arena *arena = orr_arena_create();
    struct running run = {.done = 0};
    struct net *net;
    const uint32_t npus = platform->net.graph->npus;
    platform->net.backend = backend;
    platform->net.own = NULL;
    platform->sys.phased = phased;
    run.queue = orr_evq_create(ORR_ORDER_LABEL, npus);
    assert_int_equal(orr_net_create(&net, &platform->net, run.queue, arena, NULL), ORR_OK);
    assert_int_equal(orr_sys_create(&run.sys, &platform->sys, net, run.queue, arena, NULL), ORR_OK);
    orr_sys_set_listener(run.sys, &(struct sys_listener){.context = &run, .done = on_done});
    orr_evq_handle(run.queue, ORR_EVENT_WORKLOAD, on_start, &run);
    for (uint32_t npu = 0; npu < npus; npu++) {
        const struct orr_event event = {.label = npu, .entity = npu, .kind = ORR_EVENT_WORKLOAD};
        orr_evq_post(run.queue, 0, &event);
    }
    assert_int_equal(orr_evq_run(run.queue, NULL), ORR_OK);
    assert_int_equal(run.done, npus);
    orr_sys_destroy(run.sys);
    net->ops->destroy(net);
    orr_evq_destroy(run.queue);
    orr_arena_destroy(arena);
    return run.end_ps;
}

static void check_case(uint64_t seed, unsigned *free_ones, unsigned *slower)
{
    struct platform platform;
    if (open_platform(&platform, seed)) {
        const uint32_t shared = count_shared(&platform);
        char said[64];
        (void)snprintf(said, sizeof said, "share links, %" PRIu32 " times", shared);
        assert_int_equal(strstr(platform.said, "share links") != NULL, shared != 0);
        assert_true(shared == 0 || strstr(platform.said, said) != NULL);
        const sim_time overlapped = time_on(&platform, "congestion", false);
        const sim_time phased = time_on(&platform, "congestion", true);
        assert_int_equal(time_on(&platform, "flow", false), overlapped);
        assert_int_equal(time_on(&platform, "flow", true), phased);
        *free_ones += shared == 0 ? 1 : 0;
        *slower += overlapped > phased ? 1 : 0;
        assert_true(shared != 0 || overlapped <= phased);
    }
    orr_arena_destroy(platform.arena);
}

static void test_overlapped_trees_share_nothing_unsaid_and_are_not_slower(void **state)
{
    unsigned free_ones = 0, slower = 0;
    (void)state;
    for (unsigned i = 0; i < prop_cases(CASES); i++) {
        check_case(prop_first_seed() + i, &free_ones, &slower);
    }
    print_message("%u of them without a shared link; %u slower\n", free_ones, slower);
    assert_true(free_ones > 0 && slower < prop_cases(CASES) / 10 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlapped_trees_share_nothing_unsaid_and_are_not_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
