/* Errors at keys of the sections; see parallel_plan.h. */
#include <stdarg.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "core/diag.h"
#include "workload/parallel/parallel_plan.h"

enum orr_status orr_gen_fail(const struct orr_conf *section, const char *key, struct orr_diag *diag,
                             const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct orr_conf *node = section != NULL ? orr_conf_get(section, key) : NULL;
    if (section == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: %s", key, text);
    }
    const struct orr_location location = orr_conf_location(node != NULL ? node : section);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s.%s: %s", section->path, key, text);
}
