/* What the parity, golden and API tests share: recorded data that may be missing, temporary input
 * files, and running a job through the public API. Failures are cmocka failures. */
#ifndef ORR_TESTS_PARITY_PARITY_SUPPORT_H
#define ORR_TESTS_PARITY_PARITY_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "orrery/orrery.h"

enum { PARITY_PATH_BYTES = 1024, PARITY_PS_PER_CYCLE = 1000 /* a cycle is 1 ns */ };

/* Numbers of the Chakra schema's CollectiveCommType. */
enum parity_comm {
    PARITY_ALL_REDUCE = 0,
    PARITY_REDUCE = 1,
    PARITY_ALL_GATHER = 2,
    PARITY_GATHER = 3,
    PARITY_SCATTER = 4,
    PARITY_BROADCAST = 5,
    PARITY_ALL_TO_ALL = 6,
    PARITY_REDUCE_SCATTER = 7,
    PARITY_REDUCE_SCATTER_BLOCK = 8,
    PARITY_BARRIER = 9,
    PARITY_COMM_KINDS
};

/* The number of "all_reduce", "barrier" and so on; a name that is none fails the test. */
unsigned parity_comm_of(const char *name);

/* Writes ORRERY_SHARED/data/`relative` to path[PARITY_PATH_BYTES]; when that does not exist, the
 * program ends with the status that ctest reports as skipped. */
void parity_find_data(const char *relative, char *path);

/* ---- temporary input files ---- */

/* A fresh folder, and the paths of the files that tests write there (they do not exist yet). */
struct parity_files {
    char folder[PARITY_PATH_BYTES];
    char workload[PARITY_PATH_BYTES + 32];
    char system[PARITY_PATH_BYTES + 32];
    char network[PARITY_PATH_BYTES + 32];
};

/* cmocka's set-up and tear-down: *state is a struct parity_files. */
int parity_files_open(void **state);
int parity_files_close(void **state);

__attribute__((format(printf, 2, 3))) void parity_write(const char *path, const char *format, ...);

/* A trace of one node, a collective of `bytes` over all ranks. */
void parity_write_collective(const char *path, unsigned comm, uint64_t bytes);

/* The inputs with the three files' paths; the rest is 0. */
struct orrery_astra_sim parity_inputs(const struct parity_files *files);

/* ---- running ---- */

/* Loads and runs; a failure is printed and fails the test. Free the job with orrery_free. */
struct orrery *parity_run(const struct orrery_astra_sim *inputs);

int64_t parity_finish_ps(const struct orrery *job, uint32_t rank);

/* What the reference calls exposed communication: all that is not accelerator compute. */
int64_t parity_exposed_ps(const struct orrery *job, uint32_t rank);

/* Every rank finishes at `cycles`; tells how many do not, after printing the first as `name`. */
unsigned parity_wrong_ranks(const struct orrery *job, const char *name, int64_t cycles);

/* The parts of a rank's time are not negative and add up to the wall time. */
void parity_assert_breakdown(const struct orrery *job, uint32_t rank);

#endif
