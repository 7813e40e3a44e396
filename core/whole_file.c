/* Files that are there whole or not at all; see whole_file.h. The file has no name while it is
 * written (O_TMPFILE), so that nothing is left behind, however the process ends. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "core/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"

enum { NAME_BYTES = 64, TRIES = 100 };

/* The path without links; a copy of it if there is no such file. NULL: no memory. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy =
        real != NULL || errno != ENOMEM ? orr_heap_strdup(real != NULL ? real : path) : NULL;
    free(real);
    return copy;
}

static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* A nameless file in the folder of the path, with the rights of the file of before; < 0: the folder
 * or its file system has none. */
static int open_nameless(const char *path, const struct stat *before)
{
    const size_t bytes = folder_bytes(path);
    char *folder = orr_heap_strdup(bytes != 0 ? path : ".");
    if (folder == NULL) {
        return -1;
    }
    if (bytes != 0) {
        folder[bytes] = '\0';
    }
    const int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    orr_heap_free(folder);
    if (file >= 0 && before != NULL) {
        (void)fchmod(file, before->st_mode & 0777);
    }
    return file;
}

static void release(struct orr_whole_file *whole)
{
    orr_heap_free(whole->path);
    orr_heap_free(whole->beside);
}

bool orr_whole_file_open(struct orr_whole_file *whole, const char *path)
{
    struct stat before, link;
    const bool there = stat(path, &before) == 0;
    const bool plain = there ? S_ISREG(before.st_mode) && access(path, W_OK) == 0
                             : lstat(path, &link) != 0; /* no link to what is not there */
    *whole = (struct orr_whole_file){.path = resolve(path)};
    whole->beside =
        whole->path != NULL ? orr_heap_alloc(folder_bytes(whole->path) + NAME_BYTES) : NULL;
    if (whole->beside == NULL) {
        orr_heap_free(whole->path);
        errno = ENOMEM;
        return false;
    }
    const int file = plain ? open_nameless(whole->path, there ? &before : NULL) : -1;
    whole->in_place = file < 0;
    whole->file = file >= 0 ? fdopen(file, "w") : fopen(path, "w");
    if (whole->file != NULL) {
        return true;
    }
    const int error = errno;
    if (file >= 0) {
        (void)close(file);
    }
    release(whole);
    errno = error;
    return false;
}

/* Gives the nameless file a name beside its own; false, with errno. */
static bool name(const struct orr_whole_file *whole)
{
    char open_file[NAME_BYTES], *beside = whole->beside;
    const size_t bytes = folder_bytes(whole->path);
    memcpy(beside, whole->path, bytes);
    (void)snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", fileno(whole->file));
    for (unsigned i = 0; i < TRIES; i++) {
        (void)snprintf(beside + bytes, NAME_BYTES, ".orrery.%ld.%u", (long)getpid(), i);
        if (linkat(AT_FDCWD, open_file, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

static bool replace(const struct orr_whole_file *whole)
{
    if (!name(whole)) {
        return false;
    }
    const bool replaced = rename(whole->beside, whole->path) == 0;
    if (!replaced) {
        const int error = errno;
        (void)unlink(whole->beside);
        errno = error;
    }
    return replaced;
}

bool orr_whole_file_keep(struct orr_whole_file *whole)
{
    const bool written = fflush(whole->file) == 0 && ferror(whole->file) == 0;
    bool kept = written && (whole->in_place || replace(whole));
    int error = errno;
    if (fclose(whole->file) != 0 && kept) {
        error = errno;
        kept = false;
    }
    release(whole);
    errno = error;
    return kept;
}

void orr_whole_file_drop(struct orr_whole_file *whole)
{
    (void)fclose(whole->file);
    release(whole);
}
