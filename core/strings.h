/* String interning, and the nearest known name for "did you mean". */
#ifndef ORR_CORE_STRINGS_H
#define ORR_CORE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"

/* A set of distinct strings, numbered 0.. in the order of their first appearance. */
struct orr_strings {
    struct orr_arena *arena;
    const char **text; /* [count]; the strings stay where they are, the array moves as it grows */
    uint64_t *table;   /* hash << 32 | index + 1; open addressing */
    size_t capacity;
    uint32_t count, table_mask;
};

/* An empty set in the arena, which must outlive it. */
void orr_strings_init(struct orr_strings *strings, struct orr_arena *arena);

/* The number of the first `length` bytes of `text`, added when new; UINT32_MAX when memory is out.
 * A zero byte ends the text early. Amortized O(length). */
uint32_t orr_strings_add(struct orr_strings *strings, const char *text, size_t length);

/* Plural suffix of a noun after a count: "" for 1, else "s". */
const char *orr_plural(uint64_t count);

/* The bytes of `text` up to its first comma that is in no bracket, or to its end. O(them). */
size_t orr_comma_part(const char *text);

/* Edits (insertions, deletions, substitutions, swaps of neighbours) from a to b, at most `limit`;
 * letters count as equal in either case, and '-', '_' and ' ' as each other. Names of more than 63
 * bytes are equal (0) or not (`limit`). O(|a| |b|). */
unsigned orr_edit_distance(const char *a, const char *b, unsigned limit);

/* Whether two names are the same: letters in the same case, '-' and '_' as each other. O(|a|). */
bool orr_same_name(const char *a, const char *b);

/* The candidate nearest to `name` by edit distance, the first of ties; NULL if none is near enough:
 * at most a third of the letters may differ, at least one and at most four. */
const char *orr_nearest_name(const char *name, const char *const *candidates, size_t count);

/* The end of a message: `; did you mean "NAME"?` for the nearest candidate, or an empty text.
 * Returns `text`, cut to `bytes`; ORR_SUGGESTION_BYTES hold any name. */
enum { ORR_SUGGESTION_BYTES = 96 };
char *orr_suggest_name(const char *name, const char *const *candidates, size_t count, char *text,
                       size_t bytes);

#endif
