/* Out of memory ends the command: the first allocation that fails, in Orrery or in a library that
 * it uses, is said once, and the exit status is 1. So nothing that is computed behind it can be
 * taken for a result: no picker takes it for "not applicable", no report for an empty table. What
 * stands in the buffer of standard output is dropped, and files are not there before they are whole
 * (core/whole_file.h).
 *
 * The allocator's functions of the whole process are defined here, before those of the C library,
 * which do the work. Only the command does so: the library returns errors, as its callers' memory
 * is not its own. Sanitizers have allocators of their own. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORR_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define ORR_OWN_ALLOCATOR 1
#endif
#endif

#ifndef ORR_OWN_ALLOCATOR

/* Libraries find it, too. */
#define EXPORTED __attribute__((visibility("default")))

/* The next definitions, each found at its first use; found twice, they are the same. */
static void *(*next_malloc)(size_t bytes);
static void *(*next_calloc)(size_t count, size_t size);
static void *(*next_realloc)(void *old, size_t bytes);

_Noreturn static void end(void)
{
    static const char text[] = "orrery: out of memory\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* there is nobody left to tell */
    _exit(1);
}

/* Sets a pointer to a function. */
static void find(void *function, const char *name)
{
    void *const symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        end();
    }
    memcpy(function, &symbol, sizeof symbol);
}

EXPORTED void *malloc(size_t bytes)
{
    if (next_malloc == NULL) {
        find(&next_malloc, "malloc");
    }
    void *block = next_malloc(bytes);
    if (block == NULL && bytes != 0) {
        end();
    }
    return block;
}

EXPORTED void *calloc(size_t count, size_t size)
{
    if (next_calloc == NULL) {
        find(&next_calloc, "calloc");
    }
    void *block = next_calloc(count, size);
    if (block == NULL && count != 0 && size != 0) {
        end();
    }
    return block;
}

EXPORTED void *realloc(void *old, size_t bytes)
{
    if (next_realloc == NULL) {
        find(&next_realloc, "realloc");
    }
    void *block = next_realloc(old, bytes);
    if (block == NULL && bytes != 0) {
        end();
    }
    return block;
}

#endif
