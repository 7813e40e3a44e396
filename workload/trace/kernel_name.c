/* The function of a GPU kernel's name; see op_name.h. Names come as C++ writes them, "void
 * at::native::foo<4, float>(int)", or mangled, "_ZN2at6native3fooILi4EfEEvi". Template arguments
 * and parameters are left out, except those that tell kernels of one name apart
 * (cutlass::Kernel<...>). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "workload/trace/op_name.h"

struct text {
    char *at;
    size_t room;
};

static void append(struct text *text, const char *part, size_t length)
{
    length = length < text->room ? length : text->room - 1;
    memcpy(text->at, part, length);
    text->at += length;
    text->room -= length;
    *text->at = '\0';
}

/* ---- mangled ---- */

/* Skips template arguments, from the I to their E; NULL: not understood. */
static const char *skip_arguments(const char *at)
{
    unsigned depth = 0;
    do {
        if (isdigit((unsigned char)*at)) {
            char *end;
            const unsigned long length = strtoul(at, &end, 10);
            if (length > strlen(end)) {
                return NULL;
            }
            at = end + length;
            continue;
        }
        if (*at == '\0') {
            return NULL;
        }
        if (*at == 'L') { /* a literal: its type and value, to the E */
            at += strcspn(at, "E");
        } else if (*at == 'I' || *at == 'N' || *at == 'X' || *at == 'J') {
            depth++;
        } else if (*at == 'E') {
            depth--;
        }
        at += *at != '\0' ? 1 : 0;
    } while (depth > 0);
    return at;
}

/* "2at6native3fooILi4EE": identifiers, of nested names up to the E. */
static bool demangle(const char *name, struct text *text)
{
    const char *at = name + 2;
    const bool nested = *at == 'N';
    at += nested ? 1 : 0;
    at += strspn(at, "rVK");
    bool any = false;
    while (isdigit((unsigned char)*at)) {
        static const char anonymous[] = "_GLOBAL__N_";
        char *end;
        const unsigned long length = strtoul(at, &end, 10);
        if (length == 0 || length > strlen(end)) {
            return false;
        }
        append(text, "::", any ? 2 : 0);
        if (strncmp(end, anonymous, sizeof anonymous - 1) == 0) {
            append(text, "(anonymous)", sizeof "(anonymous)" - 1);
        } else {
            append(text, end, length);
        }
        any = true;
        at = end + length;
        if (*at == 'I' && (at = skip_arguments(at)) == NULL) {
            return false;
        }
        if (!nested) {
            break;
        }
    }
    return any && (!nested || *at == 'E');
}

/* ---- as C++ writes them ---- */

/* Whether kernels of the name are told apart by their first template argument. */
static bool is_wrapper(const char *name, size_t length)
{
    static const char *const wrappers[] = {"cutlass::Kernel", "cutlass::Kernel2",
                                           "cutlass::device_kernel"};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        if (length == strlen(wrappers[i]) && strncmp(name, wrappers[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* The end of what begins with the bracket; NULL: it is not closed. */
static const char *closing(const char *at)
{
    unsigned depth = 0;
    for (; *at != '\0'; at++) {
        depth += *at == '<' || *at == '(' ? 1 : 0;
        if ((*at == '>' || *at == ')') && --depth == 0) {
            return at;
        }
    }
    return NULL;
}

static bool strip(const char *name, struct text *text)
{
    static const char anonymous[] = "(anonymous namespace)", type[] = "void ";
    const char *at = strncmp(name, type, sizeof type - 1) == 0 ? name + sizeof type - 1 : name;
    const char *first = at;
    while (*at != '\0') {
        if (strncmp(at, anonymous, sizeof anonymous - 1) == 0) {
            append(text, "(anonymous)", sizeof "(anonymous)" - 1);
            at += sizeof anonymous - 1;
        } else if (*at == '(') {
            return true; /* parameters */
        } else if (*at == '<') {
            const char *end = closing(at);
            if (end == NULL) {
                return false;
            }
            if (is_wrapper(first, (size_t)(at - first))) {
                append(text, at, (size_t)(end - at) + 1);
            }
            at = end + 1;
        } else {
            append(text, at++, 1);
        }
    }
    return true;
}

bool orr_is_kernel_name(const char *name)
{
    return (name[0] == '_' && name[1] == 'Z') ||
           (strstr(name, "::") != NULL && strpbrk(name, "<(") != NULL &&
            (strncmp(name, "void ", 5) == 0 || name[strlen(name) - 1] == ')' ||
             name[strlen(name) - 1] == '>'));
}

const char *orr_kernel_name(const char *name, char out[ORR_KERNEL_NAME_BYTES])
{
    struct text text = {out, ORR_KERNEL_NAME_BYTES};
    *out = '\0';
    if (!orr_is_kernel_name(name)) {
        return name;
    }
    const bool read = name[0] == '_' ? demangle(name, &text) : strip(name, &text);
    return read && *out != '\0' ? out : name;
}
