/* Hints about layouts that fit, as --set options; see layout_hints.h. */
#include "cli/layout_hints.h"

#include <stdio.h>

#include "cli/terminal.h"
#include "core/strings.h"
#include "core/units.h"

enum { TEXT = 32, LINE = 512 };

/* "--set A=B --set C=D", or "this layout". */
static const char *options_of(const struct orrery_layout *layout, char line[LINE])
{
    size_t used = 0;
    (void)snprintf(line, LINE, "this layout");
    for (unsigned i = 0; i < layout->sets && used < LINE; i++) {
        used += (size_t)snprintf(line + used, LINE - used, "%s--set %s", i > 0 ? " " : "",
                                 layout->set[i]);
    }
    return line;
}

static void print_nearest(const struct orrery *job, const struct orrery_layouts *layouts)
{
    char line[LINE], bytes[TEXT];
    orr_print_message("nearest layouts on the same %u NPU%s that fit:\n", orrery_npus(job),
                      orr_plural(orrery_npus(job)));
    for (unsigned i = 0; i < layouts->count; i++) {
        orr_print_message("  %s (%s)\n", options_of(&layouts->near[i], line),
                          orr_format_bytes(layouts->near[i].bytes, bytes, TEXT));
    }
}

void orr_print_layout_hints(struct orrery *job)
{
    struct orrery_layouts layouts;
    char line[LINE], bytes[TEXT];
    if (!orrery_too_large(job) || orrery_find_layouts(job, &layouts) != ORRERY_OK ||
        layouts.single) {
        return;
    }
    if (layouts.count > 0) {
        print_nearest(job, &layouts);
    } else if (layouts.pool) {
        return;
    } else {
        orr_print_message(
            "no layout on the same %u NPU%s fits with up to 3 changes of tensor, pipeline, zero "
            "and recompute; the smallest need of all layouts is %s, with %s\n",
            orrery_npus(job), orr_plural(orrery_npus(job)),
            orr_format_bytes(layouts.min.bytes, bytes, TEXT), options_of(&layouts.min, line));
    }
    orr_print_message("--ignore-capacity runs it all the same\n");
}
