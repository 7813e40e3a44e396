/* The paces of all sets of jobs of a file, each simulated once. */
#ifndef ORR_STUDY_CLUSTER_PACES_H
#define ORR_STUDY_CLUSTER_PACES_H

#include "study/cluster/set_paces.h"

struct orr_known_set;

struct orr_paces {
    const struct orr_jobs *jobs;
    struct orr_arena *arena;
    uint32_t *kind; /* [jobs]: of jobs that are alike */
    uint32_t kinds;
    uint32_t *first, *max;        /* [kinds] its first job; the most iterations of any */
    struct orr_pace *own;         /* [kinds] on a network of its own */
    struct orr_known_set **known; /* of a shared network, by hash */
    uint32_t *key;                /* room for one */
    const char **said;            /* [said_count] warnings, each of which is told once */
    size_t said_count, said_room;
    struct orr_diag *tells; /* whom */
    uint64_t events, simulations;
    bool windows;
};

/* Which jobs are alike. O(jobs x kinds). */
enum orr_status orr_paces_init(struct orr_paces *paces, const struct orr_jobs *jobs,
                               struct orr_diag *diag);

/* The pace of each kind on a network of its own, into paces->own, on all processors. */
enum orr_status orr_paces_own(struct orr_paces *paces, struct orr_diag *diag);

/* Those of jobs that run together on the shared network; members by ascending job. pace[count]. */
enum orr_status orr_paces_shared(struct orr_paces *paces, const struct orr_set_member *member,
                                 uint32_t count, struct orr_pace *pace, struct orr_diag *diag);

#endif
