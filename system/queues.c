/* Admission of chunk-phases, as the reference has it: every dimension of an NPU has some queues,
 * each runs a few chunk-phases at a time and takes the next by priority, the oldest first. */
#include "system/internal.h"

struct sys_queue *sys_queue_of(struct sys *sys, const struct sys_stream *stream)
{
    const struct sys_run *run = stream->run;
    const struct sys_member *member = &run->member[stream->member];
    const struct sys_dim *dim = &run->dim[sys_phase_of(stream)->dim];
    const uint32_t per_dim = sys->config->queues_per_dim;
    const size_t first =
        ((size_t)sys_npu_of(stream) * sys->net->config->dims + dim->queue_dim) * per_dim;
    return &sys->queues[first + sys_queue_number(member, stream)];
}

static int64_t priority_of(const struct sys_stream *stream)
{
    return stream->run->member[stream->member].priority;
}

/* Behind all of the same or a higher priority. */
void sys_queue_push(struct sys *sys, struct sys_stream *stream)
{
    struct sys_queue *queue = sys_queue_of(sys, stream);
    stream->next = NULL;
    if (queue->tail == NULL || priority_of(queue->tail) >= priority_of(stream)) {
        if (queue->tail != NULL) {
            queue->tail->next = stream;
        } else {
            queue->head = stream;
        }
        queue->tail = stream;
        return;
    }
    struct sys_stream **link = &queue->head;
    while (priority_of(*link) >= priority_of(stream)) {
        link = &(*link)->next;
    }
    stream->next = *link;
    *link = stream;
}

static void start_waiting(struct sys *sys, struct sys_queue *queue)
{
    while (queue->head != NULL && queue->running < sys->queue_concurrency) {
        struct sys_stream *stream = queue->head;
        queue->head = stream->next;
        if (queue->head == NULL) {
            queue->tail = NULL;
        }
        queue->running++;
        sys_phase_begin(sys, stream);
    }
}

void sys_queue_start(struct sys *sys, struct sys_stream *of)
{
    start_waiting(sys, sys_queue_of(sys, of));
}

void sys_queue_vacate(struct sys *sys, struct sys_queue *queue)
{
    queue->running--;
    start_waiting(sys, queue);
}

void sys_queue_leave(struct sys *sys, struct sys_stream *stream)
{
    sys_queue_vacate(sys, sys_queue_of(sys, stream));
}
