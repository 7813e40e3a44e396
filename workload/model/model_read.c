/* The `model` section; see model_read.h. */
#include "workload/model/model_read.h"

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/file.h"
#include "workload/model/model_items.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

struct section {
    const char *name;
    int64_t batch, batch_per_device, measured_batch, element_bytes;
    unsigned gradients;
    bool parts;
    struct orr_conf_list operators;
};

static const char *const gradients[] = {"derived", "listed", NULL};
enum { GRADIENTS_LISTED = 1 };

#define AT(member) offsetof(struct section, member)

static const struct orr_key keys[] = {
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = AT(name),
     .absent = "that of the file",
     .example = "name: vgg16",
     .doc = "as reports call it"},
    {.name = "batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batch),
     .low = 1,
     .high = 1e12,
     .absent = "batch_per_device, else the strategy's",
     .example = "batch: 4096",
     .doc = "samples of an iteration, of the whole job"},
    {.name = "batch_per_device",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batch_per_device),
     .low = 1,
     .high = 1e12,
     .absent = "batch",
     .example = "batch_per_device: 256",
     .doc = "samples of an iteration for each device that the model runs on"},
    {.name = "measured_batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(measured_batch),
     .low = 1,
     .high = 1e12,
     .absent = "batch, else batch_per_device",
     .example = "measured_batch: 64",
     .doc = "samples that the times of operators of kind measured are for; other batches take "
            "times in proportion"},
    {.name = "element_bytes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(element_bytes),
     .low = 1,
     .high = 64,
     .default_text = "4",
     .doc = "bytes of a number: of weights, gradients and activations"},
    {.name = "gradients",
     .type = ORR_KEY_CHOICE,
     .offset = AT(gradients),
     .choices = gradients,
     .default_text = "derived",
     .doc = "derived: each operator has a backward pass; listed: the operators of the backward "
            "pass are among `operators`, and no other backward pass is implied"},
    {.name = "parts",
     .type = ORR_KEY_BOOL,
     .offset = AT(parts),
     .default_text = "false",
     .doc =
         "every operator can be split in `parts` too, as those of kind measured: each part takes "
         "a slice, gives a slice and has a slice of the weights, whatever the operator does"},
    {.name = "operators",
     .type = ORR_KEY_NODE,
     .offset = AT(operators),
     .required = true,
     .list = true,
     .min = 1,
     .max = 100000,
     .table = &orr_model_item_table,
     .example = "operators: [{data: {shape: [784]}}, {dense: {out: 10}}]",
     .doc = "the operators, each after its inputs"},
};

const struct orr_key_table orr_model_table = {"the model section", keys, COUNT(keys), NULL};

static const struct orr_key file_keys[] = {
    {.name = "model",
     .type = ORR_KEY_NODE,
     .required = true,
     .table = &orr_model_table,
     .example = "model: {operators: [{data: {shape: [784]}}, {dense: {out: 10}}]}",
     .doc = "a model as a graph of operators"},
};

const struct orr_key_table orr_model_file_table = {"a model file", file_keys, COUNT(file_keys),
                                                   NULL};

static enum orr_status read_info(struct orr_arena *arena, const struct orr_conf *map,
                                 const struct section *section, struct model_info *info,
                                 struct orr_diag *diag)
{
    *info = (struct model_info){.name = section->name,
                                .file = map->file,
                                .batch = (uint64_t)section->batch,
                                .batch_per_device = (uint64_t)section->batch_per_device,
                                .measured_batch = (uint64_t)section->measured_batch,
                                .element_bytes = (uint64_t)section->element_bytes,
                                .lists_gradients = section->gradients == GRADIENTS_LISTED,
                                .parts = section->parts};
    if (info->name == NULL) {
        info->name = orr_path_stem(arena, map->file);
    }
    if (info->name == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    return section->batch != 0 && section->batch_per_device != 0
               ? orr_conf_expected(orr_conf_get(map, "batch_per_device"),
                                   "either batch or batch_per_device", diag)
               : ORR_OK;
}

enum orr_status orr_model_read(struct orr_arena *arena, const struct orr_conf *map,
                               struct model_graph *out, struct orr_diag *diag)
{
    struct section section = {.name = NULL};
    struct model_info info;
    struct model_items items = {0};
    enum orr_status status =
        orr_conf_read(map, orr_model_table.owner, keys, COUNT(keys), &section, diag);
    if (status == ORR_OK) {
        status = read_info(arena, map, &section, &info, diag);
    }
    if (status == ORR_OK) {
        status = orr_model_items_read(arena, &section.operators, &items, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct model_builder *builder = orr_model_builder_create(arena, &info, diag);
    if (builder == NULL) {
        return ORR_ERR_MEMORY;
    }
    status = orr_model_items_expand(arena, &items, builder, diag);
    return status == ORR_OK ? orr_model_finish(builder, out, diag) : status;
}
