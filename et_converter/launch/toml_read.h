/* TOML, as launch files have it: tables, tables in lists, dotted and quoted keys, texts of all four
 * kinds, numbers, truth values, dates (as texts), lists, inline tables. */
#ifndef ORR_ET_CONVERTER_LAUNCH_TOML_READ_H
#define ORR_ET_CONVERTER_LAUNCH_TOML_READ_H

#include <stdbool.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct launch_arguments;

/* Whether a text begins as TOML does, with a table or a value of one, and has a table. O(bytes). */
bool orr_toml_is_one(const char *text);

/* Reads a text that ends with a zero byte into the arguments, which begin empty, a value each in
 * the order of the text: "training.seq_len", with its last part as the name. Texts lose their
 * quotes, numbers their underscores; a list is "[a, b]". All lies in the arena. Errors name the
 * line and what was expected: a broken line, a key or a table that is there twice, more than 4096
 * values, lists nested deeper than 16. O(bytes + values^2). */
enum orr_status orr_toml_read(const char *name, const char *text, struct orr_arena *arena,
                              struct launch_arguments *arguments, struct orr_diag *diag);

#endif
