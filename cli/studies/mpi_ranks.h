/* MPI ranks of a sweep. Built from sweep_mpi.c, or from sweep_local.c if MPI is missing. */
#ifndef ORR_CLI_STUDIES_MPI_RANKS_H
#define ORR_CLI_STUDIES_MPI_RANKS_H

#include <sys/types.h>

#include "study/sweep/sweep_ranks.h"

struct orr_diag;

struct orr_mpi_ranks {
    /* first member, so that a pointer to it is a pointer to the whole */
    struct orr_sweep_ranks ranks;
    bool under_mpi; /* MPI is initialized */
    pid_t parent;   /* process that started this one: mpirun or similar */
};

/* Joins the ranks. Initializes MPI only if mpirun or similar started this process; otherwise there
 * is one rank. */
enum orr_status orr_mpi_ranks_begin(struct orr_mpi_ranks *ranks, struct orr_diag *diag);

void orr_mpi_ranks_end(struct orr_mpi_ranks *ranks);

#endif
