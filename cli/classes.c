/* Grouping NPUs by their times; see classes.h. */
#include "cli/classes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

struct row {
    struct orrery_times times;
    uint32_t rank;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    const int order = memcmp(&first->times, &second->times, sizeof first->times);
    return order != 0 ? order : (first->rank > second->rank) - (first->rank < second->rank);
}

static int compare_classes(const void *a, const void *b)
{
    const struct orr_class *first = a, *second = b;
    return (first->rank[0] > second->rank[0]) - (first->rank[0] < second->rank[0]);
}

static void group(struct orr_classes *classes, const struct row *rows, uint32_t npus)
{
    for (uint32_t i = 0; i < npus; i++) {
        classes->ranks[i] = rows[i].rank;
        if (i > 0 && memcmp(&rows[i].times, &rows[i - 1].times, sizeof rows->times) == 0) {
            classes->item[classes->count - 1].members++;
            continue;
        }
        classes->item[classes->count++] =
            (struct orr_class){.times = rows[i].times, .rank = &classes->ranks[i], .members = 1};
    }
    qsort(classes->item, classes->count, sizeof *classes->item, compare_classes);
}

bool orr_classes_init(struct orr_classes *classes, const struct orrery *job)
{
    const uint32_t npus = orrery_npus(job);
    struct row *rows = orr_heap_calloc(npus, sizeof *rows);
    *classes = (struct orr_classes){.item = orr_heap_calloc(npus, sizeof *classes->item),
                                    .ranks = orr_heap_calloc(npus, sizeof *classes->ranks)};
    if (rows == NULL || classes->item == NULL || classes->ranks == NULL) {
        orr_heap_free(rows);
        orr_classes_fini(classes);
        return false;
    }
    for (uint32_t rank = 0; rank < npus; rank++) {
        rows[rank].rank = rank;
        (void)orrery_npu_times(job, rank, &rows[rank].times);
    }
    qsort(rows, npus, sizeof *rows, compare_rows);
    group(classes, rows, npus);
    orr_heap_free(rows);
    return true;
}

void orr_classes_fini(struct orr_classes *classes)
{
    orr_heap_free(classes->item);
    orr_heap_free(classes->ranks);
}

size_t orr_format_ranks(const uint32_t *ranks, uint32_t count, char *text, size_t bytes)
{
    enum { DOTS = 4 };
    size_t used = 0, shown = 0;
    bool cut = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = i;
        while (last + 1 < count && ranks[last + 1] == ranks[last] + 1) {
            last++;
        }
        char piece[32];
        const size_t length = (size_t)snprintf(piece, sizeof piece,
                                               last > i ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                                               used != 0 ? "," : "", ranks[i], ranks[last]);
        cut = cut || shown + length + DOTS + 1 > bytes;
        if (!cut) {
            (void)snprintf(text + shown, bytes - shown, "%s", piece);
            shown += length;
        }
        used += length;
        i = last;
    }
    if (cut && shown + DOTS < bytes) {
        (void)snprintf(text + shown, bytes - shown, ",...");
    }
    return used + DOTS + 1;
}
