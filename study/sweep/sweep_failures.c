/* Why points failed, grouped; see sweep_failures.h. */
#include "study/sweep/sweep_failures.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* The end of a number with its unit: "93.4 GB", "1e9", "12". */
static const char *skip_number(const char *at)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB",
                                        "TB",  "B",   "ps",  "ns",  "us", "ms", "s"};
    while (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
        at++;
    }
    const char *unit = *at == ' ' ? at + 1 : at;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i]);
        const char next = strncmp(unit, units[i], length) == 0 ? unit[length] : 'x';
        if (strchr(" ,;:)/\n", next) != NULL) { /* its zero byte, too */
            return unit + length;
        }
    }
    return at;
}

/* Hash of the first line, every number as one sign (64-bit FNV-1a). */
static uint64_t hash_alike(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char before = ' ';
    while (*text != '\0' && *text != '\n') {
        const bool negative = *text == '-' && is_digit(text[1]) && strchr(" \"(=:", before) != NULL;
        const bool number = negative || is_digit(*text);
        const unsigned char sign = number ? '#' : (unsigned char)*text;
        before = *text;
        hash = (hash ^ sign) * UINT64_C(0x100000001b3);
        text = number ? skip_number(text + (negative ? 1 : 0)) : text + 1;
    }
    return hash;
}

/* The reason of messages like this one; NULL: there are too many. */
static struct orr_sweep_reason *find(struct orr_sweep_failures *failures, uint64_t alike,
                                     bool unfit)
{
    for (size_t i = 0; i < failures->reasons; i++) {
        if (failures->reason[i].alike == alike && failures->reason[i].unfit == unfit) {
            return &failures->reason[i];
        }
    }
    if (failures->reasons == ORR_SWEEP_REASONS) {
        return NULL;
    }
    struct orr_sweep_reason *reason = &failures->reason[failures->reasons++];
    *reason = (struct orr_sweep_reason){.alike = alike, .unfit = unfit, .first = UINT32_MAX};
    return reason;
}

bool orr_sweep_failures_add(struct orr_sweep_failures *failures, struct orr_arena *arena,
                            uint32_t point, const char *error, bool unfit)
{
    if (failures->reason == NULL) {
        failures->reason = orr_arena_array(arena, ORR_SWEEP_REASONS, sizeof *failures->reason);
    }
    if (failures->reason == NULL) {
        return false;
    }
    struct orr_sweep_reason *reason = find(failures, hash_alike(error), unfit);
    if (reason == NULL) {
        failures->others++;
        return true;
    }
    reason->points++;
    if (point < reason->first) {
        reason->first = point;
        reason->text = orr_arena_strndup(arena, error, strcspn(error, "\n"));
    }
    return reason->text != NULL;
}

static int compare(const void *a, const void *b)
{
    const struct orr_sweep_reason *one = a, *other = b;
    if (one->points != other->points) {
        return one->points > other->points ? -1 : 1;
    }
    return one->first < other->first ? -1 : one->first > other->first;
}

void orr_sweep_failures_sort(struct orr_sweep_failures *failures)
{
    if (failures->reasons != 0) {
        qsort(failures->reason, failures->reasons, sizeof *failures->reason, compare);
    }
}
