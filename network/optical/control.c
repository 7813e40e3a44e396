/* The clock of controllers: see control.h. */
#include "network/optical/control.h"

#include "network/allocation.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config.h"

enum { MAX_CONTROLLERS = 3 };
/* A controller that does nothing this often in a row is checked for quiescence. */
enum { IDLE_CHECK_INTERVAL = 1024 };

/* Kinds of event (aux). */
enum { ACTS, CHECKS };

struct clocked {
    struct net_controller is;
    bool waits;       /* an event is posted */
    uint64_t handled; /* events handled by the queue, at the controller's last event */
    uint32_t idle;    /* times in a row without an action */
};

struct net_control {
    struct net *net;
    struct clocked clocked[MAX_CONTROLLERS];
    unsigned count;
    uint32_t entity;
};

static void post(struct net_control *control, unsigned number, sim_time time, uint8_t aux)
{
    struct clocked *clocked = &control->clocked[number];
    const struct orr_event event = {.label = number,
                                    .cookie = number,
                                    .entity = control->entity + number,
                                    .kind = NET_EVENT_CONTROL,
                                    .aux = aux,
                                    .part = ORR_PART_NONE};
    clocked->waits = true;
    clocked->handled = orr_evq_handled(control->net->queue);
    orr_evq_post(control->net->queue, time, &event);
}

/* Posts the controller's next action, while a message is in flight. */
static void wait_for_next(struct net_control *control, unsigned number)
{
    const struct net_controller *is = &control->clocked[number].is;
    const sim_time next = is->ops->next(is->self);
    if (next != ORR_TIME_MAX) {
        post(control, number, next, ACTS);
    }
}

/* Puts the controller to sleep if the queue has no other event, or skips to the time up to which it
 * is quiescent. An event of this instant can post more, so that this is known only after a round
 * that had only this event. */
static void check(struct net_control *control, unsigned number)
{
    struct orr_evq *queue = control->net->queue;
    struct clocked *clocked = &control->clocked[number];
    const struct net_controller_ops *ops = clocked->is.ops;
    const bool last = orr_evq_is_last_instant(queue);
    const bool is_quiescent = !last && clocked->idle > IDLE_CHECK_INTERVAL &&
                              ops->is_quiescent != NULL && ops->is_quiescent(clocked->is.self);
    if (last || is_quiescent) {
        if (orr_evq_handled(queue) != clocked->handled + 1) {
            post(control, number, orr_evq_now(queue), CHECKS);
            return;
        }
        if (last) {
            return;
        }
        ops->skip(clocked->is.self, orr_evq_ahead(queue, 0).next);
    }
    wait_for_next(control, number);
}

static void on_control(void *context, const struct orr_event *event)
{
    struct net_control *control = context;
    const unsigned number = (unsigned)event->cookie;
    struct clocked *clocked = &control->clocked[number];
    const sim_time now = orr_evq_now(control->net->queue);
    clocked->waits = false;
    if (event->aux == CHECKS) {
        check(control, number);
        return;
    }
    if (control->net->in_flight == 0) {
        return;
    }
    if (clocked->is.ops->act(clocked->is.self, now)) {
        clocked->idle = 0;
        wait_for_next(control, number);
    } else {
        clocked->idle += clocked->idle <= IDLE_CHECK_INTERVAL;
        post(control, number, now, CHECKS);
    }
}

/* Performs the actions skipped while no message was in flight. */
static void catch_up(struct net_control *control, unsigned number)
{
    const struct net_controller *is = &control->clocked[number].is;
    const sim_time now = orr_evq_now(control->net->queue);
    sim_time next = is->ops->next(is->self);
    while (next <= now && next != ORR_TIME_MAX) {
        if (!is->ops->act(is->self, next) && is->ops->skip != NULL &&
            control->net->in_flight == 0) {
            is->ops->skip(is->self, now);
        }
        next = is->ops->next(is->self);
    }
    wait_for_next(control, number);
}

void orr_net_control_catch_up(struct net_control *control)
{
    for (unsigned i = 0; i < control->count; i++) {
        if (!control->clocked[i].waits) {
            catch_up(control, i);
        }
    }
}

void orr_net_control_watch(struct net_control *control, const struct net_msg *msg)
{
    for (unsigned i = 0; i < control->count; i++) {
        const struct net_controller *is = &control->clocked[i].is;
        if (!control->clocked[i].waits) {
            catch_up(control, i);
        }
        if (is->ops->offered != NULL) {
            is->ops->offered(is->self, msg);
        }
    }
}

void orr_net_control_describe(const struct net_control *control, struct orr_diag *diag)
{
    for (unsigned i = 0; i < control->count; i++) {
        control->clocked[i].is.ops->describe(control->clocked[i].is.self, diag);
    }
}

void orr_net_control_destroy(struct net_control *control)
{
    for (unsigned i = 0; control != NULL && i < control->count; i++) {
        const struct net_controller *is = &control->clocked[i].is;
        if (is->ops->fini != NULL) {
            is->ops->fini(is->self);
        }
    }
}

static enum orr_status (*const create[])(struct net_controller *out, struct net *net,
                                         struct orr_arena *arena, struct orr_diag *diag) = {
    orr_net_schedule_create,
    orr_net_circuits_create,
    orr_net_allocated_create,
};

bool orr_net_changes(const struct net_config *config)
{
    return config->graph != NULL &&
           (config->graph->changes != 0 || orr_net_moves_circuits(config->graph));
}

enum orr_status orr_net_control_create(struct net *net, struct orr_arena *arena,
                                       struct orr_diag *diag)
{
    struct net_control *control = orr_arena_alloc(arena, sizeof *control);
    if (control == NULL) {
        return orr_diag_no_memory(diag, "the controller of the network");
    }
    control->net = net;
    net->control = control;
    enum orr_status status = ORR_OK;
    for (unsigned i = 0; i < sizeof create / sizeof *create && status == ORR_OK; i++) {
        struct net_controller made = {.self = NULL};
        status = create[i](&made, net, arena, diag);
        if (made.self != NULL) {
            control->clocked[control->count++].is = made;
        }
    }
    control->entity = orr_evq_add_entities(net->queue, control->count);
    if (status == ORR_OK && control->entity == UINT32_MAX) {
        return orr_diag_no_memory(diag, "the controller of the network");
    }
    orr_evq_handle(net->queue, NET_EVENT_CONTROL, on_control, control);
    return status;
}
