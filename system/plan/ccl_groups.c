/* CCL shapes of the groups of a running system, and the CCL's choices for them. */
#include "system/plan/planning.h"

static enum orr_status find_shape(const struct sys *sys, const struct sys_group *group,
                                  struct sys_ccl_shape *shape)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct sys_ccl *library = sys->config->library;
    return group->given == NULL ? orr_sys_ccl_shape_of_all(library, sys->net->config, shape, &diag)
                                : orr_sys_ccl_shape_of(library, sys->net->config, group->given,
                                                       group->size, shape, &diag);
}

/* The group's shape, cached. NULL: no memory. O(1), the first call O(size). */
static const struct sys_ccl_shape *shape_of(const struct sys *sys, struct sys_group *group)
{
    if (group->shape == NULL) {
        struct sys_ccl_shape *shape = orr_arena_alloc(sys->arena, sizeof *shape);
        const bool found = shape != NULL && find_shape(sys, group, shape) == ORR_OK;
        group->shape = found ? shape : NULL;
    }
    return group->shape;
}

bool orr_sys_group_choice(const struct sys *sys, struct sys_group *group,
                          const struct sys_ccl_request *request, struct sys_ccl_choice *out)
{
    const struct sys_ccl_shape *shape = shape_of(sys, group);
    if (shape == NULL) {
        return false;
    }
    if (request->tokens) {
        orr_sys_ccl_choose_tokens(sys->config->library, shape, (double)request->bytes, out);
    } else {
        orr_sys_ccl_choose(sys->config->library, shape, request->kind,
                           orr_sys_ccl_bytes(request->kind, request->bytes, group->size), out);
    }
    return true;
}
