/* Goodput of a training job whose machines fail: what its time is spent on, in the long run by
 * closed form, and over a span by a simulation of events.
 *
 * The job works for an interval tau, stands still for s while a checkpoint is taken, and so on; the
 * checkpoint can be read w after its work ended (w = s: synchronous). A failure (rate lambda, all
 * kinds together, exponential) throws the job back to the last checkpoint that can be read, and
 * costs a restart R, which a failure interrupts as well. A GPU or a node that fails takes its node
 * out for the repair time; while more nodes are out than there are spares, the job waits. */
#ifndef ORR_STUDY_GOODPUT_GOODPUT_MODEL_H
#define ORR_STUDY_GOODPUT_GOODPUT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

/* Times in seconds, rates per second. */
struct orr_goodput_model {
    uint32_t nodes, spares;
    double broken_per_s; /* failures that take a node out, of all nodes that the job has */
    double other_per_s;  /* all other failures of the job */
    double work_s;       /* between two checkpoints: tau */
    double stall_s;      /* the job stands still for a checkpoint: s, at most write_s */
    double write_s;      /* from the end of the work until the checkpoint can be read: w */
    double restart_s;
    double repair_s;    /* 0: a node is replaced at once */
    double slow_per_s;  /* begins of slow spells of a node, of all nodes */
    double slow_s;      /* how long a spell lasts */
    double slow_factor; /* how much longer the job takes meanwhile: at least 1 */
};

/* What time is spent on. */
enum orr_goodput_part {
    ORR_GOODPUT_USEFUL, /* work that no failure throws away */
    ORR_GOODPUT_CHECKPOINT,
    ORR_GOODPUT_REWORK, /* work that is done again */
    ORR_GOODPUT_RESTART,
    ORR_GOODPUT_WAITING, /* for a node */
    ORR_GOODPUT_PARTS
};

struct orr_goodput_shares {
    double part[ORR_GOODPUT_PARTS]; /* sum to 1 */
    double speed;                   /* of useful work beside slow nodes: up to 1 */
    double failures;                /* per second, those that throw the job back */
};

/* The long run, by closed form. Exact in this model as long as few of all nodes are out:
 * useful = P(out <= spares) e^(-lambda (R + w - s)) lambda tau / (e^(lambda (tau + s)) - 1);
 * w = s: Daly's complete model (2006, equation 20). Nodes that are out: Poisson, mean
 * broken_per_s x repair_s (M/G/infinity). Slow: likewise. O(spares). */
struct orr_goodput_shares orr_goodput_closed_form(const struct orr_goodput_model *model);

/* To first order: 1 - s/tau - lambda (tau/2 + R + w - s), at least 0. */
double orr_goodput_first_order(const struct orr_goodput_model *model);

/* Young (1974): sqrt(2 s M) for a mean time between failures M; Daly (2006), of higher order: for
 * s < 2 M, else M. */
double orr_goodput_young_s(double stall_s, double mtbf_s);
double orr_goodput_daly_s(double stall_s, double mtbf_s);

/* Simulates `seconds` from a job that has just begun with all nodes; `run`: an independent run of
 * the seed. Work since the last checkpoint counts at the end. Error: memory. O(failures + slow
 * spells). */
enum orr_status orr_goodput_simulate(const struct orr_goodput_model *model, double seconds,
                                     uint64_t seed, uint64_t run, struct orr_goodput_shares *shares,
                                     struct orr_diag *diag);

#endif
