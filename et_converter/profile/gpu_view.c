/* The GPU's view of a profile; see gpu_view.h. */
#include "et_converter/profile/gpu_view.h"

#include <stdlib.h>
#include <string.h>

#include "core/strings.h"

struct interval {
    int64_t start_ns, end_ns;
};

struct walk {
    const struct kt_trace *kineto;
    const struct kt_steps *steps;
    struct orr_gpu_account account;
    int64_t origin_ns;     /* of the account's times */
    uint32_t *work;        /* [works]: of the step, by start */
    uint32_t *by_end;      /* [works]: the same, by end */
    struct interval *host; /* [hosts]: when the host communicates, apart and by start */
    uint32_t works, hosts;
    uint32_t next_host; /* those before it end before the current idle time */
    uint32_t last;      /* the work that ended last, or PT_NONE */
};

static sim_time ps_of(const struct walk *walk, int64_t ns)
{
    return (sim_time)(ns - walk->origin_ns) * ORR_PS_PER_NS;
}

static enum orr_gpu_kind kind_of(const struct kt_work *work)
{
    return work->is_copy ? ORR_GPU_COPY : work->is_comm ? ORR_GPU_COMMUNICATION : ORR_GPU_COMPUTE;
}

/* ---- communication of the host ---- */

static bool communicates(const struct kt_trace *kineto, const struct kt_op *op)
{
    static const char *const begins[] = {"gloo:", "mpi:", "ucc:"};
    const char *name = kineto->strings->text[op->name];
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Lists the times in which an operator of any thread communicates, merged. */
static bool list_hosts(struct walk *walk)
{
    const struct kt_trace *kineto = walk->kineto;
    size_t capacity = 0;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        if (!communicates(kineto, &kineto->op[i])) {
            continue;
        }
        struct interval *grown = orr_arena_grow(kineto->arena, walk->host, &capacity,
                                                (size_t)walk->hosts + 1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        walk->host = grown;
        grown[walk->hosts++] = (struct interval){kineto->op[i].start_ns, kineto->op[i].end_ns};
    }
    if (walk->hosts > 1) {
        qsort(walk->host, walk->hosts, sizeof *walk->host, compare_intervals);
    }
    uint32_t kept = 0;
    for (uint32_t i = 1; i < walk->hosts; i++) {
        if (walk->host[i].start_ns > walk->host[kept].end_ns) {
            walk->host[++kept] = walk->host[i];
        } else if (walk->host[i].end_ns > walk->host[kept].end_ns) {
            walk->host[kept].end_ns = walk->host[i].end_ns;
        }
    }
    walk->hosts = walk->hosts > 0 ? kept + 1 : 0;
    return true;
}

/* How long the host communicated between two times; the first one ascends from call to call. */
static int64_t host_ns(struct walk *walk, int64_t from_ns, int64_t to_ns)
{
    int64_t sum = 0;
    while (walk->next_host < walk->hosts && walk->host[walk->next_host].end_ns <= from_ns) {
        walk->next_host++;
    }
    for (uint32_t i = walk->next_host; i < walk->hosts && walk->host[i].start_ns < to_ns; i++) {
        const struct interval *host = &walk->host[i];
        const int64_t start = host->start_ns > from_ns ? host->start_ns : from_ns;
        const int64_t end = host->end_ns < to_ns ? host->end_ns : to_ns;
        sum += end > start ? end - start : 0;
    }
    return sum;
}

/* ---- the walk ---- */

/* The end of the last step's share of the idle time before a work of a later step. */
static void end_step(struct walk *walk, uint32_t work, int64_t idle_ns, int64_t now_ns)
{
    const uint32_t before = walk->steps->of_work[walk->last], step = walk->steps->of_work[work];
    if (step == PT_NONE || step == before) {
        return;
    }
    const int64_t mark_ns = walk->steps->step[step].start_ns;
    const int64_t until_ns = mark_ns < now_ns ? mark_ns : now_ns;
    orr_gpu_attribute(&walk->account, ps_of(walk, now_ns), ORR_GPU_IDLE_STEP_END,
                      until_ns > idle_ns ? (until_ns - idle_ns) * ORR_PS_PER_NS : 0);
}

/* Why nothing ran before the work, which begins now. */
static enum orr_gpu_idle cause_of(struct walk *walk, uint32_t w)
{
    const struct kt_trace *kineto = walk->kineto;
    const struct kt_work *work = &kineto->work[w];
    const uint32_t call = walk->steps->call_of_work[w];
    const sim_time now_ps = ps_of(walk, work->start_ns);
    const struct kt_work *last = &kineto->work[walk->last];
    end_step(walk, w, last->end_ns, work->start_ns);
    if (call == PT_NONE) {
        return ORR_GPU_IDLE_OTHER;
    }
    if (kineto->call[call].start_ns > last->end_ns) {
        orr_gpu_attribute(&walk->account, now_ps, ORR_GPU_IDLE_PEER,
                          host_ns(walk, last->end_ns, work->start_ns) * ORR_PS_PER_NS);
        return ORR_GPU_IDLE_LAUNCH;
    }
    return last->stream != work->stream || last->device != work->device ? ORR_GPU_IDLE_STREAM
                                                                        : ORR_GPU_IDLE_OTHER;
}

static void begin(struct walk *walk, uint32_t w)
{
    const struct kt_work *work = &walk->kineto->work[w];
    const sim_time now_ps = ps_of(walk, work->start_ns);
    const bool idle = walk->last != PT_NONE &&
                      work->start_ns > walk->kineto->work[walk->last].end_ns &&
                      orr_gpu_is_idle(&walk->account);
    const enum orr_gpu_idle cause = idle ? cause_of(walk, w) : ORR_GPU_IDLE_OTHER;
    orr_gpu_begin(&walk->account, kind_of(work), now_ps, cause);
}

static void walk_works(struct walk *walk)
{
    const struct kt_work *work = walk->kineto->work;
    uint32_t begun = 0, ended = 0;
    while (ended < walk->works) {
        const uint32_t end = walk->by_end[ended];
        if (begun < walk->works && work[walk->work[begun]].start_ns <= work[end].end_ns) {
            begin(walk, walk->work[begun++]);
        } else {
            orr_gpu_end(&walk->account, kind_of(&work[end]), ps_of(walk, work[end].end_ns));
            walk->last = end;
            ended++;
        }
    }
}

/* ---- one step ---- */

struct ending {
    int64_t end_ns;
    uint32_t work;
};

static int compare_endings(const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    const int end = (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
    return end != 0 ? end : (x->work > y->work) - (x->work < y->work);
}

static void count(const struct walk *walk, uint32_t w, struct gpu_view_counts *counts)
{
    const enum orr_gpu_kind kind = kind_of(&walk->kineto->work[w]);
    counts->kernels += kind != ORR_GPU_COPY ? 1 : 0;
    counts->communication_kernels += kind == ORR_GPU_COMMUNICATION ? 1 : 0;
    counts->copies += kind == ORR_GPU_COPY ? 1 : 0;
    counts->without_launch += walk->steps->call_of_work[w] == PT_NONE ? 1 : 0;
}

/* Lists the work of the step, by start and by end. */
static bool list_works(struct walk *walk, uint32_t step, struct gpu_view_counts *counts)
{
    const struct kt_trace *kineto = walk->kineto;
    struct ending *ending = orr_heap_calloc((size_t)kineto->works + 1, sizeof *ending);
    walk->work = orr_arena_array(kineto->arena, (size_t)kineto->works + 1, sizeof *walk->work);
    walk->by_end = orr_arena_array(kineto->arena, (size_t)kineto->works + 1, sizeof *walk->by_end);
    if (ending == NULL || walk->work == NULL || walk->by_end == NULL) {
        orr_heap_free(ending);
        return false;
    }
    for (uint32_t w = 0; w < kineto->works; w++) {
        if (step == PT_NONE || walk->steps->of_work[w] == step) {
            count(walk, w, counts);
            ending[walk->works] = (struct ending){kineto->work[w].end_ns, w};
            walk->work[walk->works++] = w;
        }
    }
    if (walk->works > 1) {
        qsort(ending, walk->works, sizeof *ending, compare_endings);
    }
    for (uint32_t i = 0; i < walk->works; i++) {
        walk->by_end[i] = ending[i].work;
    }
    orr_heap_free(ending);
    return true;
}

enum orr_status orr_gpu_view_of(const struct kt_trace *kineto, const struct kt_steps *steps,
                                uint32_t step, struct orr_gpu_view *view,
                                struct gpu_view_counts *counts, struct orr_diag *diag)
{
    struct walk walk = {.kineto = kineto, .steps = steps, .last = PT_NONE};
    *counts = (struct gpu_view_counts){0};
    if (!list_works(&walk, step, counts) || !list_hosts(&walk)) {
        return orr_diag_no_memory(diag, "the GPU's view of a profile");
    }
    walk.origin_ns = walk.works > 0 ? kineto->work[walk.work[0]].start_ns : 0;
    walk_works(&walk);
    *view = orr_gpu_finish(&walk.account, 0);
    return ORR_OK;
}
