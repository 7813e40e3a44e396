/* The structs that the keys of a strategy are read into; shared by strategy_keys.c and
 * strategy_read.c. */
#ifndef ORR_WORKLOAD_STRATEGY_STRATEGY_READ_H
#define ORR_WORKLOAD_STRATEGY_STRATEGY_READ_H

#include "workload/strategy/strategy_file.h"

struct strategy_groups {
    int64_t model, data; /* 0: not set */
};

struct strategy_entry {
    const struct orr_conf *split, *devices;
};

struct strategy_inside {
    int64_t gpus;
    double bandwidth;
};

enum strategy_tables { TABLES_ROUND_ROBIN, TABLES_ROWS, TABLES_COLUMNS, TABLES_DATA_PARALLEL };

struct strategy_section {
    int64_t devices, optimizer_bytes;
    unsigned unsplit, tables, gradients;
    const struct orr_conf *groups, *operators, *server;
};

/* When a device's gradients are reduced. */
enum strategy_gradients { GRADIENTS_AS_READY, GRADIENTS_AT_END };

extern const struct orr_key_table orr_strategy_group_table, orr_strategy_op_table,
    orr_strategy_server_table;

#endif
