/* The keys of a strategy; see strategy_file.h. */
#include "workload/strategy/strategy_read.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const defaults[] = {"data_parallel", "whole", NULL};
static const char *const tables[] = {"round_robin", "rows", "columns", "data_parallel", NULL};

static const char *const gradients[] = {"as_ready", "at_end", NULL};

static const struct orr_key group_keys[] = {
    {.name = "model",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct strategy_groups, model),
     .low = 1,
     .high = STRATEGY_MAX_DEVICES,
     .absent = "all devices / data",
     .example = "model: 8",
     .doc = "k: devices of a group, which split the operators"},
    {.name = "data",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct strategy_groups, data),
     .low = 1,
     .high = STRATEGY_MAX_DEVICES,
     .absent = "all devices / model",
     .example = "data: 2",
     .doc = "l: equal groups, which divide the batch"},
};
const struct orr_key_table orr_strategy_group_table = {"the groups of a strategy", group_keys,
                                                       COUNT(group_keys), NULL};

static const struct orr_key degree_key = {.name = "DIMENSION",
                                          .type = ORR_KEY_INTEGER,
                                          .low = 1,
                                          .high = STRATEGY_MAX_PARTS,
                                          .example = "output: 4",
                                          .doc = "parts in this dimension of the operator"};

static const struct orr_key op_keys[] = {
    {.name = "split",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct strategy_entry, split),
     .each = &degree_key,
     .absent = "whole",
     .example = "split: {sample: 2, output: 4}",
     .doc = "how many parts in which of its dimensions; their product is the number of parts"},
    {.name = "devices",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct strategy_entry, devices),
     .absent = "parts as far apart in the group as they can be",
     .example = "devices: [0-3, 8]",
     .doc = "of each part, in the group: numbers, ranges \"4-7\", ranges with a step \"0-12:4\""},
};
const struct orr_key_table orr_strategy_op_table = {"an operator of a strategy", op_keys,
                                                    COUNT(op_keys), NULL};

static const struct orr_key op_key = {.name = "NAME",
                                      .type = ORR_KEY_NODE,
                                      .table = &orr_strategy_op_table,
                                      .example = "\"dense *\": {split: {output: 4}}",
                                      .doc = "an operator, or a pattern of names with * and ?"};

static const struct orr_key server_keys[] = {
    {.name = "gpus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct strategy_inside, gpus),
     .low = 1,
     .high = 1024,
     .default_text = "1",
     .doc = "GPUs of a device, if it is a server that computes as one"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct strategy_inside, bandwidth),
     .absent = "all-reduces take no time inside of servers",
     .example = "bandwidth: 25 GB/s",
     .doc = "between the GPUs of a server: an all-reduce of S first takes 2 S / gpus / bandwidth"},
};
const struct orr_key_table orr_strategy_server_table = {"the server of a strategy", server_keys,
                                                        COUNT(server_keys), NULL};

#define AT(member) offsetof(struct strategy_section, member)

static const struct orr_key keys[] = {
    {.name = "devices",
     .type = ORR_KEY_INTEGER,
     .offset = AT(devices),
     .low = 1,
     .high = STRATEGY_MAX_DEVICES,
     .absent = "those of the cluster, or of the groups",
     .example = "devices: 16",
     .doc = "NPUs, or servers, that the strategy is for"},
    {.name = "groups",
     .type = ORR_KEY_NODE,
     .offset = AT(groups),
     .table = &orr_strategy_group_table,
     .absent = "one of all devices",
     .example = "groups: {model: 8, data: 2}",
     .doc = "k-way model x l-way data parallelism"},
    {.name = "default",
     .type = ORR_KEY_CHOICE,
     .offset = AT(unsplit),
     .choices = defaults,
     .default_text = "data_parallel",
     .doc = "operators without an entry: split by samples over the group, or unsplit on device 0"},
    {.name = "tables",
     .type = ORR_KEY_CHOICE,
     .offset = AT(tables),
     .choices = tables,
     .default_text = "round_robin",
     .doc = "tables without an entry: unsplit, round-robin over the group; their rows or columns "
            "over the group; or as other operators"},
    {.name = "operators",
     .type = ORR_KEY_NODE,
     .offset = AT(operators),
     .each = &op_key,
     .absent = "all as the defaults",
     .doc = "operators that are split or placed otherwise, by name or pattern; of several that "
            "match the last counts"},
    {.name = "gradients",
     .type = ORR_KEY_CHOICE,
     .offset = AT(gradients),
     .choices = gradients,
     .default_text = "as_ready",
     .doc = "when they are all-reduced: each when the backward parts of its operator are done; or "
            "none before all backward parts of the device are"},
    {.name = "server",
     .type = ORR_KEY_NODE,
     .offset = AT(server),
     .table = &orr_strategy_server_table,
     .absent = "a device is one GPU",
     .example = "server: {gpus: 4, bandwidth: 25 GB/s}",
     .doc = "the server, if a device is one"},
    {.name = "optimizer_bytes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(optimizer_bytes),
     .low = 0,
     .high = 1024,
     .default_text = "0",
     .doc = "bytes of optimizer state of a parameter, for the memory of a device"},
};

const struct orr_key_table orr_strategy_key_table = {"the strategy", keys, COUNT(keys), NULL};

static const struct orr_key file_keys[] = {
    {.name = "strategy",
     .type = ORR_KEY_NODE,
     .required = true,
     .table = &orr_strategy_key_table,
     .example = "strategy: {groups: {model: 8, data: 2}}",
     .doc = "how a model is split and placed"},
};
const struct orr_key_table orr_strategy_file_table = {"a strategy's file", file_keys,
                                                      COUNT(file_keys), NULL};
