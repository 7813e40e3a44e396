/* Fuzzes models and profiles: any text is a graph whose operators stand behind their inputs, whose
 * parts take times, or an error with a place. The first byte says which of the two it is. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/model/profile.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_graph(const struct model_graph *graph)
{
    const struct model_speed speed = {
        .roofline = {.peak_flops = 1e12, .memory_bytes_per_s = INFINITY}};
    const uint32_t degree[MODEL_MAX_DIMS] = {2, 1, 1, 1, 1, 1, 1, 1};
    require(graph->ops > 0);
    for (uint32_t i = 0; i < graph->ops; i++) {
        const struct model_op *op = &graph->op[i];
        struct model_times times;
        require(op->owner <= i && op->dims >= 1 && op->dims <= MODEL_MAX_DIMS);
        require(op->shape.axes <= MODEL_MAX_AXES);
        for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
            require(graph->edge[e].from < i);
        }
        require(orr_model_part_time(graph, i, degree, &speed, 64, &times, NULL) == ORR_OK);
        require(times.forward_ps >= 0 && times.backward_ps >= 0);
    }
    (void)orr_model_totals(graph);
}

static void read_model(struct orr_arena *arena, const struct orr_conf *root, struct orr_diag *diag)
{
    const struct orr_key_table *table = &orr_model_file_table;
    const struct orr_conf *section = NULL;
    struct model_graph graph;
    if (orr_conf_read(root, table->owner, table->keys, table->count, &section, diag) == ORR_OK &&
        orr_model_read(arena, section, &graph, diag) == ORR_OK) {
        check_graph(&graph);
    } else {
        require(diag->status != ORR_OK && diag->status != ORR_ERR_INTERNAL);
    }
}

static void read_profile(struct orr_arena *arena, const struct orr_conf *root,
                         struct orr_diag *diag)
{
    struct model_profile profile;
    if (orr_model_profile_read(arena, root, &profile, diag) == ORR_OK) {
        for (uint32_t i = 0; i < profile.count; i++) {
            const struct model_measure *measure = &profile.measure[i];
            require(orr_model_profile_find(&profile, measure->name, measure->samples,
                                           measure->split) == measure);
        }
    } else {
        require(diag->status != ORR_OK && diag->status != ORR_ERR_INTERNAL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (bytes > 1 && arena != NULL &&
        orr_conf_parse(arena, (const char *)data + 1, bytes - 1, "fuzz", &root, &diag) == ORR_OK) {
        (data[0] == 'p' ? read_profile : read_model)(arena, root, &diag);
    }
    orr_arena_destroy(arena);
    return 0;
}
