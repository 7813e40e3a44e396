/* Fabrics in the order of listing, one line each: ORR_FABRIC(orr_fabric_NAME). X-macro list:
 * fabrics.c includes it twice. */
ORR_FABRIC(orr_fabric_ideal_switch)
ORR_FABRIC(orr_fabric_full_mesh)
ORR_FABRIC(orr_fabric_circulant)
ORR_FABRIC(orr_fabric_fat_tree)
ORR_FABRIC(orr_fabric_torus)
ORR_FABRIC(orr_fabric_mesh)
ORR_FABRIC(orr_fabric_hypercube)
ORR_FABRIC(orr_fabric_expander)
ORR_FABRIC(orr_fabric_dragonfly)
ORR_FABRIC(orr_fabric_clusters)
ORR_FABRIC(orr_fabric_dgx1)
#include "wings/fabrics.def"
