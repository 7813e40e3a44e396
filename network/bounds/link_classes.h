/* Classes of arcs and NPUs that an all-to-all need not tell apart. */
#ifndef ORR_NETWORK_BOUNDS_LINK_CLASSES_H
#define ORR_NETWORK_BOUNDS_LINK_CLASSES_H

#include "network/bounds/even_paths.h"

struct link_classes {
    uint32_t classes;         /* of arcs */
    const uint32_t *class_of; /* [arcs] */
    uint32_t sources;         /* classes of NPUs */
    const uint32_t *source;   /* [sources] an NPU of each */
    const uint32_t *members;  /* [sources] how many there are */
    bool refined;             /* else every arc and NPU is its own class */
};

/* Colors the variables and constraints of the linear program of flows, by sources, until equal ones
 * have equal neighbours: color refinement, which keeps the optimum of a linear program (Grohe,
 * Kersting, Mladenov, Selman 2014) and finds all orbits of automorphisms, or coarser classes. A
 * round is O(NPUs x arcs); where that is above 5e7, classes are not refined. Error: memory. */
enum orr_status orr_link_classes(const struct even_paths *paths, struct orr_arena *arena,
                                 struct link_classes *out);

#endif
