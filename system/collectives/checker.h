/* Proves that a collective algorithm's programs do what the collective promises, without a
 * simulator: all ranks' programs run on sets of contributions, in a seeded order. */
#ifndef ORR_SYSTEM_COLLECTIVES_CHECKER_H
#define ORR_SYSTEM_COLLECTIVES_CHECKER_H

#include "core/status.h"
#include "system/collectives/program.h"

struct orr_arena;
struct orr_diag;

/* Checks `algorithm` for the arguments (`rank` is ignored). It holds that
 *  - every send is one receive of its peer, and they agree on rank, lane and bytes;
 *  - every receive has its send; the bytes of a message are those of the blocks it carries (what a
 *    rank sends to be reduced in a switch: together those of the buffer);
 *  - a rank of an all-reduce (without a forest), even all-to-all or barrier sends as many bytes as
 * it receives;
 *  - no rank sends what it has not got, counts a contribution twice, or overwrites one;
 *  - all programs finish, and every rank then has what the collective gives it.
 *
 * Uneven collectives are those with args->size; their empty messages are not sent, and empty blocks
 * need not arrive.
 *
 * Messages between two ranks arrive in the order they were sent; everything else happens in an
 * order drawn from `seed`: seeds = 0 mod 3 send as early as possible, which shows a missing
 * dependency; seeds = 1 mod 3 send as late as possible, which shows data overwritten too soon;
 * others are mixed.
 *
 * Returns ORR_OK; ORR_ERR_INPUT for arguments the algorithm does not support; ORR_ERR_DEADLOCK when
 * a program cannot finish; ORR_ERR_INTERNAL when a promise is broken; ORR_ERR_MEMORY. `diag` says
 * which rank and message. Memory comes from `arena` and stays there: O(n * blocks * n / 64) words
 * (n^2 blocks for an all-to-all). Time: O(messages + blocks carried). */
enum orr_status orr_coll_check(const struct coll_algorithm *algorithm, const struct coll_args *args,
                               uint64_t seed, struct orr_arena *arena, struct orr_diag *diag);

#endif
