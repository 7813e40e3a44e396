/* The remote memories, one line each: ORR_MEMORY(orr_mem_NAME). They are listed in this order; the
 * first one is there when nobody says what is. (memories.c, which includes this twice) */
ORR_MEMORY(orr_mem_none)
ORR_MEMORY(orr_mem_per_npu)
ORR_MEMORY(orr_mem_per_node)
ORR_MEMORY(orr_mem_pool)
ORR_MEMORY(orr_mem_pool_closed_form)
ORR_MEMORY(orr_mem_pool_event_driven)
