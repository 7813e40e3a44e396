/* PREFIX.state: identity of the sweep, and the lock of its writer; see sweep_store.h. It is
 * complete before there are results; its last line is "end". */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/arena.h"
#include "study/sweep/sweep_store.h"

static const char *name_of(const struct orr_sweep_store *store, const char *ending)
{
    const char *name = orr_arena_printf(store->arena, "%s.%s", store->prefix, ending);
    return name != NULL ? name : "";
}

static enum orr_status cannot_write(const char *path, struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be written: %s", strerror(errno));
}

/* The line that identifies the sweep; NULL: no memory. */
static const char *name_sweep(const struct orr_sweep_store *store)
{
    return orr_arena_printf(store->arena, "\nsweep %016" PRIx64 " %" PRIu32 "\n",
                            store->sweep->hash, store->sweep->points);
}

/* The content of the file; NULL: no memory. */
static const char *state_text(const struct orr_sweep_store *store)
{
    const char *line = name_sweep(store);
    return line == NULL ? NULL
                        : orr_arena_printf(store->arena,
                                           "# What these results are made from, for orrery sweep "
                                           "to resume.%s%send\n",
                                           line, store->sweep->files);
}

/* The file's content, or "" if it is missing or incomplete. */
static const char *read_state(struct orr_sweep_store *store)
{
    size_t bytes = 0, capacity = 4096;
    char *text = orr_arena_alloc(store->arena, capacity);
    ssize_t got = 1;
    while (text != NULL && got > 0) {
        text = orr_arena_grow(store->arena, text, &capacity, bytes + 4096, 1);
        got = text != NULL ? read(store->lock, text + bytes, 4095) : 0;
        bytes += got > 0 ? (size_t)got : 0;
    }
    if (text == NULL) {
        return "";
    }
    text[bytes] = '\0';
    return bytes >= 5 && strcmp(text + bytes - 5, "\nend\n") == 0 ? text : "";
}

/* The path of the first changed file; the sweep file if none is found. */
static const char *changed_file(const struct orr_sweep_store *store, const char *state)
{
    for (const char *line = store->sweep->files; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *text = orr_arena_printf(store->arena, "\n%.*s\n", (int)length, line);
        const char *path = strchr(line, ' ');
        if (text != NULL && strstr(state, text) == NULL && path != NULL) {
            return orr_arena_strndup(store->arena, path + 1, length - (size_t)(path + 1 - line));
        }
        line += length + 1;
    }
    return store->sweep->file;
}

static enum orr_status fail_changed(struct orr_sweep_store *store, const char *state,
                                    struct orr_diag *diag)
{
    const char *file = changed_file(store, state);
    store->trouble = ORR_SWEEP_CHANGED;
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "%s has changed since the results in %s.jsonl were begun",
                         file != NULL ? file : store->sweep->file, store->prefix);
}

static enum orr_status fail_unknown(struct orr_sweep_store *store, const char *path,
                                    struct orr_diag *diag)
{
    store->trouble = ORR_SWEEP_UNKNOWN;
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "%s exists and is not known to be of this sweep", path);
}

static enum orr_status write_state(struct orr_sweep_store *store, const char *path,
                                   struct orr_diag *diag)
{
    const char *text = state_text(store);
    if (text == NULL || ftruncate(store->lock, 0) != 0 || lseek(store->lock, 0, SEEK_SET) != 0) {
        return cannot_write(path, diag);
    }
    for (size_t left = strlen(text); left > 0;) {
        const ssize_t written = write(store->lock, text, left);
        if (written <= 0) {
            return cannot_write(path, diag);
        }
        text += written;
        left -= (size_t)written;
    }
    return ORR_OK;
}

static bool remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT;
}

/* Results are removed before the state of another sweep. */
static enum orr_status remove_results(struct orr_sweep_store *store, struct orr_diag *diag)
{
    static const char *const endings[] = {"jsonl", "csv"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = name_of(store, endings[i]);
        if (!remove_file(path)) {
            return cannot_write(path, diag);
        }
    }
    return ORR_OK;
}

static enum orr_status check_absent(struct orr_sweep_store *store, struct orr_diag *diag)
{
    static const char *const endings[] = {"jsonl", "csv"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = name_of(store, endings[i]);
        if (access(path, F_OK) == 0) {
            return fail_unknown(store, path, diag);
        }
    }
    return ORR_OK;
}

enum orr_status orr_sweep_state_open(struct orr_sweep_store *store, bool restart, bool *begun,
                                     struct orr_diag *diag)
{
    const char *path = name_of(store, "state");
    const bool exists = access(path, F_OK) == 0;
    enum orr_status status = exists || restart ? ORR_OK : check_absent(store, diag);
    if (status != ORR_OK) {
        return status;
    }
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock < 0) {
        return cannot_write(path, diag);
    }
    if (flock(store->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "another process is writing to %s.jsonl",
                             store->prefix);
    }
    const char *state = restart ? "" : read_state(store), *line = name_sweep(store);
    *begun = line != NULL && strstr(state, line) != NULL;
    if (*begun) {
        return ORR_OK;
    }
    if (state[0] != '\0') {
        return fail_changed(store, state, diag);
    }
    status = restart ? remove_results(store, diag) : check_absent(store, diag);
    return status == ORR_OK ? write_state(store, path, diag) : status;
}
