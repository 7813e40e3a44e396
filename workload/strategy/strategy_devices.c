/* Lists of devices as text, and patterns of names; see strategy_file.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "workload/strategy/strategy_file.h"

struct device_range {
    uint32_t first, last, step;
};

/* Digits up to `end`; false where there are none or too many. */
static bool parse_number(const char **text, uint32_t *out)
{
    char *end;
    const unsigned long long value = isdigit((unsigned char)**text) ? strtoull(*text, &end, 10) : 0;
    if (!isdigit((unsigned char)**text) || value > UINT32_MAX - 1) {
        return false;
    }
    *text = end;
    *out = (uint32_t)value;
    return true;
}

static bool parse_range(const char *text, struct device_range *out)
{
    out->step = 1;
    bool good = parse_number(&text, &out->first);
    out->last = out->first;
    if (good && *text == '-') {
        text++;
        good = parse_number(&text, &out->last) && out->last >= out->first;
        if (good && *text == ':') {
            text++;
            good = parse_number(&text, &out->step) && out->step >= 1;
        }
    }
    return good && *text == '\0';
}

/* Appends the devices of one entry. */
static enum orr_status add_entry(struct orr_arena *arena, const struct orr_conf *node,
                                 uint32_t **list, size_t *capacity, uint32_t *count,
                                 struct orr_diag *diag)
{
    struct device_range range;
    if (node->kind != ORR_CONF_SCALAR || !parse_range(node->text, &range)) {
        return orr_conf_expected(node,
                                 "a device such as 3, or devices such as \"4-7\" or "
                                 "\"0-12:4\" (every fourth)",
                                 diag);
    }
    const uint64_t more = (range.last - range.first) / range.step + 1;
    if (*count + more > STRATEGY_MAX_PARTS) {
        return orr_conf_expected(node, "at most 65536 devices of an operator", diag);
    }
    uint32_t *grown = orr_arena_grow(arena, *list, capacity, *count + more, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "devices");
    }
    *list = grown;
    for (uint64_t i = 0; i < more; i++) {
        grown[(*count)++] = range.first + (uint32_t)i * range.step;
    }
    return ORR_OK;
}

enum orr_status orr_strategy_read_devices(struct orr_arena *arena, const struct orr_conf *node,
                                          const uint32_t **devices, uint32_t *count,
                                          struct orr_diag *diag)
{
    uint32_t *list = NULL;
    size_t capacity = 0;
    *count = 0;
    enum orr_status status = node->kind == ORR_CONF_LIST && node->count > 0
                                 ? ORR_OK
                                 : add_entry(arena, node, &list, &capacity, count, diag);
    for (size_t i = 0; node->kind == ORR_CONF_LIST && i < node->count && status == ORR_OK; i++) {
        status = add_entry(arena, node->item[i], &list, &capacity, count, diag);
    }
    *devices = list;
    return status;
}

/* The number of devices from `device` on, at least 1, that ascend by the same step; runs of 2 count
 * as 1 unless they are neighbours. */
static uint32_t run_length(const uint32_t *device, uint32_t count, uint32_t *step)
{
    uint32_t run = 1;
    *step = count > 1 && device[1] > device[0] ? device[1] - device[0] : 0;
    while (*step != 0 && run < count && device[run] > device[run - 1] &&
           device[run] - device[run - 1] == *step) {
        run++;
    }
    return run > 2 || *step == 1 ? run : 1;
}

void orr_strategy_write_devices(FILE *out, const uint32_t *device, uint32_t count)
{
    (void)fputc('[', out);
    for (uint32_t i = 0; i < count;) {
        uint32_t step;
        const uint32_t run = run_length(device + i, count - i, &step);
        (void)fprintf(out, "%s%" PRIu32, i > 0 ? ", " : "", device[i]);
        if (run > 1) {
            (void)fprintf(out, "-%" PRIu32, device[i + run - 1]);
        }
        if (run > 1 && step > 1) {
            (void)fprintf(out, ":%" PRIu32, step);
        }
        i += run;
    }
    (void)fputc(']', out);
}

bool orr_strategy_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL; /* the last star, and the text where it began to match */
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == *name || *pattern == '?') {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

enum { BEGINNING_BYTES = 128 };

const char *orr_strategy_nearest(const char *pattern, const char *const *name, uint32_t names)
{
    const size_t length = strcspn(pattern, "*?");
    char begin[BEGINNING_BYTES], other[BEGINNING_BYTES];
    if (pattern[length] == '\0' || length == 0 || length >= BEGINNING_BYTES) {
        return orr_nearest_name(pattern, name, names);
    }
    (void)snprintf(begin, sizeof begin, "%.*s", (int)length, pattern);
    for (uint32_t i = 0; i < names; i++) {
        const char *const candidate = other;
        (void)snprintf(other, sizeof other, "%.*s", (int)length, name[i]);
        if (orr_nearest_name(begin, &candidate, 1) != NULL) {
            return name[i];
        }
    }
    return NULL;
}
