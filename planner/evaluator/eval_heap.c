/* Pending events of a run: a binary heap by (time, order of posting). The earliest event is kept
 * outside of the heap (`front`), because the event that is posted is often the next one. */
#include "planner/evaluator/eval_private.h"

static bool before(const struct eval_event *a, const struct eval_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void push(struct evaluator *evaluator, const struct eval_event *event)
{
    struct eval_event *heap =
        orr_eval_reserve(&evaluator->heap, evaluator->heap.count + 1, sizeof *heap);
    if (heap == NULL) {
        eval_fail(evaluator);
        return;
    }
    size_t at = evaluator->heap.count++;
    for (; at > 0 && before(event, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = *event;
}

static struct eval_event pop(struct evaluator *evaluator)
{
    struct eval_event *heap = evaluator->heap.items;
    const struct eval_event first = heap[0], last = heap[--evaluator->heap.count];
    const size_t count = evaluator->heap.count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

void orr_eval_post(struct evaluator *evaluator, const struct eval_event *event)
{
    const struct eval_event before = evaluator->front;
    struct eval_event posted = *event;
    posted.order = evaluator->order++;
    if (posted.time >= eval_next_time(evaluator)) {
        push(evaluator, &posted);
        return;
    }
    evaluator->front = posted;
    if (before.time != EVAL_NEVER) {
        push(evaluator, &before);
    }
}

struct eval_event orr_eval_pop_event(struct evaluator *evaluator)
{
    const struct eval_event taken = evaluator->front;
    if (taken.time == EVAL_NEVER) {
        return pop(evaluator);
    }
    evaluator->front.time = EVAL_NEVER;
    return taken;
}
