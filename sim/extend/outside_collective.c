/* A collective algorithm from outside: its answers as those of a list's algorithm. Peers and
 * receives that there are not are replaced, so that a program which is wrong for many ranks cannot
 * finish, but does no harm. */
#include "core/arena.h"
#include "sim/extend/extend_private.h"
#include "sim/extend/outside_slots.h"
#include "system/collectives/checker.h"
#include "system/collectives/program.h"

/* An entry of the list of algorithms. */
struct outside_collective {
    struct coll_algorithm algorithm;
    const struct orrery_collective *given;
};

static const struct orrery_collective *given_at(size_t slot)
{
    const struct outside_collective *entry = orr_extension_of_slot(ORR_EXTENSION_COLLECTIVE, slot);
    return entry->given;
}

static struct orrery_collective_view view_of(const struct coll_args *args, uint32_t rank)
{
    return (struct orrery_collective_view){.kind = (enum orrery_collective_kind)args->kind,
                                           .ranks = args->n,
                                           .rank = rank,
                                           .root = args->root,
                                           .bytes = args->bytes};
}

static bool supports(const struct orrery_collective *given, enum coll_kind kind, uint32_t n)
{
    return n == 1 || given->supports(given->user, (enum orrery_collective_kind)kind, n);
}

static uint32_t count_sends(const struct orrery_collective *given, const struct coll_args *args)
{
    const struct orrery_collective_view view = view_of(args, args->rank);
    return args->n > 1 ? given->sends(given->user, &view) : 0;
}

static uint32_t count_receives(const struct orrery_collective *given, const struct coll_args *args,
                               uint32_t rank)
{
    const struct orrery_collective_view view = view_of(args, rank);
    return args->n > 1 ? given->receives(given->user, &view) : 0;
}

static uint32_t peer_of(const struct coll_args *args, uint32_t peer)
{
    return peer < args->n && peer != args->rank ? peer : (args->rank + 1) % args->n;
}

static void send(const struct orrery_collective *given, const struct coll_args *args, uint32_t k,
                 struct coll_send *out)
{
    const struct orrery_collective_view view = view_of(args, args->rank);
    struct orrery_send told = {0};
    given->send(given->user, &view, k, &told);
    const uint32_t peer = peer_of(args, told.to), there = count_receives(given, args, peer);
    *out = (struct coll_send){.peer = peer,
                              .peer_recv = told.to_receive < there ? told.to_receive : 0,
                              .need = told.need,
                              .bytes = told.bytes};
}

static void receive(const struct orrery_collective *given, const struct coll_args *args, uint32_t k,
                    struct coll_recv *out)
{
    const struct orrery_collective_view view = view_of(args, args->rank);
    struct orrery_receive told = {0};
    given->receive(given->user, &view, k, &told);
    *out = (struct coll_recv){.peer = peer_of(args, told.from),
                              .reduce = told.reduce,
                              .after = told.after,
                              .bytes = told.bytes};
}

struct visitor {
    coll_block_fn visit;
    void *context;
    uint32_t blocks;
};

static void visit(void *context, uint32_t block)
{
    const struct visitor *visitor = context;
    if (block < visitor->blocks) {
        visitor->visit(visitor->context, block);
    }
}

static void visit_blocks(const struct orrery_collective *given, const struct coll_args *args,
                         uint32_t k, struct visitor visitor)
{
    const struct orrery_collective_view view = view_of(args, args->rank);
    given->blocks(given->user, &view, k, visit, &visitor);
}

static uint32_t count_blocks(const struct coll_args *args)
{
    return args->kind == COLL_ALL_TO_ALL ? args->n * args->n : args->n;
}

static uint32_t steps(const struct orrery_collective *given, enum coll_kind kind, uint32_t n)
{
    const struct orrery_collective_view view = {
        .kind = (enum orrery_collective_kind)kind, .ranks = n, .bytes = n};
    return n <= 1                 ? 0
           : given->steps != NULL ? given->steps(given->user, (enum orrery_collective_kind)kind, n)
                                  : given->sends(given->user, &view);
}

#define SLOT(slot)                                                                                 \
    static bool supports_##slot(enum coll_kind kind, uint32_t n)                                   \
    {                                                                                              \
        return supports(given_at(slot), kind, n);                                                  \
    }                                                                                              \
    static uint32_t sends_##slot(const struct coll_args *args)                                     \
    {                                                                                              \
        return count_sends(given_at(slot), args);                                                  \
    }                                                                                              \
    static uint32_t recvs_##slot(const struct coll_args *args)                                     \
    {                                                                                              \
        return count_receives(given_at(slot), args, args->rank);                                   \
    }                                                                                              \
    static void send_##slot(const struct coll_args *args, uint32_t k, struct coll_send *out)       \
    {                                                                                              \
        send(given_at(slot), args, k, out);                                                        \
    }                                                                                              \
    static void recv_##slot(const struct coll_args *args, uint32_t k, struct coll_recv *out)       \
    {                                                                                              \
        receive(given_at(slot), args, k, out);                                                     \
    }                                                                                              \
    static void blocks_##slot(const struct coll_args *args, uint32_t k, coll_block_fn to,          \
                              void *context)                                                       \
    {                                                                                              \
        visit_blocks(given_at(slot), args, k, (struct visitor){to, context, count_blocks(args)});  \
    }                                                                                              \
    static uint32_t steps_##slot(enum coll_kind kind, uint32_t n)                                  \
    {                                                                                              \
        return steps(given_at(slot), kind, n);                                                     \
    }
ORR_OUTSIDE_SLOTS(SLOT)
#undef SLOT

static const struct coll_algorithm of_slot[] = {
#define SLOT(slot)                                                                                 \
    {.supports = supports_##slot,                                                                  \
     .sends = sends_##slot,                                                                        \
     .recvs = recvs_##slot,                                                                        \
     .send = send_##slot,                                                                          \
     .recv = recv_##slot,                                                                          \
     .blocks = blocks_##slot,                                                                      \
     .steps = steps_##slot},
    ORR_OUTSIDE_SLOTS(SLOT)
#undef SLOT
};
_Static_assert(sizeof of_slot / sizeof *of_slot == ORR_MAX_EXTENSIONS, "functions for each slot");

/* ---- the proof ---- */

enum { PROOF_SEEDS = 3, PROOF_BYTES_OF_RANK = 24, PROOF_ROOTS = 3 };

static enum orr_status prove_args(const struct coll_algorithm *algorithm, struct coll_args args,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint64_t seed = 0; seed < PROOF_SEEDS && status == ORR_OK; seed++) {
        struct orr_diag found;
        struct orr_arena *arena = orr_arena_create();
        orr_diag_init(&found);
        status = arena != NULL ? orr_coll_check(algorithm, &args, seed, arena, &found)
                               : orr_diag_no_memory(&found, "the proof of a collective");
        if (status != ORR_OK) {
            status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "collective %s: %s of %u ranks: %s",
                                   algorithm->name, orr_coll_kind_name(args.kind), args.n,
                                   found.message);
        }
        orr_arena_destroy(arena);
    }
    return status;
}

static enum orr_status prove_kind(const struct coll_algorithm *algorithm, struct coll_args args,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    const uint32_t roots = coll_is_rooted(args.kind) ? args.n : 1;
    for (uint32_t root = 0; root < roots && status == ORR_OK; root += PROOF_ROOTS) {
        args.root = root;
        status = prove_args(algorithm, args, diag);
    }
    return status;
}

enum orr_status orr_outside_collective_prove(const void *entry, uint32_t ranks,
                                             struct orr_diag *diag)
{
    const struct coll_algorithm *algorithm = entry;
    enum orr_status status = ORR_OK;
    unsigned proved = 0;
    for (uint32_t n = 2; n <= ranks && status == ORR_OK; n++) {
        for (unsigned kind = 0; kind < COLL_KINDS && status == ORR_OK; kind++) {
            const struct coll_args args = {.kind = (enum coll_kind)kind,
                                           .n = n,
                                           .bytes = (uint64_t)PROOF_BYTES_OF_RANK * n + 1};
            if (algorithm->supports(args.kind, n)) {
                status = prove_kind(algorithm, args, diag);
                proved++;
            }
        }
    }
    return status != ORR_OK || proved != 0
               ? status
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "collective %s: supports nothing of 2 to %u ranks", algorithm->name,
                               ranks);
}

void *orr_outside_collective_create(const struct orrery_collective *given, size_t slot)
{
    struct outside_collective *entry = orr_heap_calloc(1, sizeof *entry);
    if (entry != NULL) {
        entry->given = given;
        entry->algorithm = of_slot[slot];
        entry->algorithm.name = given->name;
        entry->algorithm.summary = given->summary;
        entry->algorithm.in_order = given->in_order;
        entry->algorithm.by_name = true;
        entry->algorithm.lanes = 1;
    }
    return entry;
}
