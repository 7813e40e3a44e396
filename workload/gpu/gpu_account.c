/* The GPU's view of a rank's time; see gpu_account.h. */
#include "workload/gpu/gpu_account.h"

const char *orr_gpu_idle_name(enum orr_gpu_idle cause)
{
    static const char *const names[ORR_GPU_IDLES] = {"launch", "stream", "peer", "end_of_step",
                                                     "other"};
    return names[cause];
}

bool orr_gpu_is_idle(const struct orr_gpu_account *account)
{
    return account->active[ORR_GPU_COMPUTE] == 0 && account->active[ORR_GPU_COMMUNICATION] == 0 &&
           account->active[ORR_GPU_COPY] == 0;
}

static void advance(struct orr_gpu_account *account, sim_time now_ps)
{
    struct orr_gpu_view *view = &account->view;
    const sim_time elapsed_ps = now_ps > account->at_ps ? now_ps - account->at_ps : 0;
    const bool computes = account->active[ORR_GPU_COMPUTE] > 0;
    const bool copies = account->active[ORR_GPU_COPY] > 0;
    const bool communicates = account->active[ORR_GPU_COMMUNICATION] > 0;
    account->at_ps += elapsed_ps;
    view->compute_ps += computes ? elapsed_ps : 0;
    view->memory_copy_ps += copies ? elapsed_ps : 0;
    view->communication_ps += communicates ? elapsed_ps : 0;
    view->exposed_communication_ps += communicates && !computes && !copies ? elapsed_ps : 0;
    account->open_ps += orr_gpu_is_idle(account) ? elapsed_ps : 0;
}

static void close(struct orr_gpu_account *account, enum orr_gpu_idle cause, sim_time ps)
{
    account->view.idle_by_ps[cause] += ps;
    account->view.idle_ps += ps;
    account->open_ps -= ps;
}

void orr_gpu_attribute(struct orr_gpu_account *account, sim_time now_ps, enum orr_gpu_idle cause,
                       sim_time ps)
{
    if (account->begun) {
        advance(account, now_ps);
        close(account, cause, ps < account->open_ps ? ps : account->open_ps);
    }
}

void orr_gpu_begin(struct orr_gpu_account *account, enum orr_gpu_kind kind, sim_time now_ps,
                   enum orr_gpu_idle cause)
{
    if (!account->begun) {
        account->begun = true;
        account->begin_ps = account->at_ps = now_ps;
    }
    advance(account, now_ps);
    close(account, cause, account->open_ps);
    account->active[kind]++;
}

void orr_gpu_end(struct orr_gpu_account *account, enum orr_gpu_kind kind, sim_time now_ps)
{
    advance(account, now_ps);
    account->active[kind]--;
}

struct orr_gpu_view orr_gpu_finish(struct orr_gpu_account *account, sim_time end_ps)
{
    if (account->begun) {
        advance(account, end_ps);
        close(account, ORR_GPU_IDLE_STEP_END, account->open_ps);
        account->view.span_ps = account->at_ps - account->begin_ps;
    }
    return account->view;
}
