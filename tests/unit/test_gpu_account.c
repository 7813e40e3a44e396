/* The GPU's view of a rank's time, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workload/gpu/gpu_account.h"

/* Compute 10..20 and 15..30 count once, as 20; communication 25..50 is exposed from 30 on, but for
 * the copy 40..45: 15 of 25; then 10 idle, of which 4 have a cause of their own, compute 60..70,
 * and 30 left of the step that ends at 100. */
static void test_account_overlaps_count_once(void **state)
{
    (void)state;
    struct orr_gpu_account account = {0};
    orr_gpu_begin(&account, ORR_GPU_COMPUTE, 10, ORR_GPU_IDLE_OTHER);
    orr_gpu_begin(&account, ORR_GPU_COMPUTE, 15, ORR_GPU_IDLE_OTHER);
    orr_gpu_end(&account, ORR_GPU_COMPUTE, 20);
    orr_gpu_begin(&account, ORR_GPU_COMMUNICATION, 25, ORR_GPU_IDLE_OTHER);
    orr_gpu_end(&account, ORR_GPU_COMPUTE, 30);
    orr_gpu_begin(&account, ORR_GPU_COPY, 40, ORR_GPU_IDLE_OTHER);
    orr_gpu_end(&account, ORR_GPU_COPY, 45);
    orr_gpu_end(&account, ORR_GPU_COMMUNICATION, 50);
    assert_true(orr_gpu_is_idle(&account));
    orr_gpu_attribute(&account, 60, ORR_GPU_IDLE_PEER, 4);
    orr_gpu_begin(&account, ORR_GPU_COMPUTE, 60, ORR_GPU_IDLE_LAUNCH);
    orr_gpu_end(&account, ORR_GPU_COMPUTE, 70);
    const struct orr_gpu_view view = orr_gpu_finish(&account, 100);
    assert_int_equal(view.span_ps, 90);
    assert_int_equal(view.compute_ps, 30);
    assert_int_equal(view.communication_ps, 25);
    assert_int_equal(view.exposed_communication_ps, 15);
    assert_int_equal(view.memory_copy_ps, 5);
    assert_int_equal(view.idle_ps, 40);
    assert_int_equal(view.idle_by_ps[ORR_GPU_IDLE_PEER], 4);
    assert_int_equal(view.idle_by_ps[ORR_GPU_IDLE_LAUNCH], 6);
    assert_int_equal(view.idle_by_ps[ORR_GPU_IDLE_STEP_END], 30);
}

/* Nothing ran: no time at all. No more idle time gets a cause than there is. */
static void test_account_without_work_is_empty(void **state)
{
    (void)state;
    struct orr_gpu_account account = {0};
    orr_gpu_attribute(&account, 5, ORR_GPU_IDLE_PEER, 5);
    assert_int_equal(orr_gpu_finish(&account, 100).span_ps, 0);
    orr_gpu_begin(&account, ORR_GPU_COPY, 200, ORR_GPU_IDLE_OTHER);
    orr_gpu_end(&account, ORR_GPU_COPY, 201);
    orr_gpu_attribute(&account, 203, ORR_GPU_IDLE_PEER, 1000);
    const struct orr_gpu_view view = orr_gpu_finish(&account, 203);
    assert_int_equal(view.span_ps, 3);
    assert_int_equal(view.idle_by_ps[ORR_GPU_IDLE_PEER], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_account_overlaps_count_once),
        cmocka_unit_test(test_account_without_work_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
