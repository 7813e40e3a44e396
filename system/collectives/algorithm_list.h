/* Collective algorithms, one line each: ORR_COLL_ALGORITHM(orr_coll_NAME). This is the order in
 * which they are listed and autotuned (except `by_name` ones). (collective_algorithms.c includes
 * this file twice.) */
ORR_COLL_ALGORITHM(orr_coll_ring)
ORR_COLL_ALGORITHM(orr_coll_bidirectional_ring)
ORR_COLL_ALGORITHM(orr_coll_direct)
ORR_COLL_ALGORITHM(orr_coll_halving_doubling)
ORR_COLL_ALGORITHM(orr_coll_tree)
ORR_COLL_ALGORITHM(orr_coll_double_binary_tree)
ORR_COLL_ALGORITHM(orr_coll_chain)
ORR_COLL_ALGORITHM(orr_coll_pairwise)
ORR_COLL_ALGORITHM(orr_coll_switch_reduce)
ORR_COLL_ALGORITHM(orr_coll_recursive_doubling)
ORR_COLL_ALGORITHM(orr_coll_trees)
ORR_COLL_ALGORITHM(orr_coll_multi_ring)
ORR_COLL_ALGORITHM(orr_coll_forest)
