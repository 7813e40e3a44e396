/* JSON Schema and references of keys, and the reference of results, from their tables. */
#ifndef ORR_STUDY_SCHEMA_SCHEMA_JSON_H
#define ORR_STUDY_SCHEMA_SCHEMA_JSON_H

#include <stdio.h>

enum orr_schema_file {
    ORR_SCHEMA_PLATFORM,
    ORR_SCHEMA_WORKLOAD,
    ORR_SCHEMA_SWEEP,
    ORR_SCHEMA_JOBS,
    ORR_SCHEMA_MODEL,
    ORR_SCHEMA_STRATEGY
};

/* Writes the JSON Schema (draft 2020-12) of a kind of file. Returns 0, or 1 if memory is out or
 * writing fails. */
int orr_schema_write(FILE *out, enum orr_schema_file file);

/* Writes the reference of all keys, as Markdown. */
void orr_keys_write(FILE *out);

/* Writes the reference of all results, as Markdown. */
void orr_results_write(FILE *out);

/* Schema of a file that a floor above reads, and its part of the reference, under the heading
 * `head`. */
struct orr_key_table;
struct orr_schema_info {
    const char *title, *description;
    const struct orr_key_table *table;
};
int orr_schema_write_file(FILE *out, const struct orr_schema_info *info);
void orr_keys_write_file(FILE *out, const char *head, const struct orr_key_table *table);

#endif
