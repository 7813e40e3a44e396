/* Profiles: measured times of operators, each for one split. FlexNet's files of measurements
 * ("measures"), and the user's own files of the same form, in JSON or YAML (docs/file-formats.md).
 */
#ifndef ORR_WORKLOAD_MODEL_PROFILE_H
#define ORR_WORKLOAD_MODEL_PROFILE_H

#include "core/conf/keys.h"
#include "core/time.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

enum { MODEL_MAX_SPLITS = 8 };

/* The measurement of one part of an operator. */
struct model_measure {
    const char *name;
    uint32_t samples;                 /* number of parts of the samples */
    uint32_t split[MODEL_MAX_SPLITS]; /* parts of the output's axes, innermost first */
    sim_time forward_ps, backward_ps;
    uint64_t memory_bytes;
};

struct model_profile {
    const char *file;
    uint64_t batch;   /* samples of all parts together */
    uint64_t devices; /* devices of the batch; 0: unknown */
    uint32_t count;
    const struct model_measure *measure; /* [count], sorted by name, then split */
    const struct model_profile *next;    /* profile of another batch; NULL: none */
};

/* Keys of a file: `batch_size`, `ngpus`, and `measurements`, each with `name`, `pc_str` (the number
 * of axes, then the parts of each, innermost first and the samples last: "4-1-1-1-16"), `fw_time`
 * and `bw_time` in milliseconds, `mem_req` in bytes. */
extern const struct orr_key_table orr_model_profile_table;

/* Keys of a list of such files, each of another batch. */
extern const struct orr_key_table orr_model_profiles_table;

/* Reads either kind of file. The profile and its texts are in the arena. Errors name the location:
 * not such a file, a missing or malformed split, a negative time, one split of a name measured
 * twice, two profiles of one batch. */
enum orr_status orr_model_profile_load(struct orr_arena *arena, const char *path,
                                       struct model_profile *out, struct orr_diag *diag);
enum orr_status orr_model_profile_read(struct orr_arena *arena, const struct orr_conf *root,
                                       struct model_profile *out, struct orr_diag *diag);

/* The measurement of a name with its samples split into `samples` parts and its axes into `split`;
 * NULL: none. O(log measures). */
const struct model_measure *orr_model_profile_find(const struct model_profile *profile,
                                                   const char *name, uint64_t samples,
                                                   const uint32_t split[MODEL_MAX_SPLITS]);

/* All measurements of a name in one profile, [*count], sorted by samples. O(log measures + count).
 */
const struct model_measure *orr_model_profile_of(const struct model_profile *profile,
                                                 const char *name, uint32_t *count);

/* Interpolates the times of a part of `samples` samples, for a name and its axes in `split`:
 * linearly between the next smaller and the next larger number of measured samples in all profiles;
 * outside through the two nearest (not below 0), as SiP-ML's simulator does. False: fewer than two
 * were measured. O(measures of the name). */
bool orr_model_profile_interpolate(const struct model_profile *profile, const char *name,
                                   const uint32_t split[MODEL_MAX_SPLITS], uint64_t samples,
                                   sim_time *forward_ps, sim_time *backward_ps);

/* The numbers of samples per part that were measured, for messages: "16, 64"; "": none. */
enum { MODEL_SIZES_BYTES = 160 };
void orr_model_profile_sizes(const struct model_profile *profile, const char *name,
                             const uint32_t split[MODEL_MAX_SPLITS], char text[MODEL_SIZES_BYTES]);

/* Whether any profile has a measurement of the name. */
bool orr_model_profile_has(const struct model_profile *profile, const char *name);

#endif
