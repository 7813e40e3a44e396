/* Jobs on circuits that follow their traffic (network/allocation.h), set once or again and again,
 * on switches and rings: random task graphs of alike groups. One group that is simulated for all
 * gives what all NPUs give, to the byte; a run is repeated exactly; each pair's bytes cross its own
 * link, none of which carries more than it could, and nobody sends more than by all of its
 * circuits. One thing after the other is never done sooner than on one switch. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/rng.h"
#include "core/time.h"
#include "orrery/orrery.h"
#include "tests/property/copied_tasks.h"
#include "tests/unit/inputs_fixture.h"
#include "tests/unit/results_fixture.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

enum { CASES = 100, LONG_CASES = 5000, TEXT = 1024 };

#define GRAPH "g.json"
#define PLATFORM "p.yml"

/* ---- a random platform ---- */

struct drawn {
    struct orr_rng rng;
    char text[TEXT];
    size_t length;
};

static uint32_t below(struct drawn *drawn, uint32_t end)
{
    return (uint32_t)orr_rng_below(&drawn->rng, end);
}

ORR_PRINTF(2, 3)
static void add(struct drawn *drawn, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    drawn->length +=
        (size_t)vsnprintf(drawn->text + drawn->length, TEXT - drawn->length, format, arguments);
    va_end(arguments);
    assert_true(drawn->length < TEXT);
}

/* When circuits are set. */
static void add_times(struct drawn *drawn)
{
    static const char *const holds[] = {"2 us", "5 us", "20 us", "100 us"};
    static const char *const darks[] = {"0 us", "0.5 us", "2 us", "25 us"};
    static const char *const demands[] = {"window", "next", "total"};
    if (below(drawn, 3) == 0) {
        add(drawn, ", hold: never%s", below(drawn, 3) == 0 ? ", weights: [0.5, 1, 4]" : "");
        return;
    }
    add(drawn, ", hold: %s, reconfiguration: %s, demand: %s, kept: %s", holds[below(drawn, 4)],
        darks[below(drawn, 4)], demands[below(drawn, 3)], below(drawn, 2) == 0 ? "dark" : "lit");
    add(drawn, "%s", below(drawn, 8) == 0 ? ", literal: true" : "");
}

static void add_ring(struct drawn *drawn, uint32_t npus)
{
    static const char *const methods[] = {"load", "load", "load",  "load",
                                          "load", "load", "flows", "random"};
    if (npus % 2 == 0 && npus > 2 && below(drawn, 8) == 0) {
        add(drawn, ", rows: 2");
    } else {
        add(drawn, ", method: %s%s", methods[below(drawn, 8)],
            below(drawn, 4) == 0 ? ", fibres: half" : "");
    }
}

/* `fluid`: certainly so; a switch takes whole packets otherwise, and one step more than a circuit.
 */
static void draw_platform(uint64_t seed, uint32_t npus, bool fluid)
{
    static const uint32_t ports[] = {2, 4, 8, 16, 64};
    static const char *const kinds[] = {"ring_stream", "ring", "bidirectional_ring_stream",
                                        "pipelined_ring", "parameter_server"};
    struct drawn drawn = {.length = 0};
    orr_rng_init(&drawn.rng, seed, 31);
    const bool ring = below(&drawn, 2) == 0;
    const uint32_t count = ports[below(&drawn, 5)];
    add(&drawn, "network: {graph: {npus: %" PRIu32 "}, fluid: %s, circuits: {controller: %s, ",
        npus, fluid || below(&drawn, 4) != 0 ? "true" : "false", ring ? "sip_ring" : "sip_ocs");
    add(&drawn, "ports: %" PRIu32 ", bandwidth: %.9g GB/s, latency: %s", count, 10.0 / count,
        below(&drawn, 3) == 0 ? "0 us" : "1 us");
    add_times(&drawn);
    if (ring) {
        add_ring(&drawn, npus);
    }
    add(&drawn, "}}\nworkload: {taskgraph: " GRAPH ", all_reduce: %s, iterations: %" PRIu32 "}\n",
        kinds[below(&drawn, 5)], 1 + below(&drawn, 2));
    results_put(PLATFORM, drawn.text);
}

/* ---- runs ---- */

struct outcome {
    enum orrery_status status;
    char *text; /* results without the count of events, or the error; to be freed */
    bool folded;
};

/* What is told of a run but what the simulation did for it. */
static char *without_events(char *text)
{
    char *line = strstr(text, "\"events\":"), *end = line != NULL ? strchr(line, '\n') : NULL;
    if (end != NULL) {
        memmove(line, end, strlen(end) + 1);
    }
    return text;
}

static struct orrery *run(bool fold, unsigned record, struct outcome *out)
{
    const struct orrery_inputs inputs = {.platform = PLATFORM};
    struct orrery *job = orrery_new();
    orrery_fold(job, fold);
    orrery_record(job, record);
    out->status = orrery_load(job, &inputs);
    out->status = out->status == ORRERY_OK ? orrery_run(job) : out->status;
    out->text = out->status == ORRERY_OK ? without_events(results_text(results_write_json, job))
                                         : strdup(orrery_error(job));
    out->folded = out->status == ORRERY_OK && orrery_fold_classes(job) < orrery_npus(job);
    return job;
}

static void tell(uint64_t seed, const char *what, const char *one, const char *other)
{
    size_t at = 0;
    while (one[at] != '\0' && one[at] == other[at]) {
        at++;
    }
    at = at > 60 ? at - 60 : 0;
    char *platform = inputs_file(PLATFORM);
    print_message("seed %" PRIu64 ": %s\n%s\n%.400s\n--- and ---\n%.400s\n", seed, what, platform,
                  one + at, other + at);
    free(platform);
}

/* ---- what holds for a run ---- */

static bool carries_what_is_sent(const struct orrery *job)
{
    bool right = true;
    double carried = 0, sent = 0;
    for (size_t i = 0; i < orrery_links(job); i++) {
        struct orrery_link link;
        (void)orrery_link(job, i, &link);
        const bool leaves = link.from < orrery_npus(job);
        carried += leaves ? (double)link.bytes : 0;
        right = right && (double)link.bytes <= link.offered_bytes * (1 + 1e-6) + 1e4;
    }
    for (size_t i = 0; i < orrery_pairs(job); i++) {
        struct orrery_pair pair;
        (void)orrery_pair(job, i, &pair);
        sent += pair.from != pair.to ? (double)pair.bytes : 0;
    }
    return right && carried >= sent * (1 - 1e-9) && carried <= sent * (1 + 1e-9);
}

/* By 10 GB/s, of all circuits. */
static bool sends_no_sooner(const struct orrery *job)
{
    double out[64] = {0}, in[64] = {0};
    bool right = true;
    for (size_t i = 0; i < orrery_pairs(job); i++) {
        struct orrery_pair pair;
        (void)orrery_pair(job, i, &pair);
        out[pair.from] += pair.from != pair.to ? (double)pair.bytes : 0;
        in[pair.to] += pair.from != pair.to ? (double)pair.bytes : 0;
    }
    const double wall_s = (double)orrery_wall_ps(job) * 1e-12;
    for (uint32_t i = 0; i < orrery_npus(job); i++) {
        right = right && out[i] <= wall_s * 10e9 * (1 + 1e-6) + 1 &&
                in[i] <= wall_s * 10e9 * (1 + 1e-6) + 1;
    }
    return right;
}

/* Counts those that differ; whether it was folded, and whether it ended. */
static void check(uint64_t seed, unsigned *wrong, unsigned *folded, unsigned *ended)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct outcome one, again, whole, counted;
    copied_tasks(arena, seed, &graph);
    FILE *out = fopen(GRAPH, "w");
    assert_int_equal(orr_tg_write(&graph, TG_JSON, out, NULL), ORR_OK);
    assert_int_equal(fclose(out), 0);
    draw_platform(seed, graph.npus, false);
    orrery_free(run(true, 0, &one));
    orrery_free(run(true, 0, &again));
    orrery_free(run(false, 0, &whole));
    struct orrery *job = run(false, ORRERY_RECORD_TRAFFIC, &counted);
    if (one.status != again.status || strcmp(one.text, again.text) != 0) {
        tell(seed, "run twice", one.text, again.text);
        ++*wrong;
    }
    if (one.status != whole.status || strcmp(one.text, whole.text) != 0) {
        tell(seed, "folded, and all NPUs", one.text, whole.text);
        ++*wrong;
    }
    if (counted.status == ORRERY_OK && (!carries_what_is_sent(job) || !sends_no_sooner(job))) {
        tell(seed, "bytes", counted.text, counted.text);
        ++*wrong;
    }
    *folded += one.folded;
    *ended += one.status == ORRERY_OK;
    free(one.text);
    free(again.text);
    free(whole.text);
    free(counted.text);
    orrery_free(job);
    orr_arena_destroy(arena);
}

static uint64_t case_count(void)
{
    return getenv("ORRERY_LONG") != NULL ? LONG_CASES : CASES;
}

static void test_folded_runs_are_those_of_all_npus(void **state)
{
    (void)state;
    const uint64_t cases = case_count();
    unsigned wrong = 0, folded = 0, ended = 0;
    for (uint64_t seed = 1; seed <= cases && wrong < 10; seed++) {
        check(seed, &wrong, &folded, &ended);
    }
    assert_int_equal(wrong, 0);
    print_message("%u of %" PRIu64 " folded, %u ended\n", folded, cases, ended);
    assert_true(3 * (uint64_t)folded > cases && 2 * (uint64_t)ended > cases);
}

/* ---- one thing after the other ---- */

static void chain(struct orr_arena *arena, uint64_t seed, struct tg_graph *out)
{
    static const uint64_t bytes[] = {0, 1, 1000, 30000, 123457, 1000000};
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 37);
    const uint32_t npus = 2 + (uint32_t)orr_rng_below(&rng, 6);
    const uint32_t tasks = 2 + (uint32_t)orr_rng_below(&rng, 12);
    struct tg_builder *builder = orr_tg_builder_create(npus, 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        const bool sends = orr_rng_below(&rng, 3) != 0;
        struct tg_task task = {.role = sends ? TG_TRANSFER : TG_COMPUTE, .from = at, .to = at};
        if (sends) {
            task.to = (at + 1 + (uint32_t)orr_rng_below(&rng, npus - 1)) % npus;
            task.bytes = bytes[orr_rng_below(&rng, 6)];
        } else {
            task.duration_ps = orr_rng_below(&rng, 20) * ORR_PS_PER_US;
        }
        at = task.to;
        (void)orr_tg_builder_add(builder, &task);
        if (i > 0) {
            orr_tg_builder_wait(builder, i, i - 1);
        }
    }
    assert_int_equal(orr_tg_builder_finish(builder, arena, out, NULL), ORR_OK);
    orr_tg_builder_destroy(builder);
}

static void test_one_after_the_other_is_no_sooner_than_on_a_switch(void **state)
{
    (void)state;
    unsigned ended = 0;
    for (uint64_t seed = 1; seed <= case_count(); seed++) {
        struct orr_arena *arena = orr_arena_create();
        struct orrery_circuits circuits;
        struct outcome outcome;
        struct tg_graph graph;
        chain(arena, seed, &graph);
        FILE *out = fopen(GRAPH, "w");
        assert_int_equal(orr_tg_write(&graph, TG_JSON, out, NULL), ORR_OK);
        assert_int_equal(fclose(out), 0);
        draw_platform(seed, graph.npus, true);
        struct orrery *job = run(true, 0, &outcome);
        if (outcome.status == ORRERY_OK && orrery_circuits(job, &circuits)) {
            const int64_t rounding = 2 * (int64_t)graph.tasks; /* ps, of each message's ends */
            if (orrery_iteration_ps(job, 0) + rounding < circuits.switch_ps) {
                char *platform = inputs_file(PLATFORM);
                fail_msg("seed %" PRIu64 ": %s%" PRId64 " ps, on a switch %" PRId64, seed, platform,
                         orrery_iteration_ps(job, 0), circuits.switch_ps);
            }
            ended++;
        }
        free(outcome.text);
        orrery_free(job);
        orr_arena_destroy(arena);
    }
    assert_true(2 * (uint64_t)ended > case_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_runs_are_those_of_all_npus),
        cmocka_unit_test(test_one_after_the_other_is_no_sooner_than_on_a_switch),
    };
    return cmocka_run_group_tests(tests, inputs_set_up, inputs_tear_down);
}
