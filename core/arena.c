/* Bump arena over a list of blocks that double in size; see arena.h. Invariant: `used <= size` in
 * every block, and only the head block takes new allocations. Under ASan a red zone separates
 * allocations, so that an overrun inside a block is seen. */
#include "core/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ORR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORR_ASAN 1
#endif
#endif

#ifdef ORR_ASAN
#include <sanitizer/asan_interface.h>
enum { RED_ZONE_BYTES = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
enum { RED_ZONE_BYTES = 0 };
#endif

enum { ALIGN_BYTES = 16, FIRST_BLOCK_BYTES = 16 * 1024, LARGEST_BLOCK_BYTES = 8 * 1024 * 1024 };

struct block {
    struct block *next;
    size_t size, used; /* of the payload after this header */
};

struct orr_arena {
    struct block *head;
    size_t next_block_bytes;
    size_t total_bytes;
    int64_t fail_after; /* < 0: never fail on purpose */
};

static size_t header_bytes(void)
{
    return (sizeof(struct block) + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

static unsigned char *payload(struct block *block)
{
    return (unsigned char *)block + header_bytes();
}

struct orr_arena *orr_arena_create(void)
{
    struct orr_arena *arena = calloc(1, sizeof *arena);
    if (arena != NULL) {
        arena->next_block_bytes = FIRST_BLOCK_BYTES;
        arena->fail_after = -1;
    }
    return arena;
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;
        ASAN_UNPOISON_MEMORY_REGION(payload(block), block->size);
        free(block);
        block = next;
    }
}

void orr_arena_destroy(struct orr_arena *arena)
{
    if (arena != NULL) {
        free_blocks(arena->head);
        free(arena);
    }
}

void orr_arena_reset(struct orr_arena *arena)
{
    struct block *keep = arena->head;
    if (keep == NULL) {
        return;
    }
    free_blocks(keep->next);
    keep->next = NULL;
    keep->used = 0;
    arena->total_bytes = keep->size;
    ASAN_POISON_MEMORY_REGION(payload(keep), keep->size);
}

static struct block *add_block(struct orr_arena *arena, size_t bytes)
{
    size_t size = arena->next_block_bytes;
    if (size < bytes) {
        size = bytes;
    } else if (arena->next_block_bytes < LARGEST_BLOCK_BYTES) {
        arena->next_block_bytes *= 2;
    }
    struct block *block = size > SIZE_MAX - header_bytes() ? NULL : malloc(header_bytes() + size);
    if (block == NULL) {
        return NULL;
    }
    block->next = arena->head;
    block->size = size;
    block->used = 0;
    arena->head = block;
    arena->total_bytes += size;
    ASAN_POISON_MEMORY_REGION(payload(block), size);
    return block;
}

/* Start of the next allocation: the first unused offset aligned to `align`. */
static size_t next_start(struct block *block, size_t align)
{
    const uintptr_t free_at = (uintptr_t)(payload(block) + block->used);
    return block->used + ((align - free_at % align) & (align - 1));
}

void *orr_arena_alloc_raw(struct orr_arena *arena, size_t bytes, size_t align)
{
    if (arena->fail_after >= 0 && arena->fail_after-- == 0) {
        arena->fail_after = 0;
        return NULL;
    }
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    struct block *block = arena->head;
    size_t start = block != NULL ? next_start(block, align) : 0;
    if (block == NULL || start > block->size || block->size - start < bytes + RED_ZONE_BYTES) {
        /* A block is aligned for any type; a larger alignment needs padding. */
        block = add_block(arena, bytes + RED_ZONE_BYTES + (align > ALIGN_BYTES ? align : 0));
        if (block == NULL) {
            return NULL;
        }
        start = next_start(block, align);
    }
    block->used = start + bytes + RED_ZONE_BYTES;
    void *result = payload(block) + start;
    ASAN_UNPOISON_MEMORY_REGION(result, bytes);
    return result;
}

void *orr_arena_alloc(struct orr_arena *arena, size_t bytes)
{
    void *result = orr_arena_alloc_raw(arena, bytes, ALIGN_BYTES);
    if (result != NULL) {
        memset(result, 0, bytes);
    }
    return result;
}

void *orr_arena_array(struct orr_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    return orr_arena_alloc(arena, count * size);
}

char *orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length)
{
    char *copy = orr_arena_alloc_raw(arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *orr_arena_strdup(struct orr_arena *arena, const char *text)
{
    return orr_arena_strndup(arena, text, strlen(text));
}

char *orr_arena_printf(struct orr_arena *arena, const char *format, ...)
{
    va_list args, args_copy;
    va_start(args, format);
    va_copy(args_copy, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : orr_arena_alloc_raw(arena, (size_t)length + 1, 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, format, args_copy);
    }
    va_end(args_copy);
    return text;
}

void *orr_arena_grow(struct orr_arena *arena, void *old, size_t *capacity, size_t needed,
                     size_t size)
{
    if (needed <= *capacity && old != NULL) {
        return old;
    }
    size_t next = *capacity < 8 ? 8 : *capacity;
    while (next < needed) {
        next = next > SIZE_MAX / 2 ? needed : next * 2;
    }
    void *grown = orr_arena_array(arena, next, size);
    if (grown != NULL) {
        if (old != NULL) {
            memcpy(grown, old, *capacity * size);
        }
        *capacity = next;
    }
    return grown;
}

size_t orr_arena_bytes(const struct orr_arena *arena)
{
    return arena->total_bytes;
}

void orr_arena_fail_after(struct orr_arena *arena, int64_t allocations)
{
    arena->fail_after = allocations;
}

void *orr_heap_alloc(size_t bytes)
{
    return malloc(bytes != 0 ? bytes : 1);
}

void *orr_heap_calloc(size_t count, size_t size)
{
    return calloc(count != 0 ? count : 1, size != 0 ? size : 1);
}

void *orr_heap_realloc(void *old, size_t bytes)
{
    return realloc(old, bytes != 0 ? bytes : 1);
}

bool orr_heap_reserve(void *array, size_t *capacity, size_t needed, size_t size)
{
    enum { FIRST = 64 };
    void *items;
    if (needed <= *capacity) {
        return true;
    }
    size_t more = *capacity < FIRST ? FIRST : *capacity + *capacity / 2;
    more = more < needed ? needed : more;
    memcpy(&items, array, sizeof items);
    items = more > SIZE_MAX / 2 / size ? NULL : realloc(items, more * size);
    if (items == NULL) {
        return false;
    }
    memcpy(array, &items, sizeof items);
    *capacity = more;
    return true;
}

void orr_heap_free(void *block)
{
    free(block);
}

char *orr_heap_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = orr_heap_alloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}
