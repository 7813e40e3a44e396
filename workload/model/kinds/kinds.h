/* Attributes of the kinds that are also made in memory; what of them a file says stands in the
 * tables of their keys. `entry` may stay empty. */
#ifndef ORR_WORKLOAD_MODEL_KINDS_KINDS_H
#define ORR_WORKLOAD_MODEL_KINDS_KINDS_H

#include "workload/model/kinds/kind.h"

struct model_data {
    struct model_entry entry;
    struct orr_conf_list shape; /* of int64_t: 1 to MODEL_MOST_AXES */
};

/* On features, on the features of each token, or on all of channels x height x width. */
struct model_dense {
    struct model_entry entry;
    int64_t out;
    bool bias;
};

/* Its output is as many features as the key says; times are of one device for a whole batch. */
struct model_measured {
    struct model_entry entry;
    int64_t out, weights;
    sim_time forward_ps, backward_ps;
};

#endif
