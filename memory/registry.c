/* The remote memories by name. A new type is one file and one line here. */
#include <stdio.h>
#include <string.h>

#include "memory/memory.h"

const struct mem_ops *const mem_types[] = {&mem_none, &mem_per_npu, &mem_per_node, &mem_pool, NULL};

enum { TYPES = sizeof mem_types / sizeof *mem_types - 1, LIST_BYTES = 256 };

const struct mem_ops *mem_type_find(const char *name)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(mem_types[i]->name, name) == 0) {
            return mem_types[i];
        }
    }
    return NULL;
}

static enum orr_status unknown_type(const char *name, struct orr_diag *diag)
{
    const char *names[TYPES];
    char list[LIST_BYTES] = "";
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = mem_types[i]->name;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *nearest = orr_nearest_name(name, names, TYPES);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "memory.type: expected one of %s; got \"%s\"%s%s%s", list, name,
                         nearest == NULL ? "" : " (did you mean ", nearest == NULL ? "" : nearest,
                         nearest == NULL ? "" : "?)");
}

enum orr_status mem_create(struct mem **out, const struct mem_config *config, uint32_t npus,
                           struct orr_evq *queue, struct orr_arena *arena, struct orr_diag *diag)
{
    *out = NULL;
    const struct mem_ops *ops = mem_type_find(config->type);
    if (ops == NULL) {
        return unknown_type(config->type, diag);
    }
    return ops->create(out, config, npus, queue, arena, diag);
}
