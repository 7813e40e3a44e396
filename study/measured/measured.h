/* Measured times of collectives, from files: tables as CSV, output of nccl-tests and rccl-tests,
 * and their JSON. The content of a file determines which of the three forms it has; gzip is
 * allowed.
 *
 *     orr_measured_read -> orr_measured_select -> rows and tables
 *
 * A *table* has the measurements of one collective on one number of NPUs, with one number of NPUs
 * for each node. Everything lives in the arena of the caller. */
#ifndef ORR_STUDY_MEASURED_MEASURED_H
#define ORR_STUDY_MEASURED_MEASURED_H

#include "study/measured/holdout.h"
#include "system/collectives/program.h"

struct orr_arena;
struct orr_diag;

/* A file, or bytes in memory, with `path` as their name in messages. Borrowed: the bytes until the
 * call returns, the path for as long as the result is used. */
struct orr_measured_source {
    const char *path;
    const void *data; /* NULL: the file at the path */
    size_t bytes;
};

struct orr_measured_inputs {
    const struct orr_measured_source *source; /* [sources] */
    size_t sources;
    /* Values for files that do not have them; NULL and 0: not set. `collective` takes precedence
     * over the name of a file. */
    const char *collective;
    uint32_t npus, npus_per_node;
};

enum orr_measured_form { ORR_MEASURED_CSV, ORR_MEASURED_TEXT, ORR_MEASURED_JSON };

struct orr_measured_file {
    const char *path;
    enum orr_measured_form form;
    size_t rows; /* that were read */
    /* The kind of GPU that the log names first, and its line; NULL: none. In the arena. */
    const char *device;
    uint32_t device_line;
};

struct orr_measured_row {
    enum coll_kind kind; /* no barrier */
    uint32_t npus, npus_per_node;
    /* As nccl-tests count: the buffer of all-reduce, broadcast and reduce; for the others a rank's
     * larger buffer, of npus parts. */
    uint64_t bytes;
    double time_us;
    uint32_t file, line; /* line and column from 1, in the decompressed file */
    uint32_t column;
    uint32_t table;           /* index into tables */
    const char *const *extra; /* [columns]; "" if the file has no such column */
};

struct orr_measured_table {
    enum coll_kind kind;
    uint32_t npus, npus_per_node;
    size_t first, count; /* of orr_measured.order */
};

/* A remark: rows that were left out, or read in an unexpected sense, as a text that follows "3 rows
 * ": "of sendrecv left out: ...". */
struct orr_measured_note {
    const char *text;
    uint64_t count;
    uint32_t file, line; /* of the first such row */
};

struct orr_measured {
    const struct orr_measured_row *row; /* [rows] in the order of the files */
    size_t rows;
    const struct orr_measured_table *table; /* [tables] in the order of their first rows */
    size_t tables;
    const uint32_t *order; /* [rows] indices of rows, sorted by table, bytes, order of the files */
    const char *const *column; /* [columns] names of CSV's further columns */
    size_t columns;
    const struct orr_measured_file *file; /* [files] */
    size_t files;
    const struct orr_measured_note *note; /* [notes] */
    size_t notes;
};

/* Reads all sources. Warnings go to diag->warn: truncated tables; two equal rows that differ by
 * more than a factor of 2 (the first eight of these, and the number of the others). Errors, with
 * file:line:column if there is one: a file that cannot be read, is in none of the three forms or is
 * empty; CSV without a required column; invalid values; times for which nccl-tests found wrong
 * data; a number of NPUs or a collective that is not known; no row at all. `out` is set on success
 * only. O(bytes + rows log rows). */
enum orr_status orr_measured_read(const struct orr_measured_inputs *inputs, struct orr_arena *arena,
                                  struct orr_measured *out, struct orr_diag *diag);

/* The i-th row of a table, by bytes. O(1). */
static inline const struct orr_measured_row *
orr_measured_row_of(const struct orr_measured *measured, const struct orr_measured_table *table,
                    size_t i)
{
    return &measured->row[measured->order[table->first + i]];
}

/* The size of a platform on which rows are to be simulated. */
struct orr_measured_machine {
    const char *name; /* for messages */
    uint32_t npus, node_npus;
};

/* Checks that the machine has the row's group, the first NPUs of each of the first nodes. Error
 * (input) at the row's location, with the size of the machine. O(1). */
enum orr_status orr_measured_check_row(const struct orr_measured *measured,
                                       const struct orr_measured_row *row,
                                       const struct orr_measured_machine *machine,
                                       struct orr_diag *diag);

/* Warns of the first log that names other GPUs than the platform's: `gpu`, as "H100" or "h100"
 * (NULL: not known), is a word of a device's name, or the beginning of one. */
void orr_measured_check_gpu(const struct orr_measured *measured,
                            const struct orr_measured_machine *machine, const char *gpu,
                            struct orr_diag *diag);

/* The rank of the i-th NPU of such a group. */
static inline uint32_t orr_measured_rank(const struct orr_measured_machine *machine,
                                         uint32_t npus_per_node, uint32_t i)
{
    return i / npus_per_node * machine->node_npus + i % npus_per_node;
}

/* The bytes of a row as Orrery's collectives count them (struct coll_args): for all-gather and
 * gather a rank's part, rounded up. */
uint64_t orr_measured_coll_bytes(const struct orr_measured_row *row);

/* Looks up a collective by any of its common names: all_reduce, all-reduce, AllReduce,
 * all_reduce_perf. False: no collective of Orrery has the name. */
bool orr_measured_kind(const char *name, enum coll_kind *kind);

/* Divides the rows by `holdout`:
 * - NULL or "": nothing is held out
 * - every:N: of each table by bytes, rows 0, N, 2N, ... are fitted, the others tested
 * - column:NAME: rows whose CSV column has a value except 0, no, false and fit are tested
 * - column:NAME>VALUE: rows that meet the condition are tested; also <, >=, <= and =. NAME may also
 *   be collective (only with =), npus, npus_per_node, nodes, time_us, bytes (also with a unit)
 *
 * Errors (input): another text; an unknown column; a value that is not a number but is compared as
 * one; nothing left to fit, or nothing to test. O(rows). */
enum orr_status orr_measured_select(const struct orr_measured *measured, const char *holdout,
                                    struct orr_arena *arena, struct orr_measured_split *out,
                                    struct orr_diag *diag);

#endif
