/* compute.efficiency as the platform has it, and with the values of a fit. */
#include <math.h>
#include <string.h>

#include "planner/fit_compute/compfit_private.h"
#include "planner/plan_file/plan_yaml.h"

/* ---- reading ---- */

static bool is_word(const struct orr_conf *map, const char *key, const char *word)
{
    const struct orr_conf *node = orr_conf_get(map, key);
    return node != NULL && node->kind == ORR_CONF_SCALAR && strcmp(node->text, word) == 0;
}

static void take_entry(const struct orr_conf *entry, struct compfit_efficiency *out)
{
    if (is_word(entry, "scope", "layer")) {
        out->layers = entry;
        return;
    }
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        if (is_word(entry, "kind", orr_op_kind_names[kind])) {
            out->entry[kind] = entry;
        }
    }
}

enum orr_status orr_compfit_efficiency(struct orr_arena *arena, const struct orr_conf *node,
                                       struct compfit_efficiency *out, struct orr_diag *diag)
{
    const struct wl_efficiency *read;
    struct orr_diag quiet; /* what is missing comes in by the fit */
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
        take_entry(node->item[i], out);
    }
    out->own_default = out->entry[ORR_OP_DEFAULT] != NULL;
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        out->entry[kind] = out->entry[kind] != NULL ? out->entry[kind] : out->entry[ORR_OP_DEFAULT];
    }
    return ORR_OK;
}

/* What the platform says of a key of a kind; NULL: nothing. */
static const struct orr_conf *given_key(const struct compfit_efficiency *efficiency, unsigned kind,
                                        const char *key)
{
    const struct orr_conf *entry = efficiency->entry[kind];
    const struct orr_conf *own = entry != NULL ? orr_conf_get(entry, key) : NULL;
    return own == NULL && strcmp(key, "points") == 0 ? efficiency->share : own;
}

const struct orr_conf *orr_compfit_given(const struct compfit_efficiency *efficiency,
                                         enum compfit_kind kind)
{
    switch (kind) {
    case COMPFIT_GEMM:
        return given_key(efficiency, ORR_OP_GEMM, "points");
    case COMPFIT_CONSTANT:
        return given_key(efficiency, ORR_OP_GEMM, "constant");
    case COMPFIT_ATTENTION:
        return given_key(efficiency, ORR_OP_ATTENTION, "points");
    case COMPFIT_ELEMENTWISE:
        return given_key(efficiency, ORR_OP_ELEMENTWISE, "bandwidth");
    case COMPFIT_OWN:
        break;
    }
    return NULL;
}

/* ---- writing ---- */

struct writing {
    FILE *out;
    const struct compfit *fit;
    const double *theta;
    int digits;
};

static double value_of(const struct writing *writing, enum compfit_kind kind)
{
    return orr_compfit_value(&writing->fit->param[kind], writing->theta[kind]);
}

static void put_number(const struct writing *writing, double number)
{
    (void)fprintf(writing->out, "%.*g", writing->digits, number);
}

static void put_share(const struct writing *writing, double share)
{
    put_number(writing, fmin(fmax(share, 0.001), 1));
}

static bool is_curve(const struct orr_conf *node)
{
    return node != NULL && node->kind == ORR_CONF_LIST;
}

/* All points of a curve, or a number, times a factor. */
static void put_scaled(const struct writing *writing, const struct orr_conf *node, double factor)
{
    double share = 1;
    if (!is_curve(node)) {
        (void)orr_conf_number(node, 0, 1, &share, NULL);
        put_share(writing, share * factor);
        return;
    }
    (void)fputc('[', writing->out);
    for (size_t i = 0; i < node->count; i++) {
        (void)fputs(i > 0 ? ", [" : "[", writing->out);
        orr_plan_yaml_text(writing->out, node->item[i]->item[0]->text);
        (void)orr_conf_number(node->item[i]->item[1], 0, 1, &share, NULL);
        (void)fputs(", ", writing->out);
        put_share(writing, share * factor);
        (void)fputc(']', writing->out);
    }
    (void)fputc(']', writing->out);
}

/* A share of a parameter: its number, or the platform's curve by its factor. */
static void put_fitted(const struct writing *writing, const char *key, enum compfit_kind kind)
{
    const struct orr_conf *given = orr_compfit_given(&writing->fit->efficiency, kind);
    (void)fprintf(writing->out, ", %s: ", key);
    if (writing->fit->param[kind].curve) {
        put_scaled(writing, given, value_of(writing, kind));
    } else {
        put_share(writing, value_of(writing, kind));
    }
}

/* Memory operations follow elementwise ones: by the same number, or where there are curves, by the
 * same factor. */
static void put_memory(const struct writing *writing)
{
    const struct compfit_param *param = &writing->fit->param[COMPFIT_ELEMENTWISE];
    const struct orr_conf *own = given_key(&writing->fit->efficiency, ORR_OP_MEMORY, "bandwidth");
    if (own == NULL || (!is_curve(own) && !param->curve)) {
        put_fitted(writing, "bandwidth", COMPFIT_ELEMENTWISE);
        return;
    }
    (void)fputs(", bandwidth: ", writing->out);
    put_scaled(writing, own,
               value_of(writing, COMPFIT_ELEMENTWISE) / (param->curve ? 1 : param->prior));
}

/* A key as the platform has it, if it has it. */
static void put_given(const struct writing *writing, unsigned kind, const char *key)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_conf *given = given_key(&writing->fit->efficiency, kind, key);
    if (given != NULL) {
        (void)fprintf(writing->out, ", %s: %s", key, orr_conf_format(given, text, sizeof text));
    }
}

static void put_constant(const struct writing *writing, unsigned kind)
{
    if (kind != ORR_OP_GEMM) {
        put_given(writing, kind, "constant");
        return;
    }
    (void)fputs(", constant: ", writing->out);
    put_number(writing, value_of(writing, COMPFIT_CONSTANT));
    (void)fputs(" us", writing->out);
}

static void put_points(const struct writing *writing, unsigned kind)
{
    if (kind == ORR_OP_GEMM || kind == ORR_OP_DEFAULT) {
        put_fitted(writing, "points", COMPFIT_GEMM);
    } else if (kind == ORR_OP_ATTENTION) {
        put_fitted(writing, "points", COMPFIT_ATTENTION);
    } else {
        put_given(writing, kind, "points");
    }
}

static void put_bandwidth(const struct writing *writing, unsigned kind)
{
    if (kind == ORR_OP_ELEMENTWISE || kind == ORR_OP_DEFAULT) {
        put_fitted(writing, "bandwidth", COMPFIT_ELEMENTWISE);
    } else if (kind == ORR_OP_MEMORY) {
        put_memory(writing);
    } else {
        put_given(writing, kind, "bandwidth");
    }
}

bool orr_compfit_has_entry(const struct compfit *fit, unsigned kind)
{
    return kind < ORR_OP_KINDS || fit->efficiency.layers != NULL;
}

/* Operations of no known kind take the share of products and the bandwidth of elementwise ones,
 * unless the platform says what they take. */
void orr_compfit_entry(FILE *out, const struct compfit *fit, unsigned kind, const double *theta,
                       int digits)
{
    const struct writing writing = {out, fit, theta, digits};
    const struct orr_conf *own = kind == ORR_OP_KINDS     ? fit->efficiency.layers
                                 : kind == ORR_OP_DEFAULT ? fit->efficiency.entry[ORR_OP_DEFAULT]
                                                          : NULL;
    if (own != NULL) {
        char text[ORR_DIAG_MESSAGE_BYTES];
        (void)fputs(orr_conf_format(own, text, sizeof text), out);
        return;
    }
    (void)fprintf(out, "{kind: %s%s", orr_op_kind_names[kind],
                  kind == ORR_OP_DEFAULT ? ", scope: operator" : "");
    put_points(&writing, kind);
    put_bandwidth(&writing, kind);
    if (kind != ORR_OP_DEFAULT) {
        put_constant(&writing, kind);
    }
    (void)fputc('}', out);
}
