/* Structs that the key tables of a plan file fill (plan_keys.c, plan_read.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_SECTIONS_H
#define ORR_PLANNER_PLAN_FILE_PLAN_SECTIONS_H

#include "planner/plan_file/plan_job.h"

/* The whole file. */
struct plan_file_section {
    struct orr_conf_list include;
    const char *name;
    const struct orr_conf *plan, *network, *memory, *compute;
};

struct plan_section {
    const struct orr_conf *model, *part_times, *server, *memory, *interfaces, *search, *strategy;
    const struct orr_conf *panels;
    const struct orr_conf *of_kind; /* the section of a kind of plan, which finds it by its name */
    struct orr_conf_list compare;   /* const char * */
    const char *profile, *all_reduce;
    int64_t batch, servers, groups, optimizer_bytes, rounds, topologies, layouts;
    unsigned discount, select, gradients;
    bool converge;
};

struct plan_server_section {
    int64_t gpus;
    double bandwidth;
};

struct plan_interfaces_section {
    int64_t degree, ring_degree;
    double bandwidth, forwarding_limit;
    sim_time latency, forwarding;
    unsigned links;
    bool any_port, primes;
};

struct plan_search_section {
    struct orr_conf_list dimensions; /* const char * */
    int64_t budget, chains, restarts, seed, max_strategies;
    double alpha, propagation;
    unsigned scale;
    bool exhaustive;
};

struct plan_panels_section {
    int64_t ports;
    bool look_ahead;
};

extern const struct orr_key_table orr_plan_table, orr_plan_server_table, orr_plan_interfaces_table,
    orr_plan_search_table, orr_plan_panels_table;

#endif
