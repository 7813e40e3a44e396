/* Many runs. */
#ifndef ORRERY_STUDY_H
#define ORRERY_STUDY_H

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls work(context, i) once for each i < count, at most `threads` at a time (0: one for each
 * processor), in any order, and returns when all have. Each call may make simulations of its own,
 * also of platforms and workloads that all share. Where threads cannot be made the caller's does
 * the work. */
ORRERY_API void orrery_parallel(unsigned threads, unsigned count,
                                void (*work)(void *context, unsigned index), void *context);

#ifdef __cplusplus
}
#endif

#endif
