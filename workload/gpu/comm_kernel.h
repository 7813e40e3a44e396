/* Kernels that communicate, by their names. */
#ifndef ORR_WORKLOAD_GPU_COMM_KERNEL_H
#define ORR_WORKLOAD_GPU_COMM_KERNEL_H

#include <stdbool.h>

/* Whether the name is that of a kernel of NCCL or RCCL. */
bool orr_kernel_is_nccl(const char *name);

/* Whether the name is that of a kernel that communicates, of NCCL or of another library (DeepEP,
 * NVSHMEM, symmetric memory, custom all-reduces). */
bool orr_kernel_is_comm(const char *name);

#endif
