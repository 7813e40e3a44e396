/* Definitions shared by the readers and writers of task graphs. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_FILE_PRIVATE_H
#define ORR_WORKLOAD_TASKGRAPH_TG_FILE_PRIVATE_H

#include "workload/taskgraph/tg_file.h"

#define TG_MAGIC "\x89OTG\r\n\x1a\n" /* detects transfers in text mode */
#define TG_FORMAT "orrery task graph"

enum {
    TG_MAGIC_BYTES = 8,
    TG_VERSION = 1,
    TG_HEADER_BYTES = 40,
    TG_CHECKSUM_BYTES = 4,
    TG_MIN_TASK_BYTES = 4,
    TG_HAS_ORDER = 1, /* of the header's flags */
    TG_FIRST_COME = 2,
    /* The first byte of a task: role, pass, and these */
    TG_ROLE_BITS = 3,
    TG_PASS_BITS = 3,
    TG_ACROSS_BIT = 1 << 6,
    TG_NAMED_BIT = 1 << 7 /* the name differs from the previous task's */
};

/* The graph's names as in files: printable, each once, in the order of the first task with each. */
struct tg_names {
    struct orr_arena *arena;
    const char **text; /* [count], text[0] = "" */
    uint32_t *number;  /* [graph->names], into text */
    uint32_t count;
};
bool orr_tg_names_init(struct tg_names *names, const struct tg_graph *graph);
void orr_tg_names_fini(struct tg_names *names);

/* The two forms. */
enum orr_status orr_tg_read_binary(struct orr_arena *arena, const struct tg_bytes *bytes,
                                   struct tg_graph *out, struct orr_diag *diag);
enum orr_status orr_tg_read_json(struct orr_arena *arena, const struct tg_bytes *bytes,
                                 struct tg_graph *out, struct orr_diag *diag);
void orr_tg_write_binary(const struct tg_graph *graph, const struct tg_names *names, FILE *out);
void orr_tg_write_json(const struct tg_graph *graph, const struct tg_names *names, FILE *out);

#endif
