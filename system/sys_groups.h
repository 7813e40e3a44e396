/* Communicator groups: names and ranks. */
#ifndef ORR_SYSTEM_SYS_GROUPS_H
#define ORR_SYSTEM_SYS_GROUPS_H

#include <stddef.h>

#include "core/fold.h"
#include "core/status.h"
#include "system/sys_position.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

struct sys;

/* Adds a group of the ranks[count], in this order, under a name. Group 0 is all NPUs. Several
 * disjoint groups may have one name; the same name with the same ranks gives the same group.
 * Errors: a rank out of range or repeated; ranks that overlap a group of the same name, showing
 * both; memory. O(count). */
enum orr_status orr_sys_group_add(struct sys *sys, const char *name, const uint32_t *ranks,
                                  uint32_t count, uint32_t *group, struct orr_diag *diag);
/* Adds a group of all NPUs in order under a name. O(1). Error: memory. */
enum orr_status orr_sys_group_add_all(struct sys *sys, const char *name, uint32_t *group,
                                      struct orr_diag *diag);
/* Says that the group belongs to a family of a generated model (groups of its name): algorithms are
 * judged with groups of the family alone at the same time. Returns whether messages of the group
 * may share links with those of others, whose groups must then be added too. */
bool orr_sys_group_set_of_model(struct sys *sys, uint32_t group);
/* Adds the groups of a mapping of names to lists of ranks. Errors: as orr_sys_group_add, with
 * location. */
enum orr_status orr_sys_groups_read(struct sys *sys, struct orr_arena *arena,
                                    const struct orr_conf *map, struct orr_diag *diag);
/* Adds the groups of ASTRA-sim's communicator group file (JSON: {"<name>": [ranks]}). Errors:
 * likewise; by ASTRA-sim's rules names at which it stops are warned of. */
enum orr_status orr_sys_groups_read_astra(struct sys *sys, struct orr_arena *arena,
                                          const char *path, struct orr_diag *diag);
/* The rank that represents a slot, and the slot of a rank's class. Equal numbers without a fold. */
struct orr_rank orr_sys_rank_of_slot(const struct sys *sys, struct orr_slot slot);
struct orr_slot orr_sys_slot_of_rank(const struct sys *sys, struct orr_rank rank);
/* The group of this name that contains the rank, or UINT32_MAX. */
uint32_t orr_sys_group_find(const struct sys *sys, const char *name, struct orr_rank rank);
/* Whether a group other than group 0 has the name. */
bool orr_sys_group_known(const struct sys *sys, const char *name);
/* The group that a trace names: "" is all NPUs, and so is "0" unless a group has that name; else as
 * orr_sys_group_find. */
uint32_t orr_sys_group_named(const struct sys *sys, const char *name, struct orr_rank rank);
/* Describes why orr_sys_group_find found no group, as the end of a sentence. */
void orr_sys_group_list(const struct sys *sys, const char *name, char *text, size_t bytes);
/* Position of a rank in the group; check with sys_in_group. O(log n). */
struct sys_position orr_sys_group_position(const struct sys *sys, uint32_t group,
                                           struct orr_rank rank);
uint32_t orr_sys_group_size(const struct sys *sys, uint32_t group);
uint32_t orr_sys_groups(const struct sys *sys); /* number of groups, with group 0 */
struct orr_rank orr_sys_group_rank(const struct sys *sys, uint32_t group,
                                   struct sys_position position);
/* The ranks of a group in the user's order, NULL for group 0; sets *count. */
const uint32_t *orr_sys_group_ranks(const struct sys *sys, uint32_t group, uint32_t *count);
/* Whether the group is all NPUs or a box of the platform's dimensions. */
bool orr_sys_group_is_box(const struct sys *sys, uint32_t group);
const char *orr_sys_group_name(const struct sys *sys, uint32_t group);

#endif
