/* Derived values: values of a platform or workload that are expressions of other keys.
 *
 *     set: {"network.dims[0].bandwidth": min(memory.pool.hierarchical.fabric_bandwidth,
 *                                            memory.pool.hierarchical.group_bandwidth) / 2}
 *
 * In a tree a derived value is a text that begins with =; docs/file-formats.md, Derived values. */
#ifndef ORR_SIM_EXPR_DERIVED_VALUES_H
#define ORR_SIM_EXPR_DERIVED_VALUES_H

#include <stdbool.h>

#include "core/status.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Whether the text of a `set` entry is an expression rather than a value: it begins with =, or has
 * an operator or a function, and the name of a key or a space around the operator. `is_name`
 * decides what a name may be. O(bytes).
 */
bool orr_is_derived(const char *text, bool (*is_name)(void *context, const char *name),
                    void *context);

/* Moves the entries of the mapping `set` of a tree to their paths, and removes it. Entries are
 * values or expressions of values in the tree. Errors: `set` is no mapping; paths, as orr_conf_set;
 * an entry that is no value; memory. */
enum orr_status orr_conf_apply_set(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag);

/* Evaluates all derived values of a tree; *root becomes a copy if there are any. Names are paths,
 * or their ends as long as one value of the tree has it. Errors, with the location and the key:
 * expressions that cannot be read; values that depend on themselves; names without a value; values
 * of different units that are added, compared or chosen between; results that are no quantity;
 * memory. O(derived values x values). */
enum orr_status orr_conf_derive(struct orr_arena *arena, const struct orr_conf **root,
                                struct orr_diag *diag);

/* The text of the value at a path, such as network.dims[0].bandwidth; NULL: there is none. */
const char *orr_conf_text_at(const struct orr_conf *root, const char *path);

#endif
