/* orrery run --taskgraph: a task graph over flows. */
#ifndef ORR_CLI_RUN_RUN_TASKGRAPH_H
#define ORR_CLI_RUN_RUN_TASKGRAPH_H

#include <getopt.h>

int orr_run_taskgraph(int argc, char **argv);

/* Its options; the last name is NULL. */
extern const struct option orr_run_taskgraph_options[];

#define ORR_TASKGRAPH_HELP                                                                         \
    "Task graphs of FlexFlow, over flows (docs/how-to/task-graphs.md):\n"                          \
    "  --taskgraph FILE                   run this graph instead of a platform and a workload\n"   \
    "  --fabric NETWORK                   the network between its servers: graph (the one in\n"    \
    "                                     the file, default), ideal-switch, full-mesh, "           \
    "fat-tree,\n"                                                                                  \
    "                                     circulant:1,5, ...: docs/how-to/networks.md; or\n"       \
    "                                     FILE.yml\n"                                              \
    "  --link-bandwidth BW                of each link, one way (default: that of the graph)\n"    \
    "  --link-latency TIME                of each link (default 1 us)\n"                           \
    "  --flow-model maxmin|windows        max-min fair shares, or weighted by DCTCP\n"             \
    "                                     windows (default: windows)\n"                            \
    "  --flow-setup TIME                  setup time of a flow at its sender (default 0)\n"        \
    "  --forwarding TIME                  time that each forwarding server adds (default 0)\n"     \
    "  --forwarding-limit BW              total rate at which a server forwards (default:\n"       \
    "                                     what its links carry)\n"                                 \
    "  --all-reduce NAME                  all-reduce algorithm: ring (default), ring_stream,\n"    \
    "                                     bidirectional_ring_stream, pipelined_ring,\n"            \
    "                                     parameter_server, hierarchical:GROUP, tree:CHUNKS,\n"    \
    "                                     ...: docs/how-to/task-graphs.md\n"                       \
    "  --routing NAME                     shortest, ecmp, k-shortest:PATHS, dimension-order,\n"    \
    "                                     table (default: that of the fabric)\n"                   \
    "  --rings NAME                       auto: on links of the graph (auto:R: R of them), own:\n" \
    "                                     one in the order of servers, totient:R: R by\n"          \
    "                                     TotientPerms (default auto)\n"                           \
    "  --seed N                           seed of the choice among equal paths (default 1)\n"      \
    "                                     --set and the outputs are those of any run\n"            \
    "\n"

#endif
