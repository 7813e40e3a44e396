/* Keys of compute.efficiency, and which operations' times go by them. */
#include "tests/unit/conf_fixture.h"
#include "workload/roofline/efficiency_key.h"

static void test_read_takes_the_values_of_all_kinds(void **state)
{
    (void)state;
    struct wl_efficiency_key key;
    assert_true(orr_wl_efficiency_key_read("compute.efficiency.gemm.points", &key));
    assert_int_equal(key.kind, ORR_OP_GEMM);
    assert_int_equal(key.bound, ORR_PART_BY_PEAK);
    assert_true(orr_wl_efficiency_key_read("compute.efficiency.elementwise.bandwidth", &key));
    assert_int_equal(key.kind, ORR_OP_ELEMENTWISE);
    assert_int_equal(key.bound, ORR_PART_BY_MEMORY);
    assert_true(orr_wl_efficiency_key_read("compute.efficiency.default.constant", &key));
    assert_int_equal(key.kind, ORR_OP_DEFAULT);
    assert_int_equal(key.bound, ORR_PART_CONSTANT);
}

static void test_read_refuses_other_texts(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "compute.efficiency",
                                         "compute.efficiency.",
                                         "compute.efficiency.gemm",
                                         "compute.efficiency.gemm.",
                                         "compute.efficiency.gemm.point",
                                         "compute.efficiency.gemm.points.x",
                                         "compute.efficiency.gem.points",
                                         "compute.efficiency.gemms.points",
                                         "compute.efficiency..points",
                                         "efficiency.gemm.points"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct wl_efficiency_key key;
        if (orr_wl_efficiency_key_read(others[i], &key)) {
            fail_msg("\"%s\" was taken", others[i]);
        }
    }
}

static const struct wl_efficiency *read_list(struct fixture *fixture, const char *text)
{
    const struct wl_efficiency *efficiency = NULL;
    double share = 0;
    assert_int_equal(orr_wl_efficiency_read(fixture->arena, parse(fixture, text), &share,
                                            &efficiency, &fixture->diag),
                     ORR_OK);
    return efficiency;
}

/* Of the names, by which the part goes; -1: by none. */
static int key_of(const struct wl_efficiency *efficiency, const char *const names[2],
                  const char *part)
{
    struct wl_efficiency_key key[2], of;
    size_t count = 0;
    for (size_t i = 0; i < 2 && names[i] != NULL; i++) {
        assert_true(orr_wl_efficiency_key_read(names[i], &key[count++]));
    }
    assert_true(orr_wl_efficiency_key_read(part, &of));
    const size_t found = orr_wl_efficiency_key_find(efficiency, key, count, &of);
    return found == SIZE_MAX ? -1 : (int)found;
}

#define KEY(rest) "compute.efficiency." rest
#define CHECK(efficiency, first, second, part, expected)                                           \
    assert_int_equal(key_of((efficiency), (const char *const[2]){(first), (second)}, (part)),      \
                     (expected))

/* Its own comes first, whatever the order; memory follows elementwise operations in bandwidth only.
 */
static void test_key_of_a_kind_is_its_own_or_that_it_follows(void **state)
{
    (void)state;
    CHECK(NULL, KEY("elementwise.bandwidth"), KEY("memory.bandwidth"), KEY("memory.bandwidth"), 1);
    CHECK(NULL, KEY("memory.bandwidth"), KEY("elementwise.bandwidth"), KEY("memory.bandwidth"), 0);
    CHECK(NULL, KEY("gemm.points"), KEY("elementwise.bandwidth"), KEY("memory.bandwidth"), 1);
    CHECK(NULL, KEY("elementwise.points"), NULL, KEY("memory.points"), -1);
    CHECK(NULL, KEY("elementwise.bandwidth"), NULL, KEY("gemm.bandwidth"), -1);
    CHECK(NULL, KEY("gemm.points"), NULL, KEY("gemm.constant"), -1);
    CHECK(NULL, NULL, NULL, KEY("gemm.points"), -1);
}

/* Kinds with the same value go together: those that take the default's, or whose entry repeats it.
 */
static void test_key_of_kinds_with_the_same_value_is_one(void **state)
{
    const struct wl_efficiency *efficiency =
        read_list(*state, "- {kind: gemm, points: 0.7, constant: 9 us}\n"
                          "- {kind: elementwise, bandwidth: [[1 KiB, 0.1], [1 MiB, 0.8]]}\n"
                          "- {kind: memory, points: 0.7, bandwidth: 0.3}\n"
                          "- {kind: default, points: 0.7, bandwidth: [[1 KiB, 0.1], [1 MiB, "
                          "0.8]], constant: 9 us}\n");
    CHECK(efficiency, KEY("gemm.points"), NULL, KEY("default.points"), 0);
    CHECK(efficiency, KEY("gemm.points"), NULL, KEY("attention.points"), 0);
    CHECK(efficiency, KEY("gemm.points"), KEY("attention.points"), KEY("attention.points"), 1);
    CHECK(efficiency, KEY("gemm.points"), NULL, KEY("elementwise.points"), -1);
    CHECK(efficiency, KEY("elementwise.bandwidth"), NULL, KEY("default.bandwidth"), 0);
    CHECK(efficiency, KEY("elementwise.bandwidth"), NULL, KEY("attention.bandwidth"), 0);
    CHECK(efficiency, KEY("elementwise.bandwidth"), NULL, KEY("memory.bandwidth"), 0);
    CHECK(efficiency, KEY("default.bandwidth"), KEY("elementwise.bandwidth"),
          KEY("memory.bandwidth"), 1);
    CHECK(efficiency, KEY("gemm.constant"), NULL, KEY("attention.constant"), 0);
    CHECK(efficiency, KEY("gemm.constant"), NULL, KEY("memory.constant"), -1);
}

/* All is reached where nothing is said; that two do not say anything makes them no pair. */
static void test_key_of_what_nobody_said_is_none(void **state)
{
    const struct wl_efficiency *efficiency =
        read_list(*state, "- {kind: gemm, points: 0.7}\n"
                          "- {kind: elementwise, bandwidth: 1}\n"
                          "- {kind: default, points: 0.5}\n");
    CHECK(efficiency, KEY("elementwise.bandwidth"), NULL, KEY("gemm.bandwidth"), -1);
    CHECK(efficiency, KEY("gemm.bandwidth"), NULL, KEY("default.bandwidth"), -1);
    CHECK(efficiency, KEY("gemm.constant"), NULL, KEY("elementwise.constant"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_takes_the_values_of_all_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_refuses_other_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_key_of_a_kind_is_its_own_or_that_it_follows, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_key_of_kinds_with_the_same_value_is_one, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_key_of_what_nobody_said_is_none, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
