/* Preloaded (LD_PRELOAD): the ORRERY_FAIL_AT-th allocation of a process fails, counted from 1, and
 * with ORRERY_FAIL_ON=1 all behind it. ORRERY_FAIL_COUNT names a file that gets their number. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_long count;
static long fail_at, fails_on;
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);

static void find(void *function, const char *name)
{
    void *const symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("ORRERY_FAIL_AT"), *on = getenv("ORRERY_FAIL_ON");
    fail_at = at != NULL ? strtol(at, NULL, 10) : 0;
    fails_on = on != NULL && strcmp(on, "1") == 0;
}

static int fails(void)
{
    const long now = atomic_fetch_add(&count, 1) + 1;
    const int result = fail_at > 0 && (fails_on ? now >= fail_at : now == fail_at);
    errno = result ? ENOMEM : errno;
    return result;
}

EXPORTED void *malloc(size_t bytes)
{
    if (next_malloc == NULL) {
        find(&next_malloc, "malloc");
    }
    return fails() ? NULL : next_malloc(bytes);
}

EXPORTED void *calloc(size_t number, size_t size)
{
    if (next_calloc == NULL) {
        find(&next_calloc, "calloc");
    }
    return fails() ? NULL : next_calloc(number, size);
}

EXPORTED void *realloc(void *old, size_t bytes)
{
    if (next_realloc == NULL) {
        find(&next_realloc, "realloc");
    }
    return fails() ? NULL : next_realloc(old, bytes);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("ORRERY_FAIL_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        (void)fprintf(file, "%ld\n", atomic_load(&count));
        (void)fclose(file);
    }
}
