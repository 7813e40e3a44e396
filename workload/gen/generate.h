/* Workload generators: traces of single collectives, of a data-parallel training step and of a
 * pipeline of sends. Each kind is an entry of a table; the command's help is printed from it. */
#ifndef ORR_WORKLOAD_GEN_GENERATE_H
#define ORR_WORKLOAD_GEN_GENERATE_H

#include "workload/trace/et/et.h"

/* The parameters of all kinds; each kind reads those it lists. */
struct orr_gen {
    const char *kind;       /* name in the table: "all_reduce", ..., "mlp", "p2p" */
    uint32_t npus;          /* >= 1; p2p: >= 2 */
    uint64_t bytes;         /* collectives and p2p: comm_size; mlp: parameters of one layer */
    uint32_t repeat;        /* repetitions, one after the other (mlp: training steps); 0 = 1 */
    uint32_t root;          /* broadcast, reduce, gather, scatter: < npus */
    const char *group;      /* collectives: the name of the group that runs it; NULL: all NPUs */
    const uint32_t *member; /* [members] its ranks, including the root; other ranks do nothing */
    uint32_t members;
    uint64_t first_part;    /* collectives: a node after each waits for this many bytes; 0 = none */
    uint32_t layers;        /* mlp; 0 = 1 */
    uint32_t batch;         /* mlp: samples per NPU; 0 = 1 */
    uint32_t element_bytes; /* mlp: bytes of a parameter; 0 = 2 */
    uint64_t forward_flops; /* mlp, p2p: of one layer or stage; 0 = mlp: 2 batch parameters,
                               p2p: no compute */
    uint64_t backward_flops; /* mlp: of one layer; 0 = twice the forward */
    bool optimizer;          /* mlp: a parameter update of each layer after its all-reduce */
};

/* The description of a kind. */
struct orr_gen_kind {
    const char *name, *summary;
    bool rooted, same_traces; /* uses root; all ranks (of the group) have the same trace */
};

/* The table of kinds, [*count]. */
const struct orr_gen_kind *orr_gen_kinds(size_t *count);

/* Checks the parameters. The error for an unknown kind suggests the nearest one. O(1). */
enum orr_status orr_gen_check(const struct orr_gen *gen, struct orr_diag *diag);

/* Builds the trace of one rank in the arena. O(nodes). */
enum orr_status orr_gen_trace(struct orr_arena *arena, const struct orr_gen *gen, uint32_t rank,
                              const struct orr_trace **out, struct orr_diag *diag);

/* Writes PREFIX.<rank>.et (PREFIX.<rank>.et.gz with gzip) for every rank. Ranks with equal traces
 * get files with the same bytes. O(bytes written). */
enum orr_status orr_gen_write(const struct orr_gen *gen, const char *prefix, bool gzip,
                              struct orr_diag *diag);

#endif
