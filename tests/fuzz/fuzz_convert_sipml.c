/* Fuzz target of SiP-ML profiles: any bytes give a profile or an error with its place; a profile
 * gives a trace, or an error that names a cycle. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sipml/profiles/sipml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_trace(struct orr_arena *arena, const struct sipml_profile *profile)
{
    static const double shares[] = {0, 0.3, -4, 1e9};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        const struct sipml_interpolation between = {profile, profile, shares[i]};
        const struct orr_trace *trace = NULL;
        struct conv_report report;
        struct orr_diag diag;
        orr_diag_init(&diag);
        orr_convert_report_init(&report, arena);
        if (orr_sipml_trace(arena, &between, &trace, &report, &diag) == ORR_OK) {
            ORR_ASSERT(trace->nodes == profile->ops && trace->edges <= profile->edges);
        } else {
            ORR_ASSERT(diag.status == ORR_ERR_INPUT && strstr(diag.message, "cycle") != NULL);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_et_bytes bytes = {.name = "input", .data = data, .count = size};
    struct sipml_profile profile;
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (orr_sipml_read(arena, &bytes, &profile, &diag) == ORR_OK) {
        make_trace(arena, &profile);
    } else {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
    }
    orr_arena_destroy(arena);
    return 0;
}
