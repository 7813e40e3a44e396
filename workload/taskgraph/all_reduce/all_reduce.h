/* How task graphs do their all-reduces over flows (docs/models.md, section 4): a table of kinds,
 * each of which is chosen by a text such as "ring" or "hierarchical:4". A new kind is a row of the
 * table in all_reduces.c; a new collective algorithm of system/ is one by itself. */
#ifndef ORR_WORKLOAD_TASKGRAPH_ALL_REDUCE_ALL_REDUCE_H
#define ORR_WORKLOAD_TASKGRAPH_ALL_REDUCE_ALL_REDUCE_H

#include "core/core.h"

struct orr_all_reduce_kind;
struct coll_algorithm;

/* A choice. All zero: a ring. */
struct orr_all_reduce {
    const struct orr_all_reduce_kind *kind;
    const struct coll_algorithm *program; /* NULL: in rounds with barriers */
    uint32_t number;                      /* behind the colon: servers of a group, or chunks */
};

/* Reads "NAME" or "NAME:NUMBER"; '_' is the same as '-'. Errors: an unknown name, which lists the
 * forms; a number that is missing, out of range or not asked for. */
enum orr_status orr_all_reduce_parse(const char *text, struct orr_all_reduce *out,
                                     struct orr_diag *diag);

/* What is done where none is named. */
extern const char orr_all_reduce_usual[];

/* As it would be written; returns `text`. */
enum { ORR_ALL_REDUCE_BYTES = 64 };
char *orr_all_reduce_format(const struct orr_all_reduce *choice, char *text, size_t bytes);

/* The index-th form, "hierarchical:GROUP"; false behind the last. `summary` is one line. */
bool orr_all_reduce_form(size_t index, char form[ORR_ALL_REDUCE_BYTES], const char **summary);

/* Whether it is done so among that many servers; where it is not, it is a ring. */
bool orr_all_reduce_fits(const struct orr_all_reduce *choice, uint32_t servers);

#endif
