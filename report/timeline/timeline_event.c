/* Parts that all events of the timeline share: their names, the names of processes and threads, and
 * the drawn duration. */
#include "report/timeline/timeline_private.h"

void orr_timeline_event(struct timeline *timeline, const char *name)
{
    orr_stream_put(&timeline->stream, timeline->any_event ? ",\n{\"name\":" : "\n{\"name\":");
    timeline->any_event = true;
    orr_stream_text(&timeline->stream, name);
}

void orr_timeline_names(struct timeline *timeline, uint32_t rank, const uint32_t *tid,
                        const char *name)
{
    struct orr_stream *stream = &timeline->stream;
    for (int sort = 0; sort < 2; sort++) {
        orr_timeline_event(timeline, tid == NULL
                                         ? (sort != 0 ? "process_sort_index" : "process_name")
                                         : (sort != 0 ? "thread_sort_index" : "thread_name"));
        orr_stream_put(stream, ",\"ph\":\"M\",\"pid\":");
        orr_stream_number(stream, rank);
        if (tid != NULL) {
            orr_stream_put(stream, ",\"tid\":");
            orr_stream_number(stream, *tid);
        }
        if (sort != 0) {
            orr_stream_put(stream, ",\"args\":{\"sort_index\":");
            const bool network = tid == NULL && rank == orrery_npus(timeline->job);
            orr_stream_put(stream, network ? "-" : ""); /* negative sort index: above all NPUs */
            orr_stream_number(stream, tid != NULL ? *tid : rank);
        } else {
            orr_stream_put(stream, ",\"args\":{\"name\":");
            orr_stream_text(stream, name);
        }
        orr_stream_put(stream, "}}");
    }
}

/* Perfetto rounds start and duration to ns separately, and drops a slice that then begins before
 * the previous one ends. So a slice is shortened, by at most 1 ns, if the next one on its track
 * would be lost. Halves are assumed to be rounded in the worse direction. */
int64_t orr_timeline_drawn_ps(int64_t start_ps, int64_t end_ps, int64_t next_ps)
{
    enum { NS = 1000, HALF = NS / 2 };
    const int64_t duration = end_ps - start_ps;
    if (next_ps - end_ps >= 2 * NS) {
        return duration;
    }
    const int64_t start_ns = (start_ps + HALF) / NS;
    const int64_t next_ns = (next_ps + HALF - 1) / NS;
    if (start_ns + (duration + HALF) / NS <= next_ns) {
        return duration;
    }
    return next_ns > start_ns ? (next_ns - start_ns) * NS : 0;
}
