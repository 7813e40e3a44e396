/* SiP-ML's fabrics as hardware (Khani et al., SIGCOMM'21, sections 3.1, 3.3 and 5): duty cycle,
 * power budget, interfaces, optical circuit switches (OCSs) of few ports, and costs. Pure functions
 * of assumptions that can all be changed. Formulas: docs/models.md, section 16. */
#ifndef ORR_SIPML_HARDWARE_SIP_HARDWARE_H
#define ORR_SIPML_HARDWARE_SIP_HARDWARE_H

#include <stdbool.h>

#include "core/time.h"
#include "sipml/wavelengths/wavelengths.h"

struct orr_diag;

/* SIP_MAX_PAIRS: pairs are enumerated one by one. */
enum { SIP_MAX_PAIRS = 1 << 28, BCUBE_MAX_LEVELS = 24 };

/* The assumptions, with the paper's values and their sections; [ours]: the paper has none. */
struct sip_rules {
    uint32_t gpus;        /* N; 1024 (4.3); 2 to WAVE_MAX_NODES */
    double bytes_per_s;   /* B of a GPU per direction; 8192 Gb/s (4.3) */
    uint32_t ocs;         /* Q, circuits of a GPU in SiP-OCS; 16 (4.3) */
    uint32_t wavelengths; /* W of a GPU in SiP-Ring; 0: as many as B takes */
    uint32_t group;       /* k GPUs of model parallelism; 16 (A.1, 5) */
    sim_time dark_ps;     /* of a reconfiguration; 25 us (3.1) */
    /* Light. */
    double budget_db;  /* transmit power over the receiver's sensitivity; 10 (5) */
    double coupler_db; /* into and out of a node; 0.5 (5) */
    double ring_db;    /* of a node's micro-rings; 0.125 (5: 0.125 to 0.025) */
    double ocs_db;     /* insertion loss of an OCS; 2 [ours] (TopoOpt, Table 1: 1.5 to 2.7) */
    /* Switches and rings. */
    uint32_t ocs_ports; /* ports of an OCS; 384 [ours] (TopoOpt, Table 1: 3D MEMS) */
    uint32_t radix;     /* GPUs that differ in a digit of BCube; 0: ocs_ports */
    /* Interfaces. */
    double wavelength_bytes_per_s;  /* of a micro-ring; 25 Gb/s (3.1, 4.4) */
    uint32_t interface_wavelengths; /* of a chip; 80 (3.1: TeraPHY, 2 Tb/s) */
    /* Dollars. */
    double run_euros;           /* for a run of chips; 80,000 (5, footnote 5) */
    uint32_t run_chips;         /* 20 (5) */
    double dollars_per_euro;    /* 1.102, which makes 4,408 dollars a chip (5) of that */
    double mass_factor;         /* how much cheaper in mass production; 10 (5) */
    double electronics_dollars; /* of a chip; 300 (5) */
    double optics_dollars;      /* a Gb/s of pluggable optics with SiP; 1 (5) */
    double sr_dollars;          /* without, SR-4 and SR8; 3 (5) */
    double ocs_port_dollars;    /* 520 [ours] (TopoOpt, Table 2) */
};

/* The price that the paper prints for 20 chips, which does not match its 4,408 dollars per chip
 * (88,160 for 20) (5). */
#define SIP_PRINTED_RUN_DOLLARS 44082.0

/* The paper's rules. */
struct sip_rules orr_sip_rules(void);

/* Checks the rules. Messages begin with the name of the option: "gpus: expected ...". Error:
 * input. */
enum orr_status orr_sip_check(const struct sip_rules *rules, struct orr_diag *diag);

/* ---- duty cycle (3.1; duty_cycle.c) ---- */

/* Duty cycle of circuits held for hold_ps and then dark for dark_ps; of slots that begin with the
 * dark time (0 if all of the slot is dark). Times > 0, dark_ps >= 0. */
double orr_duty_of_hold(sim_time hold_ps, sim_time dark_ps);
double orr_duty_of_slot(sim_time slot_ps, sim_time dark_ps);

/* Minimum hold or slot, in ps, for a duty cycle in (0, 1): 9 and 10 dark times for 0.9. */
double orr_min_hold_ps(double duty, sim_time dark_ps);
double orr_min_slot_ps(double duty, sim_time dark_ps);

/* ---- light (5; light_budget.c) ---- */

/* Loss of passing a node. The number of nodes that light can pass: orr_ring_reach. */
double orr_sip_node_db(const struct sip_rules *rules);

/* Loss of a circuit through `stages` OCSs plus one node for leaving the sender and entering the
 * receiver [ours]; whether the budget covers it; the maximum number of stages that it covers. */
double orr_sip_circuit_db(const struct sip_rules *rules, uint32_t stages);
bool orr_sip_is_lit(const struct sip_rules *rules, uint32_t stages);
uint32_t orr_sip_max_stages(const struct sip_rules *rules);

/* ---- interfaces and their cost (3.1, 4.4, 5; sip_interfaces.c) ---- */

/* Wavelengths, each with a micro-ring, for a bandwidth: rounded up. */
uint32_t orr_sip_wavelengths(const struct sip_rules *rules, double bytes_per_s);

struct sip_interfaces {
    double bytes_per_s;   /* of a GPU */
    uint32_t wavelengths; /* of a GPU; as many micro-rings */
    uint32_t of_gpu;      /* chips per GPU */
    uint64_t all;
};
struct sip_interfaces orr_sip_ocs_interfaces(const struct sip_rules *rules);
struct sip_interfaces orr_sip_ring_interfaces(const struct sip_rules *rules);

/* Dollars of chips. */
struct sip_prices {
    double run;       /* of a run of chips */
    double chip;      /* of one chip of a run */
    double mass_chip; /* of one chip in mass production */
    double mass;      /* the same with its electronics */
};
struct sip_prices orr_sip_prices(const struct sip_rules *rules);

/* Dollars for the interfaces of all GPUs. */
struct sip_cost {
    double run, mass;         /* chips at the price of a small run; in mass production */
    double optics, sr_optics; /* pluggable transceivers of the same bandwidth */
};
struct sip_cost orr_sip_cost(const struct sip_rules *rules,
                             const struct sip_interfaces *interfaces);

/* ---- large OCSs built of small ones (3.3; clos_switches.c) ---- */

/* A rearrangeably non-blocking Clos network (m = n): it can set any permutation of its ports.
 * Stages: 1, 3, 5, ... */
struct clos {
    uint32_t stages;
    uint64_t switches;      /* of all stages; small middle switches share an OCS */
    uint32_t outer;         /* r: switches of the first and of the last stage; 0: one stage */
    uint32_t middle;        /* m = n: middle switches of r ports; 0: one stage */
    uint32_t middle_shared; /* middle switches per OCS; 0: each is a Clos network itself */
};

/* nodes >= 2, ports >= 2. O(log nodes). */
struct clos orr_clos(uint32_t nodes, uint32_t ports);

/* ---- BCube (3.3; bcube.c) ---- */

/* The number of a GPU has digits of base `radix`; at level l an OCS connects the GPUs that differ
 * in digit l only. GPUs do not forward. */
struct bcube_level {
    uint32_t circuits; /* of each GPU */
    uint32_t lines;    /* sets of connected GPUs */
    uint32_t max;      /* size of the largest line */
    uint64_t switches; /* of all circuits; small lines share an OCS */
};
struct bcube {
    uint32_t radix, levels;
    struct bcube_level level[BCUBE_MAX_LEVELS];
    uint64_t switches;
    uint32_t peers; /* of GPU 0, which has the maximum, over one circuit */
};

/* The minimum number of levels; circuits are divided evenly, the remainder goes to the lower
 * levels. ports >= radix >= 2. O(levels). */
struct bcube orr_bcube(const struct sip_rules *rules);

/* The level that connects two different GPUs; WAVE_NONE if none does. O(levels). */
uint32_t orr_bcube_common(const struct bcube *bcube, uint32_t a, uint32_t b);

/* ---- rows and columns of rings (3.3; ring_rows.c) ---- */

/* K rows and N columns: GPU r * columns + c is on row ring r and column ring c. */
struct ring_rows {
    uint32_t rows, columns;
    uint64_t rings;                               /* rows + columns; of one row: 1 */
    uint32_t row_chips, column_chips;             /* interfaces of a GPU, at least two */
    uint32_t row_wavelengths, column_wavelengths; /* wavelengths, in proportion to the interfaces */
    uint32_t row_peers, column_peers;             /* within reach */
};

/* The maximum number of rows that divides the GPUs and is at most the number of columns. O(sqrt
 * gpus). */
uint32_t orr_ring_even_rows(uint32_t gpus);

/* Row rings get half of the interfaces, rounded up. `rows` must divide the GPUs. O(1). */
struct ring_rows orr_ring_rows(const struct sip_rules *rules, uint32_t rows);

/* ---- traffic pairs (3.2, 3.3; sip_pairs.c) ---- */

/* Pairs of GPUs that send in l groups of k consecutive GPUs (the last may be smaller): each GPU to
 * all others of its group and, if there are several groups, to the GPU k further, cyclically. */
struct sip_pairs {
    uint64_t inside, inside_direct; /* a circuit can connect them */
    uint64_t around, around_direct;
};

/* Counts the pairs, at most SIP_MAX_PAIRS. O(N k) calls of `direct`. */
struct sip_pairs orr_sip_pairs(uint32_t gpus, uint32_t group,
                               bool (*direct)(const void *network, uint32_t from, uint32_t to),
                               const void *network);

/* The same for BCube and for rows and columns of rings. With flat or Clos switches all pairs are
 * direct. */
struct sip_pairs orr_sip_bcube_pairs(const struct sip_rules *rules, const struct bcube *bcube);
struct sip_pairs orr_sip_rows_pairs(const struct sip_rules *rules, uint32_t rows);

/* ---- all of it (sip_hardware.c) ---- */

/* Q switches of N ports: flat, Clos or BCube. */
struct sip_switches {
    bool possible; /* flat: an OCS has a port for each GPU */
    uint32_t stages;
    uint64_t number; /* of OCSs */
    double dollars;
    double loss_db;
    bool lit;       /* within the budget */
    uint32_t peers; /* GPUs that one circuit can reach */
    struct sip_pairs pairs;
};

struct sip_hardware {
    double node_db;
    uint32_t reach, max_stages;
    struct sip_interfaces ocs, ring;
    struct sip_prices prices;
    struct sip_cost ocs_cost, ring_cost;
    struct clos clos;
    struct bcube bcube;
    struct sip_switches flat_switches, clos_switches, bcube_switches;
};

/* Computes everything. Requires orr_sip_check. O(N k). */
struct sip_hardware orr_sip_hardware(const struct sip_rules *rules);

#endif
