/* Catalogue of inputs: platforms and workloads that ship, by name; schemas and references of files
 * and results; descriptions and trace files of generated workloads.
 *
 *     struct orrery_catalogue *catalogue = orrery_catalogue_new();
 *     const char *path = orrery_find_input(catalogue, "platforms", "dgx_a100_64");
 *     if (path == NULL) {
 *         fprintf(stderr, "%s\n", orrery_catalogue_error(catalogue));
 *     }
 *     ... orrery_platform_read(platform, path, orrery_inputs_folder(catalogue)) ...
 *     orrery_catalogue_free(catalogue);
 *
 * One thread at a time may use a handle. A failed call stores its message for
 * orrery_catalogue_error. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
#ifndef ORRERY_INPUTS_H
#define ORRERY_INPUTS_H

#include <stdio.h>

#include "orrery/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_catalogue;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_catalogue_error:
 * the error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_catalogue *orrery_catalogue_new(void);
ORRERY_API void orrery_catalogue_free(struct orrery_catalogue *catalogue);
ORRERY_API const char *orrery_catalogue_error(const struct orrery_catalogue *catalogue);

/* ---- inputs that ship ---- */

/* The folder of the inputs, for the `library` of calls that read files: $ORRERY_INPUTS; else
 * share/orrery next to the folder of the program, or of the library that it is linked with; else
 * the folder where the library was configured to be installed. NULL if out of memory. */
ORRERY_API const char *orrery_inputs_folder(struct orrery_catalogue *catalogue);

/* The file for a name, by the rules of the command: a file of that name; else NAME or NAME.yml of
 * those that ship, of the kind "platforms", "workloads" (models included) or "plans". A path to a
 * missing file is returned as it is; an unknown plain word is an error, which suggests the nearest
 * name. NULL on an error. O(inputs). */
ORRERY_API const char *orrery_find_input(struct orrery_catalogue *catalogue, const char *kind,
                                         const char *name);

/* The index-th input of a kind ("platforms", "workloads", "models", "plans") by name, and the first
 * sentence of its comment. False behind the last, and on an error. O(inputs) for the first of a
 * kind. */
struct orrery_shipped {
    size_t size; /* ORRERY_SIZED(orrery_shipped) */
    const char *name, *comment;
};
ORRERY_API bool orrery_shipped(struct orrery_catalogue *catalogue, const char *kind, size_t index,
                               struct orrery_shipped *out);

/* Writes the list of all, as --list-inputs. An error if there are none. */
ORRERY_API enum orrery_status orrery_write_inputs(struct orrery_catalogue *catalogue, FILE *out);

/* ---- schemas ---- */

/* Writes the output of `orrery schema`: the JSON Schema (draft 2020-12) of the files "platform",
 * "workload", "sweep", "jobs", "model", "strategy" or "plan", or the Markdown reference of "keys"
 * or "results". */
ORRERY_API enum orrery_status orrery_write_schema(struct orrery_catalogue *catalogue,
                                                  const char *what, FILE *out);

/* ---- generated workloads; errors are the workload's ---- */

/* The name of the index-th pattern, a value of the key `generate` of a workload, NULL behind the
 * last; *summary (may be NULL) describes it. */
ORRERY_API const char *orrery_pattern(size_t index, const char **summary);

/* Describes a workload's generated model on `npus` NPUs, as `orrery gen WORKLOAD.yml`: parameters,
 * operations, memory and communication of the NPUs of each stage. An error for workloads without a
 * model. O(nodes of a stage x stages). */
ORRERY_API enum orrery_status orrery_workload_describe(struct orrery_workload *workload,
                                                       uint32_t npus, FILE *out);

/* Writes the traces of a workload to files: PREFIX.RANK.et (.gz with `gzip`) for each of `npus`
 * NPUs, and for a model PREFIX.groups.json. The traces are those of a pattern, of a model, or built
 * in memory; the latter cannot be extended afterwards. Groups in the workload's own section are not
 * written. An error for workloads whose traces are files. O(bytes). */
ORRERY_API enum orrery_status orrery_workload_save(struct orrery_workload *workload, uint32_t npus,
                                                   const char *prefix, bool gzip);

#ifdef __cplusplus
}
#endif

#endif
