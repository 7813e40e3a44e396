/* What functions for programs that stand elsewhere (wings) need of the handle of a network. */
#ifndef ORR_REPORT_TOPOLOGY_TOPOLOGY_OBJECT_H
#define ORR_REPORT_TOPOLOGY_TOPOLOGY_OBJECT_H

#include "orrery/topology.h"
#include "sim/api_object.h"

/* The base of the handle: its arena and errors. O(1). (topology_api.c) */
struct orr_object *orr_topology_object(struct orrery_topology *topology);

#endif
