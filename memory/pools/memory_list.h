/* Remote memories in the order of listing, one line each: ORR_MEMORY(orr_mem_NAME). The first is
 * the default. X-macro list: memories.c includes it twice. */
ORR_MEMORY(orr_mem_none)
ORR_MEMORY(orr_mem_per_npu)
ORR_MEMORY(orr_mem_per_node)
ORR_MEMORY(orr_mem_pool)
ORR_MEMORY(orr_mem_pool_closed_form)
ORR_MEMORY(orr_mem_pool_event_driven)
