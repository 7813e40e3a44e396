/* Kernels that communicate, by their names; see comm_kernel.h.
 *
 * Names are demangled C++: "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)". Words in
 * template arguments and parameters say nothing: reductions inside of a block are called
 * "AllReduce" there, and every NCCL kernel takes an ncclDevComm. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "workload/gpu/comm_kernel.h"

enum { NAME_BYTES = 256 };

/* Whether a text has a word in it, in any case. */
static bool has(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool orr_call_is_sync(const char *name)
{
    const size_t driver = strncmp(name, "cuda", 4) == 0                                    ? 4
                          : strncmp(name, "hip", 3) == 0                                   ? 3
                          : strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]) ? 2
                                                                                           : 0;
    return driver > 0 && strstr(name + driver, "Synchronize") != NULL;
}

bool orr_work_is_copy(const char *name)
{
    return strncmp(name, "Memcpy", 6) == 0 || strncmp(name, "Memset", 6) == 0 ||
           strncmp(name, "CopyHostToDevice", 16) == 0 || strncmp(name, "CopyDeviceTo", 12) == 0;
}

bool orr_kernel_is_nccl(const char *name)
{
    return has(name, "nccl") || has(name, "rccl");
}

/* Copies the name without return type, template arguments and parameters: "deep_ep::dispatch". */
static void plain_name(const char *name, char out[NAME_BYTES])
{
    size_t at = 0;
    unsigned depth = 0;
    for (; *name != '\0' && (*name != '(' || at == 0) && at + 1 < NAME_BYTES; name++) {
        depth += *name == '<' ? 1 : 0;
        if (depth == 0 && *name == ' ') {
            at = 0;
        } else if (depth == 0) {
            out[at++] = (char)tolower((unsigned char)*name);
        }
        depth -= *name == '>' && depth > 0 ? 1 : 0;
    }
    out[at] = '\0';
}

/* The last part of a name: "dispatch" of "deep_ep::intranode::dispatch". */
static const char *last_part(const char *name)
{
    const char *part = name;
    for (const char *at = strstr(name, "::"); at != NULL; at = strstr(part, "::")) {
        part = at + 2;
    }
    return part;
}

bool orr_kernel_is_comm(const char *name)
{
    static const char *const libraries[] = {"deep_ep::", "nvshmem",  "mscclpp", "msccl",
                                            "mori::",    "rocshmem", "deepep"};
    static const char *const functions[] = {
        "all_reduce",     "allreduce",           "all_gather",     "allgather",
        "reduce_scatter", "reducescatter",       "all_to_all",     "alltoall",
        "multimem_",      "cross_device_reduce", "notify_dispatch"};
    static const char *const exchanges[] = {"dispatch", "combine", "ep_dispatch", "ep_combine"};
    char plain[NAME_BYTES];
    plain_name(name, plain);
    const char *function = last_part(plain);
    bool found = orr_kernel_is_nccl(name);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        found = found || strstr(plain, libraries[i]) != NULL;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        found = found || strstr(function, functions[i]) != NULL;
    }
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        found = found || strcmp(function, exchanges[i]) == 0;
    }
    return found;
}
