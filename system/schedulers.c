/* The registry of schedulers, and those that need no file of their own. */
#include "system/schedulers.h"

#include <string.h>

const struct sys_scheduler_ops sys_baseline = {
    .name = "baseline",
    .summary = "all chunks visit the dimensions in the same order, up and down again",
};

static const struct sys_scheduler_ops *const candidates[] = {&sys_baseline, &sys_themis, NULL};

const struct sys_scheduler_ops sys_best = {
    .name = "best",
    .summary = "baseline or Themis, whichever takes less time when it is simulated alone",
    .candidates = candidates,
};

const struct sys_scheduler_ops *const sys_schedulers[] = {&sys_baseline, &sys_themis, &sys_best,
                                                          NULL};

const char *sys_scheduler_name(size_t index)
{
    return sys_schedulers[index] != NULL ? sys_schedulers[index]->name : NULL;
}

const struct sys_scheduler_ops *sys_scheduler_find(const char *name)
{
    for (size_t i = 0; sys_schedulers[i] != NULL; i++) {
        if (strcmp(sys_schedulers[i]->name, name) == 0) {
            return sys_schedulers[i];
        }
    }
    return NULL;
}
