/* What a page of a run shows beside its results: no node is lost or drawn where it was not, parts
 * are bounded, links and traffic add up to what the run counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "orrery/inputs.h"
#include "orrery/orrery.h"
#include "report/details/details.h"

enum { RESOURCES = 6, MAX_SLICES = 40000, MAX_TRACKS = 12 };

static const char *const resources[RESOURCES] = {"compute",       "CPU",         "local memory",
                                                 "remote memory", "collectives", "messages"};

static struct orrery *ran(const char *platform_text, const char *workload_text, unsigned record)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    struct orrery *job = orrery_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .workload = workload};
    assert_int_equal(orrery_platform_parse(platform, platform_text), ORRERY_OK);
    assert_int_equal(orrery_workload_parse(workload, workload_text), ORRERY_OK);
    orrery_record(job, record);
    if (orrery_load_parts(job, &parts) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return job;
}

static json_t *details_of(struct orrery *job, const struct orrery *traffic)
{
    const struct orr_details of = {.job = job, .traffic = traffic, .no_traffic = "not asked for"};
    json_t *details = orr_details_object(&of);
    assert_non_null(details);
    return details;
}

static int64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* ---- the timeline ---- */

static int resource_of(const struct orrery_node *node)
{
    switch (node->kind) {
    case ORRERY_NODE_COMPUTE:
        return 0;
    case ORRERY_NODE_CPU:
        return 1;
    case ORRERY_NODE_COLLECTIVE:
        return 4;
    case ORRERY_NODE_SEND:
    case ORRERY_NODE_RECEIVE:
        return 5;
    case ORRERY_NODE_OTHER:
        return -1;
    default:
        return node->remote ? 3 : 2;
    }
}

static int64_t slice_at(const json_t *slices, size_t index)
{
    return json_integer_value(json_array_get(slices, index));
}

/* Whether a slice of a track of the resource is there from `start` to `end`. */
static bool is_covered(const json_t *tracks, int resource, int64_t start, int64_t end)
{
    for (size_t t = 0; t < json_array_size(tracks); t++) {
        const json_t *track = json_array_get(tracks, t), *slices = json_object_get(track, "slices");
        if (strcmp(json_string_value(json_object_get(track, "resource")), resources[resource]) !=
            0) {
            continue;
        }
        for (size_t i = 0; i < json_array_size(slices); i += 4) {
            if (slice_at(slices, i) <= start &&
                slice_at(slices, i) + slice_at(slices, i + 1) >= end) {
                return true;
            }
        }
    }
    return false;
}

/* Slices of a track ascend and do not overlap; returns their nodes, and adds their time. */
static int64_t check_track(const json_t *track, const json_t *names, int64_t wall, int64_t *busy)
{
    const json_t *slices = json_object_get(track, "slices");
    int64_t nodes = 0, reached = 0;
    assert_int_equal(json_array_size(slices) % 4, 0);
    for (size_t i = 0; i < json_array_size(slices); i += 4) {
        const int64_t start = slice_at(slices, i), length = slice_at(slices, i + 1);
        assert_true(start >= reached && length > 0);
        assert_in_range(slice_at(slices, i + 2), 0, json_array_size(names) - 1);
        assert_true(slice_at(slices, i + 3) > 0);
        reached = start + length;
        nodes += slice_at(slices, i + 3);
        *busy += length;
    }
    assert_true(reached <= wall);
    return nodes;
}

static void check_npu(const struct orrery *job, const json_t *npu, const json_t *names, bool joined,
                      size_t step)
{
    const uint32_t rank = (uint32_t)number(npu, "rank");
    const json_t *tracks = json_object_get(npu, "tracks");
    int64_t told[RESOURCES] = {0}, want[RESOURCES] = {0}, busy = 0, waiting = 0;
    struct orrery_times times;
    assert_in_range(json_array_size(tracks), 1, MAX_TRACKS);
    for (size_t t = 0; t < json_array_size(tracks); t++) {
        const json_t *track = json_array_get(tracks, t);
        const char *resource = json_string_value(json_object_get(track, "resource"));
        const bool waits = strcmp(resource, "waiting") == 0;
        const int64_t nodes =
            check_track(track, names, orrery_wall_ps(job), waits ? &waiting : &busy);
        for (int r = 0; r < RESOURCES; r++) {
            told[r] += strcmp(resource, resources[r]) == 0 ? nodes : 0;
        }
    }
    for (size_t i = 0; i < orrery_nodes(job, rank); i++) {
        struct orrery_node node;
        assert_int_equal(orrery_node(job, rank, i, &node), ORRERY_OK);
        const int resource = resource_of(&node);
        if (node.ran && resource >= 0 && node.end_ps > node.transfer_ps) {
            want[resource]++;
            assert_true(i % step != 0 ||
                        is_covered(tracks, resource, node.transfer_ps, node.end_ps));
        }
    }
    for (int r = 0; r < RESOURCES; r++) {
        assert_int_equal(told[r], want[r]);
    }
    assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
    if (joined) {
        assert_true(waiting >= times.waiting_ps);
    } else {
        assert_int_equal(waiting, times.waiting_ps);
    }
}

/* Returns the slices. Of the nodes every `step`th is looked for. */
static size_t check_timeline(const struct orrery *job, const json_t *details, size_t step)
{
    const json_t *timeline = json_object_get(details, "timeline");
    const json_t *npus = json_object_get(timeline, "npus"),
                 *names = json_object_get(timeline, "names");
    size_t slices = 0;
    assert_non_null(timeline);
    assert_true(json_array_size(npus) >= 1);
    for (size_t i = 0; i < json_array_size(npus); i++) {
        const json_t *npu = json_array_get(npus, i), *tracks = json_object_get(npu, "tracks");
        check_npu(job, npu, names, number(timeline, "joined_within_ps") > 0, step);
        for (size_t t = 0; t < json_array_size(tracks); t++) {
            slices += json_array_size(json_object_get(json_array_get(tracks, t), "slices")) / 4;
        }
    }
    assert_in_range(slices, 1, MAX_SLICES);
    return slices;
}

static const char switches[] =
    "network: {topology: Switch(4)_Switch(4), dims: [{bandwidth: 300 GB/s, latency: 1 us},"
    " {bandwidth: 25 GB/s, latency: 2 us}]}\n"
    "compute: {peak: 100 TFLOP/s}\nmemory: {local: {bandwidth: 1 TB/s}}\n";
static const char pipeline[] =
    "workload:\n"
    "  transformer: {layers: 8, hidden: 512, heads: 8, sequence: 128, vocabulary: 1000}\n"
    "  parallel: {tensor: 2, pipeline: 4}\n"
    "  training: {batch: 16}\n";

static void test_timeline_has_every_node_where_it_was(void **state)
{
    struct orrery *job = ran(switches, pipeline, ORRERY_RECORD_NODES);
    json_t *details = details_of(job, NULL);
    (void)state;
    assert_int_equal(number(json_object_get(details, "timeline"), "joined_within_ps"), 0);
    assert_true(check_timeline(job, details, 1) > 100);
    assert_non_null(json_object_get(details, "stages"));
    assert_int_equal(json_array_size(json_object_get(details, "stages")), 4);
    json_decref(details);
    orrery_free(job);
}

/* More slices than are told: 4 stages of 300 micro-batches. */
static void test_timeline_of_many_nodes_is_joined(void **state)
{
    static const char many[] =
        "workload:\n"
        "  transformer: {layers: 8, hidden: 512, heads: 8, sequence: 128, vocabulary: 1000}\n"
        "  parallel: {tensor: 2, pipeline: 4}\n"
        "  training: {batch: 600}\n";
    struct orrery *job = ran(switches, many, ORRERY_RECORD_NODES);
    json_t *details = details_of(job, NULL);
    (void)state;
    assert_true(4 * orrery_nodes(job, 0) > MAX_SLICES); /* of a rank of each stage */
    assert_true(number(json_object_get(details, "timeline"), "joined_within_ps") > 0);
    assert_true(check_timeline(job, details, 397) > MAX_SLICES / 8);
    json_decref(details);
    orrery_free(job);
}

static void test_timeline_without_nodes_says_so(void **state)
{
    struct orrery *job = ran(switches, pipeline, 0);
    json_t *details = details_of(job, NULL);
    (void)state;
    assert_null(json_object_get(details, "timeline"));
    assert_non_null(json_object_get(json_object_get(details, "missing"), "timeline"));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(details, "missing"), "traffic")),
        "not asked for");
    json_decref(details);
    orrery_free(job);
}

/* ---- the network ---- */

static const char graph[] = "network: {graph: {npus: 8, fabric: dgx1, bandwidth: 20 GB/s, latency: "
                            "1 us}, backend: congestion}\n"
                            "system: {monolithic_all_reduce: ring}\n";
static const char torus[] = "network: {topology: Ring(3)_Ring(4), bandwidth: 50 GB/s, latency: 1 "
                            "us, backend: congestion}\n";

static void check_links(struct orrery *job, bool expected)
{
    json_t *details = details_of(job, NULL);
    const json_t *links = json_object_get(details, "links"),
                 *counts = json_object_get(links, "by_use");
    int64_t sum = 0;
    assert_int_equal(links != NULL, expected);
    if (links == NULL) {
        assert_non_null(json_object_get(json_object_get(details, "missing"), "links"));
        json_decref(details);
        return;
    }
    for (size_t i = 0; i < json_array_size(counts); i++) {
        sum += json_integer_value(json_array_get(counts, i));
    }
    assert_int_equal(sum, orrery_links(job));
    assert_int_equal(number(links, "count"), sum);
    const json_t *max = json_object_get(links, "most_used");
    double before = 2;
    for (size_t i = 0; i < json_array_size(max); i++) {
        const double use =
            json_number_value(json_object_get(json_array_get(max, i), "utilization"));
        assert_true(use <= before);
        assert_non_null(json_object_get(json_array_get(max, i), "from"));
        before = use;
    }
    assert_true(json_number_value(json_object_get(json_array_get(max, 0), "utilization")) > 0);
    json_decref(details);
}

static void test_links_are_counted_by_their_use(void **state)
{
    struct orrery *job =
        ran(graph, "workload: {generate: all_reduce, bytes: 8 MB}", ORRERY_RECORD_NODES);
    (void)state;
    check_links(job, true);
    orrery_free(job);
    job = ran(switches, pipeline, ORRERY_RECORD_NODES);
    check_links(job, false);
    orrery_free(job);
}

/* The sums of all blocks are what the pairs say; `npus` on either side of a block's end. */
static void check_traffic(const char *platform, const char *workload, int64_t block)
{
    struct orrery *job = ran(platform, workload, ORRERY_RECORD_NODES);
    struct orrery *other = ran(platform, workload, ORRERY_RECORD_TRAFFIC);
    json_t *details = details_of(job, other);
    const json_t *traffic = json_object_get(details, "traffic"),
                 *rows = json_object_get(traffic, "bytes");
    struct orrery_pair pair;
    int64_t left = 0;
    assert_int_equal(number(traffic, "block"), block);
    assert_int_equal(number(traffic, "npus"), orrery_npus(job));
    assert_int_equal(json_array_size(rows), (orrery_npus(job) + block - 1) / block);
    assert_true(orrery_pairs(other) > 0);
    for (size_t i = 0; orrery_pair(other, i, &pair) == ORRERY_OK; i++) {
        left += (int64_t)pair.bytes;
        assert_true(
            json_integer_value(json_array_get(json_array_get(rows, pair.from / (uint32_t)block),
                                              pair.to / (uint32_t)block)) >= (int64_t)pair.bytes);
    }
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        assert_int_equal(json_array_size(row), json_array_size(rows));
        for (size_t j = 0; j < json_array_size(row); j++) {
            left -= json_integer_value(json_array_get(row, j));
        }
    }
    assert_int_equal(left, 0);
    json_decref(details);
    orrery_free(job);
    orrery_free(other);
}

static void test_traffic_adds_up(void **state)
{
    (void)state;
    check_traffic(torus, "workload: {generate: all_to_all, bytes: 12 kB}", 1);
    check_traffic(switches, pipeline, 1);
    check_traffic("network: {topology: Switch(65), bandwidth: 1 GB/s, latency: 1 us}\n",
                  "workload: {generate: all_reduce, bytes: 65 kB}", 2);
}

static void test_picture_is_drawn(void **state)
{
    static const char *const platforms[] = {graph, torus, switches};
    (void)state;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++) {
        struct orrery *job =
            ran(platforms[i], "workload: {generate: all_reduce, bytes: 8 kB}", ORRERY_RECORD_NODES);
        json_t *details = details_of(job, NULL);
        const char *text = json_string_value(json_object_get(details, "network"));
        assert_non_null(text);
        assert_non_null(strstr(text, "<svg"));
        assert_non_null(strstr(text, "</svg>"));
        json_decref(details);
        orrery_free(job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timeline_has_every_node_where_it_was),
        cmocka_unit_test(test_timeline_of_many_nodes_is_joined),
        cmocka_unit_test(test_timeline_without_nodes_says_so),
        cmocka_unit_test(test_links_are_counted_by_their_use),
        cmocka_unit_test(test_traffic_adds_up),
        cmocka_unit_test(test_picture_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
