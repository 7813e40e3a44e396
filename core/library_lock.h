/* Libraries that keep their state in globals (libcgraph, igraph): one thread at a time may be in
 * them, whatever job it works for. */
#ifndef ORR_CORE_LIBRARY_LOCK_H
#define ORR_CORE_LIBRARY_LOCK_H

/* Waits until no other thread is in such a library. Not to be nested. */
void orr_library_lock(void);
void orr_library_unlock(void);

#endif
