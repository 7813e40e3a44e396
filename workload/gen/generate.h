/* Workload generators: traces of single collectives, of a data-parallel training step and of a
 * pipeline of sends, from a few numbers. Each kind is an entry of a table, from which the command's
 * help is printed too. */
#ifndef ORR_WORKLOAD_GEN_GENERATE_H
#define ORR_WORKLOAD_GEN_GENERATE_H

#include "workload/trace/et/et.h"

/* The numbers of every kind; a kind reads those it lists. */
struct orr_gen {
    const char *kind;       /* name in the table: "all_reduce", ..., "mlp", "p2p" */
    uint32_t npus;          /* >= 1; p2p: >= 2 */
    uint64_t bytes;         /* collectives and p2p: comm_size; mlp: parameters of one layer */
    uint32_t repeat;        /* how often, one after the other (mlp: training steps); 0 = 1 */
    uint32_t root;          /* broadcast, reduce, gather, scatter: < npus */
    const char *group;      /* collectives: the group that does it, by name; NULL: all NPUs */
    const uint32_t *member; /* [members] its ranks, the root among them; others do nothing */
    uint32_t members;
    uint64_t first_part;     /* collectives: bytes, for which a node behind each waits; 0 = none */
    uint32_t layers;         /* mlp; 0 = 1 */
    uint32_t batch;          /* mlp: samples per NPU; 0 = 1 */
    uint32_t element_bytes;  /* mlp: bytes of a parameter; 0 = 2 */
    uint64_t forward_flops;  /* mlp, p2p: of one layer or stage; 0 = mlp: 2 batch parameters,
                                p2p: no compute */
    uint64_t backward_flops; /* mlp: of one layer; 0 = twice the forward */
    bool optimizer;          /* mlp: a parameter update of each layer behind its all-reduce */
};

/* What a kind says about itself. */
struct orr_gen_kind {
    const char *name, *summary;
    bool rooted, same_traces; /* uses root; every rank (of the group) has the same trace */
};

/* The table; *count is set. */
const struct orr_gen_kind *orr_gen_kinds(size_t *count);

/* Checks the numbers, with the nearest kind suggested for an unknown one. O(1). */
enum orr_status orr_gen_check(const struct orr_gen *gen, struct orr_diag *diag);

/* The trace of one rank, in memory. O(nodes). */
enum orr_status orr_gen_trace(struct orr_arena *arena, const struct orr_gen *gen, uint32_t rank,
                              const struct orr_trace **out, struct orr_diag *diag);

/* Writes PREFIX.<rank>.et (PREFIX.<rank>.et.gz with gzip) for every rank; ranks that are alike get
 * files with the same bytes. O(bytes written). */
enum orr_status orr_gen_write(const struct orr_gen *gen, const char *prefix, bool gzip,
                              struct orr_diag *diag);

#endif
