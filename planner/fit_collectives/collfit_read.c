/* Reads the input of the fit: the platform's library, and rows with their groups. */
#include "core/conf/conf.h"
#include "network/coordinates.h"
#include "network/net_config_read.h"
#include "planner/fit_collectives/collfit_private.h"
#include "study/measured/measured.h"
#include "system/ccl/ccl.h"
#include "system/sys_config.h"
#include "system/sys_config_read.h"

/* ---- the platform ---- */

static enum orr_status fail_graph(const struct collfit *fit, const struct orr_conf *network,
                                  struct orr_diag *diag)
{
    const struct orr_conf *graph = orr_conf_get(network, "graph");
    const struct orr_location location = orr_conf_key_location(graph != NULL ? graph : network);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: a fit of collectives needs the size of a node, which a graph does "
                         "not have; expected network.topology, such as "
                         "\"Switch(8)_Switch(4)\"",
                         graph != NULL ? graph->path : fit->input.platform);
}

static enum orr_status fail_no_library(const struct collfit *fit, const struct orr_conf *system,
                                       struct orr_diag *diag)
{
    const struct orr_conf *library = system != NULL ? orr_conf_get(system, "library") : NULL;
    const struct orr_conf *at = library != NULL  ? library
                                : system != NULL ? system
                                                 : fit->input.root;
    const struct orr_location location = orr_conf_location(at);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "the platform has no library whose collectives could be fitted; expected "
                         "system: {library: {name: nccl, gpu: a100}}, or --set "
                         "'system.library={name: nccl, gpu: a100}'");
}

static enum orr_status read_platform(struct orr_arena *arena, struct collfit *fit,
                                     struct orr_diag *diag)
{
    const struct orr_conf *root = fit->input.root;
    const struct orr_conf *network = orr_conf_get(root, "network");
    const struct orr_conf *system = orr_conf_get(root, "system");
    struct sys_config config = {.library = NULL};
    if (network == NULL) {
        const struct orr_location location = orr_conf_location(root);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "a platform needs the key \"network\", such as network: {topology: "
                             "Switch(8), bandwidth: 300 GB/s}");
    }
    if (orr_conf_get(network, "graph") != NULL) {
        return fail_graph(fit, network, diag);
    }
    enum orr_status status = orr_net_config_read(arena, network, &fit->network, diag);
    if (status == ORR_OK && fit->network.graph != NULL) {
        return fail_graph(fit, network, diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_config_read(arena, system, fit->network.dims, &config, diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_config_mono(arena, system, &config, diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_config_ccl(arena, system, &fit->network, &config, diag);
    }
    fit->platform_library = config.library;
    return status != ORR_OK || fit->platform_library != NULL ? status
                                                             : fail_no_library(fit, system, diag);
}

/* ---- rows ---- */

static struct orr_measured_machine machine_of(const struct collfit *fit)
{
    return (struct orr_measured_machine){.name = fit->input.platform,
                                         .npus = orr_net_npus(&fit->network),
                                         .node_npus = fit->network.dim[0].npus};
}

/* The shape of the group of a row: npus_per_node NPUs of each of the first nodes. */
static enum orr_status make_shape(const struct collfit *fit, const struct orr_measured_row *row,
                                  struct sys_ccl_shape *out, struct orr_diag *diag)
{
    uint32_t *ranks = orr_heap_calloc(row->npus, sizeof *ranks);
    if (ranks == NULL) {
        return orr_diag_no_memory(diag, "a group");
    }
    const struct orr_measured_machine machine = machine_of(fit);
    for (uint32_t i = 0; i < row->npus; i++) {
        ranks[i] = orr_measured_rank(&machine, row->npus_per_node, i);
    }
    const enum orr_status status =
        orr_sys_ccl_shape_of(fit->platform_library, &fit->network, ranks, row->npus, out, diag);
    orr_heap_free(ranks);
    return status;
}

/* Rows of a table have one group; tables of equal groups share a shape. */
static enum orr_status make_shapes(struct orr_arena *arena, struct collfit *fit,
                                   struct orr_diag *diag)
{
    const struct orr_measured *measured = &fit->measured;
    const struct orr_measured_machine machine = machine_of(fit);
    fit->shape = orr_arena_array(arena, measured->rows + 1, sizeof *fit->shape);
    if (fit->shape == NULL) {
        return orr_diag_no_memory(diag, "the groups of a fit");
    }
    for (size_t i = 0; i < measured->rows; i++) {
        const enum orr_status status =
            orr_measured_check_row(measured, &measured->row[i], &machine, diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    for (size_t t = 0; t < measured->tables; t++) {
        const struct orr_measured_table *table = &measured->table[t];
        struct sys_ccl_shape shape;
        size_t same = 0;
        while (same < t && (measured->table[same].npus != table->npus ||
                            measured->table[same].npus_per_node != table->npus_per_node)) {
            same++;
        }
        if (same < t) {
            shape = fit->shape[measured->order[measured->table[same].first]];
        } else {
            const enum orr_status status =
                make_shape(fit, orr_measured_row_of(measured, table, 0), &shape, diag);
            if (status != ORR_OK) {
                return status;
            }
        }
        for (size_t i = 0; i < table->count; i++) {
            fit->shape[measured->order[table->first + i]] = shape;
        }
    }
    return ORR_OK;
}

static enum orr_status hold_out_all(struct orr_arena *arena, struct collfit *fit,
                                    struct orr_diag *diag)
{
    const size_t rows = fit->measured.rows;
    bool *held = orr_arena_array(arena, rows + 1, sizeof *held);
    if (held == NULL) {
        return orr_diag_no_memory(diag, "the rows of a fit");
    }
    for (size_t i = 0; i < rows; i++) {
        held[i] = true;
    }
    fit->split = (struct orr_measured_split){.held = held, .tested = rows};
    return ORR_OK;
}

enum orr_status orr_collfit_load(struct orr_arena *arena, const struct collfit_input *input,
                                 struct collfit *out, struct orr_diag *diag)
{
    *out = (struct collfit){.input = *input};
    enum orr_status status = read_platform(arena, out, diag);
    if (status == ORR_OK) {
        status = orr_measured_read(&input->data, arena, &out->measured, diag);
    }
    if (status == ORR_OK) {
        const struct orr_measured_machine machine = machine_of(out);
        orr_measured_check_gpu(&out->measured, &machine, out->platform_library->gpu->name, diag);
        status = make_shapes(arena, out, diag);
    }
    if (status == ORR_OK) {
        status = input->keep ? hold_out_all(arena, out, diag)
                             : orr_measured_select(&out->measured, input->holdout, arena,
                                                   &out->split, diag);
    }
    return status;
}
