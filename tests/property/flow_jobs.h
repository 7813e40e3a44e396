/* Random jobs of flows (plain_flows.h), a pure function of their seed, and what the library makes
 * of them. */
#ifndef ORR_TESTS_PROPERTY_FLOW_JOBS_H
#define ORR_TESTS_PROPERTY_FLOW_JOBS_H

#include "plain_flows.h"

/* Patterns in turns: random paths, all-to-alls, rings of rounds, incast, trees, lines; every third
 * with odd numbers, the others with round ones, which make ties. */
void flow_job_random(struct plain_job *job, uint64_t seed);

/* What jobs are made of by hand. */
void flow_job_begin(struct plain_job *job, uint32_t links, double bytes_per_s, sim_time latency);
uint32_t flow_job_path(struct plain_job *job, const uint32_t *link, uint32_t hops);
uint32_t flow_job_flow(struct plain_job *job, uint32_t path, uint64_t bytes, sim_time start);
/* The one waits for the other. */
void flow_job_after(struct plain_job *job, uint32_t later, uint32_t earlier);
void flow_job_event(struct plain_job *job, const struct plain_event *event);

/* Runs it by network/flows; the stuck flows' link is checked. */
void flow_job_run(const struct plain_job *job, struct plain_answer *out);

void flow_job_print(const struct plain_job *job);

#endif
