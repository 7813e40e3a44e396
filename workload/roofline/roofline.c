/* The roofline; see roofline.h. */
#include "workload/roofline/roofline.h"

#include "workload/trace/op_kind.h"

/* Time by a rate and a bandwidth. */
static sim_time time_at(const struct wl_roofline *roofline, uint64_t operation_count,
                        uint64_t byte_count)
{
    const double operations = (double)operation_count;
    const double bytes = (double)byte_count;
    const double memory_bytes_per_s = roofline->memory_bytes_per_s;
    double perf = roofline->peak_flops;
    if (bytes > 0 && memory_bytes_per_s * (operations / bytes) < perf) {
        perf = memory_bytes_per_s * (operations / bytes);
    }
    if (roofline->truncate_to_ns) {
        /* 0 operations on some bytes: the reference divides 0 by 0, which it takes as no time. */
        const double ns = operation_count != 0 ? operations / perf * 1e9 : 0;
        return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
    }
    if (operation_count == 0) {
        return orr_time_of_bytes(byte_count, memory_bytes_per_s);
    }
    return orr_time_of_seconds(operations / perf);
}

enum orr_op_kind orr_wl_rate_kind(enum orr_op_kind kind, unsigned flags)
{
    static const enum orr_op_kind of_type[ORR_PRODUCT_TYPES] = {[ORR_PRODUCT_ELEMENT] = ORR_OP_GEMM,
                                                                [ORR_PRODUCT_FP8] = ORR_OP_GEMM_FP8,
                                                                [ORR_PRODUCT_FP4] =
                                                                    ORR_OP_GEMM_FP4};
    return kind == ORR_OP_GEMM ? of_type[orr_wl_product_type(flags)] : kind;
}

static const struct wl_kind_efficiency *efficiency_of(const struct wl_roofline *roofline,
                                                      const struct wl_work *work)
{
    return &roofline->efficiency->of[orr_wl_rate_kind(work->kind, work->flags)];
}

/* The peak before efficiency. */
static double peak_of(const struct wl_roofline *roofline, const struct wl_work *work)
{
    const bool product = work->kind == ORR_OP_GEMM;
    const double of_type = roofline->product_peak_flops[orr_wl_product_type(work->flags)];
    const bool unaligned = (product || work->kind == ORR_OP_ATTENTION) &&
                           (work->flags & ORR_COMP_UNALIGNED) != 0 && roofline->alignment > 0;
    const double peak = product && of_type > 0 ? of_type : roofline->peak_flops;
    return unaligned ? peak * roofline->alignment : peak;
}

/* The rates with efficiency. */
static struct wl_roofline reached_by(const struct wl_roofline *roofline, const struct wl_work *work)
{
    struct wl_roofline reached = *roofline;
    reached.peak_flops = peak_of(roofline, work);
    if (roofline->efficiency != NULL) {
        const struct wl_kind_efficiency *share = efficiency_of(roofline, work);
        reached.peak_flops *= orr_wl_curve_at(&share->peak, (double)work->operations);
        reached.memory_bytes_per_s *= orr_wl_curve_at(&share->memory, (double)work->bytes);
    }
    return reached;
}

static sim_time constant_of(const struct wl_roofline *roofline, const struct wl_work *work)
{
    return roofline->efficiency != NULL ? efficiency_of(roofline, work)->constant_ps : 0;
}

sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, const struct wl_work *work)
{
    if (roofline->efficiency != NULL && work->operations == 0 && work->bytes == 0) {
        return 0;
    }
    const struct wl_roofline at = reached_by(roofline, work);
    return orr_time_add(time_at(&at, work->operations, work->bytes), constant_of(roofline, work));
}

struct wl_roofline_parts orr_wl_roofline_parts(const struct wl_roofline *roofline,
                                               const struct wl_work *work)
{
    const struct wl_roofline at = reached_by(roofline, work);
    const double operations = (double)work->operations, bytes = (double)work->bytes;
    const bool works = work->operations > 0 || work->bytes > 0;
    return (struct wl_roofline_parts){.constant_ps = works ? constant_of(roofline, work) : 0,
                                      .by_memory = bytes * at.peak_flops >
                                                   operations * at.memory_bytes_per_s};
}
