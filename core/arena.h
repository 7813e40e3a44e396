/* Bump arena: allocations live until the arena is destroyed or reset. One arena holds all the state
 * of a simulation, so that one call frees it. Memory is zeroed. Not thread-safe; each simulation
 * has its own. */
#ifndef ORR_CORE_ARENA_H
#define ORR_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

/* An empty arena, or NULL when memory is out. Destroy it with orr_arena_destroy. */
struct orr_arena *orr_arena_create(void);

/* Frees the arena and all that was allocated from it; NULL is fine. O(blocks). */
void orr_arena_destroy(struct orr_arena *arena);

/* Forgets every allocation and keeps the largest block for reuse. O(blocks). */
void orr_arena_reset(struct orr_arena *arena);

/* `bytes` zeroed bytes, aligned for any type; NULL when memory is out. Amortized O(bytes). */
void *orr_arena_alloc(struct orr_arena *arena, size_t bytes);

/* As above but not zeroed, aligned to `align` (a power of two <= 64). For strings and hot paths. */
void *orr_arena_alloc_raw(struct orr_arena *arena, size_t bytes, size_t align);

/* `count` * `size` zeroed bytes with the product checked for overflow; NULL on overflow too. */
void *orr_arena_array(struct orr_arena *arena, size_t count, size_t size);

/* A terminated copy of the first `length` bytes of `text`; NULL when memory is out. */
char *orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length);
char *orr_arena_strdup(struct orr_arena *arena, const char *text);

/* printf into the arena; NULL when memory is out. */
char *orr_arena_printf(struct orr_arena *arena, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Ensures capacity for `needed` elements of `size` bytes in a growing array: returns `old` if
 * *capacity suffices, else a copy with doubled capacity (the old storage stays in the arena, at
 * most doubling the use). NULL when memory is out; *capacity is then unchanged. */
void *orr_arena_grow(struct orr_arena *arena, void *old, size_t *capacity, size_t needed,
                     size_t size);

/* Bytes obtained from the system. */
size_t orr_arena_bytes(const struct orr_arena *arena);

/* For tests: the n-th allocation from now (0 = the next) and all later ones fail; < 0 = never. */
void orr_arena_fail_after(struct orr_arena *arena, int64_t allocations);

/* Heap storage for what must be given back before the arena ends (file buffers, event blocks).
 * The only callers of malloc and free are in core/. orr_heap_free(NULL) is fine. */
void *orr_heap_alloc(size_t bytes);
void *orr_heap_calloc(size_t count, size_t size);
void *orr_heap_realloc(void *old, size_t bytes);
void orr_heap_free(void *block);

/* Ensures room for `needed` elements of `size` bytes in a growing heap array. `array` is the
 * address of the pointer to its first element (NULL: none yet) and *capacity its room; both are set
 * where the array moves, by half at least. False when memory is out: both are as before. Amortized
 * O(1) per element. */
bool orr_heap_reserve(void *array, size_t *capacity, size_t needed, size_t size);

/* A copy of the text. */
char *orr_heap_strdup(const char *text);

#endif
