/* Deprecated names of keys and of choices, accepted with a warning; see conf_private.h. A row stays
 * for one release after its name has changed. A choice counts as deprecated only where the list of
 * choices lacks it and has the current one: "events" may be current for another key. */
#include <string.h>

#include "core/conf/conf_private.h"

static const struct rename {
    const char *old, *current;
} key_renames[] = {{"whole_all_reduce", "monolithic_all_reduce"}, {NULL, NULL}},
  choice_renames[] = {{"equal", "maxmin"},
                      {"borrow", "detour"},
                      {"together", "closed_form"},
                      {"events", "event_driven"},
                      {NULL, NULL}};

static const char *current_name(const struct rename *rename, const char *name)
{
    while (rename->old != NULL && strcmp(rename->old, name) != 0) {
        rename++;
    }
    return rename->old != NULL ? rename->current : name;
}

const char *orr_conf_current_key(const char *name)
{
    return current_name(key_renames, name);
}

const char *orr_conf_current_choice(const char *name)
{
    return current_name(choice_renames, name);
}

void orr_conf_warn_deprecated(const struct orr_location *location, const char *old,
                              const char *current, struct orr_diag *diag)
{
    orr_diag_warn(diag, location, "\"%s\" is deprecated; write \"%s\"", old, current);
}
