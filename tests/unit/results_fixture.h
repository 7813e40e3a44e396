/* Results of a small job in all forms. Texts are to be freed. */
#ifndef ORR_TESTS_RESULTS_FIXTURE_H
#define ORR_TESTS_RESULTS_FIXTURE_H

#include <stdio.h>

struct orrery;

/* An all-reduce of two NPUs that has run, with its summary and critical path. */
struct orrery *results_run_job(void);

/* What is written of a context. */
char *results_text(int (*write)(FILE *out, const void *context), const void *context);

/* Of a job; the reference, of a table. */
int results_write_table(FILE *out, const void *job);
int results_write_json(FILE *out, const void *job);
int results_write_csv(FILE *out, const void *job);
int results_write_reference(FILE *out, const void *table);

void results_put(const char *file, const char *text);

/* The head of a sweep's CSV, and the line of its first point. */
void results_of_sweep(char **head, char **line);

#endif
