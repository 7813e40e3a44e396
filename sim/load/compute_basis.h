/* How the compute times of a job were found: fitted, taken over, stated, or the data sheet's peak.
 */
#ifndef ORR_SIM_LOAD_COMPUTE_BASIS_H
#define ORR_SIM_LOAD_COMPUTE_BASIS_H

#include "orrery/orrery.h"

struct orr_conf;
struct orrery;

/* "peak", "stated", "taken over", "fitted": what is known of compute.efficiency. NULL: nothing is
 * computed by a roofline (recorded durations, communication alone, another program's rules). */
const char *orr_compute_basis(const struct orrery *job);

/* The software that ran when the efficiency was measured (compute.fitted.stack); NULL: unknown. */
const char *orr_compute_stack(const struct orrery *job);

/* Once the traces are known: finds the basis and the share of fp8 in a trace's useful operations,
 * and warns of a named GPU that runs at its peak. O(nodes of different traces). */
void orr_find_compute_basis(struct orrery *job);

/* The same by the section `compute` (NULL: none) of a job of a cluster, without the warning. */
void orr_find_compute_basis_by(struct orrery *job, const struct orr_conf *section);

/* Describes a basis and a stack (NULL: unknown) in words; returns `text`. */
char *orr_describe_basis(const char *basis, const char *stack, char *text, size_t bytes);

#endif
