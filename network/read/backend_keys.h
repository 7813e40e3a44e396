/* Backend-specific keys, as parts of the network section (network_config.c). */
#ifndef ORR_NETWORK_READ_BACKEND_KEYS_H
#define ORR_NETWORK_READ_BACKEND_KEYS_H

#include <stddef.h>

#include "core/status.h"

struct net_backend_options;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_key_table;

/* Key table of the index-th backend, empty if it has no keys; NULL after the last. */
const struct orr_key_table *orr_net_backend_keys_table(size_t index);

/* Creates the targets of these keys, one per backend; NULL if memory is out. */
void *const *orr_net_backend_keys_create(struct orr_arena *arena);

/* Runs the checks of all backends on values that have been read. */
enum orr_status orr_net_backend_keys_check(const struct orr_conf *map, void *const *values,
                                           struct orr_diag *diag);

/* Fails if a key is set that only another backend supports and that cannot be ignored
 * (net_backend_keys.needed). */
enum orr_status orr_net_backend_keys_check_backend(const struct orr_conf *map, void *const *values,
                                                   const char *backend, struct orr_diag *diag);

/* The values in the form of net_config; NULL if memory is out. */
const struct net_backend_options *orr_net_backend_keys_list(struct orr_arena *arena,
                                                            void *const *values);

#endif
