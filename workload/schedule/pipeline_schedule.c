/* The names of slots; see pipeline_schedule.h. */
#include "workload/schedule/pipeline_schedule.h"

#include <inttypes.h>
#include <stdio.h>

static size_t add_pass(const struct orr_schedule *schedule, const struct orr_pass *pass, char *text,
                       size_t bytes)
{
    static const char letter[ORR_PASS_KINDS] = {'F', 'B', 'W', 'X'};
    const int length = schedule->chunks == 1
                           ? snprintf(text, bytes, "%c%" PRIu32, letter[pass->kind], pass->micro)
                           : snprintf(text, bytes, "%c%" PRIu32 ".%" PRIu32, letter[pass->kind],
                                      pass->micro, schedule->chunk[pass->part]);
    return length > 0 && (size_t)length < bytes ? (size_t)length : 0;
}

const char *orr_schedule_slot_text(const struct orr_schedule *schedule,
                                   const struct orr_schedule_slot *slot, char *text, size_t bytes)
{
    size_t length = add_pass(schedule, &slot->pass[0], text, bytes);
    if (slot->passes == 2 && length + 1 < bytes) {
        text[length++] = '&';
        (void)add_pass(schedule, &slot->pass[1], text + length, bytes - length);
    }
    return text;
}
