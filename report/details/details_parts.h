/* The parts of a run's details. Each function adds itself to `details`, or its reason for absence
 * to `missing`. */
#ifndef ORR_REPORT_DETAILS_DETAILS_PARTS_H
#define ORR_REPORT_DETAILS_DETAILS_PARTS_H

#include <jansson.h>

#include "report/details/details.h"

struct orr_parts {
    json_t *details, *missing;
};

/* Reports that a part is missing. `why` may hold any bytes. */
void orr_part_missing(const struct orr_parts *parts, const char *name, const char *why);

/* Adds "timeline": one NPU of each class, on few tracks, with a bounded number of slices. */
void orr_details_timeline(const struct orr_parts *parts, const struct orr_details *of);
/* Add "links": the links of a graph that carried the most bytes; and "traffic": bytes between
 * blocks of NPUs. */
void orr_details_links(const struct orr_parts *parts, const struct orr_details *of);
void orr_details_traffic(const struct orr_parts *parts, const struct orr_details *of);
/* Adds "network": a picture, as the text of an SVG file. */
void orr_details_picture(const struct orr_parts *parts, const struct orr_details *of);
/* Adds "memory": bytes in use over time, of one NPU of each class; and "stages": the needs of a
 * generated model. */
void orr_details_memory(const struct orr_parts *parts, const struct orr_details *of);

#endif
