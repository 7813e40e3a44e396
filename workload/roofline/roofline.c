/* The roofline; see roofline.h. */
#include "workload/roofline/roofline.h"

/* By a rate and a bandwidth. */
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
        /* 0 operations on some bytes: the reference divides 0 by 0, which is no time. */
        const double ns = operation_count != 0 ? operations / perf * 1e9 : 0;
        return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
    }
    if (operation_count == 0) {
        return orr_time_of_bytes(byte_count, memory_bytes_per_s);
    }
    return orr_time_of_seconds(operations / perf);
}

/* With the shares of a kind and of sizes. */
static struct wl_roofline reached(const struct wl_roofline *roofline, enum orr_op_kind kind,
                                  uint64_t operations, uint64_t bytes)
{
    struct wl_roofline reached = *roofline;
    if (roofline->efficiency != NULL) {
        const struct wl_share *share = &roofline->efficiency->of[kind];
        reached.peak_flops *= orr_wl_curve_at(&share->peak, (double)operations);
        reached.memory_bytes_per_s *= orr_wl_curve_at(&share->memory, (double)bytes);
    }
    return reached;
}

struct wl_roofline_parts orr_wl_roofline_parts(const struct wl_roofline *roofline,
                                               enum orr_op_kind kind, uint64_t operations,
                                               uint64_t bytes)
{
    const struct wl_roofline at = reached(roofline, kind, operations, bytes);
    const bool works = operations > 0 || bytes > 0;
    return (struct wl_roofline_parts){
        .constant_ps =
            roofline->efficiency != NULL && works ? roofline->efficiency->of[kind].constant_ps : 0,
        .by_memory = (double)bytes * at.peak_flops > (double)operations * at.memory_bytes_per_s};
}

sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, enum orr_op_kind kind,
                              uint64_t operations, uint64_t bytes)
{
    if (roofline->efficiency == NULL) {
        return time_at(roofline, operations, bytes);
    }
    if (operations == 0 && bytes == 0) {
        return 0;
    }
    const struct wl_roofline at = reached(roofline, kind, operations, bytes);
    return orr_time_add(time_at(&at, operations, bytes),
                        roofline->efficiency->of[kind].constant_ps);
}
