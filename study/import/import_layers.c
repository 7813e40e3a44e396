/* Layers as a pattern; see import_layers.h. */
#include "study/import/import_layers.h"

#include <inttypes.h>

bool orr_import_mixes(const struct orr_model_shape *shape, enum orr_mixer mixer)
{
    bool found = false;
    for (uint32_t i = 0; i < shape->layers; i++) {
        found = found || shape->layer[i].mixer == mixer;
    }
    return found;
}

static bool is_bounded(const struct orr_layer_shape *layer)
{
    const bool attends = layer->mixer == ORR_MIXER_ATTENTION || layer->mixer == ORR_MIXER_LATENT;
    return attends && (layer->span == ORR_SPAN_WINDOW || layer->span == ORR_SPAN_CHUNK);
}

/* The window, or chunk, of the layers; 0: none has any. */
static uint32_t size_of(const struct orr_model_shape *shape, enum orr_span span)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < shape->layers && size == 0; i++) {
        const bool is = is_bounded(&shape->layer[i]) && shape->layer[i].span == span;
        size = is ? shape->layer[i].window : 0;
    }
    return size;
}

bool orr_import_can_pattern(const struct orr_model_shape *shape)
{
    bool can = true;
    for (uint32_t i = 0; i < shape->layers; i++) {
        const struct orr_layer_shape *layer = &shape->layer[i];
        const bool grouped = layer->mixer == ORR_MIXER_ATTENTION && shape->encoder_layers == 0;
        can = can &&
              (!is_bounded(layer) || (grouped && layer->window == size_of(shape, layer->span)));
    }
    return can;
}

static bool is_alike(const struct orr_layer_shape *a, const struct orr_layer_shape *b)
{
    return a->mixer == b->mixer && a->feed == b->feed && a->span == b->span;
}

/* The shortest period of the layers; all of them if none repeats. */
static uint32_t period_of(const struct orr_model_shape *shape)
{
    for (uint32_t period = 1; period < shape->layers; period++) {
        uint32_t i = period;
        while (i < shape->layers && is_alike(&shape->layer[i], &shape->layer[i - period])) {
            i++;
        }
        if (i == shape->layers) {
            return period;
        }
    }
    return shape->layers;
}

static void write_layer(FILE *out, const struct orr_layer_shape *layer)
{
    static const char *const feeds[] = {
        [ORR_FEED_NONE] = "", [ORR_FEED_DENSE] = "dense", [ORR_FEED_EXPERTS] = "experts"};
    const char *mixer = layer->mixer == ORR_MIXER_NONE     ? ""
                        : layer->mixer == ORR_MIXER_MAMBA2 ? "mamba2"
                        : layer->span == ORR_SPAN_WINDOW   ? "window"
                        : layer->span == ORR_SPAN_CHUNK    ? "chunk"
                                                           : "attention";
    const bool both = layer->mixer != ORR_MIXER_NONE && layer->feed != ORR_FEED_NONE;
    (void)fprintf(out, "%s%s%s", mixer, both ? "+" : "", feeds[layer->feed]);
}

static void write_runs(FILE *out, const struct orr_model_shape *shape, uint32_t period)
{
    for (uint32_t i = 0, end; i < period; i = end) {
        for (end = i + 1; end < period && is_alike(&shape->layer[end], &shape->layer[i]);) {
            end++;
        }
        (void)fputs(i > 0 ? ", " : "", out);
        if (end - i > 1) {
            (void)fprintf(out, "%" PRIu32 " x ", end - i);
        }
        write_layer(out, &shape->layer[i]);
    }
}

/* Layers with one part each, as letters. */
static bool has_letters(const struct orr_model_shape *shape)
{
    bool one = true;
    for (uint32_t i = 0; i < shape->layers; i++) {
        const struct orr_layer_shape *layer = &shape->layer[i];
        one = one && (layer->mixer == ORR_MIXER_NONE) != (layer->feed == ORR_FEED_NONE) &&
              !is_bounded(layer);
    }
    return one;
}

static void write_letters(FILE *out, const struct orr_model_shape *shape, uint32_t period)
{
    (void)fputc('"', out);
    for (uint32_t i = 0; i < period; i++) {
        const struct orr_layer_shape *layer = &shape->layer[i];
        (void)fputc(layer->mixer == ORR_MIXER_MAMBA2  ? 'M'
                    : layer->mixer != ORR_MIXER_NONE  ? '*'
                    : layer->feed == ORR_FEED_EXPERTS ? 'E'
                                                      : '-',
                    out);
    }
    (void)fputc('"', out);
}

void orr_import_write_pattern(FILE *out, const struct orr_model_shape *shape)
{
    const struct orr_layer_shape *first = &shape->layer[0];
    const enum orr_feed_forward standard = shape->experts > 0 ? ORR_FEED_EXPERTS : ORR_FEED_DENSE;
    const uint32_t period = period_of(shape);
    const uint32_t window = size_of(shape, ORR_SPAN_WINDOW), chunk = size_of(shape, ORR_SPAN_CHUNK);
    const bool attends = first->mixer == ORR_MIXER_ATTENTION || first->mixer == ORR_MIXER_LATENT;
    if (shape->encoder_layers > 0 ||
        (period == 1 && attends && !is_bounded(first) && first->feed == standard)) {
        return;
    }
    (void)fputs("    pattern: ", out);
    if (has_letters(shape)) {
        write_letters(out, shape, shape->layers % period == 0 ? period : shape->layers);
    } else {
        (void)fputc('[', out);
        write_runs(out, shape, period);
        (void)fputc(']', out);
    }
    (void)fputs("  # the layers in order, again and again\n", out);
    if (window > 0) {
        (void)fprintf(out, "    window: %" PRIu32 "\n", window);
    }
    if (chunk > 0) {
        (void)fprintf(out, "    chunk: %" PRIu32 "\n", chunk);
    }
}
