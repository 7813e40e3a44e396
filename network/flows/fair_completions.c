/* Completion heaps: the classes of a bottleneck group by their first completion; see
 * fair_private.h. An entry is stale if its class has another version. Stale entries are dropped at
 * the top, and all of them once they are the majority. */
#include "network/flows/fair_private.h"

enum { MIN = 16, ARITY = 4 };

static bool is_old(const struct fair_flows *fair, const struct fair_completion *end)
{
    return fair->class[end->class].version != end->version;
}

static void up(struct fair_completion *end, uint32_t at, struct fair_completion moved)
{
    while (at > 0 && moved.served < end[(at - 1) / ARITY].served) {
        end[at] = end[(at - 1) / ARITY];
        at = (at - 1) / ARITY;
    }
    end[at] = moved;
}

static void down(struct fair_completion *end, uint32_t count, uint32_t at,
                 struct fair_completion moved)
{
    for (uint32_t child = ARITY * at + 1; child < count; child = ARITY * at + 1) {
        const uint32_t last = child + ARITY < count ? child + ARITY : count;
        for (uint32_t i = child + 1; i < last; i++) {
            child = end[i].served < end[child].served ? i : child;
        }
        if (end[child].served >= moved.served) {
            break;
        }
        end[at] = end[child];
        at = child;
    }
    end[at] = moved;
}

static void clean(struct fair_flows *fair, struct fair_bottleneck *group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < group->ends; i++) {
        if (!is_old(fair, &group->end[i])) {
            group->end[kept++] = group->end[i];
        }
    }
    group->ends = kept;
    for (uint32_t i = kept / ARITY + 1; i-- > 0;) {
        if (i < kept) {
            down(group->end, kept, i, group->end[i]);
        }
    }
}

static bool reserve(struct fair_flows *fair, struct fair_bottleneck *group, uint32_t held)
{
    if (group->ends >= 2 * held + MIN) {
        clean(fair, group);
    }
    if (group->ends == group->end_alloc) {
        const uint32_t more = group->end_alloc + group->end_alloc / 2 + 4;
        struct fair_completion *grown = orr_heap_realloc(group->end, more * sizeof *grown);
        if (grown == NULL) {
            fair->failed = true;
            return false;
        }
        group->end = grown;
        group->end_alloc = more;
    }
    return true;
}

void orr_fair_end_at(struct net_flows *flows, uint32_t index)
{
    struct fair_flows *fair = fair_of(flows);
    struct fair_flow_class *class = &fair->class[index];
    struct fair_bottleneck *group = &fair->group[class->holder];
    class->version++;
    if (class->top != FAIR_NONE && reserve(fair, group, fair->link[class->holder].held)) {
        const double target = flow_record_at(&flows->records, class->top)->target;
        up(group->end, group->ends++,
           (struct fair_completion){
               .served = target - class->offset, .class = index, .version = class->version});
    }
}

void orr_fair_end_out(struct fair_flows *fair, uint32_t link)
{
    struct fair_bottleneck *group = &fair->group[link];
    if (--group->ends != 0) {
        down(group->end, group->ends, 0, group->end[group->ends]);
    }
}

const struct fair_completion *orr_fair_first_end(struct fair_flows *fair, uint32_t link)
{
    struct fair_bottleneck *group = &fair->group[link];
    while (group->ends != 0 && is_old(fair, &group->end[0])) {
        orr_fair_end_out(fair, link);
    }
    return group->ends != 0 ? &group->end[0] : NULL;
}
