/* Limits of orrery_parallel (include/orrery/study.h). */
#ifndef ORR_STUDY_PARALLEL_H
#define ORR_STUDY_PARALLEL_H

enum { ORR_MAX_THREADS = 256 };

#endif
