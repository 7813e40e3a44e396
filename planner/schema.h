/* Schemas and references by name, those of `orrery schema`. They are in planner/ because this floor
 * can include the key tables of all floors below. */
#ifndef ORR_PLANNER_SCHEMA_H
#define ORR_PLANNER_SCHEMA_H

#include <stdbool.h>
#include <stdio.h>

#define ORR_SCHEMAS "platform, workload, sweep, jobs, model, strategy, plan, keys or results"

bool orr_schema_exists(const char *schema_name);

/* 0, or 1 when memory is out or nothing more can be written. */
int orr_schema_print(FILE *out, const char *schema_name);

#endif
