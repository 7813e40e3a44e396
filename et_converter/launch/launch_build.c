/* Adds what launch files say; see launch_build.h. */
#include "et_converter/launch/launch_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"

static const char *copy(struct launch_build *build, const char *text)
{
    const char *own = orr_arena_strdup(build->arena, text);
    if (own == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
    }
    return own != NULL ? own : "";
}

static struct orr_launch_file *current(struct launch_build *build)
{
    return &build->launch->file[build->launch->files - 1];
}

const struct orr_launch_value *orr_launch_get(const struct orr_launch *launch, const char *path)
{
    for (size_t i = 0; i < launch->values; i++) {
        if (strcmp(launch->value[i].path, path) == 0) {
            return &launch->value[i];
        }
    }
    return NULL;
}

void orr_launch_contradict(struct launch_build *build, const struct orr_launch_value *a,
                           const struct orr_launch_value *b)
{
    struct orr_launch *launch = build->launch;
    struct orr_launch_contradiction *grown =
        orr_arena_grow(build->arena, launch->contradiction, &build->contradiction_capacity,
                       launch->contradictions + 1, sizeof *grown);
    if (grown == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
        return;
    }
    launch->contradiction = grown;
    launch->contradiction[launch->contradictions++] =
        (struct orr_launch_contradiction){.a = *a, .b = *b};
}

/* Whether two texts say the same of a value: the vocabulary of a file may be padded by rule. */
static bool agrees(const struct launch_build *build, const char *path, const char *a, const char *b)
{
    char unpadded[32];
    (void)snprintf(unpadded, sizeof unpadded, "%" PRIu64, build->unpadded_vocabulary);
    const bool padded = strcmp(path, "transformer.vocabulary") == 0 &&
                        (strcmp(a, unpadded) == 0 || strcmp(b, unpadded) == 0);
    return padded || strcmp(a, b) == 0;
}

static void add_value(struct launch_build *build, const struct orr_launch_value *value)
{
    struct orr_launch *launch = build->launch;
    struct orr_launch_value *grown = orr_arena_grow(
        build->arena, launch->value, &build->value_capacity, launch->values + 1, sizeof *grown);
    if (grown == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
        return;
    }
    launch->value = grown;
    launch->value[launch->values++] = *value;
}

void orr_launch_set_from(struct launch_build *build, const char *path, const char *text,
                         const struct orr_launch_value *origin)
{
    const struct orr_launch_value value = {copy(build, path), copy(build, text), origin->file,
                                           copy(build, origin->key)};
    const struct orr_launch_value *before = orr_launch_get(build->launch, path);
    if (before == NULL) {
        add_value(build, &value);
    } else if (!agrees(build, path, before->text, text)) {
        orr_launch_contradict(build, before, &value);
    }
}

void orr_launch_set(struct launch_build *build, const char *path, const char *text, const char *key)
{
    orr_launch_set_from(build, path, text,
                        &(struct orr_launch_value){.file = current(build)->name,
                                                   .key = orr_launch_origin(build, key)});
}

void orr_launch_assume(struct launch_build *build, const struct launch_assumption *assumption)
{
    struct launch_assumption *grown =
        orr_arena_grow(build->arena, build->assumption, &build->assumption_capacity,
                       build->assumptions + 1, sizeof *grown);
    if (grown == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
        return;
    }
    build->assumption = grown;
    build->assumption[build->assumptions] = *assumption;
    build->assumption[build->assumptions++].value.file = current(build)->name;
}

void orr_launch_take_assumptions(struct launch_build *build)
{
    for (size_t i = 0; i < 2 * build->assumptions; i++) {
        const struct launch_assumption *one = &build->assumption[i % build->assumptions];
        const bool turn = one->of_model == (i >= build->assumptions);
        if (!turn || orr_launch_get(build->launch, one->value.path) != NULL) {
            continue;
        }
        add_value(build, &one->value);
        if (one->why != NULL) {
            const struct orr_location place = orr_location_file(one->value.file);
            orr_diag_warn(build->diag, &place, "%s", one->why);
        }
    }
}

void orr_launch_set_number(struct launch_build *build, const char *path, uint64_t number,
                           const char *key)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    orr_launch_set(build, path, text, key);
}

static void add_key(struct launch_build *build, const char ***list, size_t *count, size_t *capacity,
                    const char *key)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*list)[i], key) == 0) {
            return;
        }
    }
    const char **grown = orr_arena_grow(build->arena, *list, capacity, *count + 1, sizeof *grown);
    if (grown == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
        return;
    }
    *list = grown;
    (*list)[(*count)++] = copy(build, key);
}

void orr_launch_note(struct launch_build *build, const char *key, bool understood)
{
    struct orr_launch_file *file = current(build);
    if (understood) {
        add_key(build, &file->understood, &file->understoods, &build->understood_capacity, key);
    } else {
        add_key(build, &file->not_understood, &file->not_understoods,
                &build->not_understood_capacity, key);
    }
}

void orr_launch_set_shape(struct launch_build *build, const struct orr_model_shape *shape,
                          const struct launch_size_key *key, size_t keys)
{
    struct orr_launch *launch = build->launch;
    const struct {
        const char *size;
        uint64_t number;
    } sizes[] = {{"layers", shape->layers},
                 {"hidden", shape->hidden},
                 {"heads", shape->heads},
                 {"kv_heads", shape->kv_heads},
                 {"head_size", shape->head_size},
                 {"ffn", shape->width},
                 {"vocabulary", shape->vocabulary},
                 {"positions", shape->positions},
                 {"experts", shape->experts},
                 {"experts_per_token", shape->experts_per_token},
                 {"expert_ffn", shape->expert_width}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t i = 0; i < keys; i++) {
            if (strcmp(key[i].size, sizes[k].size) == 0 && sizes[k].number > 0) {
                char path[64];
                (void)snprintf(path, sizeof path, "transformer.%s", sizes[k].size);
                orr_launch_set_number(build, path, sizes[k].number, key[i].key);
            }
        }
    }
    if (!launch->has_shape) {
        launch->shape = *shape;
        launch->has_shape = true;
    }
}
