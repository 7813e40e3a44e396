/* Worker process of points; see sweep_worker.h.
 *
 * The child gets a point's number and replies with a length and a text. It closes the parent's
 * files, so neither the lock of the results nor another child's channel outlives the sweep. */
#define _GNU_SOURCE /* close_range */
#include "study/sweep/sweep_worker.h"

#include "core/arena.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that runs out of memory ends with status 1; it has no other errors. */
enum { WHY_BYTES = ORR_DIAG_MESSAGE_BYTES + 640, OUT_OF_MEMORY = 1 };

struct request {
    uint32_t point;
    uint32_t check_only;
};

/* ---- whole reads and writes ---- */

/* MSG_NOSIGNAL: a peer that has ended gives an error, not a signal. */
static bool write_all(int file, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t done = send(file, at, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool read_all(int file, void *data, size_t bytes)
{
    for (char *at = data; bytes > 0;) {
        const ssize_t done = read(file, at, bytes);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

/* ---- the child ---- */

static bool serve_request(const struct orr_sweep *sweep, const struct request *request, int file)
{
    char why[WHY_BYTES] = "";
    char *line = NULL;
    const char *text = why;
    if (request->check_only != 0) {
        (void)orr_sweep_check_point(sweep, request->point, why, sizeof why);
    } else {
        text = line = orr_sweep_run(sweep, request->point);
    }
    /* SIZE_MAX: memory was out */
    const size_t bytes = text != NULL ? strlen(text) : SIZE_MAX;
    const bool sent =
        write_all(file, &bytes, sizeof bytes) && (text == NULL || write_all(file, text, bytes));
    orr_heap_free(line);
    return sent;
}

_Noreturn static void serve(const struct orr_sweep *sweep, pid_t parent, int channel)
{
    enum { CHANNEL = 3 }; /* fixed number */
    struct request request;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN); /* handled by the parent, which then ends this process */
    const bool ready = getppid() == parent && dup2(channel, CHANNEL) == CHANNEL &&
                       close_range(CHANNEL + 1, ~0u, 0) == 0;
    while (ready && read_all(CHANNEL, &request, sizeof request) &&
           serve_request(sweep, &request, CHANNEL)) {
    }
    _exit(0);
}

/* ---- the parent ---- */

static bool start(struct orr_sweep_worker *worker)
{
    int end[2];
    const pid_t self = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        serve(worker->sweep, self, end[1]);
    }
    (void)close(end[1]);
    if (child < 0) {
        (void)close(end[0]);
        return false;
    }
    worker->child = child;
    worker->channel = end[0];
    return true;
}

void orr_sweep_worker_end(struct orr_sweep_worker *worker)
{
    if (worker->child != 0) {
        (void)close(worker->channel);
        (void)waitpid(worker->child, NULL, 0);
        worker->child = 0;
    }
}

/* Reaps the child and describes how it ended. */
static void reap(struct orr_sweep_worker *worker, char why[WHY_BYTES])
{
    int how = 0;
    (void)close(worker->channel);
    (void)waitpid(worker->child, &how, 0);
    worker->child = 0;
    if (WIFSIGNALED(how)) {
        (void)snprintf(why, WHY_BYTES,
                       "internal error: the run of this point was ended by signal "
                       "%d (%s)",
                       WTERMSIG(how), strsignal(WTERMSIG(how)));
    } else if (WEXITSTATUS(how) == OUT_OF_MEMORY) {
        (void)snprintf(why, WHY_BYTES, "out of memory");
    } else {
        (void)snprintf(why, WHY_BYTES, "internal error: the run of this point ended with status %d",
                       WEXITSTATUS(how));
    }
}

bool orr_sweep_worker_request(struct orr_sweep_worker *worker, uint32_t point, bool check_only)
{
    const struct request request = {point, check_only ? 1 : 0};
    if (worker->child == 0 && !start(worker)) {
        return false;
    }
    worker->point = point;
    worker->check_only = check_only;
    /* A worker that has ended is detected when its reply does not come. */
    (void)write_all(worker->channel, &request, sizeof request);
    return true;
}

/* Receives the child's text; NULL with why[0] == '\0' if memory is out, else if the child has
 * ended. */
static char *receive_text(struct orr_sweep_worker *worker, char why[WHY_BYTES])
{
    size_t bytes = 0;
    why[0] = '\0';
    if (!read_all(worker->channel, &bytes, sizeof bytes)) {
        reap(worker, why);
        return NULL;
    }
    char *text = bytes != SIZE_MAX ? orr_heap_alloc(bytes + 1) : NULL;
    if (text == NULL) {
        orr_sweep_worker_end(worker); /* with its unread reply */
        return NULL;
    }
    if (!read_all(worker->channel, text, bytes)) {
        orr_heap_free(text);
        reap(worker, why);
        return NULL;
    }
    text[bytes] = '\0';
    return text;
}

char *orr_sweep_worker_reply(struct orr_sweep_worker *worker)
{
    char why[WHY_BYTES];
    char *text = receive_text(worker, why);
    if (text != NULL || why[0] == '\0') {
        return text;
    }
    return worker->check_only ? orr_heap_strdup(why)
                              : orr_sweep_lost_line(worker->sweep, worker->point, why);
}
