/* Several profiles of a model, each of another batch: interpolation between measured times; see
 * profile.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "workload/model/profile.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* ---- reading ---- */

static const struct orr_key keys[] = {
    {.name = "profiles",
     .type = ORR_KEY_TEXT,
     .required = true,
     .list = true,
     .min = 1,
     .max = 1000,
     .example = "profiles: [bs64.json, bs256.json]",
     .doc = "files, relative to this one, each of another batch size: times in between are on the "
            "line through the two nearest"},
};

const struct orr_key_table orr_model_profiles_table = {"a list of profiles", keys, COUNT(keys),
                                                       NULL};

static enum orr_status check_batch(const struct model_profile *first,
                                   const struct model_profile *last, const struct orr_conf *node,
                                   struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(node);
    for (const struct model_profile *before = first; before != last; before = before->next) {
        if (before->batch == last->batch) {
            return orr_diag_fail(
                diag, ORR_ERR_INPUT, &place,
                "%s: expected a profile of another batch size than %s, got %" PRIu64 " of both",
                node->path, before->file, last->batch);
        }
    }
    return ORR_OK;
}

static enum orr_status read_profile(struct orr_arena *arena, const struct orr_conf *node,
                                    struct model_profile *out, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    const char *path = orr_conf_resolve_path(arena, node);
    enum orr_status status = path != NULL ? orr_conf_load(arena, path, &root, diag)
                                          : orr_diag_no_memory(diag, "measured times");
    return status == ORR_OK ? orr_model_profile_read(arena, root, out, diag) : status;
}

static enum orr_status read_all(struct orr_arena *arena, const struct orr_conf *root,
                                struct model_profile *out, struct orr_diag *diag)
{
    struct orr_conf_list files = {0};
    enum orr_status status =
        orr_conf_read(root, orr_model_profiles_table.owner, keys, COUNT(keys), &files, diag);
    const struct orr_conf *list = orr_conf_get(root, "profiles");
    struct model_profile *last = out;
    for (size_t i = 0; status == ORR_OK && i < files.count; i++) {
        struct model_profile *next = i == 0 ? out : orr_arena_alloc(arena, sizeof *next);
        if (next == NULL) {
            return orr_diag_no_memory(diag, "measured times");
        }
        status = read_profile(arena, list->item[i], next, diag);
        if (status == ORR_OK && i > 0) {
            last->next = next;
            last = next;
            status = check_batch(out, last, list->item[i], diag);
        }
    }
    return status;
}

enum orr_status orr_model_profile_load(struct orr_arena *arena, const char *path,
                                       struct model_profile *out, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    const enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status != ORR_OK) {
        return status;
    }
    return root->kind == ORR_CONF_MAP && orr_conf_get(root, "profiles") != NULL
               ? read_all(arena, root, out, diag)
               : orr_model_profile_read(arena, root, out, diag);
}

/* ---- asking ---- */

/* The two nearest measurements below and above a number of samples. */
struct bracket {
    struct point {
        double samples, forward_ps, backward_ps; /* samples 0: none */
    } below[2], above[2];
};

/* If two profiles measured the same number of samples a part, the first one counts. */
static void keep_nearest(struct point nearest[2], const struct point *point, bool nearer,
                         bool second)
{
    if (point->samples == nearest[0].samples) {
        return;
    }
    if (nearer) {
        nearest[1] = nearest[0];
        nearest[0] = *point;
    } else if (second) {
        nearest[1] = *point;
    }
}

static void place(struct bracket *bracket, const struct point *point, double samples)
{
    if (point->samples < samples) {
        keep_nearest(bracket->below, point, point->samples > bracket->below[0].samples,
                     point->samples > bracket->below[1].samples);
    } else {
        keep_nearest(bracket->above, point,
                     bracket->above[0].samples == 0 || point->samples < bracket->above[0].samples,
                     bracket->above[1].samples == 0 || point->samples < bracket->above[1].samples);
    }
}

static sim_time interpolate(double from, double to, double share)
{
    const double time = from + (to - from) * share;
    return time <= 0 ? 0 : time < 9e18 ? (sim_time)(time + 0.5) : ORR_TIME_MAX;
}

bool orr_model_profile_interpolate(const struct model_profile *profile, const char *name,
                                   const uint32_t split[MODEL_MAX_SPLITS], uint64_t samples,
                                   sim_time *forward_ps, sim_time *backward_ps)
{
    struct bracket bracket = {0};
    for (; profile != NULL; profile = profile->next) {
        uint32_t count = 0;
        const struct model_measure *measure = orr_model_profile_of(profile, name, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct point point = {(double)profile->batch / measure[i].samples,
                                        (double)measure[i].forward_ps,
                                        (double)measure[i].backward_ps};
            if (memcmp(measure[i].split, split, sizeof measure[i].split) == 0) {
                place(&bracket, &point, (double)samples);
            }
        }
    }
    const struct point *a = bracket.below[0].samples != 0 ? &bracket.below[0] : &bracket.above[0];
    const struct point *b = a == &bracket.above[0]          ? &bracket.above[1]
                            : bracket.above[0].samples != 0 ? &bracket.above[0]
                                                            : &bracket.below[1];
    if (a->samples == 0 || b->samples == 0 || a->samples == b->samples) {
        return false;
    }
    const double share = ((double)samples - a->samples) / (b->samples - a->samples);
    *forward_ps = interpolate(a->forward_ps, b->forward_ps, share);
    *backward_ps = interpolate(a->backward_ps, b->backward_ps, share);
    return true;
}

void orr_model_profile_sizes(const struct model_profile *profile, const char *name,
                             const uint32_t split[MODEL_MAX_SPLITS], char text[MODEL_SIZES_BYTES])
{
    size_t at = 0;
    text[0] = '\0';
    for (; profile != NULL; profile = profile->next) {
        uint32_t count = 0;
        const struct model_measure *measure = orr_model_profile_of(profile, name, &count);
        for (uint32_t i = 0; i < count && at + 32 < MODEL_SIZES_BYTES; i++) {
            if (memcmp(measure[i].split, split, sizeof measure[i].split) == 0) {
                at += (size_t)snprintf(text + at, MODEL_SIZES_BYTES - at, "%s%.10g",
                                       at > 0 ? ", " : "",
                                       (double)profile->batch / measure[i].samples);
            }
        }
    }
}
