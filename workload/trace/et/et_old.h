/* Whether Orrery wrote a file that has its own attributes under the names of before, without
 * "orrery_": other tools have such names by chance (STAGE: op_type on each node). It wrote no other
 * attributes, and these in one order. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_OLD_H
#define ORR_WORKLOAD_TRACE_ET_ET_OLD_H

#include "workload/trace/et/et_value.h"

/* Who wrote a file; found when an attribute of such a name is met. */
struct et_origin {
    bool known, ours;
    bool (*find)(
        void *reader); /* reads the file again: whether all nodes are as Orrery wrote them */
    void *reader;
};

/* Finds it at the first call. O(bytes of the file) then. */
bool orr_et_is_ours(struct et_origin *origin);

/* Whether the next attribute of a node is as Orrery wrote it; *place, 0 before the first, is the
 * place of the one before in the order. O(length of the name). */
bool orr_et_old_fits(unsigned *place, const char *name, const struct et_value *value);

#endif
