/* The schedulers, one line each: ORR_SCHEDULER(orr_sys_NAME). They are listed, and tried by `auto`,
 * in this order; the first one is the usual one. (schedulers.c, which includes this twice) */
ORR_SCHEDULER(orr_sys_baseline)
ORR_SCHEDULER(orr_sys_themis)
ORR_SCHEDULER(orr_sys_best)
ORR_SCHEDULER(orr_sys_greedy)
