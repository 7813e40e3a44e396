/* Parameter server: every member sends its buffer to the first, which sends the sum to all others
 * after it has received everything. */
#include "system/monolithic/mono_private.h"

static bool supports(enum coll_kind kind, uint32_t n)
{
    return n >= 1 && kind == COLL_ALL_REDUCE;
}

static uint32_t messages(const struct coll_args *args)
{
    return args->rank == 0 ? args->n - 1 : 1;
}

static void send(const struct coll_args *args, uint32_t k, struct coll_send *out)
{
    *out = args->rank == 0 ? (struct coll_send){.peer = k + 1, .need = args->n - 1}
                           : (struct coll_send){.peer_recv = args->rank - 1};
    out->bytes = args->bytes;
}

static void recv(const struct coll_args *args, uint32_t k, struct coll_recv *out)
{
    *out = (struct coll_recv){
        .peer = args->rank == 0 ? k + 1 : 0, .reduce = args->rank == 0, .bytes = args->bytes};
}

static void blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit, void *context)
{
    (void)k;
    for (uint32_t block = 0; block < args->n; block++) {
        visit(context, block);
    }
}

static uint32_t steps(enum coll_kind kind, uint32_t n)
{
    (void)kind;
    return n > 1 ? 2 : 0;
}

const struct coll_algorithm orr_mono_parameter_server = {
    .name = "parameter_server",
    .summary = "all to the first server, which sends the sum back",
    .lanes = 1,
    .supports = supports,
    .sends = messages,
    .recvs = messages,
    .send = send,
    .recv = recv,
    .blocks = blocks,
    .steps = steps,
};
