/* A study and its results for programs; see include/orrery/study.h. */
#include <errno.h>
#include <string.h>

#include "core/conf/conf.h"
#include "orrery/results.h"
#include "report/results/result_rows.h"
#include "sim/api_call.h"
#include "study/study_call.h"

enum { ERROR_BYTES = ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64 };

struct orrery_study {
    const struct orr_study_kind *kind; /* NULL: no results */
    void *of;
    char *kept; /* text of the last value */
    char error[ERROR_BYTES];
};

struct orrery_study *orrery_study_new(void)
{
    return orr_heap_calloc(1, sizeof(struct orrery_study));
}

static void drop(struct orrery_study *study)
{
    if (study->kind != NULL) {
        study->kind->destroy(study->of);
    }
    study->kind = NULL;
    study->of = NULL;
}

void orrery_study_free(struct orrery_study *study)
{
    if (study != NULL) {
        drop(study);
        orr_heap_free(study->kept);
        orr_heap_free(study);
    }
}

const char *orrery_study_error(const struct orrery_study *study)
{
    return study->error;
}

/* ---- calls ---- */

static enum orrery_status fail(struct orrery_study *study, const struct orr_diag *diag)
{
    (void)orr_conf_render_error(diag, study->error, sizeof study->error);
    return (enum orrery_status)diag->status;
}

enum orr_status orr_study_begin(struct orrery_study *study, const char *name, const void *given,
                                size_t expected, struct orr_diag *diag)
{
    orr_diag_init(diag);
    drop(study);
    return given == NULL ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a struct %s is needed", name)
                         : orr_check_struct(name, *(const size_t *)given, expected, diag);
}

enum orrery_status orr_study_end(struct orrery_study *study, const struct orr_study_kind *kind,
                                 void *of, const struct orr_diag *diag)
{
    if (diag->status == ORR_OK) {
        study->kind = kind;
        study->of = of;
        return ORRERY_OK;
    }
    if (of != NULL) {
        kind->destroy(of);
    }
    return fail(study, diag);
}

enum orr_status orr_study_check_one(unsigned given, const char *what, struct orr_diag *diag)
{
    return given == 1 ? ORR_OK
                      : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected one of %s, got %u", what,
                                      given);
}

/* ---- results ---- */

static enum orr_status check_studied(const struct orrery_study *study, struct orr_diag *diag)
{
    orr_diag_init(diag);
    return study->kind != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the study has no results yet");
}

enum orrery_status orrery_study_rows(struct orrery_study *study, const char *place, size_t *rows)
{
    struct orr_diag diag;
    *rows = 0;
    if (check_studied(study, &diag) == ORR_OK) {
        const struct orr_result_query query = {study->kind->result_sources, study->of, NULL};
        (void)(query.result_sources != NULL ? orr_result_count_rows(&query, place, rows, &diag)
                                            : study->kind->count(study->of, place, rows, &diag));
    }
    return diag.status == ORR_OK ? ORRERY_OK : fail(study, &diag);
}

/* Copies the text of a value into the study. */
static enum orr_status keep(struct orrery_study *study, struct orr_value *value,
                            struct orr_diag *diag)
{
    if (value->kind != ORR_VALUE_TEXT) {
        return ORR_OK;
    }
    char *kept = orr_heap_strdup(value->text);
    orr_heap_free(study->kept);
    study->kept = kept;
    value->text = kept;
    return kept != NULL ? ORR_OK : orr_diag_no_memory(diag, "a text");
}

enum orrery_status orrery_study_result(struct orrery_study *study, const char *name, size_t row,
                                       struct orrery_value *value)
{
    _Alignas(max_align_t) char room[ORR_STUDY_ROW_BYTES];
    struct orr_value found = {.kind = ORR_VALUE_NONE};
    struct orr_diag diag;
    *value = (struct orrery_value){.kind = ORRERY_VALUE_NONE};
    if (check_studied(study, &diag) == ORR_OK) {
        const struct orr_result_query query = {study->kind->result_sources, study->of, room};
        (void)(query.result_sources != NULL
                   ? orr_result_get(&query, name, row, &found, &diag)
                   : study->kind->get_value(study->of, name, row, &found, &diag));
    }
    if (diag.status != ORR_OK || keep(study, &found, &diag) != ORR_OK) {
        return fail(study, &diag);
    }
    *value = orr_result_public_value(&found);
    return ORRERY_OK;
}

static enum orr_status check_form(const struct orrery_study *study, const FILE *out,
                                  enum orrery_form form, struct orr_diag *diag)
{
    if (check_studied(study, diag) != ORR_OK) {
        return diag->status;
    }
    if (out == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a file to write to is needed");
    }
    return (unsigned)form < ORR_FORMS && study->kind->write[form] != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "these results do not have this form");
}

static enum orr_status write_results(const struct orrery_study *study,
                                     int (*write)(FILE *out, const void *of), FILE *out,
                                     struct orr_diag *diag)
{
    return write(out, study->of) == 0 && fflush(out) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the results cannot be written: %s",
                               strerror(errno));
}

enum orrery_status orrery_study_write(struct orrery_study *study, FILE *out, enum orrery_form form)
{
    struct orr_diag diag;
    if (check_form(study, out, form, &diag) == ORR_OK) {
        (void)write_results(study, study->kind->write[form], out, &diag);
    }
    return diag.status == ORR_OK ? ORRERY_OK : fail(study, &diag);
}

static enum orr_status check_further(const struct orrery_study *study,
                                     const struct orr_study_kind *kind,
                                     const struct orr_study_form *form, const FILE *out,
                                     struct orr_diag *diag)
{
    if (check_studied(study, diag) != ORR_OK) {
        return diag->status;
    }
    if (study->kind != kind || out == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s",
                             out == NULL ? "a file to write to is needed"
                                         : "these results do not have this form");
    }
    const char *missing = form->missing != NULL ? form->missing(study->of) : NULL;
    return missing == NULL ? ORR_OK : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s", missing);
}

enum orrery_status orr_study_write_form(struct orrery_study *study,
                                        const struct orr_study_kind *kind,
                                        const struct orr_study_form *form, FILE *out)
{
    struct orr_diag diag;
    if (check_further(study, kind, form, out, &diag) == ORR_OK) {
        (void)write_results(study, form->write, out, &diag);
    }
    return diag.status == ORR_OK ? ORRERY_OK : fail(study, &diag);
}

enum orr_status orr_study_results(const struct orrery_study *study,
                                  const struct orr_study_kind *kind, const void **of,
                                  struct orr_diag *diag)
{
    static const struct orr_study_form any = {.write = NULL};
    const enum orr_status status = check_further(study, kind, &any, stdout, diag);
    *of = status == ORR_OK ? study->of : NULL;
    return status;
}

enum orrery_status orr_study_told(struct orrery_study *study, const struct orr_diag *diag)
{
    return diag->status == ORR_OK ? ORRERY_OK : fail(study, diag);
}
