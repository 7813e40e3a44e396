/* Which stepper has a phase under which rules (docs/how-to/astra-sim-collectives.md), and what each
 * of them answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system/astra/astra_stepping.h"
#include "tests/unit/algorithms_fixture.h"

static const struct sys_stepper_ops *stepper_of(const struct sys_policy *policy,
                                                const struct coll_algorithm *algorithm,
                                                enum coll_kind kind, uint32_t n)
{
    struct sys sys = {.policy = policy};
    const struct sys_operation run = {.sys = &sys, .dims = 1, .dim = {sys_dim_of(n, 1, 0)}};
    const struct sys_phase phase = {.kind = (uint8_t)kind, .algorithm = algorithm};
    return policy->chunks->stepper_of(&run, &phase);
}

static void test_stepper_by_default_is_generic(void **state)
{
    (void)state;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        assert_ptr_equal(
            stepper_of(&orr_sys_policy_default, orr_coll_algorithms[i], COLL_ALL_REDUCE, 8),
            &orr_sys_generic_steps);
    }
}

/* Trees and halving-doubling there know groups of a power of two only, and no all-to-all. */
static void test_reference_stepper_has_what_the_reference_has(void **state)
{
    (void)state;
    const struct {
        const struct coll_algorithm *algorithm;
        enum coll_kind kind;
        uint32_t n;
        const struct sys_stepper_ops *stepper;
    } cases[] = {
        {&orr_coll_ring, COLL_ALL_REDUCE, 8, &orr_astra_steps},
        {&orr_coll_ring, COLL_ALL_TO_ALL, 6, &orr_astra_steps},
        {&orr_coll_ring, COLL_BROADCAST, 8, &orr_sys_generic_steps},
        {&orr_coll_direct, COLL_ALL_GATHER, 6, &orr_astra_steps},
        {&orr_coll_halving_doubling, COLL_REDUCE_SCATTER, 8, &orr_astra_steps},
        {&orr_coll_halving_doubling, COLL_REDUCE_SCATTER, 6, &orr_sys_generic_steps},
        {&orr_coll_halving_doubling, COLL_ALL_TO_ALL, 8, &orr_sys_generic_steps},
        {&orr_coll_double_binary_tree, COLL_ALL_REDUCE, 8, &orr_astra_tree_steps},
        {&orr_coll_double_binary_tree, COLL_ALL_REDUCE, 6, &orr_sys_generic_steps},
        {&orr_coll_pairwise, COLL_ALL_TO_ALL, 8, &orr_sys_generic_steps},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ptr_equal(
            stepper_of(&orr_sys_policy_astra_sim, cases[i].algorithm, cases[i].kind, cases[i].n),
            cases[i].stepper);
    }
}

/* Custom collectives' messages are those from point to point, which answer to p2p.c. */
static void test_steppers_answer_what_they_are_asked(void **state)
{
    (void)state;
    const struct sys_stepper_ops *const all[] = {&orr_sys_generic_steps, &orr_astra_steps,
                                                 &orr_astra_tree_steps, &orr_sys_custom_steps};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_non_null(all[i]->name);
        assert_non_null(all[i]->begin);
        assert_true((all[i]->arrived == NULL) == (all[i] == &orr_sys_custom_steps));
        assert_true((all[i]->left != NULL) == (all[i] == &orr_sys_generic_steps));
        assert_true((all[i]->request != NULL) == (all[i] == &orr_astra_steps));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stepper_by_default_is_generic),
        cmocka_unit_test(test_reference_stepper_has_what_the_reference_has),
        cmocka_unit_test(test_steppers_answer_what_they_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
