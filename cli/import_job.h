/* A job from launch files (--from): imported when the command begins. */
#ifndef ORR_CLI_IMPORT_JOB_H
#define ORR_CLI_IMPORT_JOB_H

#include "cli/cli.h"

enum { ORR_IMPORT_BYTES = 1 << 16 };

struct orr_import_job {
    struct orr_texts from;       /* the files */
    char name[256];              /* of the job in messages */
    char text[ORR_IMPORT_BYTES]; /* the workload */
};

/* A row --from for a command's table. */
#define ORR_ROW_FROM(type, member)                                                                 \
    {                                                                                              \
        "from", "FILE", ORR_INPUT | ORR_REPEATED,                                                  \
            "the workload, from a model's config.json or launch files, as orrery import reads "    \
            "them; may be given several times",                                                    \
            ORR_LIST(type, member.from)                                                            \
    }

/* Reads the files into `text`, for so many NPUs (0: as many as the files say); prints what was not
 * understood as warnings. Returns 0 or the exit status. */
int orr_import_job(struct orr_import_job *job, uint64_t npus);

#endif
