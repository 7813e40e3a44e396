/* Stepping of the double binary tree as in ASTRA-sim: whole chunks per hop, always an all-reduce,
 * groups of a power of two. Ranks are numbered in-order; the root has one child, the root of a
 * perfect tree over the others. Chunks alternate between the tree with the last rank as its root
 * and the one with the first.
 *
 * Counters of a stream: sent[0] the state, received[0] general events so far (inner nodes), sent[1]
 * set of receives posted. Receives: 0 from the left or only child, 1 from the right child, 2 from
 * the parent. */
#include "system/astra/astra_stepping.h"

enum state { BEGIN, SEND_UP, WAIT_TWO, WAIT_ONE, WAIT_DOWN, SEND_DOWN, END };
enum receive { FROM_LEFT, FROM_RIGHT, FROM_PARENT };

#define NOBODY UINT32_MAX

struct node {
    uint32_t parent, left, right; /* indices in the dimension, or NOBODY */
};

/* Position v of a perfect in-order tree of 2^k - 1 nodes, 1-based: its lowest set bit is its level.
 */
static struct node perfect_node(uint32_t v, uint32_t size)
{
    const uint32_t level = v & (~v + 1);
    const uint32_t up = (v & (level << 1)) != 0 ? v - level : v + level;
    return (struct node){.parent = up <= size ? up : NOBODY,
                         .left = level > 1 ? v - level / 2 : NOBODY,
                         .right = level > 1 ? v + level / 2 : NOBODY};
}

static uint32_t shifted(uint32_t v, uint32_t by)
{
    return v == NOBODY ? NOBODY : v - by;
}

/* The node of index i among n = 2^k: variant 0 has its root at n - 1, variant 1 at 0. */
static struct node node_of(uint32_t i, uint32_t n, uint32_t variant)
{
    const uint32_t root = variant == 0 ? n - 1 : 0;
    const uint32_t by = variant == 0 ? 1 : 0; /* perfect position v is index v - by */
    const uint32_t top = n / 2;               /* root of the perfect tree over 1..n-1 */
    if (i == root) {
        return (struct node){.parent = NOBODY, .left = top - by, .right = NOBODY};
    }
    struct node node = perfect_node(i + by, n - 1);
    node.parent = i + by == top ? root : shifted(node.parent, by);
    node.left = shifted(node.left, by);
    node.right = shifted(node.right, by);
    return node;
}

static struct node node_of_stream(const struct sys_stream *stream)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct sys_dim *dim = &stream->operation->dim[phase->dim];
    return node_of(sys_index_in(dim, sys_position_of(stream)), dim->n, phase->variant);
}

static void send_to(struct sys *sys, struct sys_stream *stream, uint32_t index,
                    enum receive receive)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const struct sys_dim *dim = &stream->operation->dim[phase->dim];
    const uint32_t own = sys_index_in(dim, sys_position_of(stream));
    const struct coll_send send = {.peer_recv = receive, .bytes = phase->bytes};
    orr_sys_send_step(sys, stream, sys_peer_position(dim, sys_position_of(stream), own, index),
                      &send);
}

static void send_up(struct sys *sys, struct sys_stream *stream, const struct node *node)
{
    const struct sys_phase *phase = sys_phase_of(stream);
    const uint32_t n = stream->operation->dim[phase->dim].n;
    const struct node parent = node_of(node->parent, n, phase->variant);
    const uint32_t own = sys_index_in(&stream->operation->dim[phase->dim], sys_position_of(stream));
    send_to(sys, stream, node->parent, parent.left == own ? FROM_LEFT : FROM_RIGHT);
}

static void post(struct sys *sys, struct sys_stream *stream, enum receive receive)
{
    stream->sent[1] |= 1u << receive;
    orr_sys_post_recv(sys, stream, receive);
}

static void begin(struct sys *sys, struct sys_stream *stream)
{
    const struct node node = node_of_stream(stream);
    if (node.left == NOBODY) {
        stream->sent[0] = SEND_UP;
        orr_sys_post_step(sys, stream, sys->config->endpoint_delay_ps, SYS_ENDPOINT, 0);
    } else if (node.right == NOBODY) {
        stream->sent[0] = WAIT_ONE;
        post(sys, stream, FROM_LEFT);
    } else {
        stream->sent[0] = WAIT_TWO;
        post(sys, stream, FROM_LEFT);
        post(sys, stream, FROM_RIGHT);
    }
}

static void arrived(struct sys *sys, struct sys_stream *stream, const struct sys_phase *phase,
                    uint32_t recv)
{
    (void)phase;
    if ((stream->sent[1] >> recv & 1) == 0) {
        orr_sys_unexpected_add(sys, stream, stream->phase, recv, false);
        return;
    }
    const struct node node = node_of_stream(stream);
    switch ((enum state)stream->sent[0]) {
    case WAIT_TWO:
        stream->sent[0] = WAIT_ONE;
        break;
    case WAIT_ONE:
        stream->sent[0] = node.parent == NOBODY ? SEND_DOWN : SEND_UP;
        break;
    default:
        stream->sent[0] = node.left == NOBODY ? END : SEND_DOWN;
        break;
    }
    orr_sys_post_step(sys, stream, sys->config->endpoint_delay_ps,
                      node.left != NOBODY ? SYS_ENDPOINT_THEN_REDUCTION : SYS_ENDPOINT, 0);
}

static void send_down(struct sys *sys, struct sys_stream *stream, const struct node *node)
{
    send_to(sys, stream, node->left, FROM_PARENT);
    if (node->right != NOBODY) {
        send_to(sys, stream, node->right, FROM_PARENT);
    }
    sys->up.phase_finished(sys, stream);
}

static void on_general_event(struct sys *sys, struct sys_stream *stream)
{
    const struct node node = node_of_stream(stream);
    if (node.right != NOBODY && stream->received[0] == 0) {
        stream->received[0] = 1; /* the first child's data release nothing */
        return;
    }
    switch ((enum state)stream->sent[0]) {
    case SEND_UP:
        stream->sent[0] = WAIT_DOWN;
        send_up(sys, stream, &node);
        post(sys, stream, FROM_PARENT);
        break;
    case SEND_DOWN:
        send_down(sys, stream, &node);
        break;
    case END:
        sys->up.phase_finished(sys, stream);
        break;
    default:
        break;
    }
}

void orr_astra_tree_step(struct sys *sys, struct sys_stream *stream, bool reduce)
{
    if (reduce) {
        const sim_time delay = orr_sys_reduction_time(sys, sys_phase_of(stream)->bytes);
        orr_sys_post_step(sys, stream, delay, SYS_REDUCTION, 0);
    } else {
        on_general_event(sys, stream);
    }
}

const struct sys_stepper_ops orr_astra_tree_steps = {
    .name = "astra-sim tree",
    .begin = begin,
    .arrived = arrived,
};
