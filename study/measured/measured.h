/* Measured times of collectives, from files: tables as CSV, and what nccl-tests and rccl-tests
 * print or write as JSON. Which of the three a file is shows in what it holds; gzip is fine.
 *
 *     orr_measured_read -> orr_measured_select -> rows and tables
 *
 * A *table* is what was measured of one collective on the same number of NPUs, as many of them on a
 * node. Everything lives in the arena that the caller gives. */
#ifndef ORR_STUDY_MEASURED_MEASURED_H
#define ORR_STUDY_MEASURED_MEASURED_H

#include "core/core.h"
#include "study/measured/holdout.h"
#include "system/system.h"

/* A file, or bytes in memory, which `path` stands for in messages. Borrowed; the path for as long
 * as what was read is used. */
struct orr_measured_source {
    const char *path;
    const void *data; /* NULL: the file at the path */
    size_t bytes;
};

struct orr_measured_inputs {
    const struct orr_measured_source *source; /* [sources] */
    size_t sources;
    /* What holds for files that do not say it themselves: NULL and 0 where it is not given. The
     * name comes before what a file's name tells. */
    const char *collective;
    uint32_t npus, npus_per_node;
};

enum orr_measured_form { ORR_MEASURED_CSV, ORR_MEASURED_TEXT, ORR_MEASURED_JSON };

struct orr_measured_file {
    const char *path;
    enum orr_measured_form form;
    size_t rows; /* that were taken */
};

struct orr_measured_row {
    enum coll_kind kind; /* no barrier */
    uint32_t npus, npus_per_node;
    /* As nccl-tests count: all-reduce, broadcast, reduce: the buffer; the others: a rank's larger
     * buffer, of npus parts. */
    uint64_t bytes;
    double time_us;
    uint32_t file, line; /* line and column from 1, in the decompressed file */
    uint32_t column;
    uint32_t table;           /* index into tables */
    const char *const *extra; /* [columns]; "" where the file has no such column */
};

struct orr_measured_table {
    enum coll_kind kind;
    uint32_t npus, npus_per_node;
    size_t first, count; /* of orr_measured.order */
};

/* What was left out or taken otherwise than a reader may think, in words to stand behind "3 rows ":
 * "of sendrecv left out: ...". */
struct orr_measured_note {
    const char *text;
    uint64_t count;
    uint32_t file, line; /* of the first */
};

struct orr_measured {
    const struct orr_measured_row *row; /* [rows] as they were read */
    size_t rows;
    const struct orr_measured_table *table; /* [tables] in the order of their first rows */
    size_t tables;
    const uint32_t *order;     /* [rows] indices of rows: by table, by bytes, as they were read */
    const char *const *column; /* [columns] names of CSV's further columns */
    size_t columns;
    const struct orr_measured_file *file; /* [files] */
    size_t files;
    const struct orr_measured_note *note; /* [notes] */
    size_t notes;
};

/* Reads all sources. Warnings go to diag->warn: tables that are cut off, two rows alike that differ
 * by more than a factor of 2 (the first eight of these, and how many more). Errors, with
 * file:line:column where there is one: a file that cannot be read, is of none of the three forms or
 * has nothing; CSV without a column that is needed; values that are none; times that nccl-tests
 * found wrong data with; a number of NPUs or a collective that nothing tells; no row at all. `out`
 * is set on success only. O(bytes + rows log rows). */
enum orr_status orr_measured_read(const struct orr_measured_inputs *inputs, struct orr_arena *arena,
                                  struct orr_measured *out, struct orr_diag *diag);

/* The i-th row of a table, by bytes. O(1). */
static inline const struct orr_measured_row *
orr_measured_row_of(const struct orr_measured *measured, const struct orr_measured_table *table,
                    size_t i)
{
    return &measured->row[measured->order[table->first + i]];
}

/* A platform on which rows are to be run: so many NPUs, in nodes of so many. */
struct orr_measured_machine {
    const char *name; /* for messages */
    uint32_t npus, node_npus;
};

/* Whether the machine can hold the row's group, the first NPUs of each of the first nodes. Error
 * (input) at the row's place, which says what the machine has. O(1). */
enum orr_status orr_measured_check_row(const struct orr_measured *measured,
                                       const struct orr_measured_row *row,
                                       const struct orr_measured_machine *machine,
                                       struct orr_diag *diag);

/* The rank of the i-th NPU of such a group. */
static inline uint32_t orr_measured_rank(const struct orr_measured_machine *machine,
                                         uint32_t npus_per_node, uint32_t i)
{
    return i / npus_per_node * machine->node_npus + i % npus_per_node;
}

/* The bytes of a row as Orrery's collectives count (struct coll_args): of all-gather and gather a
 * rank's part, rounded up. */
uint64_t orr_measured_coll_bytes(const struct orr_measured_row *row);

/* A collective by any name that is used of it: all_reduce, all-reduce, AllReduce,
 * all_reduce_perf. False when there is none of that name that Orrery has. */
bool orr_measured_kind(const char *name, enum coll_kind *kind);

/* Divides the rows by `holdout`:
 * - NULL or "": nothing is held out
 * - every:N: of each table by bytes, rows 0, N, 2N, ... are fitted, the others tested
 * - column:NAME: tested are rows where that column of CSV has a value but 0, no, false and fit
 * - column:NAME>VALUE: tested are rows of which that holds; also <, >=, <= and =. NAME may also be
 *   collective (with = alone), npus, npus_per_node, nodes, time_us, bytes (also with a unit)
 *
 * Errors (input): another text; an unknown column; a value that is no number where it is compared
 * as one; nothing left to fit, or nothing to test. O(rows). */
enum orr_status orr_measured_select(const struct orr_measured *measured, const char *holdout,
                                    struct orr_arena *arena, struct orr_measured_split *out,
                                    struct orr_diag *diag);

#endif
