/* Reads files of a model; see import_study.h. */
#include "study/import/import_study.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/diag.h"

enum { STANDARD_SEQUENCE = 4096 };

/* The sequence of the files, where none is asked for. */
static uint64_t sequence_of(const struct orr_launch *launch)
{
    const struct orr_launch_value *value = orr_launch_get(launch, "transformer.sequence");
    return value != NULL ? strtoull(value->text, NULL, 10) : STANDARD_SEQUENCE;
}

/* Warns of values that contradict each other, and of what is not said. */
static void warn(const struct orr_launch *launch, struct orr_diag *diag)
{
    if (launch->has_shape && launch->shape.vocabulary == 0) {
        orr_diag_warn(diag, NULL,
                      "no file says how large the vocabulary is (Megatron's tokenizer does): "
                      "parameters are without embedding and head");
    }
    for (size_t i = 0; i < launch->contradictions; i++) {
        const struct orr_launch_value *a = &launch->contradiction[i].a;
        const struct orr_launch_value *b = &launch->contradiction[i].b;
        orr_diag_warn(diag, NULL, "%s: %s is %s, but %s: %s says %s; the first one counts", a->file,
                      a->key, a->text, b->file, b->key, b->text);
    }
}

static void warn_not_understood(const struct orr_launch_file *file, struct orr_diag *diag)
{
    char list[1024] = "";
    const struct orr_location place = orr_location_file(file->name);
    for (size_t i = 0; i < file->not_understoods; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                       file->not_understood[i]);
    }
    if (file->not_understoods > 0) {
        orr_diag_warn(diag, &place, "not understood: %s", list);
    }
}

/* A file that is none of a launch: says what it is. */
static enum orr_status say_what_it_is(struct orr_import_study *study, struct orr_diag *diag)
{
    const struct orr_launch *launch = &study->launch;
    const char *file = study->file[launch->files > 0 ? launch->files - 1 : 0];
    const bool too_large = launch->files == 0; /* nothing of it was read */
    if (diag->status != ORR_ERR_INPUT || (!launch->unknown && !too_large) ||
        !orr_conf_what_is(file, &study->what, &study->where)) {
        return diag->status;
    }
    if (study->files == 1) {
        study->file_name = orr_arena_strdup(study->arena, file);
        study->launch = (struct orr_launch){0};
        diag->status = ORR_OK;
        diag->message[0] = '\0';
        return study->file_name != NULL ? ORR_OK : orr_diag_no_memory(diag, "an import");
    }
    const struct orr_location place = orr_location_file(file);
    diag->status = ORR_OK;
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "this is %s, not a launch file%s%s",
                         study->what, study->where != NULL ? ": " : "",
                         study->where != NULL ? study->where : "");
}

enum orr_status orr_import_study_run(struct orr_import_study *study, struct orr_diag *diag)
{
    study->arena = orr_arena_create();
    if (study->arena == NULL) {
        return orr_diag_no_memory(diag, "an import");
    }
    study->launch.npus = study->npus;
    if (orr_launch_read(study->file, study->files, study->arena, &study->launch, diag) != ORR_OK) {
        return say_what_it_is(study, diag);
    }
    warn(&study->launch, diag);
    for (size_t i = 0; study->warn_not_understood && i < study->launch.files; i++) {
        warn_not_understood(&study->launch.file[i], diag);
    }
    study->sequence = study->sequence > 0 ? study->sequence : sequence_of(&study->launch);
    if (study->launch.has_shape) {
        orr_shape_count(&study->launch.shape, study->sequence, &study->counts);
    }
    return ORR_OK;
}

void orr_import_study_fini(struct orr_import_study *study)
{
    orr_arena_destroy(study->arena);
    study->arena = NULL;
}
