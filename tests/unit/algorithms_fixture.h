/* The collective algorithms by their symbols, which nobody else knows. */
#ifndef ORR_TESTS_UNIT_ALGORITHMS_FIXTURE_H
#define ORR_TESTS_UNIT_ALGORITHMS_FIXTURE_H

#include "system/collectives/program.h"

#define ORR_COLL_ALGORITHM(name) extern const struct coll_algorithm name;
#include "system/collectives/algorithm_list.h"
#undef ORR_COLL_ALGORITHM

#endif
