/* A case for every key of our own files: a whole file with this key right, of a wrong type, out of
 * range, without or with a wrong unit, or misspelt, and the message that must come. All is made
 * from the tables of keys, so that new keys are covered as soon as they exist. */
#ifndef ORR_TESTS_UNIT_KEY_CASES_H
#define ORR_TESTS_UNIT_KEY_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct orr_key;

enum key_case_kind {
    KEY_RIGHT,
    KEY_WRONG_TYPE,
    KEY_OUT_OF_RANGE,
    KEY_TOO_LARGE, /* a quantity; a pattern of a schema cannot tell */
    KEY_WITHOUT_UNIT,
    KEY_WRONG_UNIT,
    KEY_MISSPELT,
    KEY_CASE_KINDS
};

extern const char *const key_case_kinds[KEY_CASE_KINDS];

enum { KEY_TEXT_BYTES = 8192 };

struct key_case {
    enum key_case_kind kind;
    const char *path; /* of the table: "network.dims[].npus" */
    const struct orr_key *key;
    char text[KEY_TEXT_BYTES];    /* the file */
    char message[KEY_TEXT_BYTES]; /* expected, with the place in the file f.yml; "": accepted */
    char explained[1024];         /* KEY_RIGHT: what is explained, "PATH=VALUE@f.yml:LINE"; "" */
};

typedef void (*key_case_fn)(void *context, const struct key_case *each);

/* Calls `visit` with every case of every key. */
void key_cases(key_case_fn visit, void *context);

#endif
