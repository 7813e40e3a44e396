/* Copies the profiles of a plan to the folder of its workload; see plan_write.h. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_write.h"

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Checks that a path is no profile of the plan, which must not be overwritten. */
static enum orr_status check_not_input(const struct plan_job *job, const char *path,
                                       struct orr_diag *diag)
{
    bool read = same_file(path, job->profile);
    for (const struct model_profile *p = job->speed.profile; p != NULL && !read; p = p->next) {
        read = same_file(path, p->file);
    }
    return read ? orr_diag_fail(diag, ORR_ERR_IO, NULL,
                                "%s: is a profile of the plan and would be overwritten: expected "
                                "another folder",
                                path)
                : ORR_OK;
}

static enum orr_status write_text(const char *path, const char *text, size_t bytes,
                                  struct orr_diag *diag)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: cannot be opened: %s", path,
                             strerror(errno));
    }
    const bool written = fwrite(text, 1, bytes, out) == bytes;
    return fclose(out) == 0 && written
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "%s: cannot be written", path);
}

static enum orr_status copy(const struct plan_job *job, const char *from, const char *path,
                            struct orr_diag *diag)
{
    static const struct orr_file_kind kind = {"a profile", "a profile", 64};
    char *data = NULL;
    size_t bytes = 0;
    if (path == NULL) {
        return orr_diag_no_memory(diag, "the path of a file");
    }
    enum orr_status status = check_not_input(job, path, diag);
    if (status == ORR_OK) {
        status = orr_file_read(from, &kind, &data, &bytes, diag);
    }
    if (status == ORR_OK) {
        status = write_text(path, data, bytes, diag);
    }
    orr_heap_free(data);
    return status;
}

/* Copies all listed profiles, and writes their list. */
static enum orr_status write_list(struct orr_arena *arena, const struct plan_job *job,
                                  const char *folder, const char *path, struct orr_diag *diag)
{
    const char *list = "";
    unsigned number = 0;
    enum orr_status status = check_not_input(job, path, diag);
    for (const struct model_profile *p = job->speed.profile; p != NULL && status == ORR_OK;
         p = p->next) {
        number++;
        list = orr_arena_printf(arena, "%s%s\"profile_%u.json\"", list, number > 1 ? ", " : "",
                                number);
        if (list == NULL) {
            return orr_diag_no_memory(diag, "a list of profiles");
        }
        status =
            copy(job, p->file, orr_arena_printf(arena, "%s/profile_%u.json", folder, number), diag);
    }
    const char *text = orr_arena_printf(arena, "{\"profiles\": [%s]}\n", list);
    if (status == ORR_OK && text == NULL) {
        return orr_diag_no_memory(diag, "a list of profiles");
    }
    return status == ORR_OK ? write_text(path, text, strlen(text), diag) : status;
}

enum orr_status orr_plan_write_profiles(const struct plan_job *job, const char *folder,
                                        struct orr_diag *diag)
{
    if (job->profile == NULL) {
        return ORR_OK;
    }
    struct orr_arena *arena = orr_arena_create();
    const char *path = arena != NULL ? orr_arena_printf(arena, "%s/profile.json", folder) : NULL;
    const bool listed = strcmp(job->speed.profile->file, job->profile) != 0;
    const enum orr_status status = path == NULL ? orr_diag_no_memory(diag, "the path of a file")
                                   : listed     ? write_list(arena, job, folder, path, diag)
                                                : copy(job, job->profile, path, diag);
    orr_arena_destroy(arena);
    return status;
}
