/* The contract of studies, of whatever stands in study/study_list.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/results/result.h"
#include "report/results/result_rows.h"
#include "study/result_tables.h"
#include "study/study_call.h"
#include "study/study_ops.h"

/* A study has words for users, its own and no other's. */
static void test_studies_have_names_of_their_own(void **state)
{
    (void)state;
    assert_non_null(orr_study_at(0));
    for (size_t i = 0; orr_study_at(i) != NULL; i++) {
        assert_true(orr_study_at(i)->name[0] != '\0' && orr_study_at(i)->summary[0] != '\0');
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(orr_study_at(i)->name, orr_study_at(j)->name);
        }
    }
}

static unsigned times_listed(const struct orr_result_table *table)
{
    const struct orr_result_table *listed;
    unsigned times = 0;
    for (size_t i = 0; (listed = orr_result_table_at(i)) != NULL; i++) {
        times += listed == table;
    }
    return times;
}

/* Every table has a place and a result, and stands in the reference once. */
static void test_tables_of_studies_are_in_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; orr_study_at(i) != NULL; i++) {
        const struct orr_result_table *const *table = orr_study_at(i)->tables;
        assert_non_null(*table);
        for (; *table != NULL; table++) {
            assert_non_null(orr_result_at(*table, 0));
            assert_int_equal(times_listed(*table), 1);
        }
    }
}

static bool has_table(const struct orr_study_ops *study, const struct orr_result_table *table)
{
    size_t i = 0;
    while (study->tables[i] != NULL && study->tables[i] != table) {
        i++;
    }
    return study->tables[i] != NULL;
}

/* What programs read are rows of the study's own tables; they can be written and freed. */
static void test_programs_get_the_tables_of_a_study(void **state)
{
    (void)state;
    for (size_t i = 0; orr_study_at(i) != NULL; i++) {
        const struct orr_study_kind *kind = orr_study_at(i)->kind;
        if (kind == NULL) {
            continue;
        }
        assert_non_null(kind->destroy);
        assert_non_null(kind->write[ORRERY_FORM_CSV]);
        if (kind->result_sources == NULL) {
            assert_true(kind->count != NULL && kind->get_value != NULL);
            continue;
        }
        for (const struct orr_result_rows *rows = kind->result_sources->rows; rows->table != NULL;
             rows++) {
            assert_true(has_table(orr_study_at(i), rows->table));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_studies_have_names_of_their_own),
        cmocka_unit_test(test_tables_of_studies_are_in_the_reference),
        cmocka_unit_test(test_programs_get_the_tables_of_a_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
