/* Reads launch files of several kinds; see launch.h. */
#include "et_converter/launch/launch.h"

#include <jansson.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/file.h"
#include "et_converter/launch/json_keys.h"
#include "et_converter/launch/launch_formats.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/toml_read.h"

enum { MAX_MIB = 64 };

/* Formats by how surely they are known. */
static const struct launch_format *const formats[] = {
    &orr_launch_trainer, &orr_launch_deepspeed, &orr_launch_hugging_face, &orr_launch_torchtitan,
    &orr_launch_nemo,    &orr_launch_megatron,  &orr_launch_launcher};

static enum orr_status read_text(struct launch_build *build, const struct launch_text *text)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i]->is_one(text)) {
            build->launch->file[build->launch->files - 1] = (struct orr_launch_file){
                .name = text->name, .kind = formats[i]->kind, .what = formats[i]->what};
            build->understood_capacity = build->not_understood_capacity = 0;
            build->origin = (struct launch_origin){0};
            build->last_counts = text->arguments == NULL || text->arguments->form == LAUNCH_FLAGS;
            return formats[i]->read(build, text);
        }
    }
    build->launch->unknown = true;
    const struct orr_location place = orr_location_file(text->name);
    return orr_diag_fail(build->diag, ORR_ERR_INPUT, &place,
                         "expected a model's config.json (Hugging Face), Megatron's arguments (a "
                         "command line, a script, a log or a recipe), a configuration of NeMo, "
                         "torchtitan, DeepSpeed or accelerate, or arguments of Hugging Face's "
                         "Trainer; the file is none of these");
}

/* Reads a text of which the parts that formats share are known. */
static void read_parts(struct launch_build *build, struct launch_text *text)
{
    json_t *root = NULL;
    struct launch_arguments arguments;
    if (text->text[strspn(text->text, " \t\r\n")] == '{') {
        text->json = root = orr_config_parse(text->name, text->text, text->bytes, build->diag);
    } else {
        if (orr_toml_is_one(text->text)) {
            (void)orr_toml_read(text->name, text->text, build->arena, &arguments, build->diag);
            arguments.toml = true;
        } else {
            orr_launch_collect(text->name, text->text, build->arena, &arguments, build->diag);
        }
        text->arguments = &arguments;
        if (arguments.no_memory) {
            (void)orr_diag_no_memory(build->diag, "arguments");
        }
    }
    if (build->diag->status == ORR_OK) {
        (void)read_text(build, text);
    }
    json_decref(root);
}

/* Notes a file of which nothing is known yet. */
static void begin_file(struct launch_build *build, const char *name)
{
    build->launch->file[build->launch->files++] = (struct orr_launch_file){.name = name};
}

static void read_data(struct launch_build *build, const char *name, const char *data, size_t bytes)
{
    const bool marked = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
    const char *own =
        orr_arena_strndup(build->arena, data + (marked ? 3 : 0), bytes - (marked ? 3 : 0));
    const char *kept = orr_arena_strdup(build->arena, name);
    struct launch_text text = {.name = kept, .text = own, .bytes = own != NULL ? strlen(own) : 0};
    begin_file(build, kept);
    if (own != NULL && kept != NULL) {
        read_parts(build, &text);
    } else {
        (void)orr_diag_no_memory(build->diag, "a launch file");
    }
}

/* What needs all files. */
static void finish(struct launch_build *build)
{
    build->origin = (struct launch_origin){0};
    if (build->diag->status == ORR_OK) {
        orr_launch_finish_ranks(build);
        orr_launch_take_assumptions(build);
    }
}

static bool init(struct launch_build *build, size_t files)
{
    *build->launch = (struct orr_launch){
        .npus = build->launch->npus,
        .file = orr_arena_array(build->arena, files, sizeof *build->launch->file)};
    if (build->launch->file == NULL) {
        (void)orr_diag_no_memory(build->diag, "launch files");
    }
    return build->launch->file != NULL;
}

enum orr_status orr_launch_read(const char *const *path, size_t files, struct orr_arena *arena,
                                struct orr_launch *launch, struct orr_diag *diag)
{
    static const struct orr_file_kind kind = {"a launch file", "the file", MAX_MIB};
    struct launch_build build = {.arena = arena, .launch = launch, .diag = diag};
    if (files == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a file is needed");
    }
    if (!init(&build, files)) {
        return diag->status;
    }
    for (size_t i = 0; i < files && diag->status == ORR_OK; i++) {
        char *data = NULL;
        size_t bytes = 0;
        if (orr_file_read(path[i], &kind, &data, &bytes, diag) == ORR_OK) {
            read_data(&build, path[i], data, bytes);
        }
        orr_heap_free(data);
    }
    finish(&build);
    return diag->status;
}

enum orr_status orr_launch_parse(const char *name, const char *text, size_t bytes,
                                 struct orr_arena *arena, struct orr_launch *launch,
                                 struct orr_diag *diag)
{
    struct launch_build build = {.arena = arena, .launch = launch, .diag = diag};
    launch->npus = 0;
    if (init(&build, 1)) {
        read_data(&build, name, text, bytes);
        finish(&build);
    }
    return diag->status;
}
