/* Which rows of measured tables are held out. */
#include "tests/unit/measured_fixture.h"

#define HELD_ROWS                                                                                  \
    "machine,collective,npus,npus_per_node,bytes,time_us,test,year\n"                              \
    "a,all_reduce,8,8,4096,10,no,2020\n"                                                           \
    "a,all_reduce,8,8,1024,5,,2021\n"                                                              \
    "a,all_reduce,8,8,2048,7,0,2022\n"                                                             \
    "b,all_gather,16,8,1024,9,yes,2023\n"                                                          \
    "b,all_gather,16,8,2048,9,FIT,\n"                                                              \
    "b,all_gather,32,4,2048,9,1,2024\n"

/* "100010": what is held out of the rows above. */
static void holds(struct measured_fixture *fixture, const char *holdout, const char *expected)
{
    char text[16] = "";
    struct orr_measured_split split;
    const struct orr_measured *measured = measured_of(fixture, "t.csv", HELD_ROWS);
    assert_int_equal(orr_measured_select(measured, holdout, fixture->arena, &split, &fixture->diag),
                     ORR_OK);
    size_t tested = 0;
    for (size_t i = 0; i < measured->rows; i++) {
        text[i] = split.held[i] ? '1' : '0';
        tested += split.held[i] ? 1 : 0;
    }
    assert_string_equal(text, expected);
    assert_int_equal(split.tested, tested);
    assert_int_equal(split.fitted, measured->rows - tested);
}

static void test_holdouts(void **state)
{
    static const struct {
        const char *holdout, *expected;
    } cases[] = {
        {NULL, "000000"},
        {"", "000000"},
        {"every:2", "001010"}, /* by bytes: 1024, 2048, 4096 | 1024, 2048 | 2048 */
        {"every:3", "101010"},
        {"column:test", "000101"},
        {"column:npus>8", "000111"},
        {"column:npus>=32", "000001"},
        {"column:nodes>2", "000001"},
        {"column:nodes=2", "000110"},
        {"column:npus_per_node<8", "000001"},
        {"column:bytes<=1024", "010100"},
        {"column:bytes>1 KiB", "101011"},
        {"column:time_us < 7.5", "011000"},
        {"column:collective=AllGather", "000111"},
        {"column:machine=b", "000111"},
        {"column:year>=2022", "001101"},
        {"column:year=2021.0", "010000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        holds(*state, cases[i].holdout, cases[i].expected);
    }
}

static void test_bad_holdouts(void **state)
{
    static const struct {
        const char *holdout, *message;
    } bad[] = {
        {"half", "holdout \"half\": expected every:N, column:NAME, or a condition such as "
                 "column:npus>8"},
        {"every:1", "holdout \"every:1\": expected a whole number of at least 2, got \"1\""},
        {"every:", "holdout \"every:\": expected a whole number of at least 2, got \"\""},
        {"column:tset", "holdout \"column:tset\": there is no column tset, did you mean test?"},
        {"column:zzzzzz", "holdout \"column:zzzzzz\": there is no column zzzzzz"},
        {"column:npus", "holdout \"column:npus\": expected a condition, such as column:npus>8"},
        {"column:npus>many",
         "holdout \"column:npus>many\": expected a number to compare npus with, got \"many\""},
        {"column:year>", "holdout \"column:year>\": expected a number to compare year with, got "
                         "\"\""},
        {"column:collective>3", "holdout \"column:collective>3\": expected collective=NAME, such "
                                "as collective=all_reduce"},
        {"column:collective=foo", "holdout \"column:collective=foo\": expected collective=NAME, "
                                  "such as collective=all_reduce"},
        {"column:machine>3", "t.csv:2:1: machine: expected a number to compare with 3 (holdout "
                             "\"column:machine>3\"), got \"a\""},
        {"column:npus>64", "holdout \"column:npus>64\": none of the 6 rows is held out"},
        {"column:npus>2", "holdout \"column:npus>2\": all of the 6 rows are held out: none is left "
                          "to fit"},
    };
    struct measured_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char said[ORR_DIAG_MESSAGE_BYTES];
        struct orr_measured_split split;
        const struct orr_measured *measured = measured_of(fixture, "t.csv", HELD_ROWS);
        assert_int_equal(
            orr_measured_select(measured, bad[i].holdout, fixture->arena, &split, &fixture->diag),
            ORR_ERR_INPUT);
        (void)orr_diag_render(&fixture->diag, said, sizeof said);
        assert_string_equal(said, bad[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_holdouts, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_bad_holdouts, measured_setup, measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
