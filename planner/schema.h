/* Every schema and reference by its name, those of `orrery schema`: whether there is one, and its
 * text. They are told from here because the tables of keys of all floors are below it. */
#ifndef ORR_PLANNER_SCHEMA_H
#define ORR_PLANNER_SCHEMA_H

#include <stdbool.h>
#include <stdio.h>

#define ORR_SCHEMAS "platform, workload, sweep, jobs, model, strategy, plan, keys or results"

bool orr_schema_exists(const char *schema_name);

/* 0, or 1 when memory is out or nothing more can be written. */
int orr_schema_print(FILE *out, const char *schema_name);

#endif
