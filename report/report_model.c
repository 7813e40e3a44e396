/* The size and the memory of a generated model, as text; see report_model.h. */
#include "report/report_model.h"
#include "report/table_text.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"

enum { TEXT = 32 };

/* "174.6 billion", "25.6 million". */
static const char *format_count(double count, char text[TEXT])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (count >= units[i].unit) {
            (void)snprintf(text, TEXT, "%.4g %s", count / units[i].unit, units[i].name);
            return text;
        }
    }
    (void)snprintf(text, TEXT, "%.0f", count);
    return text;
}

void orr_print_model(FILE *out, const struct orrery_model *model)
{
    char text[TEXT];
    orr_print(out, "%s parameters", format_count(model->parameters, text));
    if (model->active_parameters < model->parameters) {
        orr_print(out, ", %s of them for a token", format_count(model->active_parameters, text));
    }
    if (model->mtp_parameters > 0) {
        orr_print(out, ", %s more for multi-token prediction",
                  format_count(model->mtp_parameters, text));
    }
    orr_print(out, "; a step has %.0f samples", model->step_samples);
    if (model->step_tokens > 0) {
        orr_print(out, ", %.0f tokens", model->step_tokens);
    }
    orr_print(out, ", %.4g PFLOP\n", model->step_flops / 1e15);
}

void orr_print_memory_head(FILE *out)
{
    orr_print(out, "\n%-20s %12s %12s %12s %12s %12s\n", "memory of an NPU", "weights", "gradients",
              "optimizer", "activations", "total");
}

void orr_print_memory_row(FILE *out, uint32_t first, uint32_t end,
                          const struct orrery_model_memory *memory)
{
    char stages[TEXT], w[TEXT], g[TEXT], o[TEXT], a[TEXT], t[TEXT];
    const uint64_t total = memory->weights_bytes + memory->gradients_bytes +
                           memory->optimizer_bytes + memory->activations_bytes;
    if (end - first > 1) {
        (void)snprintf(stages, sizeof stages, "stages %" PRIu32 "-%" PRIu32, first, end - 1);
    } else {
        (void)snprintf(stages, sizeof stages, "stage %" PRIu32, first);
    }
    orr_print(out, "%-20s %12s %12s %12s %12s %12s", stages,
              orr_format_bytes(memory->weights_bytes, w, TEXT),
              orr_format_bytes(memory->gradients_bytes, g, TEXT),
              orr_format_bytes(memory->optimizer_bytes, o, TEXT),
              orr_format_bytes(memory->activations_bytes, a, TEXT),
              orr_format_bytes(total, t, TEXT));
    if (memory->capacity_bytes > 0) {
        orr_print(out, "  of %s", orr_format_bytes(memory->capacity_bytes, t, TEXT));
    }
    (void)fputc('\n', out);
}

static bool same_memory(const struct orrery_model_memory *a, const struct orrery_model_memory *b)
{
    return a->weights_bytes == b->weights_bytes && a->gradients_bytes == b->gradients_bytes &&
           a->optimizer_bytes == b->optimizer_bytes && a->activations_bytes == b->activations_bytes;
}

void orr_report_model(FILE *out, const struct orrery *job)
{
    struct orrery_model model;
    struct orrery_model_memory memory = {0}, next;
    if (orrery_model(job, &model) != ORRERY_OK) {
        return;
    }
    (void)fputc('\n', out);
    orr_print_model(out, &model);
    orr_print_memory_head(out);
    uint32_t first = 0;
    for (uint32_t stage = 0; stage < model.stages; stage++) {
        if (orrery_model_memory(job, stage, &next) != ORRERY_OK) {
            return;
        }
        if (stage > 0 && !same_memory(&memory, &next)) {
            orr_print_memory_row(out, first, stage, &memory);
            first = stage;
        }
        memory = next;
    }
    orr_print_memory_row(out, first, model.stages, &memory);
}
