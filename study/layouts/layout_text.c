/* A layout as text, and as keys; see layout_text.h. */
#include "study/layouts/layout_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "workload/schedule/pipeline_schedule.h"

struct text {
    char *at;
    size_t left;
};

static void add(struct text *text, const char *format, const char *word, double number)
{
    const int used = snprintf(text->at, text->left, format, word, number);
    const size_t length = used > 0 && (size_t)used < text->left ? (size_t)used : 0;
    text->at += length;
    text->left -= length;
}

const char *orr_layout_text(const struct orr_estimated_layout *layout, char text[ORR_LAYOUT_BYTES])
{
    const struct gen_change *change = &layout->change;
    const struct {
        const char *word;
        uint64_t number;
        bool always;
    } part[] = {
        {"t", change->tensor, true},      {"c", change->context, false},
        {"e", change->expert, false},     {"et", change->expert_tensor, change->expert_tensor > 0},
        {"p", change->pipeline, true},    {"v", change->chunks, false},
        {"d", layout->data, true},        {"r", change->replicas, false},
        {"mb", change->micro_batch, true}};
    struct text out = {text, ORR_LAYOUT_BYTES};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i].always || part[i].number > 1) {
            add(&out, "%s%.0f ", part[i].word, (double)part[i].number);
        }
    }
    add(&out, "%s%.0f", "zero", change->zero);
    if (change->kind != NULL) {
        add(&out, " %s", change->kind->name, 0);
    }
    if (change->context > 1 && change->context_exchange != GEN_GATHER) {
        add(&out, " %s", orr_gen_context_exchange_name(change->context_exchange), 0);
    }
    if (change->recompute != GEN_RECOMPUTE_NONE) {
        (void)snprintf(out.at, out.left, " recompute %s",
                       orr_gen_recompute_name(change->recompute));
    }
    return text;
}

unsigned orr_layout_keys(const struct orr_estimated_layout *layout,
                         char key[ORR_LAYOUT_KEYS][ORR_LAYOUT_KEY_BYTES])
{
    const struct gen_change *change = &layout->change;
    const struct {
        const char *key;
        uint64_t number;
    } numbers[] = {
        {"parallel.tensor", change->tensor}, {"parallel.context", change->context},
        {"parallel.expert", change->expert}, {"parallel.pipeline", change->pipeline},
        {"parallel.data", layout->data},     {"parallel.zero", change->zero},
        {"parallel.chunks", change->chunks}, {"training.micro_batch", change->micro_batch}};
    unsigned keys = 0;
    if (change->context > 1 && change->context_exchange != GEN_GATHER) {
        (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.parallel.context_exchange=%s",
                       orr_gen_context_exchange_name(change->context_exchange));
    }
    if (change->replicas > 1) {
        (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.parallel.replicas=%" PRIu32,
                       change->replicas);
    }
    if (change->expert_tensor > 0) {
        (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES,
                       "workload.parallel.expert_tensor=%" PRIu32, change->expert_tensor);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.%s=%" PRIu64, numbers[i].key,
                       numbers[i].number);
    }
    (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.parallel.sequence=%s",
                   change->sequence_parallel && change->tensor > 1 ? "true" : "false");
    (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.parallel.schedule=%s",
                   change->kind != NULL ? change->kind->name
                   : change->chunks > 1 ? "interleaved"
                                        : "1f1b");
    (void)snprintf(key[keys++], ORR_LAYOUT_KEY_BYTES, "workload.training.recompute=%s",
                   orr_gen_recompute_name(change->recompute));
    return keys;
}

const char *orr_layout_why(const struct orr_estimated_layout *layout, uint64_t capacity_bytes,
                           char text[ORR_LAYOUT_BYTES])
{
    const struct orr_step_estimate *of = &layout->estimate;
    const struct {
        const char *word;
        double seconds;
    } part[] = {{"compute", of->compute_s},
                {"recomputed", of->recompute_s},
                {"exchange", of->exchange_s},
                {"bubble", of->bubble_s},
                {"weights", of->weights_s}};
    struct text out = {text, ORR_LAYOUT_BYTES};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const double share = 100 * part[i].seconds / of->step_s;
        if (share >= 0.5) {
            add(&out, i > 0 ? ", %s %.0f %%" : "%s %.0f %%", part[i].word, share);
        }
    }
    if (capacity_bytes > layout->memory_bytes) {
        add(&out, "%s%.1f GiB left", ", ",
            (double)(capacity_bytes - layout->memory_bytes) / (1 << 30));
    }
    return text;
}
