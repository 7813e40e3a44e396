/* Exchanges of tokens among experts by kernels of their own: DeepEP (deepseek-ai/DeepEP, V1 2025
 * and V2 2026), HybridEP. A token goes once to each node over the NICs and from there over the
 * links of the node; these are two exchanges, each an all-to-all of equal parts, at the same time.
 *
 * Shares of the data sheets' bandwidths by DeepEP's tables: 44.5 of 50 GB/s of a NIC (H100, H800: 2
 * to 8 nodes); of NVLink 134 of 200 GB/s (H800, 20 to 24 SMs), 563 and 635 of 900 (B200, 24 and 64
 * SMs). The host waits for the sizes first. */
#include <math.h>

#include "system/ccl/ccl_private.h"

static const double outer_share = 0.89, host_wait_s = 20e-6;

void orr_sys_ccl_choose_tokens(const struct sys_ccl *library, const struct sys_ccl_shape *shape,
                               double bytes, struct sys_ccl_choice *out)
{
    const double n = shape->npus, g = n / fmax(shape->nodes, 1);
    const double share =
        library->gpu->token_share > 0 ? library->gpu->token_share : library->gpu->link_share;
    *out =
        (struct sys_ccl_choice){.algorithm = shape->npus < 2 ? "none" : "tokens", .protocol = ""};
    if (shape->npus < 2) {
        return;
    }
    out->inner_bytes = bytes * (g - 1) / n;
    out->outer_bytes = bytes * (n - g) / n;
    out->inner_s = g > 1 ? out->inner_bytes / (shape->inner_bytes_per_s * share) : 0;
    out->outer_s =
        shape->nodes > 1 ? out->outer_bytes / (shape->outer_bytes_per_s * outer_share) : 0;
    out->transfer_s = fmax(out->inner_s, out->outer_s);
    out->latency_s = host_wait_s;
    out->launch_s = (double)library->launch_ps / ORR_PS_PER_S;
}
