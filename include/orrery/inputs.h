/* What there is to make platforms and workloads of: the inputs that ship, by name; what files may
 * hold and results tell, as schemas and references; and the traces of generated workloads, in
 * files.
 *
 *     struct orrery_catalogue *catalogue = orrery_catalogue_new();
 *     const char *path = orrery_find_input(catalogue, "platforms", "dgx_a100_64");
 *     if (path == NULL) {
 *         fprintf(stderr, "%s\n", orrery_catalogue_error(catalogue));
 *     }
 *     ... orrery_platform_read(platform, path, orrery_inputs_folder(catalogue)) ...
 *     orrery_catalogue_free(catalogue);
 *
 * A handle is used by one thread at a time. Calls that fail keep what is wrong for
 * orrery_catalogue_error. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
#ifndef ORRERY_INPUTS_H
#define ORRERY_INPUTS_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_catalogue;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_catalogue *orrery_catalogue_new(void);
ORRERY_API void orrery_catalogue_free(struct orrery_catalogue *catalogue);
ORRERY_API const char *orrery_catalogue_error(const struct orrery_catalogue *catalogue);

/* ---- inputs that ship ---- */

/* The folder that they are in: $ORRERY_INPUTS; else share/orrery beside the program's folder; else
 * where the library was installed to. For the `library` of calls that read files. NULL when memory
 * is out. */
ORRERY_API const char *orrery_inputs_folder(struct orrery_catalogue *catalogue);

/* The file that a name means, as the command takes it: a file of that name; else NAME or NAME.yml
 * of the kind "platforms", "workloads" (models among them) or "plans" that ship. A path that leads
 * nowhere is handed back; a bare word is an error, which names the nearest. NULL on an error.
 * O(inputs). */
ORRERY_API const char *orrery_find_input(struct orrery_catalogue *catalogue, const char *kind,
                                         const char *name);

/* The index-th of a kind ("platforms", "workloads", "models", "plans") by name, and the first
 * sentence of its comment. False behind the last, and on an error. O(inputs) for the first of a
 * kind. */
struct orrery_shipped {
    size_t size; /* ORRERY_SIZED(orrery_shipped) */
    const char *name, *comment;
};
ORRERY_API bool orrery_shipped(struct orrery_catalogue *catalogue, const char *kind, size_t index,
                               struct orrery_shipped *out);

/* The list of all, as of --list-inputs. An error when there are none. */
ORRERY_API enum orrery_status orrery_write_inputs(struct orrery_catalogue *catalogue, FILE *out);

/* ---- what files may hold ---- */

/* Writes what `orrery schema` writes: JSON Schema (draft 2020-12) of the files "platform",
 * "workload", "sweep", "jobs", "model", "strategy", "plan"; a reference in Markdown of "keys" or
 * "results". */
ORRERY_API enum orrery_status orrery_write_schema(struct orrery_catalogue *catalogue,
                                                  const char *what, FILE *out);

/* ---- generated workloads; errors are the workload's ---- */

/* The name of the index-th pattern, for the key `generate` of a workload, NULL behind the last;
 * *summary (NULL: not wanted) says what it is. */
ORRERY_API const char *orrery_pattern(size_t index, const char **summary);

/* Writes what a workload's generated model is on so many NPUs, as `orrery gen WORKLOAD.yml` does:
 * parameters and operations, memory and communication of the NPUs of each stage. An error of
 * workloads without a model. O(nodes of a stage x stages). */
ORRERY_API enum orrery_status orrery_workload_describe(struct orrery_workload *workload,
                                                       uint32_t npus, FILE *out);

/* Writes the traces of a workload to files, PREFIX.RANK.et (.gz with `gzip`) for each of so many
 * NPUs, and of a model PREFIX.groups.json: those of a pattern or a model, or the traces that were
 * made in memory, which cannot be added to from then on. Groups of the workload's own stay in it.
 * An error of workloads whose traces are files already. O(bytes). */
ORRERY_API enum orrery_status orrery_workload_save(struct orrery_workload *workload, uint32_t npus,
                                                   const char *prefix, bool gzip);

#ifdef __cplusplus
}
#endif

#endif
