/* Single values out of a configuration: each type, and what is said when it is something else. */
#include "conf_fixture.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "tests/unit/conf_fixture.h"

static void test_conf_expected_shows_path_and_what_was_found(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = parse(fixture, "network:\n  dims:\n  - bandwidth: 1\n"
                                                 "  - bandwidth: -50\nempty:\n");
    const struct orr_conf *network = orr_conf_get(root, "network");
    const struct orr_conf *dims = orr_conf_get(network, "dims");
    double value = 7;
    assert_int_equal(
        orr_conf_bandwidth(orr_conf_get(dims->item[1], "bandwidth"), &value, &fixture->diag),
        ORR_ERR_INPUT);
    says(fixture, "net.yml:4:16: network.dims[1].bandwidth: expected a positive bandwidth such as "
                  "\"50 GB/s\", got \"-50\"; a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, "
                  "KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s or Tb/s");
    assert_true(value == 7);
    clear(fixture);
    assert_int_equal(orr_conf_bandwidth(dims, &value, &fixture->diag), ORR_ERR_INPUT);
    says(fixture, "net.yml:3:3: network.dims: expected a positive bandwidth such as \"50 GB/s\", "
                  "got a list");
    clear(fixture);
    const char *text = NULL;
    assert_int_equal(orr_conf_text(network, &text, &fixture->diag), ORR_ERR_INPUT);
    says(fixture, "net.yml:2:3: network: expected a text, got a mapping");
    clear(fixture);
    assert_int_equal(orr_conf_text(orr_conf_get(root, "empty"), &text, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, "net.yml:5:7: empty: expected a text, got nothing");
    clear(fixture);
    assert_int_equal(orr_conf_text(root, &text, &fixture->diag), ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: expected a text, got a mapping");
}

static void test_conf_expected_long_value_is_cut(void **state)
{
    struct fixture *fixture = *state;
    char text[301], message[400];
    memset(text, 'x', 300);
    text[300] = '\0';
    int64_t value = 0;
    assert_int_equal(orr_conf_integer(parse(fixture, text), 0, 9, &value, &fixture->diag),
                     ORR_ERR_INPUT);
    (void)snprintf(message, sizeof message,
                   "net.yml:1:1: expected a whole number from 0 to 9, got \"%.200s\"...", text);
    says(fixture, message);
}

static void test_conf_values_each_type_is_read(void **state)
{
    struct fixture *fixture = *state;
    static const char *const choices[] = {"ring", "direct", NULL};
    const struct orr_conf *list = parse(fixture, "[-3, 0.5, 2 us, 1 MiB, 8 Gb/s, 2 TFLOPS, direct, "
                                                 "'5', \"\"]");
    int64_t integer = 0, ps = 0;
    double number = 0, bandwidth = 0, rate = 0;
    uint64_t bytes = 0;
    unsigned choice = 9;
    const char *text = NULL;
    assert_int_equal(orr_conf_integer(list->item[0], -3, 3, &integer, &fixture->diag), ORR_OK);
    assert_int_equal(integer, -3);
    assert_int_equal(orr_conf_number(list->item[1], 0.5, 0.5, &number, &fixture->diag), ORR_OK);
    assert_true(number == 0.5);
    assert_int_equal(orr_conf_time(list->item[2], &ps, &fixture->diag), ORR_OK);
    assert_int_equal(ps, 2000000);
    assert_int_equal(orr_conf_bytes(list->item[3], &bytes, &fixture->diag), ORR_OK);
    assert_int_equal(bytes, 1048576);
    assert_int_equal(orr_conf_bandwidth(list->item[4], &bandwidth, &fixture->diag), ORR_OK);
    assert_true(bandwidth == 1e9);
    assert_int_equal(orr_conf_rate(list->item[5], &rate, &fixture->diag), ORR_OK);
    assert_true(rate == 2e12);
    assert_int_equal(orr_conf_choice(list->item[6], choices, &choice, &fixture->diag), ORR_OK);
    assert_int_equal(choice, 1);
    assert_int_equal(orr_conf_integer(list->item[7], 0, 9, &integer, &fixture->diag), ORR_OK);
    assert_int_equal(integer, 5);
    assert_int_equal(orr_conf_text(list->item[8], &text, &fixture->diag), ORR_OK);
    assert_string_equal(text, "");
}

static void test_conf_bool_takes_few_spellings(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *list = parse(fixture, "[true, True, TRUE, 1, false, False, FALSE, 0]");
    for (size_t i = 0; i < list->count; i++) {
        bool value = i >= 4;
        assert_int_equal(orr_conf_bool(list->item[i], &value, &fixture->diag), ORR_OK);
        assert_int_equal(value, i < 4);
    }
    bool value = true;
    assert_int_equal(orr_conf_bool(parse(fixture, "yes"), &value, &fixture->diag), ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: expected true or false, got \"yes\"");
    assert_true(value);
}

static void test_conf_value_out_of_range_names_the_range(void **state)
{
    static const char *const choices[] = {"ring", "direct", "switch", NULL};
    static const struct {
        struct orr_key key;
        const char *text, *message;
    } cases[] = {
        {{.type = ORR_KEY_INTEGER}, "-1", "expected a whole number >= 0, got \"-1\""},
        {{.type = ORR_KEY_INTEGER, .low = 1, .high = 8},
         "9",
         "expected a whole number from 1 to 8, got \"9\""},
        {{.type = ORR_KEY_INTEGER, .low = 1, .high = 1e300},
         "0",
         "expected a whole number >= 1, got \"0\""},
        {{.type = ORR_KEY_INTEGER}, "1.5", "expected a whole number >= 0, got \"1.5\""},
        {{.type = ORR_KEY_INTEGER},
         "9223372036854775808",
         "expected a whole number >= 0, got \"9223372036854775808\""},
        {{.type = ORR_KEY_NUMBER}, "-0.5", "expected a number >= 0, got \"-0.5\""},
        {{.type = ORR_KEY_NUMBER, .low = 0.25, .high = 1},
         "2",
         "expected a number from 0.25 to 1, got \"2\""},
        {{.type = ORR_KEY_TIME},
         "500",
         "expected a time such as \"500 ns\", got \"500\"; "
         "a unit is missing: ps, ns, us, ms, s, min or h"},
        {{.type = ORR_KEY_TIME, .low = 1000, .high = 1e9},
         "2 ms",
         "expected a time from 1.000 ns to 1.000 ms, got \"2 ms\""},
        {{.type = ORR_KEY_BYTES},
         "1 Mb",
         "expected a size such as \"1 MiB\", got \"1 Mb\"; \"Mb\" is none of the "
         "units B, kB, MB, GB, TB, KiB, MiB, GiB or TiB; did you mean MB?"},
        {{.type = ORR_KEY_BYTES, .low = 1, .high = 1024},
         "2 KiB",
         "expected a size from 1 B to 1.00 KiB, got \"2 KiB\""},
        {{.type = ORR_KEY_BANDWIDTH, .low = 1e9, .high = 2e9},
         "1 B/s",
         "expected a bandwidth from 1.00 GB/s to 2.00 GB/s, got \"1 B/s\""},
        {{.type = ORR_KEY_RATE},
         "312",
         "expected a positive rate such as \"312 TFLOP/s\", got \"312\"; "
         "a unit is missing: FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s"},
        {{.type = ORR_KEY_RATE, .low = 1, .high = 1e12},
         "2 TFLOPS",
         "expected a rate from 1 FLOP/s to 1e+12 FLOP/s, got \"2 TFLOPS\""},
        {{.type = ORR_KEY_CHOICE, .choices = choices},
         "rign",
         "expected ring, direct or switch, got \"rign\""},
        {{.type = ORR_KEY_CHOICE, .choices = choices},
         "[ring]",
         "expected ring, direct or switch, got a list"},
        {{.type = ORR_KEY_INTEGER}, "[]", "expected a whole number >= 0, got an empty list"},
        {{.type = ORR_KEY_TEXT, .list = true}, "ring", "expected a list, got \"ring\""},
        {{.type = ORR_KEY_TEXT, .list = true, .min = 1},
         "[]",
         "expected a list of 1 or more entries, got 0"},
        {{.type = ORR_KEY_TEXT, .list = true, .min = 1, .max = 2},
         "[a, b, c]",
         "expected a list of 1 to 2 entries, got 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *fixture = *state;
        union {
            uint64_t number;
            struct orr_conf_list list;
        } out = {7};
        char message[200];
        const struct orr_conf *node = parse(fixture, cases[i].text);
        assert_int_equal(orr_conf_value(node, &cases[i].key, &out, &fixture->diag), ORR_ERR_INPUT);
        (void)snprintf(message, sizeof message, "net.yml:1:1: %s", cases[i].message);
        says(fixture, message);
        assert_true(out.number == 7);
    }
}

static void test_conf_choice_of_many_names_the_nearest(void **state)
{
    struct fixture *fixture = *state;
    static const char *const many[] = {
        "one",  "two", "three",  "four",   "five",     "six",      "seven",   "eight",
        "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", NULL};
    unsigned choice = 99;
    assert_int_equal(orr_conf_choice(parse(fixture, "elevn"), many, &choice, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, "net.yml:1:1: expected one of 15 names such as eleven, got \"elevn\"");
    assert_int_equal(choice, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FIXTURE(test_conf_expected_shows_path_and_what_was_found),
                                       IN_FIXTURE(test_conf_expected_long_value_is_cut),
                                       IN_FIXTURE(test_conf_values_each_type_is_read),
                                       IN_FIXTURE(test_conf_bool_takes_few_spellings),
                                       IN_FIXTURE(test_conf_value_out_of_range_names_the_range),
                                       IN_FIXTURE(test_conf_choice_of_many_names_the_nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
