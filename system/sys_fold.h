/* Symmetry reduction (core/fold.h): which collectives the representatives of classes can run for
 * all. */
#ifndef ORR_SYSTEM_SYS_FOLD_H
#define ORR_SYSTEM_SYS_FOLD_H

#include "core/fold.h"
#include "system/sys_collective.h"

struct net_config;
struct net_rotation;
struct orr_arena;
struct orr_diag;
struct sys_config;
struct sys_mono;

struct sys;

/* Creates a system that plans collectives and runs none. Groups can be added; there is no per-NPU
 * state. The network's config must outlive it. Error: memory. */
enum orr_status orr_sys_planner_create(struct sys **out, const struct sys_config *config,
                                       const struct net_config *net, struct orr_arena *arena,
                                       struct orr_diag *diag);
/* Symmetry of routes through a graph. is_equivalent: whether the route of a message and those of
 * all its images under rotations of the folded digits map to each other. Without it the planner
 * assumes that no routes are equivalent. */
struct sys_route_symmetry {
    bool (*is_equivalent)(void *context, struct orr_rank src, struct orr_rank dst, bool backwards);
    void *context;
};
void orr_sys_planner_set_symmetry(struct sys *planner, const struct sys_route_symmetry *ways);

/* Sets *unfoldable to the folded digits that the collective distinguishes, as a set of bits; they
 * must not be folded. The request is that of the representative of the class. Errors: the plan's;
 * memory. O(phases x NPUs of a slice). */
enum orr_status orr_sys_fold_check(struct sys *planner, const struct sys_collective *request,
                                   const struct orr_fold *fold, uint64_t *unfoldable,
                                   struct orr_diag *diag);
/* Why the representatives of the classes cannot run the group's monolithic all-reduce for all
 * members, as the end of a sentence; NULL: they can. A single member can. Rings of the network are
 * assumed equal within a class (orr_sys_mono_check_rotation). O(members). (monolithic/mono_fold.c)
 */
const char *orr_sys_mono_fold_check(const struct sys *planner, uint32_t group,
                                    const struct sys_mono *choice, const struct orr_fold *fold);

/* A monolithic all-reduce, and a rotation of NPU numbers that maps a member of `group` to a member
 * of `image`, which may be the same group. */
struct sys_mono_rotation {
    const struct sys_mono *choice;
    uint32_t group, image;
    struct orr_rank member;
    const struct net_rotation *rotation;
    const uint32_t *link_image; /* image of each link of the network */
    /* Whether the rotation maps the route of a message to the route of the message's image.
     * `over_link`: the message is a ring step, which a network may send over the link between the
     * two. */
    bool (*keeps_route)(void *context, struct orr_rank src, struct orr_rank dst, bool over_link);
    void *context;
};
/* Why the rotation does not map the traffic of `group` to that of `image`, as the end of a
 * sentence; NULL: it does. O(members x rings). (monolithic/mono_fold.c) */
const char *orr_sys_mono_check_rotation(struct sys *planner,
                                        const struct sys_mono_rotation *rotation);

#endif
