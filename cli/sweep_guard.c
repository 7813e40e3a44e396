/* Points in a process of their own; see sweep_guard.h.
 *
 * The child is asked by number and answers with a length and a text. It holds none of the parent's
 * files, so that neither the lock of the results nor another thread's pipes outlive the sweep. */
#define _GNU_SOURCE /* pipe2, close_range */
#include "cli/sweep_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WHY_BYTES = ORR_DIAG_MESSAGE_BYTES + 640 };

struct question {
    uint32_t point;
    uint32_t only_try;
};

/* ---- whole reads and writes ---- */

static bool put(int file, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t done = write(file, at, bytes);
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

_Noreturn static void serve(const struct orr_sweep *sweep, pid_t parent, int ask, int say)
{
    struct question question;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN); /* the parent's to handle, which then ends this one */
    /* 3 and 4 are the pipes, whatever the numbers were */
    const int high_ask = fcntl(ask, F_DUPFD, 5), high_say = fcntl(say, F_DUPFD, 5);
    const bool ready = getppid() == parent && high_ask >= 0 && high_say >= 0 &&
                       dup2(high_ask, 3) == 3 && dup2(high_say, 4) == 4 &&
                       close_range(5, ~0u, 0) == 0;
    while (ready && get(3, &question, sizeof question) && answer(sweep, &question, 4)) {
    }
    _exit(0);
}

/* ---- the parent ---- */

static bool start(struct orr_sweep_guard *guard)
{
    int ask[2], say[2];
    const pid_t self = getpid();
    if (pipe2(ask, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(say, O_CLOEXEC) != 0) {
        (void)close(ask[0]);
        (void)close(ask[1]);
        return false;
    }
    guard->child = fork();
    if (guard->child == 0) {
        serve(guard->sweep, self, ask[0], say[1]);
    }
    (void)close(ask[0]);
    (void)close(say[1]);
    guard->ask = ask[1];
    guard->answer = say[0];
    if (guard->child < 0) {
        guard->child = 0;
        (void)close(ask[1]);
        (void)close(say[0]);
    }
    return guard->child != 0;
}

void orr_sweep_guard_end(struct orr_sweep_guard *guard)
{
    if (guard->child != 0) {
        (void)close(guard->ask);
        (void)close(guard->answer);
        (void)waitpid(guard->child, NULL, 0);
        guard->child = 0;
    }
}

/* What ended the child. */
static void take_end(struct orr_sweep_guard *guard, char why[WHY_BYTES])
{
    int how = 0;
    (void)close(guard->ask);
    (void)close(guard->answer);
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

/* The answer; NULL with why[0] == '\0' when memory is out, else when the child has ended. */
static char *ask(struct orr_sweep_guard *guard, const struct question *question,
                 char why[WHY_BYTES])
{
    size_t bytes = 0;
    why[0] = '\0';
    if (guard->child == 0 && !start(guard)) {
        return NULL;
    }
    if (!put(guard->ask, question, sizeof *question) || !get(guard->answer, &bytes, sizeof bytes)) {
        take_end(guard, why);
        return NULL;
    }
    char *text = bytes != SIZE_MAX ? orr_heap_alloc(bytes + 1) : NULL;
    if (text != NULL && !get(guard->answer, text, bytes)) {
        orr_heap_free(text);
        take_end(guard, why);
        return NULL;
    }
    if (text != NULL) {
        text[bytes] = '\0';
    }
    return text;
}

char *orr_sweep_guard_run(struct orr_sweep_guard *guard, uint32_t point)
{
    char why[WHY_BYTES];
    char *line = ask(guard, &(struct question){point, 0}, why);
    return line != NULL || why[0] == '\0' ? line : orr_sweep_lost(guard->sweep, point, why);
}

char *orr_sweep_guard_try(struct orr_sweep_guard *guard, uint32_t point)
{
    char why[WHY_BYTES];
    char *text = ask(guard, &(struct question){point, 1}, why);
    if (text == NULL && why[0] != '\0') {
        text = orr_heap_alloc(strlen(why) + 1);
        if (text != NULL) {
            memcpy(text, why, strlen(why) + 1);
        }
    }
    return text;
}
