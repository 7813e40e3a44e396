/* The fastest layouts; see layout_fastest.h. */
#include "study/layouts/layout_fastest.h"

#include <string.h>

#include "study/layouts/layout_estimates.h"
#include "study/layouts/layout_text.h"

_Static_assert((int)ORR_FAST_LAYOUT_BYTES == (int)ORR_LAYOUT_BYTES &&
                   (int)ORR_FAST_LAYOUT_KEYS == (int)ORR_LAYOUT_KEYS &&
                   (int)ORR_FAST_LAYOUT_KEY_BYTES == (int)ORR_LAYOUT_KEY_BYTES,
               "texts of layouts");

static void describe(const struct orr_estimated_layout *found, struct orr_fast_layout *out)
{
    (void)orr_layout_text(found, out->name);
    out->keys = orr_layout_keys(found, out->key);
    out->step_s = found->estimate.step_s;
    out->memory_bytes = found->memory_bytes;
}

static bool keep(void *context, const struct orr_estimated_layout *found)
{
    struct orr_fast_layouts *out = context;
    uint32_t at = out->count;
    if (!found->fits) {
        return true;
    }
    out->fits++;
    while (at > 0 && found->estimate.step_s < out->best[at - 1].step_s) {
        at--;
    }
    if (at < out->max) {
        const uint32_t last = out->count < out->max ? out->count++ : out->max - 1;
        memmove(&out->best[at + 1], &out->best[at], (last - at) * sizeof *out->best);
        describe(found, &out->best[at]);
    }
    return true;
}

enum orr_status orr_fastest_layouts(const struct orrery *job, uint64_t capacity_bytes,
                                    struct orr_fast_layouts *out, struct orr_diag *diag)
{
    const struct orr_layout_visitor visitor = {.found = keep, .context = out};
    struct orr_layout_estimates all;
    out->count = 0;
    out->fits = 0;
    return orr_estimate_layouts(job, capacity_bytes, &visitor, &all, diag);
}
