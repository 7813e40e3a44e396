/* A network backend from outside: a packet network with the paper's Network API (ASTRA-sim, section
 * III-D): sim_send, sim_recv, sim_schedule. One switch joins all NPUs; a message goes in packets of
 * 4 KiB, which wait in two queues, at the sender's link and at the receiver's. Build it with
 * nothing of Orrery:
 *
 *     cc -shared -fPIC -I include -o packets.so examples/plugin/packets.c
 *     orrery plugin check ./packets.so
 *     orrery run --plugin ./packets.so hgx_h100_256 all_reduce_1gb --set network.backend=packets */
#include <orrery/extend.h>

#include <math.h>
#include <stdlib.h>

enum { PACKET_BYTES = 4096 };

/* A link sends one packet at a time, first come, first served: only the time when it is free is
 * needed. */
struct link {
    int64_t free_ps;
};

struct packet_net {
    struct orrery_net *sim;
    uint32_t npus;
    double ps_per_byte;
    int64_t latency_ps;     /* of a link */
    struct link *up, *down; /* [npus] to the switch, and from it */
};

/* A message on its way: packets up to `sent` have begun to leave. */
struct message {
    struct packet_net *net;
    uint64_t id, bytes, sent, arrived;
    uint32_t from, to;
};

struct packet {
    struct message *message;
    uint64_t bytes;
};

/* ---- the paper's Network API, of what the simulator gives ---- */

static void sim_schedule(struct packet_net *net, int64_t delay_ps,
                         void (*call)(void *net, uint64_t argument), void *argument)
{
    net->sim->schedule(net->sim, net->sim->now_ps(net->sim) + delay_ps, call,
                       (uint64_t)(uintptr_t)argument);
}

/* The receiver has all of a message: its sim_recv is complete. */
static void sim_recv(struct message *message)
{
    struct packet_net *net = message->net;
    net->sim->delivered(net->sim, message->id);
    free(message);
}

/* How long from now until the link has sent so many bytes, behind all before them. */
static int64_t occupy(struct packet_net *net, struct link *link, uint64_t bytes)
{
    const int64_t now_ps = net->sim->now_ps(net->sim);
    const int64_t begin_ps = link->free_ps > now_ps ? link->free_ps : now_ps;
    link->free_ps = begin_ps + (int64_t)ceil((double)bytes * net->ps_per_byte);
    return link->free_ps - now_ps;
}

static void at_receiver(void *self, uint64_t argument)
{
    struct packet *packet = (struct packet *)(uintptr_t)argument;
    struct message *message = packet->message;
    message->arrived += packet->bytes;
    (void)self, free(packet);
    if (message->arrived == message->bytes) {
        sim_recv(message);
    }
}

static void at_switch(void *self, uint64_t argument)
{
    struct packet_net *net = self;
    struct packet *packet = (struct packet *)(uintptr_t)argument;
    const int64_t left_ps = occupy(net, &net->down[packet->message->to], packet->bytes);
    sim_schedule(net, left_ps + net->latency_ps, at_receiver, packet);
}

/* Puts the next packet on the sender's link, and comes again when it has left. */
static void next_packet(void *self, uint64_t argument)
{
    struct packet_net *net = self;
    struct message *message = (struct message *)(uintptr_t)argument;
    const uint64_t rest = message->bytes - message->sent;
    struct packet *packet = malloc(sizeof *packet);
    if (packet == NULL) {
        net->sim->fail(net->sim, "out of memory for a packet");
        return;
    }
    *packet = (struct packet){message, rest < PACKET_BYTES ? rest : PACKET_BYTES};
    message->sent += packet->bytes;
    const int64_t left_ps = occupy(net, &net->up[message->from], packet->bytes);
    sim_schedule(net, left_ps + net->latency_ps, at_switch, packet);
    if (message->sent < message->bytes) {
        sim_schedule(net, left_ps, next_packet, message);
    }
}

static void sim_send(void *self, const struct orrery_net_message *given)
{
    struct packet_net *net = self;
    struct message *message = malloc(sizeof *message);
    if (message == NULL) {
        net->sim->fail(net->sim, "out of memory for a message");
        return;
    }
    *message = (struct message){
        .net = net, .id = given->id, .bytes = given->bytes, .from = given->from, .to = given->to};
    next_packet(net, (uint64_t)(uintptr_t)message);
}

/* ---- begin and end ---- */

static void *create(void *user, struct orrery_net *sim, const struct orrery_network *network)
{
    struct packet_net *net = calloc(1, sizeof *net + 2 * network->npus * sizeof(struct link));
    (void)user;
    if (net != NULL) { /* the links of the outermost dimension */
        const struct orrery_network_dim *dim = &network->dim[network->dims - 1];
        *net = (struct packet_net){.sim = sim,
                                   .npus = network->npus,
                                   .ps_per_byte = 1e12 / dim->bandwidth_bytes_per_s,
                                   .latency_ps = dim->latency_ps};
        net->up = (struct link *)(net + 1);
        net->down = net->up + network->npus;
    }
    return net;
}

static const struct orrery_backend packets = {ORRERY_SIZED(orrery_backend),
                                              .name = "packets",
                                              .summary = "one switch, packets of 4 KiB in queues",
                                              .create = create,
                                              .destroy = free,
                                              .send = sim_send};

const struct orrery_extension orrery_plugin = {ORRERY_SIZED(orrery_extension),
                                               ORRERY_EXTEND_VERSION, .name = "packets",
                                               .backend = &packets, .backends = 1};
