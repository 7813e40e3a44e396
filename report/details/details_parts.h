/* The parts of a run's details. Each takes the object that it adds itself to, or says in `missing`
 * why it does not. */
#ifndef ORR_REPORT_DETAILS_DETAILS_PARTS_H
#define ORR_REPORT_DETAILS_DETAILS_PARTS_H

#include <jansson.h>

#include "report/details/details.h"

struct orr_parts {
    json_t *details, *missing;
};

/* A part that is not there. `why` may be of any bytes. */
void orr_part_missing(const struct orr_parts *parts, const char *name, const char *why);

/* "timeline": one NPU of each class, on few tracks; slices that are too many are joined. */
void orr_details_timeline(const struct orr_parts *parts, const struct orr_details *of);
/* "links": those of a graph that carried most; "traffic": bytes between blocks of NPUs. */
void orr_details_links(const struct orr_parts *parts, const struct orr_details *of);
void orr_details_traffic(const struct orr_parts *parts, const struct orr_details *of);
/* "network": a picture, as the text of an SVG file. */
void orr_details_picture(const struct orr_parts *parts, const struct orr_details *of);
/* "memory": bytes in use over time, of one NPU of each class; "stages": what a generated model
 * needs. */
void orr_details_memory(const struct orr_parts *parts, const struct orr_details *of);

#endif
