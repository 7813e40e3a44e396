/* Values of options, stored where their rows say. */
#ifndef ORR_CLI_OPTION_STORE_H
#define ORR_CLI_OPTION_STORE_H

struct orr_option;

/* Parses a value (NULL: none) into the member of the row in the arguments at `base`. `command`: for
 * messages. Returns 0, or the exit status of bad usage after a message on stderr. */
int orr_store_value(const char *command, const struct orr_option *row, const char *value,
                    char *base);

#endif
