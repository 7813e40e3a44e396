/* Writes configuration trees as YAML that reads back equal (plan_yaml.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_YAML_H
#define ORR_PLANNER_PLAN_FILE_PLAN_YAML_H

#include <stdio.h>

struct orr_conf;

/* Writes a key with its value, on lines indented by `indent` spaces. O(values). */
void orr_plan_yaml(FILE *out, const char *key, const struct orr_conf *node, unsigned indent);

/* Writes a text as a YAML scalar, in quotes if needed. */
void orr_plan_yaml_text(FILE *out, const char *text);

#endif
