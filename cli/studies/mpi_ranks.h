/* The ranks of a sweep under mpirun. One of two files is built: sweep_mpi.c, or where MPI is
 * missing sweep_local.c. */
#ifndef ORR_CLI_STUDIES_MPI_RANKS_H
#define ORR_CLI_STUDIES_MPI_RANKS_H

#include <sys/types.h>

#include "study/study.h"

struct orr_mpi_ranks {
    struct orr_sweep_ranks ranks; /* the first, so that what is handed on as ranks is these */
    bool under_mpi;               /* MPI was begun */
    pid_t parent;                 /* mpirun, or its like on this machine */
};

/* Joins the ranks. MPI is begun only when mpirun or the like started this process; else it is
 * alone. */
enum orr_status orr_mpi_ranks_begin(struct orr_mpi_ranks *ranks, struct orr_diag *diag);

void orr_mpi_ranks_end(struct orr_mpi_ranks *ranks);

#endif
