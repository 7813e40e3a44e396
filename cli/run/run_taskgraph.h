/* orrery run --taskgraph: a task graph over flows. */
#ifndef ORR_CLI_RUN_RUN_TASKGRAPH_H
#define ORR_CLI_RUN_RUN_TASKGRAPH_H

#include <getopt.h>

int orr_run_taskgraph(int argc, char **argv);

/* What it takes; ends with a name of NULL. */
extern const struct option orr_run_taskgraph_options[];

#define ORR_TASKGRAPH_HELP                                                                         \
    "Task graphs of FlexFlow, over flows (docs/user-guide.md):\n"                                  \
    "  --taskgraph FILE                   run this graph instead of a platform and a workload\n"   \
    "  --fabric NETWORK                   the network between its servers: graph (the one in\n"    \
    "                                     the file, default), ideal-switch, full-mesh, "           \
    "fat-tree,\n"                                                                                  \
    "                                     circulant:1,5, ...: docs/user-guide.md; or FILE.yml\n"   \
    "  --link-bandwidth BW                of each link, one way (default: as the graph says)\n"    \
    "  --link-latency TIME                of each link (default 1 us)\n"                           \
    "  --flow-model maxmin|windows        max-min fair shares, or weighted by DCTCP\n"             \
    "                                     windows (default: windows)\n"                            \
    "  --flow-setup TIME                  what a sender needs to make a flow ready (default 0)\n"  \
    "  --forwarding TIME                  what each server that passes on what is for others "     \
    "adds\n"                                                                                       \
    "                                     (default 0)\n"                                           \
    "  --forwarding-limit BW              what a server passes on for others, all together "       \
    "(default:\n"                                                                                  \
    "                                     what its links carry)\n"                                 \
    "  --all-reduce NAME                  how all-reduces are done: ring (default), "              \
    "ring_stream,\n"                                                                               \
    "                                     bidirectional_ring_stream, pipelined_ring,\n"            \
    "                                     parameter_server, hierarchical:GROUP,\n"                 \
    "                                     tree:CHUNKS, ...: docs/user-guide.md\n"                  \
    "  --routing NAME                     shortest, ecmp, k-shortest:PATHS, dimension-order, "     \
    "table\n"                                                                                      \
    "                                     (default: as suits the fabric)\n"                        \
    "  --rings totient:RINGS              all-reduces go around so many rings at once, by\n"       \
    "                                     TotientPerms (default: those of the fabric)\n"           \
    "  --seed N                           of the choice among equal paths (default 1)\n"           \
    "                                     --set and the outputs are those of any run\n"            \
    "\n"

#endif
