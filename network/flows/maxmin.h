/* Weighted max-min fair shares with upper bounds, kept up to date as flows come and go.
 *
 * The maths. Links l have capacities C_l; a flow f with weight w_f and bound u_f takes the links of
 * its path and gets the rate x_f = w_f * level_f. Rates are feasible when x_f <= u_f and the sum of
 * the rates on every link is at most C_l. Feasible rates are max-min fair if and only if every flow
 * is at its bound or has a bottleneck: a link on its path that is full and on which no flow has a
 * higher level (Bertsekas and Gallager, Data Networks, section 6.5). Such rates exist and are
 * unique. Progressive filling finds them: all levels rise together; when a link is full, its flows
 * stop.
 *
 * Only what changes is worked out anew, in one sweep of the level from 0 up. A set S of flows is
 * filled into what the others leave, and begins with those that came or have another weight. The
 * others have the levels that they had; each joins S at the moment when the sweep comes to the
 * level at which that is seen to be wrong, and rises with S from there. At a level x that is so for
 * - all flows that a link holds at level x, when the link, which S or a change has touched, is not
 *   full at x: they can have more;
 * - all flows on a link above x, when the link is full at x: they have more than those of S. (Of
 *   these, first those that the link holds; the point at which it is full then moves up, and when
 *   that is enough the rest may stay.)
 * A flow that joins at x has a level of at least x, so that what was found below x stays right: no
 * part is filled twice. Where a link is full at x and no flow on it is above x, its flows of S stop
 * at x and have their bottleneck there. At the end every flow of S has a bottleneck or is at its
 * bound; every other flow has kept its bottleneck, full and without a higher level. So the
 * condition holds for all, and the rates are those of a solution from scratch. The levels of a link
 * that is looked at can only have moved up since, which is seen when it comes to the top of the
 * heap of links. */
#ifndef ORR_NETWORK_FLOWS_MAXMIN_H
#define ORR_NETWORK_FLOWS_MAXMIN_H

#include "core/core.h"

#define MAXMIN_NONE UINT32_MAX

struct maxmin;

/* Without flows; `capacity` of each link, bytes/s >= 0, is copied. NULL when memory is out. */
struct maxmin *orr_maxmin_create(uint32_t links, const double *capacity);
void orr_maxmin_destroy(struct maxmin *problem);

/* Flows that are alike, on one path and with equal weights and bounds, are members of one flow: it
 * is worked out once, and its members count one by one in every sum, in the order in which they
 * came. So rates are to the last bit those that each would get as a flow by itself. */

/* Adds a flow of one member; `path` must stay. A link that stands in it n times carries n times the
 * rate. weight > 0, bound > 0 (INFINITY: none), both of each member. Returns the member,
 * MAXMIN_NONE when memory is out. Numbers of members that have gone are given again, the last
 * first. */
uint32_t orr_maxmin_add(struct maxmin *problem, const uint32_t *path, uint32_t hops, double weight,
                        double bound);
/* Adds a member to a flow that no solution has seen yet, and whose path has no link twice. */
uint32_t orr_maxmin_more(struct maxmin *problem, uint32_t flow);
/* Makes a member a flow by itself, as it is. MAXMIN_NONE when memory is out. */
uint32_t orr_maxmin_split(struct maxmin *problem, uint32_t member);
/* The flow of a member. */
uint32_t orr_maxmin_flow(const struct maxmin *problem, uint32_t member); /* NONE: it has gone */
/* All numbers of members are below. */
uint32_t orr_maxmin_members(const struct maxmin *problem);

/* A member of a flow. */
struct maxmin_entry {
    uint32_t flow, member;
};

/* Sets the weight and the bound of each member of a flow. All its members have to be named then, in
 * the order in which flows by themselves would be set. */
void orr_maxmin_set_weight(struct maxmin *problem, uint32_t flow, double weight, double bound);
void orr_maxmin_recompute(struct maxmin *problem, const struct maxmin_entry *member,
                          uint32_t members);

void orr_maxmin_remove(struct maxmin *problem, uint32_t member);
void orr_maxmin_set_capacity(struct maxmin *problem, uint32_t link, double capacity);
double orr_maxmin_capacity(const struct maxmin *problem, uint32_t link);

/* Whether memory ran out; solutions mean nothing from then on. */
bool orr_maxmin_failed(const struct maxmin *problem);

/* Whether anything changed since the last solution. */
bool orr_maxmin_dirty(const struct maxmin *problem);

/* Works out the rates; `changed` are the flows that were worked on, good until the next call.
 * O(flows of S times their hops, the flows on the links where S stops or begins, and log links for
 * each link of S). */
size_t orr_maxmin_solve(struct maxmin *problem, const uint32_t **changed);

double orr_maxmin_rate(const struct maxmin *problem, uint32_t flow);
/* The link that holds the flow back; MAXMIN_NONE when it is its bound. */
uint32_t orr_maxmin_bottleneck(const struct maxmin *problem, uint32_t flow);
/* How many members a link holds back. */
uint32_t orr_maxmin_held(const struct maxmin *problem, uint32_t link);
/* Sum of the rates on a link. O(members on it). */
double orr_maxmin_load(const struct maxmin *problem, uint32_t link);
/* The members that are on a link, by hops. */
const struct maxmin_entry *orr_maxmin_flows(const struct maxmin *problem, uint32_t link,
                                            uint32_t *count);

#endif
