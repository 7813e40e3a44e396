/* The capacities of a graph's links where they change while a job runs, and the ways around links
 * that carry nothing: what backends that know links share (link_changes.c). */
#ifndef ORR_NETWORK_BACKENDS_LINK_CHANGES_H
#define ORR_NETWORK_BACKENDS_LINK_CHANGES_H

#include "network/backends/link_net.h"

struct link_changes {
    double *bytes_per_s; /* [links], of a record's links together, now */
};

enum orr_status orr_link_changes_create(struct link_net *linked, struct orr_diag *diag);

#endif
