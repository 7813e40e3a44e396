/* Trees of values as YAML that reads back as the same (plan_yaml.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_YAML_H
#define ORR_PLANNER_PLAN_FILE_PLAN_YAML_H

#include <stdio.h>

#include "core/core.h"

/* The value of `key`, on lines of their own that begin with `indent` spaces. O(values). */
void orr_plan_yaml(FILE *out, const char *key, const struct orr_conf *node, unsigned indent);

/* A text as YAML has it anywhere, in quotes where it must. */
void orr_plan_yaml_text(FILE *out, const char *text);

#endif
