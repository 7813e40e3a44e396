/* Interning and nearest names; see strings.h. */
#include "core/strings.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_TABLE = 16, LONGEST_NAME = 63 };

void orr_strings_init(struct orr_strings *strings, struct orr_arena *arena)
{
    *strings = (struct orr_strings){.arena = arena};
}

/* Eight bytes at a time, as MurmurHash mixes them. */
static uint32_t hash_of(const char *text, size_t length)
{
    uint64_t hash = length * UINT64_C(0x9E3779B97F4A7C15);
    while (length != 0) {
        uint64_t word = 0;
        const size_t taken = length < sizeof word ? length : sizeof word;
        memcpy(&word, text, taken);
        hash = (hash ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
        text += taken;
        length -= taken;
    }
    return (uint32_t)(hash ^ hash >> 29);
}

static void insert(struct orr_strings *strings, uint32_t hash, uint32_t index)
{
    uint32_t slot = hash & strings->table_mask;
    while (strings->table[slot] != 0) {
        slot = (slot + 1) & strings->table_mask;
    }
    strings->table[slot] = (uint64_t)hash << 32 | (index + 1);
}

static bool grow_table(struct orr_strings *strings)
{
    const uint32_t old_slots = strings->table == NULL ? 0 : strings->table_mask + 1;
    const uint32_t slots = old_slots == 0 ? FIRST_TABLE : old_slots * 2;
    const uint64_t *old = strings->table;
    uint64_t *table = orr_arena_array(strings->arena, slots, sizeof *table);
    if (table == NULL) {
        return false;
    }
    strings->table = table;
    strings->table_mask = slots - 1;
    for (uint32_t i = 0; i < old_slots; i++) {
        if (old[i] != 0) {
            insert(strings, (uint32_t)(old[i] >> 32), (uint32_t)old[i] - 1);
        }
    }
    return true;
}

static uint32_t add_new(struct orr_strings *strings, uint32_t hash, const char *text, size_t length)
{
    const char **grown = orr_arena_grow(strings->arena, (void *)strings->text, &strings->capacity,
                                        strings->count + (size_t)1, sizeof *grown);
    if (grown == NULL) {
        return UINT32_MAX;
    }
    strings->text = grown;
    grown[strings->count] = orr_arena_strndup(strings->arena, text, length);
    if (grown[strings->count] == NULL) {
        return UINT32_MAX;
    }
    insert(strings, hash, strings->count);
    return strings->count++;
}

uint32_t orr_strings_add(struct orr_strings *strings, const char *text, size_t length)
{
    length = strnlen(text, length);
    if ((strings->table == NULL || strings->count * 2 > strings->table_mask) &&
        !grow_table(strings)) {
        return UINT32_MAX;
    }
    const uint32_t hash = hash_of(text, length);
    uint32_t slot = hash & strings->table_mask;
    for (; strings->table[slot] != 0; slot = (slot + 1) & strings->table_mask) {
        const uint32_t index = (uint32_t)strings->table[slot] - 1;
        if (strings->table[slot] >> 32 == hash &&
            strncmp(strings->text[index], text, length) == 0 &&
            strings->text[index][length] == '\0') {
            return index;
        }
    }
    return add_new(strings, hash, text, length);
}

/* Independent of the locale, unlike tolower. */
static char folded(char c)
{
    const bool upper = c >= 'A' && c <= 'Z';
    return c == '_' || c == ' ' ? '-' : upper ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
    return folded(a) == folded(b);
}

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment (Damerau-Levenshtein without edits inside a swap). Row i holds the
 * distances from the first i letters of a to each beginning of b; three rows are kept. */
unsigned orr_edit_distance(const char *a, const char *b, unsigned limit)
{
    const size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST_NAME || nb > LONGEST_NAME) {
        return strcmp(a, b) == 0 ? 0 : limit;
    }
    unsigned rows[3][LONGEST_NAME + 1];
    for (unsigned j = 0; j <= nb; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            const unsigned changed = above[j - 1] + !same(a[i - 1], b[j - 1]);
            row[j] = min(changed, min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
                row[j] = min(row[j], above2[j - 2] + 1);
            }
        }
    }
    return min(rows[na % 3][nb], limit);
}

const char *orr_nearest_name(const char *name, const char *const *candidates, size_t count)
{
    const unsigned third = strlen(name) < 12 ? (unsigned)strlen(name) / 3 : 4;
    unsigned best_distance = (third > 1 ? third : 1) + 1;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const unsigned distance = orr_edit_distance(name, candidates[i], best_distance);
        if (distance < best_distance && distance < strlen(candidates[i])) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}

bool orr_same_name(const char *a, const char *b)
{
    for (; *a == *b || (*a == '-' && *b == '_') || (*a == '_' && *b == '-'); a++, b++) {
        if (*a == '\0') {
            return true;
        }
    }
    return false;
}

char *orr_suggest_name(const char *name, const char *const *candidates, size_t count, char *text,
                       size_t bytes)
{
    const char *nearest = orr_nearest_name(name, candidates, count);
    text[0] = '\0';
    if (nearest != NULL) {
        (void)snprintf(text, bytes, "; did you mean \"%.64s\"?", nearest);
    }
    return text;
}

size_t orr_comma_part(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] != '\0' && (text[length] != ',' || depth > 0); length++) {
        depth += strchr("([{", text[length]) != NULL ? 1 : 0;
        depth -= strchr(")]}", text[length]) != NULL ? 1 : 0;
    }
    return length;
}

const char *orr_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
