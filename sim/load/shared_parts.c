/* Platform and workload objects; see include/orrery/parts.h and shared_parts.h. */
#include "sim/load/shared_parts.h"

#include <string.h>

#include "core/conf/conf.h"
#include "network/net_config_read.h"
#include "sim/load/workload_config.h"

/* ---- a part ---- */

static void *new_part(size_t bytes)
{
    struct orr_shared *part = orr_heap_calloc(1, bytes);
    struct orr_arena *arena = part != NULL ? orr_arena_create() : NULL;
    if (arena == NULL) {
        orr_heap_free(part);
        return NULL;
    }
    (void)pthread_mutex_init(&part->lock, NULL);
    part->uses = 1;
    part->arena = arena;
    orr_diag_init(&part->diag);
    orr_diag_init(&part->refusal);
    return part;
}

void orr_shared_release(struct orr_shared *part)
{
    if (part == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&part->lock);
    const bool last = --part->uses == 0;
    (void)pthread_mutex_unlock(&part->lock);
    if (last) {
        orr_shared_free_traces(part);
        (void)pthread_mutex_destroy(&part->lock);
        orr_arena_destroy(part->arena);
        orr_heap_free(part);
    }
}

enum orr_status orr_shared_acquire(struct orr_shared *part, struct orr_diag *diag)
{
    (void)pthread_mutex_lock(&part->lock);
    part->uses++;
    if (!part->sealed) {
        part->sealed = true;
        orr_shared_seal_traces(part);
    }
    const enum orr_status status =
        part->refusal.status != ORR_OK ? orr_diag_forward(diag, &part->refusal) : ORR_OK;
    (void)pthread_mutex_unlock(&part->lock);
    return status;
}

enum orrery_status orr_shared_finish_call(struct orr_shared *part, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_conf_render_error(&part->diag, part->error, sizeof part->error);
        orr_diag_init(&part->diag);
    }
    return (enum orrery_status)status;
}

enum orr_status orr_shared_check_open(struct orr_shared *part)
{
    (void)pthread_mutex_lock(&part->lock);
    const bool sealed = part->sealed;
    (void)pthread_mutex_unlock(&part->lock);
    return !sealed ? ORR_OK
                   : orr_diag_fail(&part->diag, ORR_ERR_INPUT, NULL,
                                   "a simulation has loaded this already: nothing of it can be "
                                   "changed; values can be set for each simulation");
}

enum orrery_status orr_workload_finish_call(struct orrery_workload *workload,
                                            const struct orr_diag *diag, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_diag_forward(&workload->part.diag, diag);
    }
    return orr_shared_finish_call(&workload->part, status);
}

/* ---- reading values ---- */

static enum orr_status add_tree(struct orr_shared *part, const struct orr_conf *tree)
{
    if (tree->kind != ORR_CONF_MAP) {
        return orr_conf_expected(tree, "a mapping of sections", &part->diag);
    }
    if (part->root == NULL) {
        part->root = tree;
        return ORR_OK;
    }
    return orr_conf_merge(part->arena, part->root, tree, &part->root, &part->diag);
}

static enum orrery_status read_part(struct orr_shared *part, const char *path, const char *library)
{
    const struct orr_conf *tree = NULL;
    enum orr_status status = orr_shared_check_open(part);
    if (status == ORR_OK) {
        status = orr_conf_load_composed(part->arena, path, library, &tree, &part->diag);
    }
    if (status == ORR_OK) {
        status = orr_net_tree_merge(part->arena, &tree, &part->diag);
    }
    return orr_shared_finish_call(part, status == ORR_OK ? add_tree(part, tree) : status);
}

static enum orrery_status parse_part(struct orr_shared *part, const char *text)
{
    const struct orr_conf *tree = NULL;
    enum orr_status status = orr_shared_check_open(part);
    if (status == ORR_OK) {
        status = orr_conf_parse(part->arena, text, strlen(text), "text", &tree, &part->diag);
    }
    return orr_shared_finish_call(part, status == ORR_OK ? add_tree(part, tree) : status);
}

static enum orrery_status set_part(struct orr_shared *part, const char *assignment)
{
    enum orr_status status = orr_shared_check_open(part);
    if (status == ORR_OK && part->root == NULL) {
        status = orr_conf_parse(part->arena, "{}", 2, "text", &part->root, &part->diag);
    }
    if (status == ORR_OK) {
        status = orr_conf_set(part->arena, part->root, assignment, &part->root, &part->diag);
    }
    return orr_shared_finish_call(part, status);
}

/* ---- platforms ---- */

struct orrery_platform *orrery_platform_new(void)
{
    return new_part(sizeof(struct orrery_platform));
}

void orrery_platform_free(struct orrery_platform *platform)
{
    orr_shared_release(platform != NULL ? &platform->part : NULL);
}

enum orrery_status orrery_platform_read(struct orrery_platform *platform, const char *path,
                                        const char *library)
{
    return read_part(&platform->part, path, library);
}

enum orrery_status orrery_platform_parse(struct orrery_platform *platform, const char *text)
{
    return parse_part(&platform->part, text);
}

enum orrery_status orrery_platform_set(struct orrery_platform *platform, const char *assignment)
{
    return set_part(&platform->part, assignment);
}

const char *orrery_platform_error(const struct orrery_platform *platform)
{
    return platform->part.error;
}

/* ---- workloads ---- */

struct orrery_workload *orrery_workload_new(void)
{
    return new_part(sizeof(struct orrery_workload));
}

void orrery_workload_free(struct orrery_workload *workload)
{
    orr_shared_release(workload != NULL ? &workload->part : NULL);
}

enum orrery_status orrery_workload_read(struct orrery_workload *workload, const char *path,
                                        const char *library)
{
    return read_part(&workload->part, path, library);
}

enum orrery_status orrery_workload_parse(struct orrery_workload *workload, const char *text)
{
    return parse_part(&workload->part, text);
}

enum orrery_status orrery_workload_set(struct orrery_workload *workload, const char *assignment)
{
    return set_part(&workload->part, assignment);
}

const char *orrery_workload_error(const struct orrery_workload *workload)
{
    return workload->part.error;
}
