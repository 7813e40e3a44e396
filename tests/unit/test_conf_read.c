/* Mappings read by tables of keys, overrides, and every allocation failing once. */
#include "conf_fixture.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/time.h"
#include "tests/unit/conf_fixture.h"

/* ---- tables ---- */

struct platform {
    const char *name;
    bool shared;
    int64_t npus;
    double scale, bandwidth_bytes_per_s, peak_flops;
    sim_time latency_ps;
    uint64_t chunk_bytes;
    unsigned block;
    const struct orr_conf *extra;
    struct orr_conf_list sizes, times;
};

#define AT(member) offsetof(struct platform, member)

static const char *const blocks[] = {"ring", "switch", NULL};

static const struct orr_key keys[] = {
    {.name = "name", .type = ORR_KEY_TEXT, .offset = AT(name), .default_text = "cluster"},
    {.name = "shared", .type = ORR_KEY_BOOL, .offset = AT(shared), .default_text = "true"},
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = AT(npus),
     .required = true,
     .low = 1,
     .high = 1e6,
     .doc = "NPUs in all"},
    {.name = "scale", .type = ORR_KEY_NUMBER, .offset = AT(scale)},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(bandwidth_bytes_per_s),
     .required = true,
     .doc = "of a link"},
    {.name = "peak", .type = ORR_KEY_RATE, .offset = AT(peak_flops), .default_text = "1 TFLOP/s"},
    {.name = "latency", .type = ORR_KEY_TIME, .offset = AT(latency_ps), .default_text = "500 ns"},
    {.name = "chunk", .type = ORR_KEY_BYTES, .offset = AT(chunk_bytes), .default_text = "1 MiB"},
    {.name = "block",
     .type = ORR_KEY_CHOICE,
     .offset = AT(block),
     .choices = blocks,
     .default_text = "switch"},
    {.name = "extra", .type = ORR_KEY_NODE, .offset = AT(extra), .default_text = "none"},
    {.name = "sizes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(sizes),
     .list = true,
     .default_text = "[4, 2]"},
    {.name = "times", .type = ORR_KEY_TIME, .offset = AT(times), .list = true},
    {.name = "colour", .type = ORR_KEY_IGNORED, .doc = "ASTRA-sim does not read it either"}};

static enum orr_status read_root(struct fixture *fixture, const struct orr_conf *root,
                                 struct platform *platform)
{
    return orr_conf_read(root, "a network file", keys, sizeof keys / sizeof *keys, platform,
                         &fixture->diag);
}

static enum orr_status read_text(struct fixture *fixture, const char *text,
                                 struct platform *platform)
{
    return read_root(fixture, parse(fixture, text), platform);
}

static void test_conf_read_given_values_fill_the_struct(void **state)
{
    struct platform platform = {0};
    assert_int_equal(read_text(*state,
                               "name: dgx\nshared: 0\nnpus: 8\nscale: 2.5\nbandwidth: 25 GB/s\n"
                               "peak: 312 TFLOP/s\nlatency: 1.5 us\nchunk: 64 KiB\nblock: ring\n"
                               "extra: {a: 1}\nsizes: [8, 4, 2]\ntimes: [1 ns, 2 ns]\n",
                               &platform),
                     ORR_OK);
    assert_string_equal(platform.name, "dgx");
    assert_false(platform.shared);
    assert_int_equal(platform.npus, 8);
    assert_true(platform.scale == 2.5);
    assert_true(platform.bandwidth_bytes_per_s == 25e9);
    assert_true(platform.peak_flops == 312e12);
    assert_int_equal(platform.latency_ps, 1500000);
    assert_int_equal(platform.chunk_bytes, 65536);
    assert_int_equal(platform.block, 0);
    assert_int_equal(platform.extra->kind, ORR_CONF_MAP);
    assert_int_equal(platform.sizes.count, 3);
    assert_int_equal(((const int64_t *)platform.sizes.values)[2], 2);
    assert_int_equal(platform.times.count, 2);
    assert_int_equal(((const sim_time *)platform.times.values)[1], 2000);
}

static void test_conf_read_absent_keys_take_their_default(void **state)
{
    struct platform platform = {.scale = 3};
    assert_int_equal(read_text(*state, "npus: 8\nbandwidth: 25 GB/s\n", &platform), ORR_OK);
    assert_string_equal(platform.name, "cluster");
    assert_true(platform.shared);
    assert_true(platform.scale == 3); /* no fallback: the struct's own */
    assert_true(platform.peak_flops == 1e12);
    assert_int_equal(platform.latency_ps, 500000);
    assert_int_equal(platform.chunk_bytes, 1048576);
    assert_int_equal(platform.block, 1);
    assert_null(platform.extra); /* a NODE's fallback is for documentation */
    assert_int_equal(platform.sizes.count, 2);
    assert_int_equal(((const int64_t *)platform.sizes.values)[0], 4);
    assert_int_equal(platform.times.count, 0);
}

static void test_conf_read_wrong_value_names_path_and_place(void **state)
{
    struct platform platform = {0};
    assert_int_equal(read_text(*state, "npus: 8\nbandwidth: -50\n", &platform), ORR_ERR_INPUT);
    says(*state, "net.yml:2:12: bandwidth: expected a positive bandwidth such as \"50 GB/s\", got "
                 "\"-50\"; a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, "
                 "TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s");
    assert_int_equal(read_text(*state, "times: [1 ns, 2]\n", &platform), ORR_ERR_INPUT);
    says(*state, "net.yml:1:15: times[1]: expected a time such as \"500 ns\", got \"2\"; "
                 "a unit is missing: ps, ns, us, ms, s, min or h");
    assert_int_equal(read_text(*state, "[1]", &platform), ORR_ERR_INPUT);
    says(*state, "net.yml:1:1: expected a mapping of keys to values, got a list");
}

static void test_conf_read_unknown_key_suggests_the_nearest_or_all(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    assert_int_equal(read_text(fixture, "npus: 8\nbandwith: 25 GB/s\n", &platform), ORR_ERR_INPUT);
    says(fixture, "net.yml:2:1: bandwith: unknown key in a network file; did you mean "
                  "\"bandwidth\"?");
    assert_int_equal(orr_conf_read(parse(fixture, "weight: 1\n"), "a network file", keys, 12,
                                   &platform, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: weight: unknown key in a network file; expected name, shared, "
                  "npus, scale, bandwidth, peak, latency, chunk, block, extra, sizes or times");
}

static void test_conf_read_unknown_key_many_valid_are_not_listed(void **state)
{
    struct fixture *fixture = *state;
    struct orr_key many[15];
    char names[15][16];
    int64_t target = 0;
    for (int i = 0; i < 15; i++) {
        (void)snprintf(names[i], sizeof names[i], "key%d", i);
        many[i] = (struct orr_key){.name = names[i], .type = ORR_KEY_INTEGER};
    }
    assert_int_equal(
        orr_conf_read(parse(fixture, "weight: 1"), "a file", many, 15, &target, &fixture->diag),
        ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: weight: unknown key in a file");
    const struct orr_conf *nested = orr_conf_get(parse(fixture, "a: {kye7: 1}"), "a");
    assert_int_equal(orr_conf_read(nested, "a file", many, 15, &target, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, "net.yml:1:5: a.kye7: unknown key in a file; did you mean \"key7\"?");
}

static void test_conf_read_unknown_key_keeps_the_first_error(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    const struct orr_conf *root = parse(fixture, "weight: 1");
    (void)orr_diag_fail(&fixture->diag, ORR_ERR_INPUT, NULL, "first");
    assert_int_equal(read_root(fixture, root, &platform), ORR_ERR_INPUT);
    says(fixture, "first");
}

static void test_conf_read_missing_key_gives_an_example(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    assert_int_equal(read_text(fixture, "bandwidth: 25 GB/s\n", &platform), ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: a network file needs the key \"npus\" (NPUs in all), such as "
                  "npus: 1");
    const struct orr_conf *nested = orr_conf_get(parse(fixture, "a:\n  npus: 8\n"), "a");
    assert_int_equal(read_root(fixture, nested, &platform), ORR_ERR_INPUT);
    says(fixture, "net.yml:2:3: a: a network file needs the key \"bandwidth\" (of a link), such "
                  "as bandwidth: 50 GB/s");
}

static void test_conf_read_ignored_key_warns(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    assert_int_equal(read_text(fixture, "npus: 8\nbandwidth: 1 GB/s\ncolour:\n  red\n", &platform),
                     ORR_OK);
    assert_int_equal(fixture->warnings, 1);
    assert_string_equal(fixture->warning, "net.yml:4:3: warning: colour is ignored: ASTRA-sim does "
                                          "not read it either");
}

/* Tables of one mapping, each with a target of its own. */
struct half {
    uint64_t size;
    bool own;
};

static const struct orr_key left_keys[] = {
    {.name = "size", .type = ORR_KEY_BYTES, .offset = offsetof(struct half, size)},
    {.name = "left", .type = ORR_KEY_BOOL, .offset = offsetof(struct half, own)}};
static const struct orr_key right_keys[] = {
    {.name = "right",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct half, own),
     .default_text = "true"},
    {.name = "size", .type = ORR_KEY_BYTES, .offset = offsetof(struct half, size)}};

static const struct orr_key_table *part(size_t index)
{
    static const struct orr_key_table left = {.keys = left_keys, .count = 2};
    static const struct orr_key_table right = {.keys = right_keys, .count = 2};
    return index == 0 ? &left : index == 1 ? &right : NULL;
}

struct whole {
    int64_t npus;
    void *const *halves;
};

static const struct orr_key whole_keys[] = {
    {.parts = part, .offset = offsetof(struct whole, halves)},
    {.name = "npus", .type = ORR_KEY_INTEGER, .offset = offsetof(struct whole, npus)}};
static const struct orr_key_table whole_table = {"a whole", whole_keys, 2, NULL};

static void test_conf_read_keys_of_parts_go_to_their_targets(void **state)
{
    struct fixture *fixture = *state;
    struct half left = {0}, right = {0};
    void *const halves[] = {&left, &right};
    struct whole whole = {.halves = halves};
    const struct orr_conf *root = parse(fixture, "left: true\nsize: 4 B\nnpus: 3\n");
    assert_int_equal(orr_conf_read(root, "a whole", whole_keys, 2, &whole, &fixture->diag), ORR_OK);
    assert_true(left.own && right.own); /* given; by default */
    assert_int_equal(left.size, 4);     /* both have it */
    assert_int_equal(right.size, 4);
    assert_int_equal(whole.npus, 3);
    assert_int_equal(orr_conf_read(parse(fixture, "lef: true\n"), "a whole", whole_keys, 2, &whole,
                                   &fixture->diag),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(fixture->diag.message, "lef: unknown key in a whole; did you mean "
                                                  "\"left\"?"));
}

static void test_key_at_walks_parts_and_names_each_once(void **state)
{
    (void)state;
    static const char *const names[] = {"size", "left", "right", "npus"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(orr_key_at(&whole_table, i)->name, names[i]);
    }
    assert_null(orr_key_at(&whole_table, 4));
    assert_null(orr_key_find(&whole_table, "left")); /* not its own */
    assert_ptr_equal(orr_key_find(&whole_table, "npus"), &whole_keys[1]);
}

static void test_conf_read_bad_default_is_an_internal_error(void **state)
{
    struct fixture *fixture = *state;
    static const struct orr_key wrong[] = {
        {.name = "npus", .type = ORR_KEY_INTEGER, .low = 1, .high = 8, .default_text = "9"},
        {.name = "sizes", .type = ORR_KEY_INTEGER, .list = true, .default_text = "[1, x]"}};
    static const char *const messages[] = {
        "the key \"npus\" does not take its own default \"9\"",
        "the key \"sizes\" does not take its own default \"[1, x]\""};
    for (size_t i = 0; i < 2; i++) {
        struct orr_conf_list target;
        const struct orr_conf *root = parse(fixture, "{}");
        assert_int_equal(orr_conf_read(root, "a file", &wrong[i], 1, &target, &fixture->diag),
                         ORR_ERR_INTERNAL);
        says(fixture, messages[i]);
    }
}

static void test_key_example_is_made_from_the_type(void **state)
{
    (void)state;
    static const struct {
        struct orr_key key;
        const char *line;
    } cases[] = {{{.name = "k", .type = ORR_KEY_TIME}, "k: 500 ns"},
                 {{.name = "k", .type = ORR_KEY_BYTES}, "k: 1 MiB"},
                 {{.name = "k", .type = ORR_KEY_BANDWIDTH, .list = true}, "k: [50 GB/s]"},
                 {{.name = "k", .type = ORR_KEY_RATE}, "k: 312 TFLOP/s"},
                 {{.name = "k", .type = ORR_KEY_BOOL}, "k: true"},
                 {{.name = "k", .type = ORR_KEY_INTEGER}, "k: 1"},
                 {{.name = "k", .type = ORR_KEY_NUMBER, .low = 0.5, .high = 2}, "k: 0.5"},
                 {{.name = "k", .type = ORR_KEY_TEXT}, "k: name"},
                 {{.name = "k", .type = ORR_KEY_CHOICE, .choices = blocks}, "k: ring"},
                 {{.name = "k", .type = ORR_KEY_NODE}, "k: ..."},
                 {{.name = "k", .type = ORR_KEY_TIME, .default_text = "1 us"}, "k: 1 us"},
                 {{.name = "k", .type = ORR_KEY_INTEGER, .list = true, .default_text = "[1, 2]"},
                  "k: [1, 2]"},
                 {{.name = "k", .type = ORR_KEY_NODE, .example = "k: {a: 1}"}, "k: {a: 1}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        assert_string_equal(orr_key_example(&cases[i].key, text, sizeof text), cases[i].line);
    }
}

/* ---- overrides ---- */

static const struct orr_conf *set(struct fixture *fixture, const struct orr_conf *root,
                                  const char *assignment)
{
    const struct orr_conf *changed = NULL;
    clear(fixture);
    const enum orr_status status =
        orr_conf_set(fixture->arena, root, assignment, &changed, &fixture->diag);
    assert_int_equal(status, fixture->diag.status);
    return status == ORR_OK ? changed : NULL;
}

static void test_conf_set_replaces_and_leaves_the_original(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root =
        parse(fixture, "network: {dims: [{bandwidth: 1 GB/s}, {bandwidth: 2 GB/s}]}\nother: 1\n");
    const struct orr_conf *changed = set(fixture, root, "network.dims[1].bandwidth=100GB/s");
    assert_non_null(changed);
    const struct orr_conf *dims = orr_conf_get(orr_conf_get(changed, "network"), "dims");
    const struct orr_conf *bandwidth = orr_conf_get(dims->item[1], "bandwidth");
    double value = 0;
    assert_string_equal(bandwidth->path, "network.dims[1].bandwidth");
    assert_int_equal(orr_conf_bandwidth(bandwidth, &value, &fixture->diag), ORR_OK);
    assert_true(value == 100e9);
    assert_string_equal(orr_conf_get(dims->item[0], "bandwidth")->text, "1 GB/s");
    assert_ptr_equal(orr_conf_get(changed, "other"), orr_conf_get(root, "other"));
    dims = orr_conf_get(orr_conf_get(root, "network"), "dims");
    assert_string_equal(orr_conf_get(dims->item[1], "bandwidth")->text, "2 GB/s");
}

/* A section that only the command line names is read like any other, with defaults of lists. */
static void test_conf_set_new_section_can_be_read(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    const struct orr_conf *root = set(fixture, parse(fixture, "a: 1\n"), "net.npus=8");
    assert_non_null(root);
    root = set(fixture, root, "net.bandwidth=1 GB/s");
    assert_non_null(root);
    assert_int_equal(read_root(fixture, orr_conf_get(root, "net"), &platform), ORR_OK);
    assert_int_equal(platform.npus, 8);
    assert_int_equal(platform.sizes.count, 2);
}

static void test_conf_set_unknown_key_is_reported_by_read(void **state)
{
    struct fixture *fixture = *state;
    struct platform platform = {0};
    const struct orr_conf *root =
        set(fixture, parse(fixture, "npus: 8\nbandwidth: 1 GB/s\n"), "latencie=1 ns");
    assert_non_null(root);
    assert_int_equal(read_root(fixture, root, &platform), ORR_ERR_INPUT);
    says(fixture, "--set: latencie: unknown key in a network file; did you mean "
                  "\"latency\"?");
}

static void test_conf_set_malformed_is_an_error(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = parse(fixture, "dims: [1, 2]\nname: x\n");
    static const char *const wrong[] = {"",          "x",
                                        "=1",        "dims[=1",
                                        "dims[]=1",  "dims[x]=1",
                                        "dims[2]=1", "dims[-1]=1",
                                        "name[0]=1", "name.a=1",
                                        "dims.a=1",  "a=[1",
                                        "a.=1",      "dims[99999999999]=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(set(fixture, root, wrong[i]));
        assert_int_equal(fixture->diag.status, ORR_ERR_INPUT);
        assert_string_not_equal(fixture->diag.message, "");
    }
}

/* ---- memory ---- */

/* Parse, set and read, with the n-th allocation failing: every failure says so and is clean. */
static void test_conf_nth_allocation_fails_cleanly(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] = "name: dgx\nnpus: 8\nbandwidth: 25 GB/s\n"
                               "extra: {a: [1, 2, 3], b: {c: d}}\ntimes: [1 ns, 2 ns]\n";
    enum orr_status status = ORR_ERR_MEMORY;
    int64_t allocations = 0;
    for (; status != ORR_OK; allocations++) {
        const struct orr_conf *root = NULL, *changed = NULL;
        struct platform platform = {0};
        clear(fixture);
        orr_arena_reset(fixture->arena);
        orr_arena_fail_after(fixture->arena, allocations);
        status =
            orr_conf_parse(fixture->arena, text, strlen(text), "net.yml", &root, &fixture->diag);
        assert_int_equal(status == ORR_OK, root != NULL);
        if (status == ORR_OK) {
            status = orr_conf_set(fixture->arena, root, "extra.b.c=5", &changed, &fixture->diag);
        }
        if (status == ORR_OK) {
            status = read_root(fixture, changed, &platform);
        }
        orr_arena_fail_after(fixture->arena, -1);
        assert_true(status == ORR_OK || status == ORR_ERR_MEMORY);
        assert_int_equal(fixture->diag.status, status);
        if (status == ORR_ERR_MEMORY) {
            assert_memory_equal(fixture->diag.message, "out of memory for a configuration", 33);
        }
    }
    assert_true(allocations > 50); /* 15 values of three allocations each, and what holds them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_conf_read_given_values_fill_the_struct),
        IN_FIXTURE(test_conf_read_absent_keys_take_their_default),
        IN_FIXTURE(test_conf_read_wrong_value_names_path_and_place),
        IN_FIXTURE(test_conf_read_unknown_key_suggests_the_nearest_or_all),
        IN_FIXTURE(test_conf_read_unknown_key_many_valid_are_not_listed),
        IN_FIXTURE(test_conf_read_unknown_key_keeps_the_first_error),
        IN_FIXTURE(test_conf_read_missing_key_gives_an_example),
        IN_FIXTURE(test_conf_read_ignored_key_warns),
        IN_FIXTURE(test_conf_read_keys_of_parts_go_to_their_targets),
        cmocka_unit_test(test_key_at_walks_parts_and_names_each_once),
        IN_FIXTURE(test_conf_read_bad_default_is_an_internal_error),
        cmocka_unit_test(test_key_example_is_made_from_the_type),
        IN_FIXTURE(test_conf_set_replaces_and_leaves_the_original),
        IN_FIXTURE(test_conf_set_new_section_can_be_read),
        IN_FIXTURE(test_conf_set_unknown_key_is_reported_by_read),
        IN_FIXTURE(test_conf_set_malformed_is_an_error),
        IN_FIXTURE(test_conf_nth_allocation_fails_cleanly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
