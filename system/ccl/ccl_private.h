/* Shared by the libraries. */
#ifndef ORR_SYSTEM_CCL_CCL_PRIVATE_H
#define ORR_SYSTEM_CCL_CCL_PRIVATE_H

#include "system/ccl/ccl.h"

enum { ORR_DGX1_GPUS = 8, ORR_DGX1_LINKS = 6 }; /* NVLinks of a GPU */

extern const struct sys_ccl_ops orr_sys_nccl, orr_sys_rccl;

#endif
