/* Shared by the files of the all-to-all's bound. */
#ifndef ORR_NETWORK_BOUNDS_EXCHANGE_PRIVATE_H
#define ORR_NETWORK_BOUNDS_EXCHANGE_PRIVATE_H

#include "network/bounds/even_paths.h"
#include "network/bounds/exchange_bound.h"
#include "network/bounds/link_classes.h"

/* Of programs that are solved: some seconds. */
enum { EXCHANGE_MAX_ROWS = 400 };

struct exchange {
    const struct net_graph *network;
    struct cap_graph graph;
    struct even_paths paths;
    struct link_classes classes;
    double *length; /* [arcs] of the last search */
    double *load;   /* [arcs] scratch */
    double *best;   /* [arcs] lengths that gave `least` */
    double least, most;
    struct orr_arena *arena;
    struct orr_diag *diag;
};

/* Whether `least` and `most` are equal within 1e-9. (exchange_bound.c) */
bool orr_exchange_is_solved(const struct exchange *exchange);

/* The bound that lengths of links give: (sum of the distances of all pairs) / (sum of capacity x
 * length), by the dual program; takes them if it is the best so far. (exchange_bound.c) */
void orr_exchange_try_lengths(struct exchange *exchange, double distances);

/* Flows that are nearly the best, and lengths that prove it: brings `least` and `most` within some
 * percent. Error: memory. (exchange_descent.c) */
enum orr_status orr_exchange_descend(struct exchange *exchange);

/* The program by classes: raises `least` and lowers `most` until they meet.
 * (exchange_program.c) */
enum orr_status orr_exchange_solve(struct exchange *exchange);

/* The slowest cut among balls around NPUs and links by the best lengths. (exchange_cut.c) */
enum orr_status orr_exchange_find_cut(struct exchange *exchange, struct net_cut *out);

#endif
