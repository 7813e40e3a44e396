/* SiP-ML as hardware (Khani et al., SIGCOMM'21, sections 3.1, 3.3 and 5): duty cycle, power budget,
 * interfaces, optical circuit switches (OCSs) of few ports, and costs. Pure functions of
 * assumptions, all of which can be others. Formulas: docs/models.md, section 16. Included by
 * network.h. */
#ifndef ORR_NETWORK_HARDWARE_SIP_HARDWARE_H
#define ORR_NETWORK_HARDWARE_SIP_HARDWARE_H

#include "network/wavelengths/wavelengths.h"

/* Pairs that SiP-ML sends between are looked at one by one. */
enum { SIP_MAX_PAIRS = 1 << 28, BCUBE_MAX_LEVELS = 24 };

/* The paper's values, and where they are from; [ours] where it has none. */
struct sip_rules {
    uint32_t gpus;        /* N; 1024 (4.3); 2 to WAVE_MAX_NODES */
    double bytes_per_s;   /* B of a GPU each way; 8192 Gb/s (4.3) */
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
    uint32_t ocs_ports; /* ways in, and as many out; 384 [ours] (TopoOpt, Table 1: 3D MEMS) */
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

/* What the paper says of itself: the price that it prints for 20 chips does not fit the 4,408
 * dollars of one, 20 of which are 88,160 (5). */
#define SIP_PRINTED_RUN_DOLLARS 44082.0

/* The paper's. */
struct sip_rules orr_sip_rules(void);

/* Whether the rules can be. Messages begin with the name of what cannot, as options have it:
 * "gpus: expected ...". Error: input. */
enum orr_status orr_sip_check(const struct sip_rules *rules, struct orr_diag *diag);

/* ---- duty cycle (3.1; duty_cycle.c) ---- */

/* The share of the time in which light carries data: circuits are held, and then dark; or dark for
 * the beginning of a slot (0 where it is dark for all of it). Times above 0, `dark_ps` from 0 on.
 */
double orr_duty_of_hold(sim_time hold_ps, sim_time dark_ps);
double orr_duty_of_slot(sim_time slot_ps, sim_time dark_ps);

/* The least hold, or slot, in ps, for a duty cycle above 0 and below 1: 9 and 10 dark times for
 * 0.9. */
double orr_min_hold_ps(double duty, sim_time dark_ps);
double orr_min_slot_ps(double duty, sim_time dark_ps);

/* ---- light (5; light_budget.c) ---- */

/* What passing a node costs; how many nodes light gets past: orr_ring_reach. */
double orr_sip_node_db(const struct sip_rules *rules);

/* What a circuit through OCSs loses: those, and one node for getting out of the sender and into the
 * receiver [ours]; whether the budget holds; and through how many it does. */
double orr_sip_circuit_db(const struct sip_rules *rules, uint32_t stages);
bool orr_sip_is_lit(const struct sip_rules *rules, uint32_t stages);
uint32_t orr_sip_max_stages(const struct sip_rules *rules);

/* ---- interfaces and their cost (3.1, 4.4, 5; sip_interfaces.c) ---- */

/* Wavelengths, each with a micro-ring, that a bandwidth takes: rounded up. */
uint32_t orr_sip_wavelengths(const struct sip_rules *rules, double bytes_per_s);

struct sip_interfaces {
    double bytes_per_s;   /* of a GPU */
    uint32_t wavelengths; /* of a GPU, and as many micro-rings */
    uint32_t of_gpu;      /* chips */
    uint64_t all;
};
struct sip_interfaces orr_sip_ocs_interfaces(const struct sip_rules *rules);
struct sip_interfaces orr_sip_ring_interfaces(const struct sip_rules *rules);

/* Dollars of one chip. */
struct sip_prices {
    double run;       /* of all chips of a run */
    double chip;      /* of such a run */
    double mass_chip; /* in mass production, and */
    double mass;      /* with its electronics */
};
struct sip_prices orr_sip_prices(const struct sip_rules *rules);

/* Dollars for all GPUs' interfaces. */
struct sip_cost {
    double run, mass;         /* chips at the price of a small run; in mass production */
    double optics, sr_optics; /* pluggable transceivers of as many Gb/s */
};
struct sip_cost orr_sip_cost(const struct sip_rules *rules,
                             const struct sip_interfaces *interfaces);

/* ---- an OCS of many ports made of such with few (3.3; clos_switches.c) ---- */

/* A Clos network that is rearrangeably non-blocking (m = n): any permutation of its ports can be
 * set. Stages: 1, 3, 5, ... */
struct clos {
    uint32_t stages;
    uint64_t switches;      /* of all stages; small middle switches share one */
    uint32_t outer;         /* r: switches of the first stage, and of the last; 0: one stage */
    uint32_t middle;        /* m = n: middle switches of r ports; 0: one stage */
    uint32_t middle_shared; /* of these are one OCS; 0: each is a Clos network itself */
};

/* nodes from 2 on, ports from 2 on. O(log nodes). */
struct clos orr_clos(uint32_t nodes, uint32_t ports);

/* ---- BCube (3.3; bcube.c) ---- */

/* A GPU is a number with digits of `radix`; at level l an OCS joins those that differ in digit l
 * alone. Nobody forwards. */
struct bcube_level {
    uint32_t circuits; /* of each GPU */
    uint32_t lines;    /* sets of GPUs that are joined */
    uint32_t max;      /* GPUs in the largest of these */
    uint64_t switches; /* of all circuits; small lines share one */
};
struct bcube {
    uint32_t radix, levels;
    struct bcube_level level[BCUBE_MAX_LEVELS];
    uint64_t switches;
    uint32_t peers; /* of GPU 0, which has most, over one circuit */
};

/* The least number of levels; circuits are divided evenly, lower levels have what is left over.
 * ports from radix on, radix from 2 on. O(levels). */
struct bcube orr_bcube(const struct sip_rules *rules);

/* The level that two GPUs, different ones, share; WAVE_NONE. O(levels). */
uint32_t orr_bcube_common(const struct bcube *bcube, uint32_t a, uint32_t b);

/* ---- rows and columns of rings (3.3; ring_rows.c) ---- */

/* K rows and N columns: GPU r * columns + c is on ring r of the rows and ring c of the columns. */
struct ring_rows {
    uint32_t rows, columns;
    uint64_t rings;                               /* rows + columns; of one row: 1 */
    uint32_t row_chips, column_chips;             /* of a GPU's interfaces, two at least */
    uint32_t row_wavelengths, column_wavelengths; /* wavelengths, divided as the interfaces */
    uint32_t row_peers, column_peers;             /* within reach */
};

/* The greatest number of rows that divides the GPUs and is not above the columns. O(sqrt gpus) */
uint32_t orr_ring_even_rows(uint32_t gpus);

/* Half of the interfaces, rounded up, are on rows. rows divides the GPUs. O(1). */
struct ring_rows orr_ring_rows(const struct sip_rules *rules, uint32_t rows);

/* ---- who sends to whom (3.2, 3.3; sip_pairs.c) ---- */

/* Of l groups of k consecutive GPUs, the last may be smaller: each GPU sends to all others of its
 * group, and to the k-th behind it, around (if there are several groups). */
struct sip_pairs {
    uint64_t inside, inside_direct; /* a circuit can join them */
    uint64_t around, around_direct;
};

/* At most SIP_MAX_PAIRS. O(N k) calls. */
struct sip_pairs orr_sip_pairs(uint32_t gpus, uint32_t group,
                               bool (*direct)(const void *network, uint32_t from, uint32_t to),
                               const void *network);

/* The networks that SiP-ML names, as such. Of switches, flat or Clos, all pairs have one. */
struct sip_pairs orr_sip_bcube_pairs(const struct sip_rules *rules, const struct bcube *bcube);
struct sip_pairs orr_sip_rows_pairs(const struct sip_rules *rules, uint32_t rows);

/* ---- all of it (sip_hardware.c) ---- */

/* Q switches of N ports each: one by one, or made of such with fewer ports. */
struct sip_switches {
    bool possible; /* flat: an OCS has a port for each GPU */
    uint32_t stages;
    uint64_t number; /* of OCSs */
    double dollars;
    double loss_db;
    bool lit;       /* within the budget */
    uint32_t peers; /* GPUs to which a circuit can lead */
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

/* Rules as orr_sip_check has them. O(N k). */
struct sip_hardware orr_sip_hardware(const struct sip_rules *rules);

#endif
