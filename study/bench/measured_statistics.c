/* Statistics of a bench of measured times: medians of errors, and bandwidths at the largest size;
 * see measured_statistics.h. */
#include "study/bench/measured_statistics.h"

#include <math.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/time.h"
#include "orrery/orrery.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

double orr_measured_point_error(const struct orr_measured_point *point)
{
    return (double)point->wall_ps * 1e-6 / point->row->time_us - 1;
}

double orr_measured_bus_bandwidth(const struct orr_measured_row *row, double seconds)
{
    const struct orrery_summary_row second = {.kind = ORRERY_NODE_COLLECTIVE,
                                              .name = orr_coll_kind_name(row->kind),
                                              .npus = row->npus,
                                              .bytes = orr_measured_coll_bytes(row),
                                              .time_ps = ORR_PS_PER_S};
    return orrery_bus_bandwidth(&second) / seconds;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *value, size_t count)
{
    if (count == 0) {
        return -1;
    }
    qsort(value, count, sizeof *value, ascending);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Median error of the block's rows of at least 1 MiB, or below. */
static double median_of(const struct orr_measured_bench *bench,
                        const struct orr_measured_block *block, bool large, double *value,
                        size_t *count)
{
    *count = 0;
    for (size_t i = block->first; i < block->first + block->count; i++) {
        if ((bench->point[i].row->bytes >= ORR_MEASURED_LARGE) == large) {
            value[(*count)++] = fabs(orr_measured_point_error(&bench->point[i]));
        }
    }
    return median(value, *count);
}

/* ---- classes of sizes ---- */

enum orr_measured_class orr_measured_class_of(uint64_t bytes)
{
    return bytes <= UINT64_C(1) << 16  ? ORR_MEASURED_LATENCY
           : bytes < UINT64_C(1) << 26 ? ORR_MEASURED_MIDDLE
                                       : ORR_MEASURED_BANDWIDTH;
}

bool orr_measured_ratio_is_normal(enum orr_measured_class size_class, double ratio)
{
    static const double factor[ORR_MEASURED_CLASSES] = {2, 2.5, 1.25};
    return ratio <= factor[size_class] && ratio >= 1 / factor[size_class];
}

static void set_classes(const struct orr_measured_bench *bench, struct orr_measured_block *block,
                        double *value)
{
    for (unsigned c = 0; c < ORR_MEASURED_CLASSES; c++) {
        struct orr_measured_sizes *sizes = &block->sizes[c];
        for (size_t i = block->first; i < block->first + block->count; i++) {
            if (orr_measured_class_of(bench->point[i].row->bytes) == c) {
                value[sizes->rows++] = 1 / (1 + orr_measured_point_error(&bench->point[i]));
            }
        }
        sizes->ratio = sizes->rows > 0 ? median(value, sizes->rows) : 0;
        sizes->normal = sizes->rows == 0 ||
                        orr_measured_ratio_is_normal((enum orr_measured_class)c, sizes->ratio);
    }
}

bool orr_measured_block_is_normal(const struct orr_measured_block *block)
{
    bool normal = block->normal;
    for (unsigned c = 0; c < ORR_MEASURED_CLASSES; c++) {
        normal = normal && block->sizes[c].normal;
    }
    return normal;
}

/* Bandwidths at the largest size; of several such rows the median time counts. A size that tells no
 * bandwidth is judged as its class is. */
static void largest(const struct orr_measured_bench *bench, struct orr_measured_block *block,
                    double *value)
{
    const size_t last = block->first + block->count - 1;
    const struct orr_measured_point *point = &bench->point[last];
    size_t count = 0;
    block->bytes = point->row->bytes;
    while (count < block->count && bench->point[last - count].row->bytes == block->bytes) {
        value[count] = bench->point[last - count].row->time_us;
        count++;
    }
    block->measured_bandwidth = orr_measured_bus_bandwidth(point->row, median(value, count) * 1e-6);
    block->bandwidth = orr_measured_bus_bandwidth(point->row, (double)point->wall_ps * 1e-12);
    block->gap = block->measured_bandwidth / block->bandwidth - 1;
    const enum orr_measured_class size_class = orr_measured_class_of(block->bytes);
    block->normal = size_class == ORR_MEASURED_BANDWIDTH ? fabs(block->gap) <= ORR_MEASURED_NORMAL
                                                         : block->sizes[size_class].normal;
}

static void set_medians(const struct orr_measured_bench *bench, struct orr_measured_block *block,
                        double *value)
{
    block->median_large = median_of(bench, block, true, value, &block->large);
    block->median_small = median_of(bench, block, false, value, &block->small);
}

enum orr_status orr_measured_statistics(struct orr_measured_bench *bench, struct orr_diag *diag)
{
    double *value = orr_heap_calloc(bench->points, sizeof *value);
    if (value == NULL) {
        return orr_diag_no_memory(diag, "medians");
    }
    struct orr_measured_block *all = &bench->all;
    for (size_t b = 0; b < bench->blocks; b++) {
        struct orr_measured_block *block = &bench->block[b];
        set_medians(bench, block, value);
        set_classes(bench, block, value);
        largest(bench, block, value);
        bench->abnormal += block->normal ? 0 : 1;
        if (fabs(log1p(block->gap)) > fabs(log1p(bench->block[bench->farthest].gap))) {
            bench->farthest = (unsigned)b;
        }
    }
    all->count = bench->points;
    set_medians(bench, all, value);
    const struct orr_measured_block *far = &bench->block[bench->farthest];
    all->bytes = far->bytes;
    all->measured_bandwidth = far->measured_bandwidth;
    all->bandwidth = far->bandwidth;
    all->gap = far->gap;
    all->normal = bench->abnormal == 0;
    orr_heap_free(value);
    return ORR_OK;
}
