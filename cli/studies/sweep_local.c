/* Single rank, for builds without MPI; see mpi_ranks.h. */
#include <stdlib.h>

#include "cli/studies/mpi_ranks.h"

enum orr_status orr_mpi_ranks_begin(struct orr_mpi_ranks *ranks, struct orr_diag *diag)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    size = size != NULL ? size : getenv("PMI_SIZE");
    *ranks = (struct orr_mpi_ranks){.ranks = orr_sweep_ranks_single()};
    if (size == NULL || atoi(size) <= 1) {
        return ORR_OK;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "this is one of %s ranks, but orrery was built without MPI; install "
                         "libopenmpi-dev and configure again",
                         size);
}

void orr_mpi_ranks_end(struct orr_mpi_ranks *ranks)
{
    (void)ranks;
}
