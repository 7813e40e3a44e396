/* Views of orrery topo with options and help of their own. */
#ifndef ORR_CLI_TOPO_TOPO_VIEWS_H
#define ORR_CLI_TOPO_TOPO_VIEWS_H

/* One of topo_view_list.h. */
struct orr_topo_view {
    const char *name;
    const char *usage;   /* the line of orrery topo --help, "       orrery topo NAME [options]\n" */
    const char *summary; /* its line of the list of views */
    const char *help;    /* its options, in orrery topo --help */
    /* argv[1] is the name. Returns the exit status. */
    int (*run)(int argc, char **argv);
};

#endif
