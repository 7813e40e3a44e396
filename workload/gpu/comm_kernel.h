/* What calls of the host and work of the GPU are, by their names. */
#ifndef ORR_WORKLOAD_GPU_COMM_KERNEL_H
#define ORR_WORKLOAD_GPU_COMM_KERNEL_H

#include <stdbool.h>

/* Whether a call of the host waits for the GPU: cudaDeviceSynchronize, hipStreamSynchronize. */
bool orr_call_is_sync(const char *name);

/* Whether work of the GPU is a copy or a fill of memory, as profilers name them: "Memcpy HtoD". */
bool orr_work_is_copy(const char *name);

/* Whether the name is that of a kernel of NCCL or RCCL. */
bool orr_kernel_is_nccl(const char *name);

/* Whether the name is that of a kernel that communicates, of NCCL or of another library (DeepEP,
 * NVSHMEM, symmetric memory, custom all-reduces). */
bool orr_kernel_is_comm(const char *name);

#endif
