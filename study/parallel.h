/* Independent pieces of work on all processors. */
#ifndef ORR_STUDY_PARALLEL_H
#define ORR_STUDY_PARALLEL_H

enum { ORR_MOST_THREADS = 256 };

/* Calls work(context, i) for each i < count, at most `threads` at a time (0: one for each
 * processor), in any order; the calls must not depend on each other. Where threads cannot be made
 * the caller's does the work. */
void orr_run_parallel(unsigned threads, unsigned count, void (*work)(void *context, unsigned index),
                      void *context);

#endif
