/* A model's config.json as a launch file. */
#include <string.h>

#include "et_converter/launch/hugging_face_config.h"
#include "et_converter/launch/launch_formats.h"

static bool is_one(const struct launch_text *text)
{
    return text->json != NULL && orr_is_hugging_face(text->json);
}

/* The type of the weights as they are stored: what a step uses where nothing else says it. */
static void assume_element(struct launch_build *build, const char *element)
{
    const bool whole = element != NULL && strcmp(element, "float32") == 0;
    const char *key = element != NULL ? "torch_dtype" : "no torch_dtype: a default";
    orr_launch_assume(build, &(struct launch_assumption){.value = {.path = "training.element_bytes",
                                                                   .text = whole ? "4" : "2",
                                                                   .key = key},
                                                         .of_model = true});
}

static enum orr_status read_launch(struct launch_build *build, const struct launch_text *text)
{
    struct orr_hugging_face model;
    struct launch_size_key key[CONFIG_MAX_SOURCES];
    if (orr_hugging_face_read(text->name, text->json, build->arena, &model, build->diag) !=
        ORR_OK) {
        return build->diag->status;
    }
    for (size_t i = 0; i < model.understoods; i++) {
        orr_launch_note(build, model.understood[i], true);
    }
    for (size_t i = 0; i < model.ignoreds; i++) {
        orr_launch_note(build, model.ignored[i], false);
    }
    for (size_t i = 0; i < model.sources; i++) {
        key[i] = (struct launch_size_key){model.source[i].size, model.source[i].key};
    }
    orr_launch_set_shape(build, &model.shape, key, model.sources);
    build->launch->element = model.element;
    assume_element(build, model.element);
    return build->diag->status;
}

const struct launch_format orr_launch_hugging_face = {.kind = "hugging_face_config",
                                                      .what =
                                                          "a model's config.json (Hugging Face)",
                                                      .is_one = is_one,
                                                      .read = read_launch};
