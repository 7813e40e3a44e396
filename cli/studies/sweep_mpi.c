/* Master-worker scheduling of points over MPI ranks; see mpi_ranks.h.
 *
 * Each rank requests points from rank 0, which replies at once with some, or with none if there are
 * no more, and sends result lines as they become available. Faster ranks therefore run more points,
 * and no rank waits for another. Only the first thread of a rank calls MPI; it sleeps between
 * polls, because MPI's own waiting would keep a processor busy. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/studies/mpi_ranks.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "study/sweep/sweep_pool.h"

enum { TAG_REQUEST, TAG_POINTS, TAG_LINE, TAG_END };
enum { MAX_POINTS = 1024, POLL_US = 200, SHORT_US = 50000 };

/* ---- shared ---- */

static void share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash)
{
    if (ranks->count > 1) {
        (void)MPI_Bcast(status, 1, MPI_INT, 0, MPI_COMM_WORLD);
        (void)MPI_Bcast(hash, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    }
}

static int64_t now_us(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Ends the process if its parent is gone: ranks outlive a killed mpirun, and would keep the lock on
 * the results that the next run needs. Results in the files are complete. */
static void end_if_orphaned(const struct orr_sweep_ranks *ranks)
{
    if (getppid() != ((const struct orr_mpi_ranks *)ranks)->parent) {
        _exit(1);
    }
}

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory");
}

/* Number of points to request: enough for one per thread, or two if points are so short that the
 * request would take relatively long. */
struct pace {
    unsigned threads;
    int64_t begin_us;
    size_t taken;
};

static size_t points_wanted(const struct pace *pace, size_t pending)
{
    const int64_t spent_us = (now_us() - pace->begin_us) * pace->threads;
    const bool brief = pace->taken > 0 && spent_us / (int64_t)pace->taken < SHORT_US;
    const size_t target = pace->threads * (brief ? 2u : 1u);
    return pending < target ? target - pending : 0;
}

/* ---- rank 0 ---- */

struct hub {
    const struct orr_sweep_work *work;
    struct orr_sweep_pool *pool;
    struct pace pace;
    size_t next;    /* index of the next point to assign */
    int ranks_left; /* ranks that are still running */
    enum orr_status status;
    struct orr_diag *diag;
};

static size_t assign_points(struct hub *hub, size_t count)
{
    const size_t left = hub->work->count - hub->next;
    const size_t assigned = hub->status != ORR_OK ? 0 : count < left ? count : left;
    hub->next += assigned;
    return assigned;
}

static void keep(struct hub *hub, const char *line)
{
    if (hub->status == ORR_OK) {
        hub->status = hub->work->keep(hub->work->context, line, hub->diag);
    }
}

static void receive_line(struct hub *hub, const MPI_Status *about)
{
    int bytes = 0;
    (void)MPI_Get_count(about, MPI_CHAR, &bytes);
    char *line = orr_heap_alloc((size_t)bytes + 1);
    ORR_ASSERT(line != NULL);
    (void)MPI_Recv(line, bytes, MPI_CHAR, about->MPI_SOURCE, TAG_LINE, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    line[bytes] = '\0';
    keep(hub, line);
    orr_heap_free(line);
}

/* Handles one message of another rank; false if there is none. */
static bool serve(struct hub *hub)
{
    int there = 0, number = 0;
    MPI_Status about;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &about);
    if (there == 0) {
        return false;
    }
    if (about.MPI_TAG == TAG_LINE) {
        receive_line(hub, &about);
        return true;
    }
    (void)MPI_Recv(&number, 1, MPI_INT, about.MPI_SOURCE, about.MPI_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    if (about.MPI_TAG == TAG_END) {
        hub->ranks_left--;
        hub->status = hub->status == ORR_OK && number > 0 ? (enum orr_status)number : hub->status;
        return true;
    }
    const size_t assigned = assign_points(hub, number < MAX_POINTS ? (size_t)number : MAX_POINTS);
    (void)MPI_Send(hub->work->todo + (hub->next - assigned), (int)assigned, MPI_UINT32_T,
                   about.MPI_SOURCE, TAG_POINTS, MPI_COMM_WORLD);
    return true;
}

/* Assigns points to the threads of rank 0 and takes one of their results, for which it waits
 * briefly. */
static void run_local(struct hub *hub)
{
    bool failed = false;
    const size_t pending = orr_sweep_pool_pending(hub->pool);
    const size_t assigned = assign_points(hub, points_wanted(&hub->pace, pending));
    if (!orr_sweep_pool_push(hub->pool, hub->work->todo + (hub->next - assigned), assigned)) {
        failed = true;
    }
    char *line = orr_sweep_pool_take(hub->pool, POLL_US, &failed);
    if (line != NULL) {
        hub->pace.taken++;
        keep(hub, line);
        orr_heap_free(line);
    }
    if (failed && hub->status == ORR_OK) {
        hub->status = no_memory(hub->diag);
    }
}

static bool is_done(struct hub *hub)
{
    const bool handed_out = hub->next == hub->work->count || hub->status != ORR_OK;
    return hub->ranks_left == 0 && handed_out && orr_sweep_pool_pending(hub->pool) == 0;
}

static enum orr_status run_hub(const struct orr_sweep_ranks *ranks,
                               const struct orr_sweep_work *work, struct orr_diag *diag)
{
    struct hub hub = {.work = work,
                      .pool = orr_sweep_pool_create(work->sweep, work->threads),
                      .pace = {.threads = work->threads, .begin_us = now_us()},
                      .ranks_left = ranks->count - 1,
                      .diag = diag};
    if (hub.pool == NULL) {
        orr_print_message("orrery sweep: out of memory\n");
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
        return ORR_ERR_MEMORY;
    }
    while (!is_done(&hub)) {
        end_if_orphaned(ranks);
        while (serve(&hub)) {
        }
        run_local(&hub);
    }
    orr_sweep_pool_destroy(hub.pool);
    return hub.status;
}

/* ---- the other ranks ---- */

struct spoke {
    struct orr_sweep_pool *pool;
    struct pace pace;
    uint32_t point[MAX_POINTS];
    bool is_waiting, more; /* more: there may be more points */
    bool failed;           /* out of memory */
};

static void request_points(struct spoke *spoke)
{
    const size_t count = points_wanted(&spoke->pace, orr_sweep_pool_pending(spoke->pool));
    const int number = (int)(count < MAX_POINTS ? count : MAX_POINTS);
    if (number > 0 && spoke->more && !spoke->is_waiting) {
        (void)MPI_Send(&number, 1, MPI_INT, 0, TAG_REQUEST, MPI_COMM_WORLD);
        spoke->is_waiting = true;
    }
}

static void receive(struct spoke *spoke)
{
    int there = 0, count = 0;
    MPI_Status about;
    (void)MPI_Iprobe(0, TAG_POINTS, MPI_COMM_WORLD, &there, &about);
    if (there == 0) {
        return;
    }
    (void)MPI_Recv(spoke->point, MAX_POINTS, MPI_UINT32_T, 0, TAG_POINTS, MPI_COMM_WORLD, &about);
    (void)MPI_Get_count(&about, MPI_UINT32_T, &count);
    spoke->is_waiting = false;
    spoke->more = count > 0;
    if (!orr_sweep_pool_push(spoke->pool, spoke->point, (size_t)count)) {
        spoke->failed = true;
        spoke->more = false;
    }
}

static void send_line(struct spoke *spoke)
{
    char *line = orr_sweep_pool_take(spoke->pool, POLL_US, &spoke->failed);
    if (line != NULL) {
        spoke->pace.taken++;
        (void)MPI_Send(line, (int)strlen(line), MPI_CHAR, 0, TAG_LINE, MPI_COMM_WORLD);
        orr_heap_free(line);
    }
}

/* Reports the end of a rank. A failure ends the sweep; a rank that took no part does not. */
static enum orr_status end_spoke(bool failed, struct orr_diag *diag)
{
    const enum orr_status status = failed ? no_memory(diag) : ORR_OK;
    const int number = (int)status;
    (void)MPI_Send(&number, 1, MPI_INT, 0, TAG_END, MPI_COMM_WORLD);
    return status;
}

static enum orr_status run_spoke(const struct orr_sweep_ranks *ranks,
                                 const struct orr_sweep_work *work, struct orr_diag *diag)
{
    if (work->sweep == NULL) {
        return end_spoke(false, diag);
    }
    struct spoke *spoke = orr_heap_calloc(1, sizeof *spoke);
    if (spoke == NULL) {
        return end_spoke(true, diag);
    }
    spoke->pool = orr_sweep_pool_create(work->sweep, work->threads);
    spoke->pace = (struct pace){.threads = work->threads, .begin_us = now_us()};
    spoke->more = spoke->pool != NULL;
    spoke->failed = spoke->pool == NULL;
    while (spoke->more || spoke->is_waiting ||
           (spoke->pool != NULL && orr_sweep_pool_pending(spoke->pool) > 0)) {
        end_if_orphaned(ranks);
        request_points(spoke);
        receive(spoke);
        send_line(spoke);
    }
    const bool failed = spoke->failed;
    orr_sweep_pool_destroy(spoke->pool);
    orr_heap_free(spoke);
    return end_spoke(failed, diag);
}

static enum orr_status run(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work,
                           struct orr_diag *diag)
{
    if (ranks->count == 1) {
        return orr_sweep_run_local(work, diag);
    }
    return ranks->rank == 0 ? run_hub(ranks, work, diag) : run_spoke(ranks, work, diag);
}

/* ---- joining and leaving ---- */

static const struct orr_sweep_ranks_ops by_mpi = {
    .name = "mpi", .summary = "the processes of mpirun", .share = share, .run = run};

/* Whether mpirun or similar started this process as one of several. */
static bool is_rank(void)
{
    /* Open MPI, MPICH and Intel MPI, and starters by PMIx such as Slurm's. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

enum orr_status orr_mpi_ranks_begin(struct orr_mpi_ranks *ranks, struct orr_diag *diag)
{
    *ranks = (struct orr_mpi_ranks){.ranks = orr_sweep_ranks_single()};
    if (!is_rank()) {
        return ORR_OK;
    }
    int level = 0, local = 1;
    MPI_Comm machine;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        level < MPI_THREAD_FUNNELED) {
        return orr_diag_fail(diag, ORR_ERR_INTERNAL, NULL, "this MPI does not go with threads");
    }
    ranks->under_mpi = true;
    ranks->ranks.ops = &by_mpi;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &ranks->ranks.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks->ranks.count);
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    (void)MPI_Comm_size(machine, &local);
    (void)MPI_Comm_free(&machine);
    ranks->ranks.local = (unsigned)local;
    ranks->parent = getppid();
    return ORR_OK;
}

void orr_mpi_ranks_end(struct orr_mpi_ranks *ranks)
{
    if (ranks->under_mpi) {
        (void)MPI_Finalize();
    }
    ranks->under_mpi = false;
}
