/* Classes of NPUs with equal times; see time_classes.h. */
#include "sim/time_classes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

/* The times of a class of the fold. */
struct class_row {
    struct orrery_times times;
    uint32_t fold_class; /* ascending with its lowest rank */
};

static int compare_rows(const void *a, const void *b)
{
    const struct class_row *first = a, *second = b;
    const int order = memcmp(&first->times, &second->times, sizeof first->times);
    return order != 0 ? order
                      : (first->fold_class > second->fold_class) -
                            (first->fold_class < second->fold_class);
}

static int compare_classes(const void *a, const void *b)
{
    const struct orr_class *first = a, *second = b;
    return (first->rank[0] > second->rank[0]) - (first->rank[0] < second->rank[0]);
}

/* Merges rows of equal times; item[fold class] becomes the index of its class. */
static void merge_rows(struct orr_classes *classes, const struct class_row *rows, uint32_t count,
                       uint32_t class_size, uint32_t *item)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || memcmp(&rows[i].times, &rows[i - 1].times, sizeof rows->times) != 0) {
            classes->item[classes->count++] = (struct orr_class){.times = rows[i].times};
        }
        item[rows[i].fold_class] = classes->count - 1;
        classes->item[classes->count - 1].members += class_size;
    }
}

static void list_ranks(struct orr_classes *classes, const struct orrery *job, const uint32_t *item)
{
    uint32_t at = 0;
    for (uint32_t c = 0; c < classes->count; c++) {
        classes->item[c].rank = &classes->ranks[at];
        at += classes->item[c].members;
        classes->item[c].members = 0;
    }
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        struct orr_class *of = &classes->item[item[orrery_fold_class(job, rank)]];
        classes->ranks[(of->rank - classes->ranks) + of->members++] = rank;
    }
    qsort(classes->item, classes->count, sizeof *classes->item, compare_classes);
}

bool orr_classes_init(struct orr_classes *classes, const struct orrery *job)
{
    const uint32_t npus = orrery_npus(job), count = orrery_fold_classes(job);
    struct class_row *rows = orr_heap_calloc(count, sizeof *rows);
    uint32_t *item = orr_heap_calloc(count, sizeof *item);
    *classes = (struct orr_classes){.item = orr_heap_calloc(count, sizeof *classes->item),
                                    .ranks = orr_heap_calloc(npus, sizeof *classes->ranks)};
    const bool good =
        rows != NULL && item != NULL && classes->item != NULL && classes->ranks != NULL;
    for (uint32_t c = 0; c < count && good; c++) {
        rows[c].fold_class = c;
        (void)orrery_npu_times(job, orrery_fold_rank(job, c), &rows[c].times);
    }
    if (good) {
        qsort(rows, count, sizeof *rows, compare_rows);
        merge_rows(classes, rows, count, npus / count, item);
        list_ranks(classes, job, item);
    } else {
        orr_classes_fini(classes);
    }
    orr_heap_free(rows);
    orr_heap_free(item);
    return good;
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
