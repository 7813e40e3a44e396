/* The kinds of layers of a transformer; see transformer.h. */
#include "workload/gen/transformer.h"

enum { NO_EXPERTS, EXPERTS, FEEDS };

static void add_kinds(struct tf_model *model, enum tf_layer place)
{
    for (unsigned feed = 0; feed < (model->experts > 0 ? FEEDS : EXPERTS); feed++) {
        model->kind[model->kinds++] = (struct tf_kind){.place = place, .experts = feed == EXPERTS};
    }
}

void orr_transformer_set_kinds(struct tf_model *model)
{
    model->kind[TF_KIND_EMBEDDING] = (struct tf_kind){.place = TF_EMBEDDING};
    model->kind[TF_KIND_HEAD] = (struct tf_kind){.place = TF_HEAD};
    model->kinds = TF_FIRST_KIND;
    add_kinds(model, model->encoder_layers > 0 ? TF_CROSS : TF_DECODER);
    if (model->encoder_layers > 0) {
        add_kinds(model, TF_ENCODER);
    }
}

uint32_t orr_transformer_all_layers(const struct tf_model *model)
{
    return model->encoder_layers + model->layers;
}

uint32_t orr_transformer_kind_of(const struct tf_model *model, uint32_t layer)
{
    const bool experts = model->experts > 0 && (layer + 1) % model->moe_every == 0;
    const uint32_t feeds = model->experts > 0 ? FEEDS : EXPERTS;
    return TF_FIRST_KIND + (layer < model->encoder_layers ? feeds : 0) + (experts ? EXPERTS : 0);
}
