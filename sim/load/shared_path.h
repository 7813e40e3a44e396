/* A path that memory and network share has one bandwidth; a platform gives it twice. */
#ifndef ORR_SIM_LOAD_SHARED_PATH_H
#define ORR_SIM_LOAD_SHARED_PATH_H

#include <stdbool.h>

struct orr_conf;
struct orr_diag;

/* Warns where the only dimension of the network is not half as fast each way as the half-duplex
 * path of an NPU to a hierarchical pool with which it is shared (memory.pool.path: shared). Returns
 * whether it did. `root` is the tree of a platform, with derived values evaluated. */
bool orr_warn_shared_path(const struct orr_conf *root, struct orr_diag *diag);

#endif
