/* Message of a failed check; see checker_internal.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/diag.h"
#include "system/collectives/checker_internal.h"
#include "system/collectives/program.h"

enum orr_status orr_check_fail(const struct check *check, enum orr_status status,
                               const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const struct coll_args *args = &check->args;
    return orr_diag_fail(check->diag, status, NULL,
                         "%s %s (n=%" PRIu32 " root=%" PRIu32 " window=%" PRIu32 " variant=%" PRIu32
                         "): %s",
                         check->algorithm->name, orr_coll_kind_name(args->kind), args->n,
                         args->root, args->window, args->variant, text);
}
