/* What test_result_added.c is built with in place of the product's list. */
ORR_SINGLE_RESULT(orr_result_spare)
