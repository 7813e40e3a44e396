/* Times of operators that were measured, each for one way to split it: FlexNet's files of
 * measurements ("measures"), and files of one's own in the same form, in JSON or YAML
 * (docs/file-formats.md). */
#ifndef ORR_WORKLOAD_MODEL_PROFILE_H
#define ORR_WORKLOAD_MODEL_PROFILE_H

#include "core/core.h"

enum { MODEL_MAX_SPLITS = 8 };

/* Of one part, of one name. */
struct model_measure {
    const char *name;
    uint32_t samples;                 /* parts that the samples were divided into */
    uint32_t split[MODEL_MAX_SPLITS]; /* parts of the axes of the output, the innermost first */
    sim_time forward_ps, backward_ps;
    uint64_t memory_bytes;
};

struct model_profile {
    const char *file;
    uint64_t batch;   /* samples of all parts together */
    uint64_t devices; /* that the batch was meant for; 0: not said */
    uint32_t count;
    const struct model_measure *measure; /* [count], by name, those of a name by split */
    const struct model_profile *next;    /* of another batch; NULL: none */
};

/* A file: `batch_size`, `ngpus`, and `measurements`, each with `name`, `pc_str` (how many axes,
 * then the parts of each, the innermost first and the samples last: "4-1-1-1-16"), `fw_time` and
 * `bw_time` in milliseconds, `mem_req` in bytes. */
extern const struct orr_key_table orr_model_profile_table;

/* A file of files, each of another batch. */
extern const struct orr_key_table orr_model_profiles_table;

/* Of either file. Errors name the place: what is no such file, a split that is missing or no split,
 * a negative time, one split of a name measured twice, one batch twice. The profile and its texts
 * are in the arena. */
enum orr_status orr_model_profile_load(struct orr_arena *arena, const char *path,
                                       struct model_profile *out, struct orr_diag *diag);
enum orr_status orr_model_profile_read(struct orr_arena *arena, const struct orr_conf *root,
                                       struct model_profile *out, struct orr_diag *diag);

/* What was measured for a name, its samples in so many parts and its axes in `split`; NULL:
 * nothing. O(log measures). */
const struct model_measure *orr_model_profile_find(const struct model_profile *profile,
                                                   const char *name, uint64_t samples,
                                                   const uint32_t split[MODEL_MAX_SPLITS]);

/* All that one profile has of a name, `count` of them, by samples. O(log measures + count). */
const struct model_measure *orr_model_profile_of(const struct model_profile *profile,
                                                 const char *name, uint32_t *count);

/* Times of a part of so many samples, for a name and its axes in `split`, on the line through what
 * was measured for the next fewer and the next more samples, in all profiles; beyond all of them
 * through the two nearest (below 0: 0), as SiP-ML's simulator takes its profiles. false: fewer than
 * two were measured. O(measures of the name). */
bool orr_model_profile_interpolate(const struct model_profile *profile, const char *name,
                                   const uint32_t split[MODEL_MAX_SPLITS], uint64_t samples,
                                   sim_time *forward_ps, sim_time *backward_ps);

/* The samples a part for which something was measured, for messages: "16, 64"; "": none. */
enum { MODEL_SIZES_BYTES = 160 };
void orr_model_profile_sizes(const struct model_profile *profile, const char *name,
                             const uint32_t split[MODEL_MAX_SPLITS], char text[MODEL_SIZES_BYTES]);

/* Whether anything was measured for the name, in any of the profiles. */
bool orr_model_profile_has(const struct model_profile *profile, const char *name);

#endif
