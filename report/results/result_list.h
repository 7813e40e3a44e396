/* Results that have a file of their own, one line each: ORR_SINGLE_RESULT(orr_result_NAME). They
 * stand behind the others of their place, in this order. (result.c, which includes this twice) */
