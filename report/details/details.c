/* All details of a run; see details.h. */
#include "report/details/details.h"

#include <jansson.h>

#include "core/conf/conf_read.h"
#include "report/details/details_parts.h"
#include "report/json_text.h"

void orr_part_missing(const struct orr_parts *parts, const char *name, const char *why)
{
    (void)json_object_set_new(parts->missing, name, orr_json_text(why));
}

static void add_origin(void *user, const char *key, const char *value, const char *origin)
{
    (void)value;
    if (origin != orr_conf_omitted_default && origin != NULL) {
        (void)json_object_set_new(user, key, orr_json_text(origin));
    }
}

json_t *orr_details_object(const struct orr_details *of)
{
    const struct orr_parts parts = {json_object(), json_object()};
    json_t *origins = json_object();
    if (parts.details == NULL || parts.missing == NULL || origins == NULL) {
        json_decref(parts.details);
        json_decref(parts.missing);
        json_decref(origins);
        return NULL;
    }
    (void)json_object_set_new(parts.details, "orrery", json_string(orrery_version()));
    if (of->command != NULL) {
        (void)json_object_set_new(parts.details, "command", orr_json_text(of->command));
    }
    orrery_explain(of->job, add_origin, origins);
    (void)json_object_set_new(parts.details, "origins", origins);
    orr_details_timeline(&parts, of);
    orr_details_links(&parts, of);
    orr_details_traffic(&parts, of);
    orr_details_picture(&parts, of);
    orr_details_memory(&parts, of);
    (void)json_object_set_new(parts.details, "missing", parts.missing);
    return parts.details;
}
