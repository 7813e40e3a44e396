/* Shared by all remote memories: the time of an access and its completion. */
#ifndef ORR_MEMORY_POOLS_ACCESS_H
#define ORR_MEMORY_POOLS_ACCESS_H

#include "core/evq.h"
#include "core/fold.h"

struct mem;
struct mem_config;
struct mem_ops;
struct orr_evq;

enum { EVENT_ACCESS_DONE = ORR_EVENT_MEMORY, EVENT_ACCESS_REQUEST, EVENT_SERVER_FREE };

/* latency + bytes / bandwidth; with whole_ns both are truncated to whole ns. */
sim_time orr_mem_access_time(const struct mem_config *config, uint64_t bytes);

/* Fills the common part and registers the handler of EVENT_ACCESS_DONE. */
void orr_mem_base_init(struct mem *mem, const struct mem_ops *ops, const struct mem_config *config,
                       struct orr_evq *queue);

/* Posts the completion of an access: a batched event of the NPU, which calls the listener's
 * `done`. */
void orr_mem_post_done(struct mem *mem, struct orr_slot npu, uint64_t label, uint64_t cookie,
                       sim_time time);

#endif
