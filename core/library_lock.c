/* Lock of libraries with global state; see library_lock.h. The lock is as global as that state. */
#include "core/library_lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void orr_library_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

void orr_library_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}
