/* Studies in the order of the reference of results, one line each: ORR_STUDY(orr_study_NAME).
 * X-macro list: result_tables.c includes it twice. */
ORR_STUDY(orr_study_sweep)
ORR_STUDY(orr_study_whatif)
ORR_STUDY(orr_study_failures)
ORR_STUDY(orr_study_diff)
ORR_STUDY(orr_study_fit)
ORR_STUDY(orr_study_bench)
ORR_STUDY(orr_study_measured)
ORR_STUDY(orr_study_schedule)
ORR_STUDY(orr_study_import)
ORR_STUDY(orr_study_goodput)
ORR_STUDY(orr_study_layouts)
ORR_STUDY(orr_study_profile)
