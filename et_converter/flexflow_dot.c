#include "et_converter/flexflow_dot.h"

enum orr_status flexflow_read_dot(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                  struct flexflow_graph *out, struct orr_diag *diag)
{
    (void)arena, (void)out;
    const struct orr_place place = orr_place_file(bytes->name);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "DOT");
}
