/* The contract of lists that wings may join: every entry has a name of its own and a summary, and
 * does once what all entries must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "network/allocation.h"
#include "network/graph.h"
#include "network/optical/circuits.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_sections.h"
#include "report/page/page_private.h"

/* A name is a word, as options and keys take it; no other entry of `names`, [count], has it. */
static void check_name(const char *name, const char *const *names, size_t count)
{
    size_t found = 0;
    assert_non_null(name);
    assert_true(name[0] >= 'a' && name[0] <= 'z');
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_"), strlen(name));
    for (size_t i = 0; i < count; i++) {
        found += strcmp(names[i], name) == 0;
    }
    assert_int_equal(found, 1);
}

static void check_text(const char *text)
{
    assert_non_null(text);
    assert_true(text[0] != '\0' && text[strlen(text) - 1] != '.');
}

enum { MAX_ENTRIES = 64 };

/* ---- converters ---- */

/* A converter that is given a file which is not there says so and names it. */
static void refuses_a_missing_file(const struct orr_converter *converter)
{
    static const char missing[] = "/nowhere/profile_bs1.pb";
    const char *const files[] = {missing};
    const bool traces = (converter->options & CONV_TRACES) != 0;
    const struct conv_job job = {.files = files,
                                 .file_count = traces ? 0 : 1,
                                 .et = traces ? missing : NULL,
                                 .out = "/nowhere/out"};
    struct conv_report report;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    orr_convert_report_init(&report, arena);
    assert_int_not_equal(orr_converter_run(converter, &job, &report, &diag), ORR_OK);
    const char *file = diag.place.kind != ORR_LOCATION_NONE ? diag.place.file : diag.message;
    assert_non_null(strstr(file, missing));
    orr_arena_destroy(arena);
}

static void test_converters(void **state)
{
    size_t count = 0;
    const struct orr_converter *const *converters = orr_converters(&count);
    const char *names[MAX_ENTRIES];
    (void)state;
    assert_true(count > 0 && count <= MAX_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        names[i] = converters[i]->name;
    }
    for (size_t i = 0; i < count; i++) {
        const struct orr_converter *converter = converters[i];
        check_name(converter->name, names, count);
        check_text(converter->summary);
        assert_non_null(converter->run);
        assert_true(((converter->options & CONV_TRACES) != 0) == (converter->max_files == 0));
        assert_ptr_equal(orr_converter_find(converter->name), converter);
        refuses_a_missing_file(converter);
    }
    assert_null(orr_converter_find("none"));
}

/* ---- controllers of circuits ---- */

enum { NODES = 4, PORTS = 2 };

/* Its decision for demands of all pairs keeps to the ports of each node. */
static void decides_within_ports(const struct net_circuits_ops *ops)
{
    enum { PAIRS = NODES * NODES };
    double bytes[PAIRS];
    uint32_t pair[PAIRS], ends[2 * NODES], scratch[NET_CIRCUITS_SCRATCH(NODES, PORTS)];
    uint16_t present[PAIRS] = {0}, set[PAIRS] = {0};
    struct net_circuits_request request[PAIRS];
    uint32_t waiting = 0, circuits = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        bytes[i] = i / NODES == i % NODES ? 0 : 1e6 * (1 + i);
        if (bytes[i] > 0) {
            pair[waiting++] = i;
        }
    }
    const struct net_circuits_view view = {.nodes = NODES,
                                           .ports = PORTS,
                                           .discount = 1,
                                           .offered = bytes,
                                           .waiting = bytes,
                                           .total = bytes,
                                           .waiting_pair = pair,
                                           .waiting_pairs = waiting,
                                           .present = present,
                                           .request = request,
                                           .ends = ends,
                                           .scratch = scratch};
    ops->decide(&view, set);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t from = 0, to = 0;
        for (uint32_t other = 0; other < NODES; other++) {
            from += set[node * NODES + other];
            to += set[other * NODES + node];
        }
        assert_true(from <= PORTS && to <= PORTS);
        circuits += from;
    }
    assert_true(circuits > 0);
}

/* Every pair of neighbours has a circuit where there are enough for all. */
static void allocates_to_all(const struct net_allocator_ops *ops)
{
    struct net_link link[NODES];
    uint64_t bytes[NODES];
    struct net_allocation found;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    for (uint32_t i = 0; i < NODES; i++) {
        link[i] = (struct net_link){.from = i, .to = (i + 1) % NODES};
        bytes[i] = 1000 * (1 + (uint64_t)i);
    }
    const struct net_allocated_problem problem = {.npus = NODES,
                                                  .group = NODES,
                                                  .ports = PORTS,
                                                  .demands = NODES,
                                                  .link = link,
                                                  .rules = {.rows = 1}};
    assert_int_equal(ops->allocate(arena, &problem, bytes, &found, &diag), ORR_OK);
    assert_int_equal(found.overload.set, WAVE_NONE);
    for (uint32_t i = 0; i < NODES; i++) {
        assert_true(found.circuits[i] >= 1 && found.circuits[i] <= PORTS);
    }
    assert_non_null(ops->describe_overload);
    orr_arena_destroy(arena);
}

static void test_controllers_of_circuits(void **state)
{
    const char *names[MAX_ENTRIES];
    size_t count = 0;
    (void)state;
    for (; orr_net_circuits[count] != NULL; count++) {
        assert_true(count < MAX_ENTRIES);
        names[count] = orr_net_circuits[count]->name;
    }
    for (size_t i = 0; i < count; i++) {
        const struct net_circuits_ops *ops = orr_net_circuits[i];
        check_name(ops->name, names, count);
        check_text(ops->summary);
        assert_string_equal(orr_net_circuits_name(i), ops->name);
        assert_int_equal(orr_net_controller_number(ops->name), i);
        assert_true((ops->decide != NULL) == (ops->allocator == NULL));
        if (ops->decide != NULL) {
            decides_within_ports(ops);
        } else {
            allocates_to_all(ops->allocator);
        }
    }
    assert_null(orr_net_circuits_name(count));
}

/* ---- kinds of results on pages ---- */

/* The result with the members that a kind needs is of this kind, and of none before it in the list;
 * its verdict does without members that are not there. */
static void recognizes_its_result(const struct page_kind *kind)
{
    enum { NEEDS = sizeof kind->need / sizeof *kind->need };
    json_t *result = json_object();
    char verdict[ORR_VERDICT_BYTES] = "";
    assert_non_null(kind->need[0]);
    for (size_t i = 0; i < NEEDS && kind->need[i] != NULL; i++) {
        const char *need = kind->need[i];
        const size_t length = strcspn(need, "[{");
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)length, need);
        json_t *value = need[length] == '{'   ? json_object()
                        : need[length] == '[' ? json_array()
                                              : json_integer(1);
        if (need[length] == '[' && need[length + 2] == '.') {
            (void)json_array_append_new(value, json_pack("{s:[]}", need + length + 3));
        }
        (void)json_object_set_new(result, name, value);
    }
    assert_ptr_equal(orr_page_kind_of(result), kind);
    kind->verdict(result, verdict);
    assert_true(strlen(verdict) < sizeof verdict);
    json_decref(result);
}

static void test_kinds_of_results(void **state)
{
    const char *names[MAX_ENTRIES];
    size_t count = 0;
    (void)state;
    for (const struct page_kind *kind; (kind = orr_page_kind_at(count)) != NULL; count++) {
        assert_true(count < MAX_ENTRIES);
        names[count] = kind->name;
    }
    for (size_t i = 0; i < count; i++) {
        check_name(names[i], names, count);
        recognizes_its_result(orr_page_kind_at(i));
    }
}

/* ---- kinds of plans ---- */

/* The key of its section stands in the table of the section plan. */
static bool has_key(const char *section)
{
    bool found = false;
    for (size_t i = 0; i < orr_plan_table.count; i++) {
        found = found || strcmp(orr_plan_table.keys[i].name, section) == 0;
    }
    return found;
}

/* A text that is no plan is refused before anything is planned, and nothing is there to write. */
static void refuses_no_plan(const struct plan_kind *kind)
{
    const struct orrery_plan_input input = {ORRERY_SIZED(orrery_plan_input), .text = "jobs: {}\n"};
    struct orrery_plan *plan = orrery_plan_new();
    const void *result = NULL;
    assert_int_equal(orr_plan_with(plan, kind, &input), ORRERY_ERROR_INPUT);
    assert_true(orrery_plan_error(plan)[0] != '\0');
    assert_int_not_equal(orr_plan_result_of(plan, kind, &result), ORR_OK);
    assert_null(orrery_plan_text(plan, ORRERY_PLAN_TEXT));
    orrery_plan_free(plan);
}

static void test_kinds_of_plans(void **state)
{
    const char *names[MAX_ENTRIES];
    size_t count = 0;
    (void)state;
    for (; orr_plan_kinds[count] != NULL; count++) {
        assert_true(count < MAX_ENTRIES);
        names[count] = orr_plan_kinds[count]->name;
    }
    for (size_t i = 0; i < count; i++) {
        const struct plan_kind *kind = orr_plan_kinds[i];
        check_name(kind->name, names, count);
        check_text(kind->title);
        assert_true((kind->section != NULL) == (kind->read != NULL));
        assert_true(kind->section == NULL || has_key(kind->section));
        assert_true(kind->result_bytes > 0);
        assert_non_null(kind->pictured);
        assert_non_null(kind->solve);
        assert_non_null(kind->has_view);
        assert_non_null(kind->write_view);
        assert_non_null(kind->write_workload);
        refuses_no_plan(kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converters),
        cmocka_unit_test(test_controllers_of_circuits),
        cmocka_unit_test(test_kinds_of_results),
        cmocka_unit_test(test_kinds_of_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
