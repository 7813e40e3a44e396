/* What files of other programs look like, and where they belong: the tables of the recogniser
 * (conf_wrong_file.c). To add a format: a row, or a function of its shape. */
#ifndef ORR_CORE_CONF_FOREIGN_FORMATS_H
#define ORR_CORE_CONF_FOREIGN_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

enum { ORR_FOREIGN_MAX_KEYS = 3 };

/* What the file is, and what to do with it. */
struct orr_foreign {
    const char *what, *where;
};

/* By keys, all of these at the top level. */
struct orr_foreign_keys {
    const char *key[ORR_FOREIGN_MAX_KEYS];
    const char *owner; /* owner of the readers that accept it; or NULL */
    const char *what, *where;
};
extern const struct orr_foreign_keys orr_foreign_by_keys[];
extern const size_t orr_foreign_keys_count;

/* By the beginning of the file; `ending` is the file name extension of binary files. */
struct orr_foreign_head {
    const char *text, *ending;
    const char *what, *where;
};
extern const struct orr_foreign_head orr_foreign_by_text[];
extern const size_t orr_foreign_heads_count;

/* By the shape of the first bytes of a text, which no reader of Orrery's takes; false: no such. */
bool orr_foreign_by_shape(const char *head, struct orr_foreign *out);

/* The advice for a model's config.json; an example with its numbers follows (hugging_face.c). */
extern const char orr_hugging_face_where[];

/* The example: a workload with the numbers of the file's first bytes. */
void orr_hugging_face_example(const char *head, char *out, size_t bytes);

#endif
