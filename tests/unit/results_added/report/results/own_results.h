/* What test_results.c is built with in place of the list of the product: one result more. */
ORR_OWN_RESULT(orr_result_spare)
