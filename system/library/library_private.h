/* What the libraries share. */
#ifndef ORR_SYSTEM_LIBRARY_LIBRARY_PRIVATE_H
#define ORR_SYSTEM_LIBRARY_LIBRARY_PRIVATE_H

#include "system/library/library.h"

enum { ORR_DGX1_GPUS = 8, ORR_DGX1_LINKS = 6 }; /* NVLinks of a GPU */

extern const struct sys_library_ops orr_sys_nccl, orr_sys_rccl;

#endif
