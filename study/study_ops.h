/* A study: an entry of study/study_list.h. */
#ifndef ORR_STUDY_STUDY_OPS_H
#define ORR_STUDY_STUDY_OPS_H

#include <stddef.h>

struct orr_result_table;
struct orr_study_kind;

struct orr_study_ops {
    const char *name, *summary;
    /* Its tables of results, in the order of the reference; NULL ends them. */
    const struct orr_result_table *const *tables;
    /* What programs get of it (study/study_call.h); NULL: nothing here. */
    const struct orr_study_kind *kind;
};

/* The index-th study; NULL after the last one. */
const struct orr_study_ops *orr_study_at(size_t index);

#endif
