/* The checker's run: messages carry sets of contributions; see checker.h and checker_internal.h. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/algorithm_parts.h"
#include "system/collectives/checker_internal.h"

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t draw(struct check *check)
{
    uint64_t z = check->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t take_any(struct check *check, struct check_pool *pool)
{
    const uint32_t i = (uint32_t)(draw(check) % pool->count);
    const uint32_t item = pool->items[i];
    pool->items[i] = pool->items[--pool->count];
    return item;
}

static uint64_t *set_of(const struct check *check, uint32_t rank, uint64_t block)
{
    return check->ranks[rank].sets + block * check->width;
}

static bool is_empty(const struct check *check, const uint64_t *set)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < check->width; i++) {
        any |= set[i];
    }
    return any == 0;
}

/* The first contributor of a set that is (or is not) in another; check->contributors if none. */
static uint32_t first_common(const struct check *check, const uint64_t *a, const uint64_t *b,
                             bool in_b)
{
    for (uint32_t c = 0; c < check->contributors; c++) {
        const uint64_t bit = UINT64_C(1) << (c % 64);
        if ((a[c / 64] & bit) != 0 && ((b[c / 64] & bit) != 0) == in_b) {
            return c;
        }
    }
    return check->contributors;
}

static bool sets_meet(const struct check *check, const uint64_t *a, const uint64_t *b)
{
    uint64_t both = 0;
    for (uint32_t i = 0; i < check->width; i++) {
        both |= a[i] & b[i];
    }
    return both != 0;
}

static bool is_subset(const struct check *check, const uint64_t *a, const uint64_t *of)
{
    uint64_t outside = 0;
    for (uint32_t i = 0; i < check->width; i++) {
        outside |= a[i] & ~of[i];
    }
    return outside == 0;
}

/* ---- messages ---- */

static struct check_message *new_message(struct check *check, uint32_t blocks)
{
    const size_t words = (size_t)blocks * (1 + check->width);
    uint32_t size_class = 0;
    while (((size_t)1 << size_class) < words) {
        size_class++;
    }
    struct check_message *message = check->unused[size_class];
    if (message != NULL) {
        check->unused[size_class] = message->next;
    } else {
        const size_t bytes = sizeof *message + (sizeof(uint64_t) << size_class);
        message = orr_arena_alloc(check->arena, bytes);
    }
    if (message != NULL) {
        message->size_class = size_class;
        message->blocks = blocks;
    }
    return message;
}

static void drop_message(struct check *check, struct check_message *message)
{
    message->next = check->unused[message->size_class];
    check->unused[message->size_class] = message;
}

static void count_block(void *context, uint32_t block)
{
    (void)block;
    ++*(uint32_t *)context;
}

struct packing {
    struct check *check;
    struct check_message *message;
    uint32_t used, send;
    enum orr_status status;
};

static void pack_block(void *context, uint32_t block)
{
    struct packing *packing = context;
    struct check *check = packing->check;
    const uint32_t rank = packing->message->source;
    if (packing->status != ORR_OK) {
        return;
    }
    if (block >= check->blocks || is_empty(check, set_of(check, rank, block))) {
        packing->status =
            orr_check_fail(check, ORR_ERR_INTERNAL,
                           "rank %" PRIu32 " send %" PRIu32 ": has not got block %" PRIu32, rank,
                           packing->send, block);
        return;
    }
    uint64_t *words = packing->message->words + (size_t)packing->used++ * (1 + check->width);
    words[0] = block;
    if (check->algorithm->in_switch) { /* its own contribution, whatever has come since */
        memset(words + 1, 0, check->width * sizeof *words);
        words[1 + rank / 64] = UINT64_C(1) << (rank % 64);
        return;
    }
    memcpy(words + 1, set_of(check, rank, block), check->width * sizeof *words);
}

static void visit_blocks(const struct check *check, uint32_t k, coll_block_fn visit, void *context)
{
    if (check->args.kind == COLL_BARRIER) {
        visit(context, 0);
    } else {
        check->algorithm->blocks(&check->args, k, visit, context);
    }
}

/* The message of a rank's send, with the data the rank has now. */
static enum orr_status pack(struct check *check, uint32_t rank, const struct check_lane *lane,
                            struct check_message **out)
{
    const struct coll_send *send = &lane->pending;
    struct coll_recv recv;
    uint32_t blocks = 0;
    check->args.rank = send->peer;
    check->algorithm->recv(&check->args, send->peer_recv, &recv);
    check->args.rank = rank;
    visit_blocks(check, lane->next_send, count_block, &blocks);
    struct check_message *message = new_message(check, blocks);
    if (message == NULL) {
        return orr_diag_no_memory(check->diag, "the checker's messages");
    }
    message->source = rank;
    message->destination = send->peer;
    message->recv = send->peer_recv;
    message->lane = recv.lane;
    message->reduce = recv.reduce;
    message->after =
        check->algorithm->in_order ? send->peer_recv / check->algorithm->lanes : recv.after;
    message->after_sends = recv.after_sends;
    struct packing packing = {.check = check, .message = message, .send = lane->next_send};
    visit_blocks(check, lane->next_send, pack_block, &packing);
    *out = message;
    return packing.status;
}

/* ---- sending ---- */

/* Asks for the lane's send number next_send, if there is one. */
static void fetch_send(struct check *check, uint32_t r, uint32_t l)
{
    struct check_lane *lane = &check->ranks[r].lane[l];
    check->args.rank = r;
    if (lane->next_send < check->ranks[r].sends) {
        check->algorithm->send(&check->args, lane->next_send, &lane->pending);
    }
}

static void refresh(struct check *check, uint32_t r, uint32_t l)
{
    struct check_lane *lane = &check->ranks[r].lane[l];
    if (!lane->ready && lane->next_send < check->ranks[r].sends &&
        lane->pending.need <= lane->complete) {
        lane->ready = true;
        check->ready.items[check->ready.count++] = r * CHECK_LANES + l;
    }
}

static void enqueue(struct check *check, struct check_message *message)
{
    const uint32_t n = check->args.n;
    const size_t pair = (size_t)message->source * n + message->destination;
    message->next = NULL;
    if (check->first[pair] == NULL) {
        check->first[pair] = message;
        check->flying.items[check->flying.count++] = (uint32_t)pair;
    } else {
        check->last[pair]->next = message;
    }
    check->last[pair] = message;
}

/* ---- receiving ---- */

static enum orr_status fail_block(const struct check *check, const struct check_message *message,
                                  const char *what, uint32_t contributor, uint32_t block)
{
    return orr_check_fail(check, ORR_ERR_INTERNAL,
                          "rank %" PRIu32 " receive %" PRIu32
                          ": %s the contribution of rank %" PRIu32 " to block %" PRIu32,
                          message->destination, message->recv, what, contributor, block);
}

static enum orr_status combine(struct check *check, const struct check_message *message,
                               const uint64_t *words)
{
    uint64_t *own = set_of(check, message->destination, words[0]);
    const uint64_t *come = words + 1;
    const uint32_t block = (uint32_t)words[0];
    const bool barrier = check->args.kind == COLL_BARRIER;
    if (message->reduce && !barrier && sets_meet(check, own, come)) {
        return fail_block(check, message, "counts twice", first_common(check, own, come, true),
                          block);
    }
    if (!message->reduce && !barrier && !is_subset(check, own, come)) {
        return fail_block(check, message, "overwrites", first_common(check, own, come, false),
                          block);
    }
    for (uint32_t i = 0; i < check->width; i++) {
        own[i] |= come[i];
    }
    return ORR_OK;
}

static bool is_empty_recv(struct check *check, uint32_t r, uint32_t k)
{
    struct coll_recv recv;
    check->args.rank = r;
    check->algorithm->recv(&check->args, k, &recv);
    return recv.bytes == 0;
}

/* Empty messages of uneven collectives are not sent, and count as received: if receives are in
 * order, once those before them are complete, else at the begin. */
static void skip_empty(struct check *check, uint32_t r, uint32_t l, bool begins)
{
    struct check_rank *rank = &check->ranks[r];
    struct check_lane *lane = &rank->lane[l];
    const uint32_t lanes = check->algorithm->lanes;
    const bool in_order = check->algorithm->in_order;
    if (check->args.size == NULL || (!begins && !in_order)) {
        return;
    }
    for (uint32_t k = (in_order ? lane->complete : 0) * lanes + l; k < rank->recvs; k += lanes) {
        const bool empty = is_empty_recv(check, r, k);
        lane->complete += empty;
        rank->recvs_done += empty;
        if (!empty && in_order) {
            return;
        }
    }
}

static enum orr_status complete(struct check *check, struct check_message *message)
{
    struct check_rank *rank = &check->ranks[message->destination];
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < message->blocks && status == ORR_OK; i++) {
        status = combine(check, message, message->words + (size_t)i * (1 + check->width));
    }
    rank->lane[message->lane].complete++;
    rank->recvs_done++;
    skip_empty(check, message->destination, message->lane, false);
    refresh(check, message->destination, message->lane);
    drop_message(check, message);
    return status;
}

/* Takes a held message that may complete out of the rank's list; NULL if there is none. */
static struct check_message *take_completable(const struct check *check, struct check_rank *rank)
{
    for (struct check_message **link = &rank->held; *link != NULL; link = &(*link)->next) {
        struct check_message *message = *link;
        const struct check_lane *lane = &rank->lane[message->lane];
        if (message->after <= lane->complete &&
            message->after_sends <= lane->next_send / check->algorithm->lanes) {
            *link = message->next;
            return message;
        }
    }
    return NULL;
}

static enum orr_status complete_held(struct check *check, struct check_rank *rank)
{
    struct check_message *message;
    enum orr_status status = ORR_OK;
    while (status == ORR_OK && (message = take_completable(check, rank)) != NULL) {
        status = complete(check, message);
    }
    return status;
}

static enum orr_status deliver_one(struct check *check)
{
    const uint32_t pair = take_any(check, &check->flying);
    struct check_message *message = check->first[pair];
    struct check_rank *rank = &check->ranks[message->destination];
    check->first[pair] = message->next;
    if (message->next != NULL) {
        check->flying.items[check->flying.count++] = pair;
    }
    message->next = rank->held;
    rank->held = message;
    return complete_held(check, rank);
}

static enum orr_status send_one(struct check *check)
{
    const uint32_t item = take_any(check, &check->ready);
    const uint32_t r = item / CHECK_LANES, l = item % CHECK_LANES;
    struct check_lane *lane = &check->ranks[r].lane[l];
    struct check_message *message = NULL;
    const bool empty = check->args.size != NULL && lane->pending.bytes == 0;
    const enum orr_status status = empty ? ORR_OK : pack(check, r, lane, &message);
    if (status != ORR_OK) {
        return status;
    }
    if (message != NULL) {
        enqueue(check, message);
    }
    check->ranks[r].sends_done++;
    lane->ready = false;
    lane->next_send += check->algorithm->lanes;
    fetch_send(check, r, l);
    refresh(check, r, l);
    return complete_held(check, &check->ranks[r]);
}

/* ---- the run ---- */

/* Whether a rank has something to give for a block at the start. */
static bool starts_with(const struct check *check, uint32_t r, uint32_t block)
{
    switch (check->args.kind) {
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        return check_base(check, block) == r;
    case COLL_ALL_TO_ALL:
        return check_base(check, block) / check->args.n == r;
    case COLL_BROADCAST:
    case COLL_SCATTER:
        return check->args.root == r;
    default:
        return true;
    }
}

/* Whether a rank must have the complete block at the end. */
static bool ends_with(const struct check *check, uint32_t r, uint32_t block)
{
    switch (check->args.kind) {
    case COLL_REDUCE_SCATTER:
    case COLL_SCATTER:
        return check_base(check, block) == r;
    case COLL_ALL_TO_ALL:
        return check_base(check, block) % check->args.n == r;
    case COLL_REDUCE:
    case COLL_GATHER:
        return check->args.root == r;
    default:
        return true;
    }
}

static void fill_sets(struct check *check, uint32_t r)
{
    const uint32_t contributor = check->contributors == 1 ? 0 : r;
    for (uint32_t block = 0; block < check->blocks; block++) {
        if (starts_with(check, r, block)) {
            set_of(check, r, block)[contributor / 64] |= UINT64_C(1) << (contributor % 64);
        }
    }
}

static enum orr_status begin(struct check *check)
{
    const size_t n = check->args.n;
    check->first = orr_arena_array(check->arena, n * n, sizeof(struct check_message *));
    check->last = orr_arena_array(check->arena, n * n, sizeof(struct check_message *));
    check->flying.items = orr_arena_array(check->arena, n * n, sizeof(uint32_t));
    check->ready.items = orr_arena_array(check->arena, n * CHECK_LANES, sizeof(uint32_t));
    if (check->first == NULL || check->last == NULL || check->flying.items == NULL ||
        check->ready.items == NULL) {
        return orr_diag_no_memory(check->diag, "the checker's queues");
    }
    for (uint32_t r = 0; r < n; r++) {
        const size_t words = (size_t)check->blocks * check->width;
        check->ranks[r].sets = orr_arena_array(check->arena, words, sizeof(uint64_t));
        if (check->ranks[r].sets == NULL) {
            return orr_diag_no_memory(check->diag, "the checker's blocks");
        }
        fill_sets(check, r);
        for (uint32_t l = 0; l < check->algorithm->lanes; l++) {
            check->ranks[r].lane[l].next_send = l;
            skip_empty(check, r, l, true);
            fetch_send(check, r, l);
            refresh(check, r, l);
        }
    }
    return ORR_OK;
}

static bool sends_next(struct check *check)
{
    if (check->ready.count == 0 || check->flying.count == 0) {
        return check->ready.count != 0;
    }
    return check->order == 2 ? (draw(check) & 1) != 0 : check->order == 0;
}

/* Names the first rank that cannot send, or else the first that waits for a receive. */
static enum orr_status check_finished(const struct check *check)
{
    for (uint32_t r = 0; r < check->args.n; r++) {
        for (uint32_t l = 0; l < check->algorithm->lanes; l++) {
            const struct check_lane *lane = &check->ranks[r].lane[l];
            if (lane->next_send < check->ranks[r].sends) {
                return orr_check_fail(check, ORR_ERR_DEADLOCK,
                                      "rank %" PRIu32 " send %" PRIu32 ": stuck, it needs %" PRIu32
                                      " receives of lane %" PRIu32 " and %" PRIu32 " are complete",
                                      r, lane->next_send, lane->pending.need, l, lane->complete);
            }
        }
    }
    for (uint32_t r = 0; r < check->args.n; r++) {
        const struct check_message *held = check->ranks[r].held;
        if (held != NULL) {
            return orr_check_fail(
                check, ORR_ERR_DEADLOCK,
                "rank %" PRIu32 " receive %" PRIu32 ": stuck, it comes after %" PRIu32
                " receives and %" PRIu32 " are complete",
                r, held->recv, held->after, check->ranks[r].lane[held->lane].complete);
        }
    }
    return ORR_OK;
}

static enum orr_status check_block(const struct check *check, uint32_t r, uint32_t block)
{
    const uint64_t *set = set_of(check, r, block);
    for (uint32_t c = 0; c < check->contributors; c++) {
        if ((set[c / 64] >> (c % 64) & 1) == 0) {
            return check->contributors == 1
                       ? orr_check_fail(check, ORR_ERR_INTERNAL,
                                        "rank %" PRIu32 ": ends without block %" PRIu32, r, block)
                       : orr_check_fail(check, ORR_ERR_INTERNAL,
                                        "rank %" PRIu32 ": ends without the contribution of rank "
                                        "%" PRIu32 " to block %" PRIu32,
                                        r, c, block);
        }
    }
    return ORR_OK;
}

static enum orr_status check_result(const struct check *check)
{
    for (uint32_t r = 0; r < check->args.n; r++) {
        for (uint32_t block = 0; block < check->blocks; block++) {
            const bool empty = check->args.size != NULL && check_block_bytes(check, block) == 0;
            if (ends_with(check, r, block) && !empty) {
                const enum orr_status status = check_block(check, r, block);
                if (status != ORR_OK) {
                    return status;
                }
            }
        }
    }
    return ORR_OK;
}

enum orr_status orr_check_run(struct check *check)
{
    enum orr_status status = begin(check);
    while (status == ORR_OK && (check->ready.count != 0 || check->flying.count != 0)) {
        status = sends_next(check) ? send_one(check) : deliver_one(check);
    }
    if (status == ORR_OK) {
        status = check_finished(check);
    }
    return status == ORR_OK ? check_result(check) : status;
}
