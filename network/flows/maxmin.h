/* Weighted max-min fair shares with upper bounds: an incremental solver. The max-min share of a
 * flow is its rate here.
 *
 * The maths. Links l have capacities C_l; a flow f with weight w_f and bound u_f takes the links of
 * its path and gets the rate x_f = w_f * level_f. Rates are feasible when x_f <= u_f and the sum of
 * the rates on every link is at most C_l. Feasible rates are max-min fair if and only if every flow
 * is at its bound or has a bottleneck: a link on its path that is full and on which no flow has a
 * higher level (Bertsekas and Gallager, Data Networks, section 6.5). Such rates exist and are
 * unique. Progressive filling finds them: all levels rise together; when a link is full, its flows
 * stop.
 *
 * The solver recomputes only what changes, in one sweep of the level from 0 up. A set S of flows is
 * filled into the capacity that the other flows leave; it starts with the new and the reweighted
 * flows. The other flows keep their levels. Such a flow joins S when the sweep reaches the level at
 * which its old level is found to be wrong, and rises with S from there. At level x these join:
 * - all flows with bottleneck l at level x, if l (used by S or changed) is not full at x: they can
 *   have more;
 * - all flows on a link above x, if the link is full at x: they have more than those of S. (First
 *   those whose bottleneck the link is; then the link is full at a higher level, and if that is
 *   enough the others can stay.)
 *
 * A flow that joins at x ends with a level of at least x, so results below x stay valid: nothing is
 * filled twice. If a link is full at x and no flow on it is above x, its flows of S stop at x with
 * this bottleneck. At the end every flow of S has a bottleneck or is at its bound, and every other
 * flow has kept its bottleneck, full and without a higher level. So the condition holds for all
 * flows, and the rates equal those of a solution from scratch. The event level of a link in the
 * heap can only have risen since its entry; the solver notices that when the link is at the top. */
#ifndef ORR_NETWORK_FLOWS_MAXMIN_H
#define ORR_NETWORK_FLOWS_MAXMIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAXMIN_NONE UINT32_MAX

struct maxmin;

/* Creates a problem without flows; `capacity` [links], bytes/s >= 0, is copied. NULL: out of
 * memory. */
struct maxmin *orr_maxmin_create(uint32_t links, const double *capacity);
void orr_maxmin_destroy(struct maxmin *problem);

/* Identical flows (one path, equal weights and bounds) are members of one flow: it is solved once,
 * and its members count one by one in every sum, in the order in which they came. So rates are
 * bit-identical to those of single flows. */

/* Adds a flow of one member; `path` is borrowed. A link that occurs n times in it carries n times
 * the rate. weight > 0, bound > 0 (INFINITY: none), of each member. Returns the member,
 * MAXMIN_NONE: out of memory. Numbers of removed members are reused, last first. */
uint32_t orr_maxmin_add(struct maxmin *problem, const uint32_t *path, uint32_t hops, double weight,
                        double bound);
/* Adds a member to a flow that is not yet in a solution, and whose path has no link twice. */
uint32_t orr_maxmin_more(struct maxmin *problem, uint32_t flow);
/* Splits a member off as a flow of its own, with the same state. MAXMIN_NONE: out of memory. */
uint32_t orr_maxmin_split(struct maxmin *problem, uint32_t member);
/* The flow of a member; NONE: it was removed. */
uint32_t orr_maxmin_flow(const struct maxmin *problem, uint32_t member);
/* An upper bound of the members' numbers. */
uint32_t orr_maxmin_members(const struct maxmin *problem);

/* A member of a flow. */
struct maxmin_entry {
    uint32_t flow, member;
};

/* Sets weight and bound of each member of a flow. Then orr_maxmin_recompute must name all its
 * members, in the order in which single flows would be set. */
void orr_maxmin_set_weight(struct maxmin *problem, uint32_t flow, double weight, double bound);
void orr_maxmin_recompute(struct maxmin *problem, const struct maxmin_entry *member,
                          uint32_t members);

void orr_maxmin_remove(struct maxmin *problem, uint32_t member);
void orr_maxmin_set_capacity(struct maxmin *problem, uint32_t link, double capacity);
double orr_maxmin_capacity(const struct maxmin *problem, uint32_t link);

/* Whether memory ran out; solutions are invalid from then on. */
bool orr_maxmin_failed(const struct maxmin *problem);

/* Whether anything changed since the last solution. */
bool orr_maxmin_dirty(const struct maxmin *problem);

/* Solves for the rates; `changed` are the flows that were solved, valid until the next call.
 * O(flows of S times their hops, the flows on the links where S stops or begins, and log links for
 * each link of S). */
size_t orr_maxmin_solve(struct maxmin *problem, const uint32_t **changed);

double orr_maxmin_rate(const struct maxmin *problem, uint32_t flow);
/* The bottleneck of a flow; MAXMIN_NONE: it is at its bound. */
uint32_t orr_maxmin_bottleneck(const struct maxmin *problem, uint32_t flow);
/* The number of members whose bottleneck is the link. */
uint32_t orr_maxmin_held(const struct maxmin *problem, uint32_t link);
/* Sum of the rates on a link. O(members on it). */
double orr_maxmin_load(const struct maxmin *problem, uint32_t link);
/* The members on a link, one entry per hop. */
const struct maxmin_entry *orr_maxmin_flows(const struct maxmin *problem, uint32_t link,
                                            uint32_t *count);

#endif
