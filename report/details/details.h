/* The object `details` of a run's JSON (docs/results.md), which a page shows in addition to the
 * results: a digest of the timeline, links, traffic, memory, a picture of the network, and the
 * origins of values. The size of every part is bounded, however large the job is. */
#ifndef ORR_REPORT_DETAILS_DETAILS_H
#define ORR_REPORT_DETAILS_DETAILS_H

#include "orrery/orrery.h"

struct orrery;

struct json_t;

struct orr_details {
    struct orrery *job; /* has run and recorded */
    /* The same job with ORRERY_RECORD_TRAFFIC. NULL: traffic is missing, for the reason below. */
    const struct orrery *traffic;
    const char *no_traffic;
    const char *command; /* the command line of the run; NULL: left out */
};

/* Returns the object, owned by the caller; NULL: no memory. `missing` gives the reason for each
 * part that the job does not have. O(nodes log nodes + links + pairs). */
struct json_t *orr_details_object(const struct orr_details *of);

#endif
