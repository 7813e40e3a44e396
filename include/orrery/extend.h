/* Extensions: network backends, controllers of circuits and collective algorithms from outside, by
 * structs of functions, from a program (orrery_extend) or from a shared object (orrery_load_plugin,
 * `orrery --plugin FILE.so`, ORRERY_PLUGINS). Files of platforms name them as they name those that
 * are built in (docs/how-to/plugins.md).
 *
 *     static const struct orrery_collective mine = {ORRERY_SIZED(orrery_collective), .name =
 * "mine", ...}; const struct orrery_extension orrery_plugin = { ORRERY_SIZED(orrery_extension),
 * ORRERY_EXTEND_VERSION, "my parts", .collective = &mine, .collectives = 1};
 *
 * A shared object defines `orrery_plugin` and links nothing of Orrery: what a part may call, it is
 * given. Parts are added to the process, for all its simulations, and stay until it ends; so do the
 * structs and what they point to. Any thread may add; functions of parts are called by the threads
 * of simulations, those of different simulations at once. `user` is handed to each function.
 *
 * A part that breaks its contract ends the simulation with an error that names the part. */
#ifndef ORRERY_EXTEND_H
#define ORRERY_EXTEND_H

#include <stdio.h>

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these structs; parts of another one are rejected. */
enum { ORRERY_EXTEND_VERSION = 1, ORRERY_MAX_PARTS = 8 };

/* ---- network backends: network.backend: NAME ---- */

/* What a backend may call, in any of its functions that is called with a `net` or by one of these.
 */
struct orrery_net {
    int64_t (*now_ps)(struct orrery_net *net);
    /* Calls `call` at a time, not before now; equal times in the order of these calls. */
    void (*schedule)(struct orrery_net *net, int64_t at_ps,
                     void (*call)(void *self, uint64_t argument), uint64_t argument);
    /* The last byte of a message has arrived, now. Exactly once for each. */
    void (*delivered)(struct orrery_net *net, uint64_t id);
    /* Ends the simulation with an error. */
    void (*fail)(struct orrery_net *net, const char *text);
};

struct orrery_network_dim {
    const char *block; /* "ring", "fully_connected", "switch", "mesh" */
    uint32_t npus;
    double bandwidth_bytes_per_s; /* of a link, one way; of an NPU if `per_npu` */
    bool per_npu;
    int64_t latency_ps; /* of a hop */
};

/* The network of a platform: a stack of dimensions, the innermost first, that vary fastest. */
struct orrery_network {
    uint32_t npus;
    unsigned dims;
    const struct orrery_network_dim *dim; /* [dims] */
};

struct orrery_net_message {
    uint64_t id; /* for `delivered` */
    uint32_t from, to;
    uint64_t bytes;
};

struct orrery_backend {
    size_t size;                /* ORRERY_SIZED(orrery_backend) */
    const char *name, *summary; /* name: a-z, 0-9, "_" */
    void *user;
    /* The network of one simulation; NULL: an error, told by net->fail or as out of memory.
     * `network` lives as long as it. */
    void *(*create)(void *user, struct orrery_net *net, const struct orrery_network *network);
    void (*destroy)(void *self); /* NULL: nothing is to be freed */
    /* A message is sent now. `from` and `to` differ. `message` is valid during the call. */
    void (*send)(void *self, const struct orrery_net_message *message);
    /* From the first byte sent to the first received, without other traffic; NULL: hops times the
     * latency of their dimensions. */
    int64_t (*latency_ps)(void *self, uint32_t from, uint32_t to);
};

/* ---- controllers: network.circuits.controller: NAME ---- */

/* What a decision is made of. Arrays are by pair, [from * nodes + to]. */
struct orrery_circuits_view {
    uint32_t nodes, ports; /* ports: circuits of a node in each direction */
    bool duplex;           /* a circuit has both directions */
    int64_t now_ps;
    const double *offered;   /* bytes offered since the last decision */
    const double *waiting;   /* bytes not yet carried */
    const double *total;     /* bytes offered since the job began */
    const uint16_t *present; /* circuits now */
};

struct orrery_controller {
    size_t size; /* ORRERY_SIZED(orrery_controller) */
    const char *name, *summary;
    void *user;
    /* Sets the circuits of each pair, all 0 before: at most `ports` from and to each node, none to
     * itself; duplex: as many for the reverse pair. The same view gives the same circuits. */
    void (*decide)(void *user, const struct orrery_circuits_view *view, uint16_t *set);
};

/* ---- collective algorithms: system.algorithms: NAME ---- */

enum orrery_collective_kind {
    ORRERY_ALL_REDUCE,
    ORRERY_ALL_GATHER,
    ORRERY_REDUCE_SCATTER,
    ORRERY_ALL_TO_ALL,
    ORRERY_BROADCAST,
    ORRERY_REDUCE,
    ORRERY_GATHER,
    ORRERY_SCATTER,
    ORRERY_BARRIER
};

/* A collective as a rank sees it. `bytes`: all-reduce, broadcast, reduce: the buffer; all-gather,
 * gather: one rank's part; reduce-scatter, scatter: the whole input; all-to-all: one rank's input;
 * barrier: 0. A block is ceil(bytes / ranks). */
struct orrery_collective_view {
    enum orrery_collective_kind kind;
    uint32_t ranks, rank, root;
    uint64_t bytes;
};

struct orrery_send {
    uint32_t to;
    uint32_t to_receive; /* which of its receives this is, from 0 */
    uint32_t need;       /* own receives that are complete before it goes */
    uint64_t bytes;
};

struct orrery_receive {
    uint32_t from;
    bool reduce;    /* added to the buffer; else replaces it */
    uint32_t after; /* own receives that are complete before it, ascending; `in_order`: ignored */
    uint64_t bytes;
};

/* A program of steps for each rank: its sends 0, 1, ... go in this order, each when it has so many
 * receives. Functions are pure: equal arguments give equal answers. orrery_extend proves programs
 * of up to 8 ranks and 1 root in 3. */
struct orrery_collective {
    size_t size; /* ORRERY_SIZED(orrery_collective) */
    const char *name, *summary;
    void *user;
    bool in_order; /* receives are complete in ascending order */
    bool (*supports)(void *user, enum orrery_collective_kind kind, uint32_t ranks);
    uint32_t (*sends)(void *user, const struct orrery_collective_view *view);
    uint32_t (*receives)(void *user, const struct orrery_collective_view *view);
    void (*send)(void *user, const struct orrery_collective_view *view, uint32_t k,
                 struct orrery_send *out);
    void (*receive)(void *user, const struct orrery_collective_view *view, uint32_t k,
                    struct orrery_receive *out);
    /* Calls `visit` for each block that send k carries: 0 .. ranks - 1, the parts of the vector;
     * all-to-all: source * ranks + destination; not for barriers. Only the proof asks. */
    void (*blocks)(void *user, const struct orrery_collective_view *view, uint32_t k,
                   void (*visit)(void *context, uint32_t block), void *context);
    /* Steps of the longest chain, for estimates; NULL: as many as rank 0 has sends. */
    uint32_t (*steps)(void *user, enum orrery_collective_kind kind, uint32_t ranks);
};

/* ---- adding ---- */

struct orrery_extension {
    size_t size;                          /* ORRERY_SIZED(orrery_extension) */
    unsigned version;                     /* ORRERY_EXTEND_VERSION */
    const char *name;                     /* for messages */
    const struct orrery_backend *backend; /* [backends] */
    size_t backends;
    const struct orrery_controller *controller; /* [controllers] */
    size_t controllers;
    const struct orrery_collective *collective; /* [collectives] */
    size_t collectives;
};

/* Adds the parts of an extension, at most ORRERY_MAX_PARTS of a kind in a process, after the checks
 * of their structs and the proof of collectives. On an error nothing of it is added, and `error`
 * [bytes] has the message: ORRERY_ERROR_INPUT (another version or size, a function that is missing,
 * a name that is taken, a broken contract), _MEMORY. */
ORRERY_API enum orrery_status orrery_extend(const struct orrery_extension *extension, char *error,
                                            size_t bytes);

/* The same for the `orrery_plugin` of a shared object. Loading it again changes nothing. Errors:
 * also a file that cannot be loaded, is of another architecture, or has no `orrery_plugin`. */
ORRERY_API enum orrery_status orrery_load_plugin(const char *file, char *error, size_t bytes);

/* Loads the files of ORRERY_PLUGINS, separated by ":", as the command does when it starts; not in a
 * program that runs with another user's rights (setuid). */
ORRERY_API enum orrery_status orrery_load_plugins(char *error, size_t bytes);

/* Tests the parts of a shared object by their contracts, as `orrery plugin check`: proves
 * collectives for more ranks, has controllers decide on many views, and runs jobs on backends,
 * twice each. Writes a line for each part to `out` (NULL: nowhere). The first broken contract is
 * the error; errors also as of orrery_load_plugin, which it calls. Takes about a second. */
ORRERY_API enum orrery_status orrery_check_plugin(const char *file, FILE *out, char *error,
                                                  size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
