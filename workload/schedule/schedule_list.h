/* The pipeline schedules, one line each, as they are listed: ORR_SCHEDULE(orr_schedule_NAME).
 * (schedule_kinds.c, which includes this file twice) */
ORR_SCHEDULE(orr_schedule_gpipe)
ORR_SCHEDULE(orr_schedule_1f1b)
ORR_SCHEDULE(orr_schedule_interleaved)
ORR_SCHEDULE(orr_schedule_breadth_first)
ORR_SCHEDULE(orr_schedule_zb_h1)
ORR_SCHEDULE(orr_schedule_zb_h2)
ORR_SCHEDULE(orr_schedule_zb_v)
ORR_SCHEDULE(orr_schedule_v_half)
ORR_SCHEDULE(orr_schedule_v_min)
ORR_SCHEDULE(orr_schedule_dualpipe)
ORR_SCHEDULE(orr_schedule_dualpipev)
ORR_SCHEDULE(orr_schedule_memory_limit)
