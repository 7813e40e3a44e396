/* Views of orrery topo that wings have, one line each: ORR_TOPO_VIEW(orr_topo_view_NAME).
 * (cmd_topo.c, which includes this file twice) */
#include "wings/topo_views.def"
