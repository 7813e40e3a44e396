/* Results in a file of their own, one line each: ORR_SINGLE_RESULT(orr_result_NAME). They come last
 * in their table, in this order. (result.c includes this file twice.) */
