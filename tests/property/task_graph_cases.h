/* Random task graphs in FlexFlow's two forms, and random networks for them. A case is a pure
 * function of its seed. */
#ifndef ORR_TESTS_PROPERTY_TASK_GRAPH_CASES_H
#define ORR_TESTS_PROPERTY_TASK_GRAPH_CASES_H

#define FF_BUFFER_BYTES 262144
#include "tests/unit/flexflow_bytes.h"

#include "core/rng.h"
#include "et_converter/flexflow/flexflow_graph.h"

enum { TG_SERVERS = 12, TG_TASKS = 400, TG_MANY = 64, TG_NEXTS = 24, TG_TEXT = 8192 };

struct tg_task {
    enum flexflow_task_type type;
    enum flexflow_device_type device;
    uint32_t from, to; /* servers; of what is in one, both */
    float runtime_ms;
    uint64_t bytes;
    uint32_t nexts, next[TG_NEXTS]; /* tasks, or the servers of an all-reduce */
};

struct tg_case {
    uint64_t seed;
    struct orr_rng rng;
    bool dot; /* in DOT, otherwise as FlatBuffers */
    uint32_t servers, tasks;
    struct tg_task task[TG_TASKS]; /* each behind those that it waits for */
    uint32_t place[TG_TASKS];      /* in the file */
    /* the graph's own network */
    uint32_t switches;
    bool own;              /* is taken */
    bool ordered, changes; /* it has rings in an order of their own; links that change */
    char network[TG_TEXT]; /* a section, without `own` */
    char all_reduce[64];
    struct ff_buffer bytes; /* the file, either form */
};

void tg_make(struct tg_case *made, uint64_t seed);

/* Its network: `section`, or of the graph's own with `own`. (task_graph_networks.c) */
void tg_network(struct tg_case *made);
/* Adds a graph's own network to the FlatBuffers. */
void tg_own_network(struct tg_case *made, size_t root);
uint32_t tg_below(struct tg_case *made, uint32_t bound);

#endif
