/* The schedulers, one line each: ORR_SCHEDULER(orr_sys_NAME). This is the order in which they are
 * listed and autotuned; the first is the default. (schedulers.c includes this file twice.) */
ORR_SCHEDULER(orr_sys_baseline)
ORR_SCHEDULER(orr_sys_themis)
ORR_SCHEDULER(orr_sys_best)
ORR_SCHEDULER(orr_sys_greedy)
