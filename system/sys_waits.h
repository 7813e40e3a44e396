/* What operations wait for: deadlock reports, operations without a partner, stalled messages. */
#ifndef ORR_SYSTEM_SYS_WAITS_H
#define ORR_SYSTEM_SYS_WAITS_H

#include "core/fold.h"
#include "system/collectives/program.h"
#include "system/sys.h"

struct orr_diag;
struct sys;
struct sys_collective;

/* Describes what an unfinished collective, send or receive waits for, for a deadlock report. With a
 * fold, as `rank` of the NPU's class sees it, whose receive is from `sender`. For a collective
 * returns the first rank that has not started it; UINT32_MAX if all have. */
struct orr_rank orr_sys_explain_collective(const struct sys *sys,
                                           const struct sys_collective *request,
                                           struct orr_rank rank, char *text, size_t bytes);
void orr_sys_explain_recv(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank sender, char *text, size_t bytes);
void orr_sys_explain_send(const struct sys *sys, const struct sys_message *message,
                          struct orr_rank receiver, char *text, size_t bytes);

/* Unmatched operations at the end: sends without receive, and collectives that some members never
 * started. */
struct sys_unmatched {
    uint64_t sends, collectives;
};
struct sys_unmatched orr_sys_unmatched(const struct sys *sys);
/* The index-th group of unmatched sends with equal source, destination, tag and size, and their
 * number; false past the end. `custom`: sends of custom collectives. O(groups). */
struct sys_unmatched_send {
    struct orr_rank src, dst;
    uint64_t tag, bytes, count;
    bool custom;
};
bool orr_sys_unmatched_send(const struct sys *sys, uint32_t index, struct sys_unmatched_send *out);
/* The index-th unmatched collective: node of the first member that started it, and the missing
 * members as text. */
struct sys_unmatched_collective {
    struct orr_rank npu;
    uint64_t node_id, bytes;
    const char *name;
    enum coll_kind kind;
    char missing[256];
};
bool orr_sys_unmatched_collective(const struct sys *sys, uint32_t index,
                                  struct sys_unmatched_collective *out);

/* Appends to the message which flows are stalled in the network, if any. */
void orr_sys_describe_stall(const struct sys *sys, struct orr_diag *diag);

#endif
