/* One process, where MPI was missing when Orrery was built; see sweep_ranks.h. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/sweep_ranks.h"
#include "cli/terminal.h"

int orr_sweep_ranks_begin(struct orr_sweep_ranks *ranks)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    size = size != NULL ? size : getenv("PMI_SIZE");
    *ranks = (struct orr_sweep_ranks){.count = 1, .local = 1};
    if (size == NULL || atoi(size) <= 1) {
        return 0;
    }
    orr_say("orrery sweep: this is one of %s ranks, but orrery was built without MPI; install "
            "libopenmpi-dev and configure anew\n",
            size);
    return ORR_EXIT_USAGE;
}

void orr_sweep_ranks_share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash)
{
    (void)ranks;
    (void)status;
    (void)hash;
}

int orr_sweep_ranks_run(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work)
{
    (void)ranks;
    return orr_sweep_run_here(work);
}

void orr_sweep_ranks_end(struct orr_sweep_ranks *ranks)
{
    (void)ranks;
}
