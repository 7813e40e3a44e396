/* Points in a process of their own; see sweep_worker.h.
 *
 * The child is asked by number and answers with a length and a text. It holds none of the parent's
 * files, so that neither the lock of the results nor another child's channel outlive the sweep. */
#define _GNU_SOURCE /* close_range */
#include "study/sweep/sweep_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WHY_BYTES = ORR_DIAG_MESSAGE_BYTES + 640 };

struct question {
    uint32_t point;
    uint32_t only_try;
};

/* ---- whole reads and writes ---- */

/* Who is no longer there is no signal, but an answer that does not come. */
static bool put(int file, const void *data, size_t bytes)
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

static bool get(int file, void *data, size_t bytes)
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

static bool answer(const struct orr_sweep *sweep, const struct question *question, int file)
{
    char why[WHY_BYTES] = "";
    char *line = NULL;
    const char *text = why;
    if (question->only_try != 0) {
        (void)orr_sweep_try(sweep, question->point, why, sizeof why);
    } else {
        text = line = orr_sweep_run(sweep, question->point);
    }
    /* SIZE_MAX: memory was out */
    const size_t bytes = text != NULL ? strlen(text) : SIZE_MAX;
    const bool said = put(file, &bytes, sizeof bytes) && (text == NULL || put(file, text, bytes));
    orr_heap_free(line);
    return said;
}

_Noreturn static void serve(const struct orr_sweep *sweep, pid_t parent, int channel)
{
    enum { CHANNEL = 3 }; /* whatever the number was */
    struct question question;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN); /* the parent's to handle, which then ends this one */
    const bool ready = getppid() == parent && dup2(channel, CHANNEL) == CHANNEL &&
                       close_range(CHANNEL + 1, ~0u, 0) == 0;
    while (ready && get(CHANNEL, &question, sizeof question) && answer(sweep, &question, CHANNEL)) {
    }
    _exit(0);
}

/* ---- the parent ---- */

static bool start(struct orr_sweep_worker *guard)
{
    int end[2];
    const pid_t self = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        serve(guard->sweep, self, end[1]);
    }
    (void)close(end[1]);
    if (child < 0) {
        (void)close(end[0]);
        return false;
    }
    guard->child = child;
    guard->channel = end[0];
    return true;
}

void orr_sweep_worker_end(struct orr_sweep_worker *guard)
{
    if (guard->child != 0) {
        (void)close(guard->channel);
        (void)waitpid(guard->child, NULL, 0);
        guard->child = 0;
    }
}

/* What ended the child. */
static void take_end(struct orr_sweep_worker *guard, char why[WHY_BYTES])
{
    int how = 0;
    (void)close(guard->channel);
    (void)waitpid(guard->child, &how, 0);
    guard->child = 0;
    if (WIFSIGNALED(how)) {
        (void)snprintf(why, WHY_BYTES,
                       "internal error: the run of this point was ended by signal "
                       "%d (%s)",
                       WTERMSIG(how), strsignal(WTERMSIG(how)));
    } else {
        (void)snprintf(why, WHY_BYTES, "internal error: the run of this point ended with status %d",
                       WEXITSTATUS(how));
    }
}

bool orr_sweep_worker_request(struct orr_sweep_worker *guard, uint32_t point, bool only_try)
{
    const struct question question = {point, only_try ? 1 : 0};
    if (guard->child == 0 && !start(guard)) {
        return false;
    }
    guard->point = point;
    guard->only_try = only_try;
    /* One that has ended is seen when its answer does not come. */
    (void)put(guard->channel, &question, sizeof question);
    return true;
}

/* The child's text; NULL with why[0] == '\0' when memory is out, else when the child has ended. */
static char *hear(struct orr_sweep_worker *guard, char why[WHY_BYTES])
{
    size_t bytes = 0;
    why[0] = '\0';
    if (!get(guard->channel, &bytes, sizeof bytes)) {
        take_end(guard, why);
        return NULL;
    }
    char *text = bytes != SIZE_MAX ? orr_heap_alloc(bytes + 1) : NULL;
    if (text == NULL) {
        orr_sweep_worker_end(guard); /* with what it has yet to say */
        return NULL;
    }
    if (!get(guard->channel, text, bytes)) {
        orr_heap_free(text);
        take_end(guard, why);
        return NULL;
    }
    text[bytes] = '\0';
    return text;
}

char *orr_sweep_worker_reply(struct orr_sweep_worker *guard)
{
    char why[WHY_BYTES];
    char *text = hear(guard, why);
    if (text != NULL || why[0] == '\0') {
        return text;
    }
    return guard->only_try ? orr_heap_strdup(why) : orr_sweep_lost(guard->sweep, guard->point, why);
}
