/* Formats of launch files, an entry each in the table of launch.c. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_FORMATS_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_FORMATS_H

#include "et_converter/launch/launch_build.h"

/* A format. `is_one` looks at the text; `read` adds what it says. */
struct launch_format {
    const char *kind, *what;
    bool (*is_one)(const struct launch_text *text);
    enum orr_status (*read)(struct launch_build *build, const struct launch_text *text);
};

extern const struct launch_format orr_launch_hugging_face, orr_launch_deepspeed,
    orr_launch_torchtitan, orr_launch_trainer, orr_launch_nemo, orr_launch_megatron,
    orr_launch_launcher;

#endif
