/* What a page of a run shows beside its results: a digest of the timeline, links, traffic, memory,
 * a picture of the network, where values come from. The object `details` of a run's JSON
 * (docs/results.md); every part is bounded, whatever the size of the job. */
#ifndef ORR_REPORT_DETAILS_DETAILS_H
#define ORR_REPORT_DETAILS_DETAILS_H

#include "core/core.h"
#include "orrery/orrery.h"

struct json_t;

struct orr_details {
    struct orrery *job; /* has run, and recorded its nodes */
    /* The same job with ORRERY_RECORD_TRAFFIC; NULL: traffic is not told, and why. */
    const struct orrery *traffic;
    const char *no_traffic;
    const char *command; /* the line that made it; NULL: not told */
};

/* The object, the caller's; NULL when memory is out. A part that the job does not have stands in
 * `missing` with the reason. O(nodes log nodes + links + pairs). */
struct json_t *orr_details_object(const struct orr_details *of);

#endif
