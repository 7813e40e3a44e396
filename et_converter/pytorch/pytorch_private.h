/* Shared by pytorch.c (conversion of one rank after the other) and pytorch_ranks.c (checks and
 * clocks over all ranks). */
#ifndef ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_PYTORCH_PRIVATE_H

#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/trace_output.h"

/* The communication of the first rank that uses a group; other ranks must have the same. */
struct sequence {
    const char *group; /* NULL: all ranks */
    struct pt_traffic *traffic;
    uint32_t count, rank;
};

/* What is done about ranks of the job that no file is of. */
enum pt_missing { PT_MISSING_REFUSED, PT_MISSING_REPLAY, PT_MISSING_COPY };

struct pt_ranks {
    const uint32_t *rank;
    uint32_t count;
};

/* The groups of a given rank whose ranks are known. */
struct pt_member {
    const struct pt_ranks *group;
    uint32_t groups;
};

struct conversion {
    const struct conv_job *job;
    struct conv_report *report;
    struct conv_output *output;
    struct orr_arena *arena; /* data over all ranks */
    struct sequence *sequence;
    int64_t *start_ns; /* [files]: start of each profile by the clock of the first; NULL: unknown */
    int64_t first_ns;  /* time that the first rank omits at its start */
    bool has_first;
    uint32_t sequences;
    uint32_t files, ranks; /* ranks: of the job */
    enum pt_missing missing;
    bool many;            /* the paths have {rank} in them, or there are several profiles */
    const char **profile; /* [files]: profiles without execution traces; NULL: with them */
    bool lone;            /* one such profile: communication takes its recorded time */
    struct pt_scan *scan; /* [files]: what the profiles have (profile_scan.h) */
    int64_t step;         /* of the profiles; -1: all of them */
    uint64_t *key;        /* [keys]: communication that they have, ascending */
    size_t keys;
    bool placed;              /* the profiles say which ranks the files are of */
    struct kt_place *place;   /* [files]: what the profiles say */
    uint32_t world;           /* of the profiles; 0: not known */
    uint32_t *file_of;        /* [capacity]: the file of each rank, or PT_NONE */
    struct pt_member *member; /* [capacity] */
    uint32_t capacity;
    size_t sequence_capacity;
    struct orr_diag *diag;
};

/* The path of a rank: the template with each {rank} replaced, in the arena; NULL if out of
 * memory. */
const char *orr_pytorch_path_of(struct orr_arena *arena, const char *template, uint32_t rank);

/* The path of a profile; in the arena, NULL if out of memory. */
const char *orr_pytorch_profile_of(const struct conversion *conversion, struct orr_arena *arena,
                                   uint32_t file);

/* Whether the file of a number is there; one that is not is an error where it is read, unless
 * something stands in for missing ranks. */
bool orr_pytorch_has_file(const struct conversion *conversion, struct orr_arena *arena,
                          uint32_t file);

/* Sets the rank of each file: what its profile says (conversion->place), or its number. Errors:
 * profiles of jobs of two sizes; a rank twice; missing ranks, unless something stands in for them.
 * (pytorch_job.c) */
enum orr_status orr_pytorch_place_files(struct conversion *conversion);

/* Checks that no ranks are stood in for which the job of `world` ranks does not have; `by`: what
 * says so. 0: not known. */
enum orr_status orr_pytorch_check_world(const struct conversion *conversion, uint32_t world,
                                        const char *by);

/* The job has at least `world` ranks, as groups say. Errors: missing ranks, likewise. */
enum orr_status orr_pytorch_grow(struct conversion *conversion, uint32_t world);

/* The number of ranks of the job, as far as the trace, its groups and the profile (NULL: none) say.
 */
uint32_t orr_pytorch_world_of(const struct conversion *conversion, const struct pt_trace *trace,
                              const struct kt_trace *kineto);

/* The size of the group of all ranks, which PyTorch calls "0"; 0: not known. */
uint32_t orr_pytorch_size_of_all(const struct pt_trace *trace);

/* What each group of the trace is in a job of `world` ranks; out[trace->groups]: that of all ranks.
 * Groups of a part are added to the output. (pytorch_groups.c) */
enum orr_status orr_pytorch_use_groups(struct conversion *conversion, const struct pt_trace *trace,
                                       uint32_t rank, uint32_t world, struct pt_group_use **out);

/* Checks that a trace of a job of several files is of the rank: the rank is in the groups that the
 * trace communicates in, as far as their ranks are known, and no message is to itself. O(records x
 * ranks of a group). (pytorch_rank_check.c) */
enum orr_status orr_pytorch_check_rank(const struct conversion *conversion,
                                       const struct pt_trace *trace, uint32_t rank);

/* Keeps the groups of a given rank, for orr_pytorch_nearest. */
enum orr_status orr_pytorch_keep_groups(struct conversion *conversion, const struct pt_trace *trace,
                                        uint32_t rank);

/* The given rank whose positions in its groups are most like those of the missing rank, the
 * nearest of several. Error: the missing rank's groups do not follow from any. O(ranks x groups).
 */
enum orr_status orr_pytorch_nearest(struct conversion *conversion, uint32_t rank, uint32_t *out);

/* Makes the trace of a given rank one of the missing rank: its groups, and the peers in them. */
enum orr_status orr_pytorch_become(struct conversion *conversion, struct pt_trace *trace,
                                   uint32_t given, uint32_t rank);

/* Whether communication among the ranks (NULL: the first `count`) takes its recorded time, because
 * one of them is missing. */
bool orr_pytorch_lacks(const struct conversion *conversion, const uint32_t *ranks, uint32_t count);

/* Sets conversion->start_ns and place: the start of each rank's profile after the earliest one. No
 * effect with one rank or without profiles. O(bytes of the profiles). */
enum orr_status orr_pytorch_read_clocks(struct conversion *conversion);

/* Compares the collectives of a rank with those of the first rank of each group; reports the first
 * difference as a note. O(collectives x groups). */
enum orr_status orr_pytorch_compare_ranks(struct conversion *conversion,
                                          const struct pt_graph *graph, uint32_t rank);

/* Reports the recorded durations of collectives over all ranks. */
enum orr_status orr_pytorch_report_recorded(struct conversion *conversion);

#endif
