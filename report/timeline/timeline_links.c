/* Counters of busy links: a curve for each dimension, in a process above the NPUs. The time in
 * which the curve is above 0 is the dimension's busy time in the results. */
#include "core/arena.h"
#include "report/timeline/timeline_private.h"

enum { TEXT = 96, DECIMALS = 6 };

static void write_value(struct timeline *timeline, const char *name, int64_t at_ps, double links)
{
    struct orr_stream *stream = &timeline->stream;
    char text[TEXT];
    orr_timeline_event(timeline, name);
    orr_stream_put(stream, ",\"ph\":\"C\",\"pid\":");
    orr_stream_number(stream, orrery_npus(timeline->job));
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, at_ps);
    orr_stream_put(stream, ",\"args\":{\"links\":");
    (void)snprintf(text, sizeof text, "%.*f", DECIMALS, links);
    orr_stream_put(stream, text);
    orr_stream_put(stream, "}}");
}

/* Writes a value at each change, and 0 at the end. */
static void write_dim(struct timeline *timeline, unsigned d, const double *links,
                      const struct orrery_link_steps *steps)
{
    struct orrery_dim_stats dim;
    char name[TEXT];
    if (orrery_dim(timeline->job, d, &dim) != ORRERY_OK || dim.busy_ps <= 0) {
        return;
    }
    (void)snprintf(name, sizeof name, "links in use, dimension %u: %s (of %llu)", d + 1, dim.block,
                   (unsigned long long)dim.servers);
    double before = -1;
    for (size_t i = 0; i < steps->steps; i++) {
        if (links[i] < before || links[i] > before) {
            write_value(timeline, name, (int64_t)i * steps->step_ps, links[i]);
        }
        before = links[i];
    }
    write_value(timeline, name, (int64_t)steps->steps * steps->step_ps, 0);
}

bool orr_timeline_write_links(struct timeline *timeline)
{
    const struct orrery_link_steps steps = orrery_link_steps(timeline->job);
    double *links = orr_heap_calloc(steps.steps + 1, sizeof *links);
    if (links != NULL && steps.steps != 0) {
        orr_timeline_names(timeline, orrery_npus(timeline->job), NULL, "network");
    }
    for (unsigned d = 0; links != NULL && d < orrery_dims(timeline->job); d++) {
        if (steps.steps != 0 &&
            orrery_link_use(timeline->job, d, links, steps.steps) == ORRERY_OK) {
            write_dim(timeline, d, links, &steps);
        }
    }
    orr_heap_free(links);
    return links != NULL;
}
