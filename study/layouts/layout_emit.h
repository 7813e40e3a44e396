/* A layout in the words of a training framework. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_EMIT_H
#define ORR_STUDY_LAYOUTS_LAYOUT_EMIT_H

#include <stdio.h>

struct orr_best_layout;

struct orr_layout_framework {
    const char *name;
    /* Whether the framework's file can say the layout; else *why not. */
    bool (*says)(const struct orr_best_layout *layout, const char **why);
    /* Returns 0, or 1 with errno set. */
    int (*write)(FILE *out, const struct orr_best_layout *layout);
};

/* The index-th; NULL after the last one. */
const struct orr_layout_framework *orr_layout_framework_at(size_t index);

#endif
