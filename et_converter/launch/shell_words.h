/* Words of a shell script, as far as launch scripts need them: quotes, comments, line ends behind
 * \, variables that the script sets, defaults of others, sums of $(( )). Nothing is run. */
#ifndef ORR_ET_CONVERTER_LAUNCH_SHELL_WORDS_H
#define ORR_ET_CONVERTER_LAUNCH_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct orr_arena;

struct shell_variable {
    const char *name, *value;
};

struct shell_words {
    const char *at; /* what is read next */
    struct orr_arena *arena;
    char *word;  /* the last word; moves as it grows */
    bool broken; /* a line, or a command, ended before it */
    bool no_memory;
    size_t length, capacity;
    struct shell_variable *variable;
    size_t variables, variable_capacity;
};

/* Begins at a text, which must outlive the words. Nodes and tasks of #SBATCH lines are variables,
 * as Slurm sets them. */
void orr_shell_open(struct shell_words *words, const char *text, struct orr_arena *arena);

/* Reads the next word; false at the end. A variable that was not set stays as $NAME. */
bool orr_shell_next(struct shell_words *words);

/* Sets the variable of a word NAME=VALUE; returns the value, NULL if the word is none. */
const char *orr_shell_set_variable(struct shell_words *words, const char *word);

#endif
