/* Makes the balanced graph of a split model (SiP-ML, SIGCOMM'21, section 3.2). */
#ifndef ORR_SIPML_SEARCH_SIPML_BALANCE_H
#define ORR_SIPML_SEARCH_SIPML_BALANCE_H

#include "sipml/search/sipml_graph.h"
#include "sipml/search/sipml_partition.h"

enum { SIPML_MAX_LINKS = 10000000 };

/* Makes the graph of a choice of splits (choice[ops] are indices into splits), in the arena. Parts
 * depend on the parts of their inputs. Parts with the same weights, of one operator or of several
 * that share them, are linked: they send to each other. *bidirectional: whether a part also sends
 * to its parents, because gradients go back or weights are exchanged. Errors: operators without a
 * time; operators that share weights with too many others; memory. O(operators + edges +
 * sharers^2). */
enum orr_status orr_sipml_balance(struct orr_arena *arena, const struct sipml_problem *problem,
                                  const struct sipml_splits *splits, const uint32_t *choice,
                                  struct sipml_graph *out, bool *bidirectional,
                                  struct orr_diag *diag);

#endif
