/* The roofline; see roofline.h. */
#include "workload/roofline/roofline.h"

sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, enum orr_op_kind kind,
                              uint64_t operation_count, uint64_t byte_count)
{
    const double operations = (double)operation_count;
    const double bytes = (double)byte_count;
    double perf = roofline->peak_flops;
    double memory_bytes_per_s = roofline->memory_bytes_per_s;
    if (roofline->efficiency != NULL) {
        perf *= orr_wl_curve_at(&roofline->efficiency->peak[kind], operations);
        memory_bytes_per_s *= orr_wl_curve_at(&roofline->efficiency->memory[kind], bytes);
    }
    if (bytes > 0 && memory_bytes_per_s * (operations / bytes) < perf) {
        perf = memory_bytes_per_s * (operations / bytes);
    }
    if (roofline->truncate_to_ns) {
        const double ns = operations / perf * 1e9;
        return ns < 9.2e15 ? (sim_time)ns * ORR_PS_PER_NS : ORR_TIME_MAX;
    }
    if (operation_count == 0) {
        return orr_time_of_bytes(byte_count, memory_bytes_per_s);
    }
    return orr_time_of_seconds(operations / perf);
}
