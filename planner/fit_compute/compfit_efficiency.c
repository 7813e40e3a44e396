/* Reads compute.efficiency of the platform, and writes it with the values of a fit. */
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "planner/fit_compute/compfit_private.h"
#include "planner/plan_file/plan_yaml.h"
#include "workload/roofline/efficiency.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"

/* ---- reading ---- */

static bool has_text(const struct orr_conf *map, const char *key, const char *word)
{
    const struct orr_conf *node = orr_conf_get(map, key);
    return node != NULL && node->kind == ORR_CONF_SCALAR && strcmp(node->text, word) == 0;
}

static void read_entry(const struct orr_conf *entry, struct compfit_efficiency *out)
{
    if (has_text(entry, "scope", "layer")) {
        out->layers = entry;
        return;
    }
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        if (has_text(entry, "kind", orr_op_kind_names[kind])) {
            out->entry[kind] = entry;
        }
    }
}

enum orr_status orr_compfit_efficiency(struct orr_arena *arena, const struct orr_conf *node,
                                       struct compfit_efficiency *out, struct orr_diag *diag)
{
    const struct wl_efficiency *read;
    struct orr_diag quiet; /* errors of missing keys: the fit adds these */
    double share;
    orr_diag_init(&quiet);
    *out = (struct compfit_efficiency){.share = NULL};
    if (orr_wl_efficiency_read(arena, node, &share, &read, &quiet) != ORR_OK) {
        return orr_diag_forward(diag, &quiet);
    }
    if (node == NULL || node->kind == ORR_CONF_SCALAR) {
        out->share = node;
        return ORR_OK;
    }
    for (size_t i = 0; i < node->count; i++) {
        read_entry(node->item[i], out);
    }
    out->has_operator_default = out->entry[ORR_OP_DEFAULT] != NULL;
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        if (orr_wl_stands_for(kind) == ORR_OP_DEFAULT && out->entry[kind] == NULL) {
            out->entry[kind] = out->entry[ORR_OP_DEFAULT];
        }
    }
    return ORR_OK;
}

/* The value of a key of a kind in the platform; NULL: none. */
static const struct orr_conf *platform_key(const struct compfit_efficiency *efficiency,
                                           unsigned kind, const char *key)
{
    const struct orr_conf *entry = efficiency->entry[kind];
    const struct orr_conf *platform_entry = entry != NULL ? orr_conf_get(entry, key) : NULL;
    return platform_entry == NULL && strcmp(key, "points") == 0 ? efficiency->share
                                                                : platform_entry;
}

const struct orr_conf *orr_compfit_platform_value(const struct compfit_efficiency *efficiency,
                                                  enum compfit_kind kind)
{
    switch (kind) {
    case COMPFIT_GEMM:
        return platform_key(efficiency, ORR_OP_GEMM, "points");
    case COMPFIT_CONSTANT:
        return platform_key(efficiency, ORR_OP_GEMM, "constant");
    case COMPFIT_ATTENTION:
        return platform_key(efficiency, ORR_OP_ATTENTION, "points");
    case COMPFIT_ELEMENTWISE:
        return platform_key(efficiency, ORR_OP_ELEMENTWISE, "bandwidth");
    case COMPFIT_EFFICIENCY_PARAMS:
        break;
    }
    return NULL;
}

/* ---- writing ---- */

struct writer {
    FILE *out;
    const struct compfit *fit;
    const double *theta;
    int digits;
};

static double value_of(const struct writer *writer, enum compfit_kind kind)
{
    return orr_compfit_value(&writer->fit->param[kind], writer->theta[kind]);
}

static void write_number(const struct writer *writer, double number)
{
    (void)fprintf(writer->out, "%.*g", writer->digits, number);
}

static void write_share(const struct writer *writer, double share)
{
    write_number(writer, fmin(fmax(share, 0.001), 1));
}

static bool is_curve(const struct orr_conf *node)
{
    return node != NULL && node->kind == ORR_CONF_LIST;
}

/* Writes all points of a curve, or a number, times a factor. */
static void write_scaled(const struct writer *writer, const struct orr_conf *node, double factor)
{
    double share = 1;
    if (!is_curve(node)) {
        (void)orr_conf_number(node, 0, 1, &share, NULL);
        write_share(writer, share * factor);
        return;
    }
    (void)fputc('[', writer->out);
    for (size_t i = 0; i < node->count; i++) {
        (void)fputs(i > 0 ? ", [" : "[", writer->out);
        orr_plan_yaml_text(writer->out, node->item[i]->item[0]->text);
        (void)orr_conf_number(node->item[i]->item[1], 0, 1, &share, NULL);
        (void)fputs(", ", writer->out);
        write_share(writer, share * factor);
        (void)fputc(']', writer->out);
    }
    (void)fputc(']', writer->out);
}

/* Writes the share of a parameter: its number, or the platform's curve times its factor. */
static void write_fitted(const struct writer *writer, const char *key, enum compfit_kind kind)
{
    const struct orr_conf *from_platform =
        orr_compfit_platform_value(&writer->fit->efficiency, kind);
    (void)fprintf(writer->out, ", %s: ", key);
    if (writer->fit->param[kind].curve) {
        write_scaled(writer, from_platform, value_of(writer, kind));
    } else {
        write_share(writer, value_of(writer, kind));
    }
}

/* Memory operations follow elementwise ones: by the same number, or if there are curves by the same
 * factor. */
static void write_memory(const struct writer *writer)
{
    const struct compfit_param *param = &writer->fit->param[COMPFIT_ELEMENTWISE];
    const struct orr_conf *platform_entry =
        platform_key(&writer->fit->efficiency, ORR_OP_MEMORY, "bandwidth");
    if (platform_entry == NULL || (!is_curve(platform_entry) && !param->curve)) {
        write_fitted(writer, "bandwidth", COMPFIT_ELEMENTWISE);
        return;
    }
    (void)fputs(", bandwidth: ", writer->out);
    write_scaled(writer, platform_entry,
                 value_of(writer, COMPFIT_ELEMENTWISE) / (param->curve ? 1 : param->prior));
}

/* Writes a key as in the platform, if it is there. */
static void write_platform_key(const struct writer *writer, unsigned kind, const char *key)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_conf *from_platform = platform_key(&writer->fit->efficiency, kind, key);
    if (from_platform != NULL) {
        (void)fprintf(writer->out, ", %s: %s", key,
                      orr_conf_format(from_platform, text, sizeof text));
    }
}

static void write_constant(const struct writer *writer, unsigned kind)
{
    if (kind != ORR_OP_GEMM) {
        write_platform_key(writer, kind, "constant");
        return;
    }
    (void)fputs(", constant: ", writer->out);
    write_number(writer, value_of(writer, COMPFIT_CONSTANT));
    (void)fputs(" us", writer->out);
}

static void write_points(const struct writer *writer, unsigned kind)
{
    if (kind == ORR_OP_GEMM || kind == ORR_OP_DEFAULT) {
        write_fitted(writer, "points", COMPFIT_GEMM);
    } else if (kind == ORR_OP_ATTENTION) {
        write_fitted(writer, "points", COMPFIT_ATTENTION);
    } else {
        write_platform_key(writer, kind, "points");
    }
}

static void write_bandwidth(const struct writer *writer, unsigned kind)
{
    if (kind == ORR_OP_ELEMENTWISE || kind == ORR_OP_DEFAULT) {
        write_fitted(writer, "bandwidth", COMPFIT_ELEMENTWISE);
    } else if (kind == ORR_OP_MEMORY) {
        write_memory(writer);
    } else {
        write_platform_key(writer, kind, "bandwidth");
    }
}

bool orr_compfit_has_entry(const struct compfit *fit, unsigned kind)
{
    if (kind == ORR_OP_KINDS) {
        return fit->efficiency.layers != NULL;
    }
    return orr_wl_stands_for(kind) == ORR_OP_DEFAULT || fit->efficiency.entry[kind] != NULL;
}

/* The default entry has the share of matrix products and the bandwidth of elementwise operations,
 * unless the platform has a default of its own. */
void orr_compfit_write_entry(FILE *out, const struct compfit *fit, unsigned kind,
                             const double *theta, int digits)
{
    const struct writer writer = {out, fit, theta, digits};
    const struct orr_conf *platform_entry =
        kind == ORR_OP_KINDS                        ? fit->efficiency.layers
        : kind == ORR_OP_DEFAULT                    ? fit->efficiency.entry[ORR_OP_DEFAULT]
        : orr_wl_stands_for(kind) != ORR_OP_DEFAULT ? fit->efficiency.entry[kind]
                                                    : NULL;
    if (platform_entry != NULL) {
        char text[ORR_DIAG_MESSAGE_BYTES];
        (void)fputs(orr_conf_format(platform_entry, text, sizeof text), out);
        return;
    }
    (void)fprintf(out, "{kind: %s%s", orr_op_kind_names[kind],
                  kind == ORR_OP_DEFAULT ? ", scope: operator" : "");
    write_points(&writer, kind);
    write_bandwidth(&writer, kind);
    if (kind != ORR_OP_DEFAULT) {
        write_constant(&writer, kind);
    }
    (void)fputc('}', out);
}
