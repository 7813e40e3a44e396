/* The kinds of layers of a transformer; see transformer.h. */
#include "workload/gen/transformer.h"

static void add_kinds(struct tf_model *model, enum tf_layer place)
{
    for (unsigned feed = TF_DENSE; feed <= (model->experts > 0 ? TF_EXPERTS : TF_DENSE); feed++) {
        model->kind[model->kinds++] = (struct tf_kind){place, TF_ATTENTION, (enum tf_feed)feed};
    }
}

static void add_ends(struct tf_model *model)
{
    static const enum tf_layer place[] = {[TF_KIND_EMBEDDING] = TF_EMBEDDING,
                                          [TF_KIND_HEAD] = TF_HEAD,
                                          [TF_KIND_MTP_EMBEDDING] = TF_MTP_EMBEDDING};
    for (model->kinds = 0; model->kinds < TF_FIRST_KIND; model->kinds++) {
        model->kind[model->kinds] = (struct tf_kind){.place = place[model->kinds]};
    }
}

/* A module of multi-token prediction has a layer of its own kind, or one like the last. */
static void add_mtp(struct tf_model *model)
{
    if (model->mtp_modules > 0) {
        const uint32_t last = orr_transformer_kind_of(model, model->layers - 1);
        model->mtp_kind = model->kinds++;
        const bool own =
            model->mtp_layer.mixer != TF_NO_MIXER || model->mtp_layer.feed != TF_NO_FEED;
        model->kind[model->mtp_kind] = own ? model->mtp_layer : model->kind[last];
        model->kind[model->mtp_kind].place = TF_MTP;
    }
}

void orr_transformer_set_kinds(struct tf_model *model)
{
    add_ends(model);
    if (model->pattern != NULL) {
        model->kinds += model->pattern_kinds; /* which are there */
    } else {
        add_kinds(model, model->encoder_layers > 0 ? TF_CROSS : TF_DECODER);
    }
    if (model->encoder_layers > 0) {
        add_kinds(model, TF_ENCODER);
    }
    add_mtp(model);
}

uint32_t orr_transformer_all_layers(const struct tf_model *model)
{
    return model->encoder_layers + model->layers;
}

uint32_t orr_transformer_kind_of(const struct tf_model *model, uint32_t layer)
{
    if (model->pattern != NULL) {
        return TF_FIRST_KIND + model->pattern[layer % model->period];
    }
    const bool experts = model->experts > 0 && (layer + 1) % model->moe_every == 0;
    const uint32_t feeds = model->experts > 0 ? 2 : 1;
    return TF_FIRST_KIND + (layer < model->encoder_layers ? feeds : 0) + (experts ? 1 : 0);
}

uint32_t orr_transformer_ends(const struct tf_model *model, uint32_t kind)
{
    if (kind == TF_KIND_MTP_EMBEDDING) {
        return model->mtp_modules > 0 ? 1 : 0;
    }
    if (kind < TF_FIRST_KIND) {
        return model->vocabulary > 0 ? 1 : 0;
    }
    return model->mtp_modules > 0 && kind == model->mtp_kind ? model->mtp_modules : 0;
}
