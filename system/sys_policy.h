/* Decisions in which ASTRA-sim and Orrery differ. */
#ifndef ORR_SYSTEM_SYS_POLICY_H
#define ORR_SYSTEM_SYS_POLICY_H

#include "core/evq.h"

struct sys_chunk_ops;

/* Decisions in which ASTRA-sim and Orrery differ; one struct, no scattered conditions: other code
 * asks for a decision, never for a policy. docs/how-to/astra-sim-rules.md explains every line. */
struct sys_policy {
    const char *name;
    /* collectives as they run */
    const struct sys_chunk_ops *chunks; /* when chunks begin their phases, and who steps these */
    bool pair_by_issue;         /* collectives pair by order of issue; otherwise by trace order */
    bool shared_custom_space;   /* custom collectives share one space of tags */
    sim_time group_endpoint_ps; /* >= 0: endpoint delay inside smaller groups; < 0: as elsewhere */
    /* collectives as they are planned */
    bool equal_chunks;         /* the last chunk has the size of the others */
    bool minimum_chunk;        /* a chunk has at least one byte for every NPU of the platform */
    bool truncates_blocks;     /* sizes of later phases follow by whole divisions */
    bool flat_groups;          /* a group smaller than the platform is one flat dimension */
    bool closed_groups;        /* no messages of a group pass other NPUs, as far as folding knows */
    bool schedules_whole_only; /* schedulers order the dimensions of the whole platform only */
    bool schedules_one_dim;    /* and those of collectives in one dimension, too */
    bool keeps_loads;          /* collectives of one instant share the loads of a scheduler */
    bool ordered_in_one_pass;  /* all-reduces in a scheduler's order are not split into two */
    bool second_half_backwards;  /* rings turn round in the second half of an all-reduce */
    bool trees_all_reduce;       /* trees run an all-reduce, whatever the phase is */
    bool tree_turns_by_platform; /* trees alternate over all collectives of a kind */
    /* traces */
    bool replay_broadcast;   /* a broadcast lasts as long as its node's recorded duration */
    bool one_comm_slot;      /* collectives, sends and memory share one slot per NPU */
    bool memory_path;        /* with default rules: memory and network of an NPU share one path */
    bool memory_is_remote;   /* all memory nodes are remote; tensor_loc is ignored */
    bool skip_without_bytes; /* a node that touches no bytes takes no time */
    bool five_parts;         /* waiting counts as communication, CPU nodes as compute */
    bool warns_of_unmatched; /* messages that are never received cause a warning, not an error */
    bool ignores_rules;      /* Orrery's extensions of traces are ignored: rules, delays, signals */
    bool sparse_wakeup;      /* nodes freed by a skipped node wait for the next completion */
    uint32_t tags;           /* modulus of point-to-point tags; 0: none */
    /* times and their order */
    bool whole_ns;           /* delays of networks, memories and compute are whole ns */
    bool free_ports;         /* messages do not wait for each other at ports (analytical) */
    bool ignores_departures; /* nothing waits for a message to leave its port */
    enum orr_order order;    /* order of same-instant events */
    bool key_by_start;       /* routes are keyed by the order in which messages start */
    const char *not_folded;  /* why jobs are not folded; NULL: they are */
    bool folds_by_rotation;  /* though: jobs on graphs are, by rotations of the graph */
};

extern const struct sys_policy orr_sys_policy_default;
extern const struct sys_policy orr_sys_policy_task_graph;
extern const struct sys_policy orr_sys_policy_astra_sim;

#endif
