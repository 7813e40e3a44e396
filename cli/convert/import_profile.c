/* orrery import of profiles; see import_profile.h. */
#include "cli/convert/import_profile.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/study_output.h"
#include "cli/write_output.h"
#include "orrery/convert.h"
#include "orrery/profile.h"
#include "report/table_text.h"

enum { PATH_BYTES = 4096 };

bool orr_import_is_profile(const struct orr_texts *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (orrery_is_profile(files->text[i]) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- the GPU's view ---- */

static int report(const struct orr_import_profile *import, struct orrery_study *study)
{
    bool quiet = import->output != NULL;
    const int result = orr_write_study_files(study, import->json, import->csv, &quiet);
    return result != 0 || quiet ? result : orr_write_study_table(stdout, study);
}

static int tell(const struct orr_import_profile *import)
{
    const struct orrery_profile given = {ORRERY_SIZED(orrery_profile), .given = import->files->text,
                                         .givens = import->files->count, .warn = orr_print_warning};
    struct orrery_study *study = orrery_study_new();
    const enum orrery_status status =
        study != NULL ? orrery_profile(study, &given) : ORRERY_ERROR_MEMORY;
    const int result = status == ORRERY_OK ? report(import, study)
                                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}

/* ---- traces ---- */

/* JOB of "folder/JOB.yml"; returns its last part. */
static const char *stem_of(const char *path, char stem[PATH_BYTES])
{
    (void)snprintf(stem, PATH_BYTES, "%s", path);
    char *slash = strrchr(stem, '/');
    char *dot = strrchr(slash != NULL ? slash : stem, '.');
    if (dot != NULL && (strcmp(dot, ".yml") == 0 || strcmp(dot, ".yaml") == 0)) {
        *dot = '\0';
    }
    return slash != NULL ? slash + 1 : stem;
}

static int write_workload(FILE *out, const void *name)
{
    return fprintf(out,
                   "# The step that profiles recorded. Run it on a platform: orrery run PLATFORM "
                   "THIS.yml\n"
                   "workload: {traces: \"%s\", groups_file: \"%s.groups.json\"}\n",
                   (const char *)name, (const char *)name) > 0
               ? 0
               : 1;
}

static int convert(const struct orr_import_profile *import)
{
    char stem[PATH_BYTES];
    const char *name = stem_of(import->output, stem);
    const struct orrery_convert what = {ORRERY_SIZED(orrery_convert), .files = import->files->text,
                                        .file_count = import->files->count, .out = stem};
    struct orrery_conversion *conversion = orrery_conversion_new();
    orrery_conversion_on_warning(conversion, orr_print_warning, NULL);
    enum orrery_status status =
        conversion != NULL ? orrery_convert(conversion, &what) : ORRERY_ERROR_MEMORY;
    int result = 0;
    if (status == ORRERY_OK) {
        const struct orr_output output = {import->output, write_workload};
        bool standard = false;
        status = orrery_conversion_write(conversion, stdout, false);
        result = orr_write_output(&output, name, &standard);
    }
    result = status == ORRERY_OK ? result
                                 : orr_print_api_error(status, orrery_conversion_error(conversion));
    orrery_conversion_free(conversion);
    return result;
}

int orr_import_profile(const struct orr_import_profile *import)
{
    const bool tells = import->output == NULL || import->json != NULL || import->csv != NULL;
    if (import->output != NULL && strcmp(import->output, "-") == 0) {
        return orr_usage_error("import", "-o - is for launch files; profiles need a name, JOB.yml",
                               NULL);
    }
    const int result = import->output != NULL ? convert(import) : 0;
    return result == 0 && tells ? tell(import) : result;
}
