/* Strategies as YAML: a file with a section `strategy`, or the section itself in a workload
 * (docs/file-formats.md).
 *
 *     strategy:
 *       groups: {model: 8, data: 2}
 *       default: data_parallel
 *       tables: round_robin
 *       operators:
 *         "dense *": {split: {output: 8}}
 *         head: {devices: 3}
 */
#ifndef ORR_WORKLOAD_STRATEGY_STRATEGY_FILE_H
#define ORR_WORKLOAD_STRATEGY_STRATEGY_FILE_H

#include <stdio.h>

#include "core/conf/keys.h"
#include "core/diag.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct orr_arena;
struct orr_conf;

/* The keys of a strategy, and of a strategy file: for reading, schema and documentation. */
extern const struct orr_key_table orr_strategy_key_table, orr_strategy_file_table;

/* Reads a strategy for a model on `cluster` devices (0: the strategy sets the number). map NULL:
 * all defaults, and errors have no location. The result lives in the arena and the tree. Errors:
 * those of the keys; too many devices; groups that do not make up all devices of the cluster;
 * unknown operators and dimensions; malformed devices; those of orr_strategy_check. O(operators x
 * patterns + parts). */
enum orr_status orr_strategy_read(struct orr_arena *arena, const struct orr_conf *map,
                                  const struct model_graph *model, uint32_t cluster,
                                  struct strategy *out, struct orr_diag *diag);

/* Opens a strategy file and returns its section. The tree lives in the arena. */
enum orr_status orr_strategy_open(struct orr_arena *arena, const char *path,
                                  const struct orr_conf **section, struct orr_diag *diag);

/* The number of devices that a section sets; 0: none, or more than allowed. Errors: those of the
 * keys. */
enum orr_status orr_strategy_read_device_count(const struct orr_conf *section, uint32_t *devices,
                                               struct orr_diag *diag);

/* Writes a strategy as a file that reads back equal; defaults are omitted. 0, or 1 if the file
 * could not be written or memory is out. */
int orr_strategy_write(FILE *out, const struct model_graph *model, const struct strategy *strategy);

/* ---- devices as text ---- */

/* Reads devices: a number, a range "4-7", a range with a step "0-12:4", or a list of these; each
 * below 2^32. *count is set; the list is in the arena. */
enum orr_status orr_strategy_read_devices(struct orr_arena *arena, const struct orr_conf *node,
                                          const uint32_t **devices, uint32_t *count,
                                          struct orr_diag *diag);

/* Writes devices as such a list in brackets, with as few ranges as possible in order. */
void orr_strategy_write_devices(FILE *out, const uint32_t *device, uint32_t count);

/* Whether a name matches a pattern: "*" any text, "?" any letter, others themselves.
 * O(name x pattern). */
bool orr_strategy_matches(const char *pattern, const char *name);

/* Of names that a pattern matches none of the one that is nearest to it: to what stands before its
 * first "*" or "?" the beginning of the name. NULL: none is near. O(names). */
const char *orr_strategy_nearest(const char *pattern, const char *const *name, uint32_t names);

#endif
