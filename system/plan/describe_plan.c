/* Description of a plan: its algorithms by the platform's dimensions. */
#include "system/ccl/ccl.h"
#include "system/custom_program.h"
#include "system/plan/autotune.h"
#include "system/plan/operation.h"
#include "system/plan/planning.h"
#include "system/sys_collective.h"
#include "system/sys_mono.h"

static void fill(const struct sys_operation *operation, struct sys_description *runs)
{
    runs->scheduler = operation->scheduler != NULL ? operation->scheduler->name : NULL;
    runs->custom = operation->custom_program != NULL ? operation->custom_program->name : NULL;
    for (unsigned p = 0; runs->custom == NULL && p < operation->plan[0]->phases; p++) {
        const struct sys_phase *phase = &operation->plan[0]->phase[p];
        runs->of[operation->dim[phase->dim].queue_dim] = phase->algorithm->name;
    }
}

static enum orr_status fill_ccl(struct sys *sys, const struct sys_collective *request,
                                struct sys_description *runs, struct orr_diag *diag)
{
    struct sys_ccl_choice choice;
    struct sys_group *group = sys->all.groups[request->group];
    const struct sys_ccl_request asked = {request->kind, request->bytes, request->tokens};
    if (!orr_sys_group_choice(sys, group, &asked, &choice)) {
        return orr_diag_no_memory(diag, "the shape of a group");
    }
    runs->library = sys->config->library->ops->name;
    runs->library_algorithm = choice.algorithm;
    runs->protocol = choice.protocol;
    runs->launch_ps = request->launched ? orr_time_of_seconds(choice.launch_s) : 0;
    return ORR_OK;
}

enum orr_status orr_sys_describe_collective(struct sys *sys, const struct sys_collective *request,
                                            struct sys_description *runs, struct orr_diag *diag)
{
    *runs = (struct sys_description){.scheduler = NULL};
    if (sys_mono_of(sys, request) != NULL) {
        runs->whole = sys_mono_of(sys, request);
        return sys_by_ccl(runs->whole) ? fill_ccl(sys, request, runs, diag) : ORR_OK;
    }
    struct orr_arena *arena = orr_arena_create();
    struct sys_operation operation = {.sys = sys,
                                      .arena = arena,
                                      .group = sys->all.groups[request->group],
                                      .kind = request->kind,
                                      .bytes = request->kind == COLL_BARRIER ? 0 : request->bytes,
                                      .sizes = request->sizes,
                                      .dim_mask = request->dim_mask};
    const enum orr_status status = arena != NULL ? orr_sys_plan_operation(sys, &operation, diag)
                                                 : orr_diag_no_memory(diag, "a plan");
    if (status == ORR_OK) {
        fill(&operation, runs);
    }
    orr_arena_destroy(arena);
    return status;
}
