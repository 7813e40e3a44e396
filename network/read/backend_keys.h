/* The own keys of backends, as parts of the network section (network_config.c). */
#ifndef ORR_NETWORK_READ_BACKEND_KEYS_H
#define ORR_NETWORK_READ_BACKEND_KEYS_H

#include "network/network.h"

/* Of the index-th backend, without keys when it has none; NULL behind the last. */
const struct orr_key_table *orr_net_backend_keys_table(size_t index);

/* What these are read into, by backend; NULL when memory is out. */
void *const *orr_net_backend_keys_create(struct orr_arena *arena);

/* What tables cannot say of values that have been read. */
enum orr_status orr_net_backend_keys_check(const struct orr_conf *map, void *const *values,
                                           struct orr_diag *diag);

/* An error for a key that only another backend than the one of that name heeds, and cannot be left
 * out (net_backend_keys.needed). */
enum orr_status orr_net_backend_keys_check_backend(const struct orr_conf *map, void *const *values,
                                                   const char *backend, struct orr_diag *diag);

/* The values as a config has them; NULL when memory is out. */
const struct net_backend_options *orr_net_backend_keys_list(struct orr_arena *arena,
                                                            void *const *values);

#endif
