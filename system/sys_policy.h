/* Decisions in which ASTRA-sim and Orrery differ. */
#ifndef ORR_SYSTEM_SYS_POLICY_H
#define ORR_SYSTEM_SYS_POLICY_H

#include "core/evq.h"

/* Decisions in which ASTRA-sim and Orrery differ; one struct, no scattered conditions.
 * docs/how-to/astra-sim-rules.md explains every line. */
struct sys_policy {
    const char *name;
    bool astra_steps;        /* step collectives by ASTRA-sim's event chains */
    bool admit_chunks;       /* per-dimension queues admit `active_chunks` chunk-phases at a time */
    bool full_last_chunk;    /* the last chunk has the size of the others */
    bool minimum_chunk;      /* a chunk has at least one byte for every NPU of the platform */
    bool pair_by_issue;      /* collectives pair by order of issue; otherwise by trace order */
    bool replay_broadcast;   /* a broadcast lasts as long as its node's recorded duration */
    bool flat_groups;        /* a group smaller than the platform is one flat dimension */
    bool one_comm_slot;      /* collectives, sends and memory share one slot per NPU */
    bool memory_path;        /* with default rules: memory and network of an NPU share one path */
    bool memory_is_remote;   /* all memory nodes are remote; tensor_loc is ignored */
    uint32_t tags;           /* modulus of point-to-point tags; 0: none */
    bool five_parts;         /* waiting counts as communication, CPU nodes as compute */
    bool warns_of_unmatched; /* messages that are never received cause a warning, not an error */
    bool ignores_rules;      /* Orrery's extensions of traces are ignored: rules, delays, signals */
    bool sparse_wakeup;      /* nodes freed by a skipped node wait for the next completion */
    sim_time group_endpoint_ps; /* >= 0: endpoint delay inside smaller groups; < 0: as elsewhere */
    enum orr_order order;       /* order of same-instant events */
    bool key_by_start;          /* routes are keyed by the order in which messages start */
};

extern const struct sys_policy orr_sys_policy_default;
extern const struct sys_policy orr_sys_policy_task_graph;
extern const struct sys_policy orr_sys_policy_astra_sim;

#endif
