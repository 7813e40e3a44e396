/* Megatron's pipeline_model_parallel_layout: the parts of a pipeline, the chunks of the first ranks
 * first, as letters: E embedding, t a layer, m a module of multi-token prediction, L the loss; `|`
 * ends a part,
 * `*N` repeats a letter or a group in brackets, commas stand for nothing ("Et*3|(tt|)*29,m|L"). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_rows.h"
#include "et_converter/launch/megatron_values.h"

enum { MAX_PARTS = 4096, MAX_LETTERS = 1 << 16 };

struct parts {
    uint32_t layers[MAX_PARTS];
    uint32_t count;   /* finished ones; the next is being filled */
    uint32_t letters; /* that were read, those repeated too */
    bool too_long;
};

static void read_letter(struct parts *parts, char letter)
{
    parts->too_long = parts->too_long || ++parts->letters > MAX_LETTERS;
    if (letter == '|') {
        parts->count++;
        parts->too_long = parts->too_long || parts->count >= MAX_PARTS;
    }
    if (!parts->too_long && letter == 't') {
        parts->layers[parts->count]++;
    }
}

/* How often what ends at *at is there: behind it may stand *N. */
static unsigned long times_of(const char **at)
{
    char *end;
    if (**at != '*') {
        return 1;
    }
    const unsigned long times = strtoul(*at + 1, &end, 10);
    const bool number = end != *at + 1;
    *at = end;
    return number ? times : 0;
}

/* False: other letters, a group that does not end, a repetition without a number. */
static bool read_parts(const char *text, struct parts *parts)
{
    for (const char *at = text; *at != '\0' && !parts->too_long;) {
        const bool group = *at == '(';
        const char *first = at + (group ? 1 : 0);
        const size_t length = group ? strcspn(first, ")") : 1;
        if (length == 0 || strspn(first, "EtmL|,") < length || (group && first[length] != ')')) {
            return false;
        }
        at = first + length + (group ? 1 : 0);
        const unsigned long times = times_of(&at);
        if (times == 0) {
            return false;
        }
        for (unsigned long i = 0; i < times && !parts->too_long; i++) {
            for (size_t k = 0; k < length; k++) {
                read_letter(parts, first[k]);
            }
        }
    }
    parts->count++;
    return !parts->too_long;
}

static void set_list(struct megatron_reading *reading, const struct parts *parts)
{
    const size_t size = (size_t)parts->count * 12 + 4;
    char *text = orr_arena_alloc(reading->build->arena, size);
    size_t used = 0;
    for (uint32_t i = 0; i < parts->count && text != NULL; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i == 0 ? "[" : ", ",
                                 parts->layers[i]);
    }
    if (text == NULL) {
        (void)orr_diag_no_memory(reading->build->diag, "a launch file");
        return;
    }
    (void)snprintf(text + used, size - used, "]");
    orr_launch_set(reading->build, "parallel.layers_per_stage", text,
                   "pipeline_model_parallel_layout");
}

/* Whether each part has layers, as generated models need. */
static bool all_have_layers(const struct parts *parts)
{
    uint32_t i = 0;
    while (i < parts->count && parts->layers[i] > 0) {
        i++;
    }
    return i == parts->count;
}

bool orr_megatron_set_layout(struct megatron_reading *reading)
{
    const struct megatron_values *values = &reading->values;
    const uint64_t stages = values->pipeline > 0 ? values->pipeline : 1;
    struct parts *parts = orr_arena_alloc(reading->build->arena, sizeof *parts);
    if (values->pipeline_layout == NULL || !orr_launch_is_true(values->pipeline_layout) ||
        parts == NULL) {
        return false;
    }
    *parts = (struct parts){.count = 0};
    if (!read_parts(values->pipeline_layout, parts)) {
        (void)orr_megatron_fail(reading, "pipeline_model_parallel_layout",
                                "expected letters E, t, m and L with |, such as Et*3|(tt|)*4L, got "
                                "\"%.80s\"",
                                values->pipeline_layout);
    } else if (parts->count % stages != 0) {
        (void)orr_megatron_fail(reading, "pipeline_model_parallel_layout",
                                "expected a multiple of pipeline_model_parallel_size as parts, got "
                                "\"%.80s\"",
                                values->pipeline_layout);
    } else if (!all_have_layers(parts)) {
        orr_launch_note(reading->build,
                        orr_launch_origin(reading->build, "pipeline_model_parallel_layout"), false);
        return false;
    } else {
        set_list(reading, parts);
        if (parts->count > stages) {
            orr_launch_set(reading->build, "parallel.schedule", "interleaved",
                           "pipeline_model_parallel_layout");
            orr_launch_set_number(reading->build, "parallel.chunks", parts->count / stages,
                                  "pipeline_model_parallel_layout");
        }
    }
    return true;
}
