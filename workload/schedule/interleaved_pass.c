/* The order of interleaved schedules; see interleaved_pass.h. */
#include "workload/schedule/interleaved_pass.h"

uint32_t orr_interleaved_group(const struct orr_schedule_request *request)
{
    const uint32_t rounds = request->micros / request->stages;
    return rounds > 0 && request->micros % rounds == 0 ? request->micros / rounds : 0;
}

struct orr_chunk_pass orr_interleaved_pass(const struct orr_schedule_request *request,
                                           enum orr_pass_kind kind, uint32_t index)
{
    /* All groups but the last are full. */
    const uint32_t of_group = request->group * request->chunks, group = index / of_group;
    const uint32_t begin = group * request->group, left = request->micros - begin;
    const uint32_t size = left < request->group ? left : request->group;
    const uint32_t within = index - group * of_group, chunk = within / size;
    return (struct orr_chunk_pass){kind,
                                   kind == ORR_PASS_FORWARD ? chunk : request->chunks - 1 - chunk,
                                   begin + within % size};
}
