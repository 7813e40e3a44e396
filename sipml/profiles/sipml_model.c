/* Model from the trace of a SiP-ML profile, so that interpolated batch sizes are supported.
 *
 * Computations and control dependencies become measured operators, those of the backward pass
 * included, which the profile lists with the others. A written variable is the weights of its last
 * predecessor, where its gradient is complete. Read variables exist from the start. SiP-ML
 * (SIGCOMM'21, section 3.2) splits any of these operators into parts that work on a slice each. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/saturate.h"
#include "core/text_escape.h"
#include "et_converter/conversion_report.h"
#include "sipml/profiles/sipml.h"
#include "workload/trace/trace.h"

struct modeler {
    const struct orr_trace *trace;
    const struct sipml_model_info *info;
    uint32_t *order;        /* [nodes] in topological order */
    uint32_t *rank;         /* [nodes] position of a node in it */
    uint32_t *first_parent; /* [nodes + 1] */
    uint32_t *parent;       /* [edges] */
    uint64_t *weights;      /* [nodes] bytes of the variables that it updates */
    struct conv_report *report;
    struct orr_diag *diag;
};

static bool is_operator(const struct orr_node *node)
{
    return node->kind == ORR_NODE_COMP || node->kind == ORR_NODE_METADATA;
}

/* ---- the graph ---- */

static void find_parents(const struct modeler *modeler)
{
    const struct orr_trace *trace = modeler->trace;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        modeler->first_parent[i + 1] = modeler->first_parent[i] + trace->parents[i];
        modeler->rank[i] = modeler->first_parent[i]; /* position of its next parent */
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            modeler->parent[modeler->rank[trace->children[e]]++] = i;
        }
    }
}

/* Topological order, ties by the order of the file. Traces have no cycles. */
static void sort_nodes(const struct modeler *modeler, uint32_t *waiting)
{
    const struct orr_trace *trace = modeler->trace;
    uint32_t done = 0, ready = 0;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        waiting[i] = trace->parents[i];
        if (waiting[i] == 0) {
            modeler->order[ready++] = i;
        }
    }
    for (; done < ready; done++) {
        const uint32_t i = modeler->order[done];
        modeler->rank[i] = done;
        for (uint32_t e = trace->node[i].first_child; e < orr_trace_child_end(trace, i); e++) {
            if (--waiting[trace->children[e]] == 0) {
                modeler->order[ready++] = trace->children[e];
            }
        }
    }
    ORR_ASSERT(ready == trace->nodes);
}

/* Assigns a written variable to the last of its predecessors. */
static void assign_weights(const struct modeler *modeler)
{
    const struct orr_trace *trace = modeler->trace;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        uint32_t owner = UINT32_MAX;
        if (node->kind != ORR_NODE_MEM_STORE) {
            continue;
        }
        for (uint32_t p = modeler->first_parent[i]; p < modeler->first_parent[i + 1]; p++) {
            const uint32_t parent = modeler->parent[p];
            if (is_operator(&trace->node[parent]) &&
                (owner == UINT32_MAX || modeler->rank[parent] > modeler->rank[owner])) {
                owner = parent;
            }
        }
        if (owner == UINT32_MAX) {
            orr_convert_report_note(modeler->report,
                                    "variables that no operator writes, left out of the model",
                                    "%.64s", node->name);
        } else {
            modeler->weights[owner] = sat_plus(modeler->weights[owner], node->of.tensor_bytes);
        }
    }
}

/* ---- writing ---- */

/* Writes a name in double quotes with YAML escapes. */
static void write_name(FILE *out, const char *name)
{
    (void)fputc('"', out);
    while (*name != '\0') {
        const size_t bytes = orr_utf8_bytes(name);
        const unsigned char first = (unsigned char)*name;
        if (bytes == 0 || first < ' ' || first == 0x7f) {
            (void)fprintf(out, "\\x%02X", first);
        } else {
            (void)fprintf(out, "%s%.*s", first == '"' || first == '\\' ? "\\" : "", (int)bytes,
                          name);
        }
        name += bytes != 0 ? bytes : 1;
    }
    (void)fputc('"', out);
}

static void write_inputs(const struct modeler *modeler, FILE *out, uint32_t index)
{
    const struct orr_trace *trace = modeler->trace;
    const char *before = "[";
    for (uint32_t p = modeler->first_parent[index]; p < modeler->first_parent[index + 1]; p++) {
        const struct orr_node *parent = &trace->node[modeler->parent[p]];
        if (is_operator(parent)) {
            (void)fputs(before, out);
            write_name(out, parent->name);
            before = ", ";
        } else if (parent->kind == ORR_NODE_MEM_STORE) {
            orr_convert_report_note(modeler->report,
                                    "dependencies on written variables, left out of the model",
                                    "%.64s on %.64s", trace->node[index].name, parent->name);
        }
    }
    (void)fputs(*before == '[' ? "the samples" : "]", out);
}

static void write_operator(const struct modeler *modeler, FILE *out, uint32_t index)
{
    const struct orr_node *node = &modeler->trace->node[index];
    const uint64_t batch = modeler->info->batch;
    const uint64_t bytes = node->kind == ORR_NODE_COMP ? node->of.tensor_bytes : 0;
    if (bytes % batch != 0) {
        orr_convert_report_note(
            modeler->report, "outputs that are no whole bytes of a sample, rounded up",
            "%.64s: %" PRIu64 " bytes of %" PRIu64 " samples", node->name, bytes, batch);
    }
    (void)fputs("    - measured: {name: ", out);
    write_name(out, node->name);
    (void)fputs(", input: ", out);
    write_inputs(modeler, out, index);
    (void)fprintf(out, ", forward: %" PRIu64 " ps, out: %" PRIu64, node->duration_ps,
                  bytes / batch + (bytes % batch != 0));
    if (modeler->weights[index] != 0) {
        (void)fprintf(out, ", weights: %" PRIu64, modeler->weights[index]);
    }
    (void)fputs("}\n", out);
}

static enum orr_status write_model(const struct modeler *modeler)
{
    FILE *out = fopen(modeler->info->path, "wb");
    if (out != NULL) {
        (void)fprintf(out,
                      "# Written by orrery convert: a SiP-ML profile. Sizes are bytes; operators "
                      "of the backward\n# pass are listed with the others.\nmodel:\n"
                      "  batch: %" PRIu64 "\n  element_bytes: 1\n  gradients: listed\n"
                      "  operators:\n    - data: {name: the samples, shape: [1]}\n",
                      modeler->info->batch);
        for (uint32_t i = 0; i < modeler->trace->nodes; i++) {
            if (is_operator(&modeler->trace->node[modeler->order[i]])) {
                write_operator(modeler, out, modeler->order[i]);
            }
        }
    }
    const bool written = out != NULL && ferror(out) == 0;
    if ((out == NULL || fclose(out) == 0) && written) {
        return ORR_OK;
    }
    const struct orr_location place = orr_location_file(modeler->info->path);
    return orr_diag_fail(modeler->diag, ORR_ERR_IO, &place, "cannot be written: %s",
                         strerror(errno));
}

enum orr_status orr_sipml_model(struct orr_arena *arena, const struct orr_trace *trace,
                                const struct sipml_model_info *info, struct conv_report *report,
                                struct orr_diag *diag)
{
    const size_t nodes = trace->nodes;
    uint32_t *waiting = orr_arena_array(arena, nodes + 1, sizeof *waiting);
    const struct modeler modeler = {
        .trace = trace,
        .info = info,
        .order = orr_arena_array(arena, nodes + 1, sizeof(uint32_t)),
        .rank = orr_arena_array(arena, nodes + 1, sizeof(uint32_t)),
        .first_parent = orr_arena_array(arena, nodes + 1, sizeof(uint32_t)),
        .parent = orr_arena_array(arena, (size_t)trace->edges + 1, sizeof(uint32_t)),
        .weights = orr_arena_array(arena, nodes + 1, sizeof(uint64_t)),
        .report = report,
        .diag = diag};
    if (waiting == NULL || modeler.order == NULL || modeler.rank == NULL ||
        modeler.first_parent == NULL || modeler.parent == NULL || modeler.weights == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    find_parents(&modeler);
    sort_nodes(&modeler, waiting);
    assign_weights(&modeler);
    return write_model(&modeler);
}
