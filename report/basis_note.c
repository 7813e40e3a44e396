/* How the compute times of two results were found; see basis_note.h. */
#include "report/basis_note.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "sim/load/compute_basis.h"

enum { WORDS = 256 };

static const char *text_of(const json_t *result, const char *key)
{
    return json_string_value(json_object_get(result, key));
}

static bool same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool orr_bases_differ(const struct orr_named_result pair[2], char text[ORR_DIAG_MESSAGE_BYTES])
{
    const char *basis[2], *stack[2];
    char words[2][WORDS];
    for (unsigned i = 0; i < 2; i++) {
        basis[i] = text_of(pair[i].result, "compute_basis");
        stack[i] = text_of(pair[i].result, "compute_stack");
    }
    if (basis[0] == NULL || basis[1] == NULL ||
        (same(basis[0], basis[1]) && same(stack[0], stack[1]))) {
        return false;
    }
    (void)snprintf(text, ORR_DIAG_MESSAGE_BYTES,
                   "the compute times of %s are by %s, those of %s by %s: part of the difference "
                   "between them may be that",
                   pair[0].name, orr_describe_basis(basis[0], stack[0], words[0], WORDS),
                   pair[1].name, orr_describe_basis(basis[1], stack[1], words[1], WORDS));
    return true;
}

void orr_warn_of_bases(const struct orr_named_result pair[2], struct orr_diag *diag)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    if (orr_bases_differ(pair, text)) {
        orr_diag_warn(diag, NULL, "%s", text);
    }
}
