/* Lock for libraries with global state (libcgraph, igraph): one thread of the process at a time may
 * call them. */
#ifndef ORR_CORE_LIBRARY_LOCK_H
#define ORR_CORE_LIBRARY_LOCK_H

/* Locks; waits for other threads. Not recursive. */
void orr_library_lock(void);
void orr_library_unlock(void);

#endif
