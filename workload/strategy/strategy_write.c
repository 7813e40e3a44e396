/* Writes strategies; see strategy_file.h. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "workload/strategy/strategy_file.h"

/* Writes a name as a quoted YAML string. */
static void write_name(FILE *out, const char *name)
{
    (void)fputc('"', out);
    for (; *name != '\0'; name++) {
        const unsigned char letter = (unsigned char)*name;
        if (letter < 0x20 || letter == 0x7f) {
            (void)fprintf(out, "\\x%02x", letter);
        } else {
            (void)fprintf(out, letter == '"' || letter == '\\' ? "\\%c" : "%c", letter);
        }
    }
    (void)fputc('"', out);
}

static bool is_default(const struct strategy *strategy, uint32_t op,
                       const struct strategy *defaults)
{
    const struct strategy_op *is = &strategy->op[op], *was = &defaults->op[op];
    return is->parts == was->parts &&
           memcmp(orr_strategy_devices(strategy, op), orr_strategy_devices(defaults, op),
                  is->parts * sizeof(uint32_t)) == 0;
}

static bool same_degrees(const struct model_op *op, const uint32_t *a, const uint32_t *b)
{
    return memcmp(a, b, op->dims * sizeof *a) == 0;
}

static void write_split(FILE *out, const struct model_op *op, const uint32_t *degree)
{
    const char *before = "split: {";
    for (uint32_t d = 0; d < op->dims; d++) {
        if (degree[d] > 1) {
            (void)fprintf(out, "%s%s: %" PRIu32, before, op->dim[d].name, degree[d]);
            before = ", ";
        }
    }
    (void)fputs("}, ", out);
}

static void write_op(FILE *out, const struct model_graph *model, const struct strategy *strategy,
                     uint32_t op)
{
    const uint32_t parts = strategy->op[op].parts;
    (void)fputs("    ", out);
    write_name(out, model->op[op].name);
    (void)fputs(": {", out);
    if (parts > 1) {
        write_split(out, &model->op[op], orr_strategy_degrees(strategy, op));
    }
    (void)fputs("devices: ", out);
    orr_strategy_write_devices(out, orr_strategy_devices(strategy, op), parts);
    (void)fputs("}\n", out);
}

static void write_head(FILE *out, const struct strategy *strategy)
{
    const struct strategy_server *server = &strategy->server;
    (void)fprintf(out,
                  "strategy:\n  devices: %" PRIu32 "\n  groups: {model: %" PRIu32 ", data: %" PRIu32
                  "}\n  default: data_parallel\n  tables: round_robin\n",
                  strategy->devices, orr_strategy_group(strategy), strategy->copies);
    if (server->gpus > 1) {
        (void)fprintf(out, "  server: {gpus: %" PRIu32, server->gpus);
        if (server->inside_bytes_per_s > 0) {
            (void)fprintf(out, ", bandwidth: %.17g B/s", server->inside_bytes_per_s);
        }
        (void)fputs("}\n", out);
    }
    if (server->reduce_at_end) {
        (void)fputs("  gradients: at_end\n", out);
    }
    if (server->optimizer_bytes > 0) {
        (void)fprintf(out, "  optimizer_bytes: %" PRIu64 "\n", server->optimizer_bytes);
    }
}

int orr_strategy_write(FILE *out, const struct model_graph *model, const struct strategy *strategy)
{
    struct orr_arena *arena = orr_arena_create();
    struct strategy_draft draft;
    const bool made =
        arena != NULL &&
        orr_strategy_draft_init(&draft, arena, model, strategy->devices, strategy->copies) &&
        orr_strategy_data_parallel(&draft);
    if (made) {
        const struct strategy defaults = orr_strategy_drafted(&draft);
        const char *before = "  operators:\n";
        write_head(out, strategy);
        for (uint32_t op = 0; op < model->ops; op++) {
            if (!is_default(strategy, op, &defaults) ||
                !same_degrees(&model->op[op], orr_strategy_degrees(strategy, op),
                              orr_strategy_degrees(&defaults, op))) {
                (void)fputs(before, out);
                write_op(out, model, strategy, op);
                before = "";
            }
        }
    }
    orr_arena_destroy(arena);
    return made && !ferror(out) ? 0 : 1;
}
