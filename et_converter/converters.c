/* Table of converters, and the check of their arguments; see converter.h. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "et_converter/converter.h"
#include "network/coordinates.h"

#define ORR_CONVERTER(name) extern const struct orr_converter name;
#include "et_converter/converter_list.h"
#undef ORR_CONVERTER

static const struct orr_converter *const converters[] = {
#define ORR_CONVERTER(name) &name,
#include "et_converter/converter_list.h"
#undef ORR_CONVERTER
};

enum { CONVERTER_COUNT = sizeof converters / sizeof converters[0] };

const struct orr_converter *const *orr_converters(size_t *count)
{
    *count = CONVERTER_COUNT;
    return converters;
}

const struct orr_converter *orr_converter_find(const char *name)
{
    for (size_t i = 0; i < CONVERTER_COUNT; i++) {
        if (strcmp(converters[i]->name, name) == 0) {
            return converters[i];
        }
    }
    return NULL;
}

const struct orr_converter *orr_converter_of_profiles(void)
{
    size_t i = 0;
    while ((converters[i]->options & CONV_TRACES) == 0) {
        i++;
    }
    return converters[i];
}

bool orr_conv_missing_of(const char *text, enum conv_missing *out)
{
    *out = strcmp(text, "replay") == 0 ? CONV_MISSING_REPLAY
           : strcmp(text, "copy") == 0 ? CONV_MISSING_COPY
                                       : CONV_MISSING_REFUSED;
    return *out != CONV_MISSING_REFUSED;
}

enum orr_status orr_converter_run(const struct orr_converter *converter, const struct conv_job *job,
                                  struct conv_report *report, struct orr_diag *diag)
{
    const enum orr_status status = converter->run(job, report, diag);
    for (size_t i = 0; status == ORR_ERR_INPUT && converter->reads != NULL && i < job->file_count;
         i++) {
        if (diag->place.kind != ORR_LOCATION_NONE && strcmp(diag->place.file, job->files[i]) == 0) {
            orr_conf_name_wrong(job->files[i], converter->reads, diag);
            break;
        }
    }
    return status;
}

const struct orr_converter *orr_converter_for(const char *what)
{
    size_t count;
    const struct orr_converter *const *all = orr_converters(&count);
    for (size_t i = 0; i < count; i++) {
        const char *takes = all[i]->reads != NULL ? all[i]->reads : all[i]->alone;
        if (takes != NULL && strcmp(takes, what) == 0) {
            return all[i];
        }
    }
    return NULL;
}

/* The first argument that the format does not support; NULL: none. */
static const char *not_for(const struct orr_converter *converter, const struct conv_job *job)
{
    const struct {
        const char *name;
        bool is_set;
        unsigned option;
    } all[] = {{"et", job->et != NULL, CONV_TRACES},
               {"kineto", job->kineto != NULL, CONV_TRACES},
               {"npus", job->ranks != 0, CONV_TRACES},
               {"step", job->step != NULL, CONV_TRACES},
               {"missing-ranks", job->missing != CONV_MISSING_REFUSED, CONV_TRACES},
               {"passes", job->passes != 0, CONV_PASSES},
               {"batch", job->batch_size > 0, CONV_BATCH_SIZE},
               {"save-model", job->model != NULL, CONV_MODEL}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].is_set && (converter->options & all[i].option) == 0) {
            return all[i].name;
        }
    }
    return NULL;
}

struct conv_check_result orr_converter_check(const struct orr_converter *converter,
                                             const struct conv_job *job, bool platform)
{
    const char *name = not_for(converter, job);
    const bool traces = (converter->options & CONV_TRACES) != 0;
    if (name != NULL) {
        return (struct conv_check_result){CONV_NOT_FOR, name};
    }
    if (traces && job->et == NULL && job->kineto == NULL && job->file_count == 0) {
        return (struct conv_check_result){CONV_NO_TRACE, "et"};
    }
    if (!traces && job->file_count == 0) {
        return (struct conv_check_result){CONV_NO_FILE, "files"};
    }
    const size_t most = traces && job->et == NULL ? SIZE_MAX : converter->max_files;
    if (job->file_count > most) {
        return (struct conv_check_result){CONV_TOO_MANY, job->files[most]};
    }
    if ((converter->options & CONV_NEEDS_PLATFORM) != 0 && !platform) {
        return (struct conv_check_result){CONV_NO_PLATFORM, "platform"};
    }
    return job->out != NULL || job->model != NULL ? (struct conv_check_result){CONV_USAGE_OK, NULL}
                                                  : (struct conv_check_result){CONV_NO_OUT, "out"};
}

void orr_convert_check_npus(struct conv_report *report, const struct net_config *network,
                            const char *name)
{
    const uint32_t npus = orr_net_npus(network);
    if (npus != report->ranks) {
        orr_convert_report_note(report,
                                "the platform has another number of NPUs than there are traces",
                                "%s: %" PRIu32 " NPU%s, %zu trace%s", name, npus, orr_plural(npus),
                                report->ranks, orr_plural(report->ranks));
    }
}
